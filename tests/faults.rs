//! Each function of the header, with each call that it makes to the plugin
//! failing: the error comes up with the plugin's message, nothing is leaked, the
//! accounts and the contents are as they were, and the library goes on working.
//!
//! The cases are not written down: a run without faults tells which calls a
//! function makes, and then each of them is made to fail, at once and late.

#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use common::abi::{self, outcome};
use libloading::Library;
use pjrtmem::capi::buffer::*;
use pjrtmem::capi::client::*;
use pjrtmem::capi::error::*;
use pjrtmem::capi::lifetime::*;
use pjrtmem::capi::options::*;
use pjrtmem::capi::space::*;
use pjrtmem::capi::transfer::*;
use pjrtmem::capi::types::*;
use pjrtmem::error::Code;
use pjrtmem::memory::ElementType::U8;
use pjrtmem::pjrt::sys::SLOTS;

const SHORT: usize = 4096;
/// Long enough to be written by a program.
const LONG: usize = 8 << 20;

/// The functions of the RawBuffer extension that are used.
const RAW_BUFFER: [&str; 3] = [
    "PJRT_RawBuffer_CreateRawAliasOfBuffer",
    "PJRT_RawBuffer_Destroy",
    "PJRT_RawBuffer_CopyRawHostToDevice",
];

/// The test plugin's own functions.
struct TestPlugin {
    set: unsafe extern "C" fn(*const c_char, *const c_char) -> c_int,
    get: unsafe extern "C" fn(*const c_char) -> *const c_char,
}

impl TestPlugin {
    fn new(path: &str) -> TestPlugin {
        // SAFETY: the plugin is loaded already, and these are the functions' types.
        unsafe {
            let library = Box::leak(Box::new(Library::new(path).unwrap()));
            TestPlugin {
                set: *library.get("pjrtmem_test_set").unwrap(),
                get: *library.get("pjrtmem_test_get").unwrap(),
            }
        }
    }

    fn set(&self, key: &str, value: &str) {
        let (key, value) = (CString::new(key).unwrap(), CString::new(value).unwrap());
        // SAFETY: both are terminated.
        assert_eq!(unsafe { (self.set)(key.as_ptr(), value.as_ptr()) }, 0);
    }

    fn get(&self, key: &str) -> String {
        let key = CString::new(key).unwrap();
        // SAFETY: the key is terminated, and the text lives until the next call.
        unsafe { CStr::from_ptr((self.get)(key.as_ptr())) }.to_str().unwrap().to_owned()
    }

    fn number(&self, key: &str) -> u64 {
        self.get(key).parse().unwrap()
    }

    /// How often each function of the plugin was called.
    fn calls(&self) -> BTreeMap<&'static str, u64> {
        let names = SLOTS.iter().map(|(name, _)| *name).chain(RAW_BUFFER);
        names.map(|name| (name, self.number(&format!("calls:{name}")))).collect()
    }

    /// What was created and not destroyed. Compiled programs are kept on purpose.
    fn live(&self) -> String {
        let live = self.get("live");
        let leaks = live.split(' ').filter(|left| !left.starts_with("executables"));
        leaks.collect::<Vec<_>>().join(" ")
    }
}

/// A buffer with known contents, made anew for every call.
struct Buffers {
    spaces: [u32; 2],
    target: u64,
    source: u64,
    /// For a call to give up.
    spare: u64,
    before: Vec<u8>,
}

/// A call of one function, and what is in the target after it, if that changes.
struct Scenario {
    function: &'static str,
    variant: &'static str,
    bytes: usize,
    call: fn(&Buffers) -> *mut pjrtmem_error,
    after: fn(&Buffers) -> Vec<u8>,
}

const NEW: [u8; 5] = [9, 8, 7, 6, 5];

fn unchanged(buffers: &Buffers) -> Vec<u8> {
    buffers.before.clone()
}

fn with_new(buffers: &Buffers) -> Vec<u8> {
    let mut after = buffers.before.clone();
    after[3..8].copy_from_slice(&NEW);
    after
}

fn copied(buffers: &Buffers) -> Vec<u8> {
    vec![0x55; buffers.before.len()]
}

fn partly_copied(buffers: &Buffers) -> Vec<u8> {
    let mut after = buffers.before.clone();
    after[3..8].fill(0x55);
    after
}

/// Calls `function` with a struct to fill in.
macro_rules! get {
    ($function:ident, ($($of:expr),*), $info:ident) => {{
        // SAFETY: a struct of integers and pointers, with its size set.
        unsafe {
            let mut info: $info = std::mem::zeroed();
            info.struct_size = size_of::<$info>();
            $function($($of,)* &raw mut info)
        }
    }};
}

macro_rules! scenario {
    ($function:ident, $variant:literal, $bytes:expr, $call:expr, $after:expr) => {
        Scenario {
            function: stringify!($function),
            variant: $variant,
            bytes: $bytes,
            call: $call,
            after: $after,
        }
    };
    ($function:ident, $call:expr) => {
        scenario!($function, "", SHORT, $call, unchanged)
    };
}

/// Runs functions that return no error.
fn no_error<T>(_: T) -> *mut pjrtmem_error {
    ptr::null_mut()
}

fn with_options(
    use_them: impl Fn(*mut pjrtmem_options) -> *mut pjrtmem_error,
) -> *mut pjrtmem_error {
    let mut options = ptr::null_mut();
    // SAFETY: there is room; the options are alive until they are freed.
    unsafe {
        let error = pjrtmem_options_new(&raw mut options);
        let error = if error.is_null() { use_them(options) } else { error };
        pjrtmem_options_free(options);
        error
    }
}

/// Makes a client, another one each time: an option has another value.
fn load(_: &Buffers) -> *mut pjrtmem_error {
    static LOADED: AtomicI64 = AtomicI64::new(0);
    let plugin = CString::new(common::plugins().remove(0)).unwrap();
    with_options(|options| {
        let devices = 3 + LOADED.load(Relaxed);
        // SAFETY: all pointers are to what the functions take.
        let error = unsafe {
            let name = c"cpu_device_count".as_ptr();
            assert!(pjrtmem_options_set_integer(options, name, devices).is_null());
            pjrtmem_load(plugin.as_ptr(), options, &mut 0)
        };
        LOADED.fetch_add(i64::from(error.is_null()), Relaxed);
        error
    })
}

#[rustfmt::skip]
fn scenarios() -> Vec<Scenario> {
    // SAFETY, for all of them: the pointers are to what the functions take.
    vec![
        scenario!(pjrtmem_version, |_| no_error(pjrtmem_version())),
        scenario!(pjrtmem_error_code, |_| no_error(unsafe { pjrtmem_error_code(ptr::null()) })),
        scenario!(pjrtmem_error_message, |_| no_error(unsafe { pjrtmem_error_message(ptr::null()) })),
        scenario!(pjrtmem_error_free, |_| { unsafe { pjrtmem_error_free(ptr::null_mut()) }; ptr::null_mut() }),
        scenario!(pjrtmem_code_name, |_| no_error(pjrtmem_code_name(1))),
        scenario!(pjrtmem_options_new, |_| with_options(|_| ptr::null_mut())),
        scenario!(pjrtmem_options_free, |_| with_options(|_| ptr::null_mut())),
        scenario!(pjrtmem_options_set_string, |_| with_options(|options| unsafe {
            pjrtmem_options_set_string(options, c"a".as_ptr(), c"b".as_ptr())
        })),
        scenario!(pjrtmem_options_set_integer, |_| with_options(|options| unsafe {
            pjrtmem_options_set_integer(options, c"a".as_ptr(), 1)
        })),
        scenario!(pjrtmem_options_set_float, |_| with_options(|options| unsafe {
            pjrtmem_options_set_float(options, c"a".as_ptr(), 1.0)
        })),
        scenario!(pjrtmem_options_set_boolean, |_| with_options(|options| unsafe {
            pjrtmem_options_set_boolean(options, c"a".as_ptr(), true)
        })),
        scenario!(pjrtmem_options_set_integers, |_| with_options(|options| unsafe {
            pjrtmem_options_set_integers(options, c"a".as_ptr(), [1].as_ptr(), 1)
        })),
        scenario!(pjrtmem_load, load),
        scenario!(pjrtmem_get_client_info, |_| get!(pjrtmem_get_client_info, (0), pjrtmem_client_info)),
        scenario!(pjrtmem_get_capability, |_| get!(pjrtmem_get_capability, (0, 0), pjrtmem_capability)),
        scenario!(pjrtmem_space_count, |_| unsafe { pjrtmem_space_count(&mut 0) }),
        scenario!(pjrtmem_get_space_info, |_| get!(pjrtmem_get_space_info, (0), pjrtmem_space_info)),
        scenario!(pjrtmem_space_find, |_| unsafe {
            pjrtmem_space_find(0, 0, ptr::null(), &mut 0)
        }),
        scenario!(pjrtmem_type_name, |_| no_error(pjrtmem_type_name(1))),
        scenario!(pjrtmem_type_size, |_| unsafe { pjrtmem_type_size(1, &mut 0) }),
        scenario!(pjrtmem_alloc, |it| {
            let mut buffer = 0;
            let error = unsafe { pjrtmem_alloc(it.spaces[0], U8 as i32, 100, &raw mut buffer) };
            if error.is_null() { abi::free(buffer).unwrap(); }
            error
        }),
        scenario!(pjrtmem_free, |it| pjrtmem_free(it.spare)),
        scenario!(pjrtmem_retain, |it| {
            outcome(pjrtmem_retain(it.target)).unwrap();
            pjrtmem_release(it.target)
        }),
        scenario!(pjrtmem_release, |it| {
            let error = pjrtmem_release(it.spare);
            outcome(pjrtmem_reclaim()).unwrap();
            error
        }),
        scenario!(pjrtmem_reclaim, |_| pjrtmem_reclaim()),
        scenario!(pjrtmem_get_buffer_info, |it| {
            get!(pjrtmem_get_buffer_info, (it.target), pjrtmem_buffer_info)
        }),
        scenario!(pjrtmem_get_memory_info, |_| get!(pjrtmem_get_memory_info, (0), pjrtmem_memory_info)),
        scenario!(pjrtmem_get_transfer_info, |_| {
            get!(pjrtmem_get_transfer_info, (0), pjrtmem_transfer_info)
        }),
        scenario!(pjrtmem_host_address, |it| {
            let mut address = ptr::null_mut();
            unsafe { pjrtmem_host_address(it.target, &raw mut address) }
        }),
        scenario!(pjrtmem_device_address, |it| unsafe {
            pjrtmem_device_address(it.target, &mut 0)
        }),
        scenario!(pjrtmem_wait, |it| pjrtmem_wait(it.target)),
        scenario!(pjrtmem_copy_from_host, "a part", SHORT, |it| unsafe {
            pjrtmem_copy_from_host(it.target, 3, NEW.as_ptr().cast(), NEW.len())
        }, with_new),
        scenario!(pjrtmem_copy_from_host, "a part of a long one", LONG, |it| unsafe {
            pjrtmem_copy_from_host(it.target, 3, NEW.as_ptr().cast(), NEW.len())
        }, with_new),
        scenario!(pjrtmem_copy_from_host, "all", SHORT, |it| {
            let all = copied(it);
            unsafe { pjrtmem_copy_from_host(it.target, 0, all.as_ptr().cast(), all.len()) }
        }, copied),
        scenario!(pjrtmem_copy_to_host, "a part", SHORT, |it| unsafe {
            pjrtmem_copy_to_host(it.target, 3, [0_u8; 5].as_mut_ptr().cast(), 5)
        }, unchanged),
        scenario!(pjrtmem_copy_to_host, "all", SHORT, |it| unsafe {
            pjrtmem_copy_to_host(it.target, 0, [0_u8; SHORT].as_mut_ptr().cast(), SHORT)
        }, unchanged),
        scenario!(pjrtmem_copy, "a part", SHORT, |it| {
            pjrtmem_copy(it.target, 3, it.source, 0, 5)
        }, partly_copied),
        scenario!(pjrtmem_copy, "all", SHORT, |it| {
            let error = pjrtmem_copy(it.target, 0, it.source, 0, it.before.len());
            // A copy may be under way on return; its error comes here.
            if error.is_null() { pjrtmem_wait(it.target) } else { error }
        }, copied),
        scenario!(pjrtmem_fill, "a part", SHORT, |it| unsafe {
            pjrtmem_fill(it.target, 3, 5, NEW.as_ptr().cast(), NEW.len())
        }, with_new),
    ]
}

impl Buffers {
    fn new(spaces: [u32; 2], bytes: usize, case: usize) -> Buffers {
        // Another length each time, so that a program has to be compiled for it.
        let bytes = if bytes == LONG { bytes + case } else { bytes };
        let filled = |space, contents: &[u8]| {
            let buffer = abi::alloc(space, U8 as i32, bytes).unwrap();
            abi::write(buffer, 0, contents).unwrap();
            buffer
        };
        let before: Vec<u8> = (0..bytes).map(|i| i as u8).collect();
        let source = filled(spaces[1], &vec![0x55; bytes]);
        let (target, spare) = (filled(spaces[0], &before), filled(spaces[0], &before));
        Buffers { spaces, target, source, spare, before }
    }

    fn contents(&self) -> Result<Vec<u8>, abi::Failure> {
        abi::read(self.target, 0, self.before.len())
    }

    fn free(self) {
        for buffer in [self.target, self.source] {
            abi::free(buffer).unwrap();
        }
        match abi::free(self.spare) {
            // The call gave it up.
            Err((code, _)) if code == Code::StaleHandle as i32 => {}
            freed => freed.unwrap(),
        }
    }
}

fn live_bytes() -> u64 {
    (0..pjrtmem::memory::space_count()).map(abi::live_bytes).sum()
}

/// Runs a scenario with one fault and says how it came out.
fn run(
    plugin: &TestPlugin,
    scenario: &Scenario,
    spaces: [u32; 2],
    fault: Option<(&str, String)>,
    case: usize,
) -> &'static str {
    let (live, bytes) = (plugin.live(), live_bytes());
    let what = format!("{} ({}), {fault:?}", scenario.function, scenario.variant);
    let buffers = Buffers::new(spaces, scenario.bytes, case);
    let faults = plugin.number("faults");
    if let Some((key, value)) = &fault {
        plugin.set(key, value);
    }
    let outcome = outcome((scenario.call)(&buffers));
    if let Some((key, _)) = &fault {
        plugin.set(key, "");
    }
    let failed = plugin.number("faults") > faults;
    let came_out = match &outcome {
        Ok(()) if fault.is_none() => "right",
        Ok(()) if failed => "right, by another way",
        Ok(()) => "not reached",
        Err((code, _)) if !failed => {
            // It cannot do this at all, with or without a fault.
            let known = [Code::FailedPrecondition as i32, Code::Unimplemented as i32];
            assert!(known.contains(code), "{what}: {outcome:?}");
            "not possible"
        }
        Err((code, message)) => {
            assert!(message.contains("made to fail by the test plugin"), "{what}: {outcome:?}");
            let lost = *code == Code::DataLoss as i32;
            assert!(lost || *code == Code::Internal as i32, "{what}: {outcome:?}");
            if lost { "an error, contents lost" } else { "an error" }
        }
    };
    match (came_out, buffers.contents()) {
        ("an error, contents lost", Err((_, message))) => {
            assert!(message.contains("deleted or donated"), "{what}: {message}");
        }
        // The plugin's copy failed while it was under way; what is there was never said.
        ("an error", Err(_)) if scenario.function == "pjrtmem_copy" => {}
        (_, contents) => {
            let contents = contents.unwrap_or_else(|error| panic!("{what}: {error:?}"));
            let (unchanged, after) = (unchanged(&buffers), (scenario.after)(&buffers));
            let right = match &outcome {
                Ok(()) => contents == after,
                Err((_, message)) if message.contains("may have been written") => true,
                // It had begun, and waiting for it failed.
                Err(_) if scenario.function == "pjrtmem_copy" => {
                    contents == unchanged || contents == after
                }
                Err(_) => contents == unchanged,
            };
            assert!(right, "{what}: the contents are not what they have to be");
        }
    }
    buffers.free();
    assert_eq!(live_bytes(), bytes, "{what}: the accounts are not as they were");
    if scenario.function != "pjrtmem_load" || outcome.is_err() {
        assert_eq!(plugin.live(), live, "{what}: something of the plugin was leaked");
    }
    came_out
}

#[test]
#[ignore = "for the test plugin, see below"]
fn matrix() {
    let path = common::plugins().remove(0);
    let name = CString::new(path.clone()).unwrap();
    let mut options = pjrtmem::pjrt::Options::default();
    options.set(c"cpu_device_count", pjrtmem::pjrt::Value::Integer(2));
    let client = pjrtmem::memory::load(&name, &options).unwrap();
    let per_device = client.space_count / 2;
    let spaces = [client.first_space, client.first_space + per_device];
    let plugin = TestPlugin::new(&path);

    let mut case = 0;
    let mut next = || {
        case += 1;
        case
    };
    let mut cells = BTreeMap::<&str, usize>::new();
    for scenario in scenarios() {
        let row = format!("{} {}", scenario.function, scenario.variant);
        // Once for what is done only the first time, and once to see the calls.
        run(&plugin, &scenario, spaces, None, next());
        let idle = Buffers::new(spaces, scenario.bytes, next());
        let before = plugin.calls();
        let right = outcome((scenario.call)(&idle));
        let after = plugin.calls();
        idle.free();
        let calls: Vec<_> = after
            .into_iter()
            .map(|(name, count)| (name, count - before[name]))
            .filter(|(name, count)| *count > 0 && !name.starts_with("PJRT_Error"))
            .collect();
        if calls.is_empty() {
            println!("{row:45} makes no call of the plugin ({})", right.is_ok());
            *cells.entry("makes no call").or_default() += 1;
        }
        for (call, count) in calls {
            for (key, when) in [("fail_nth", "at once"), ("fail_event_nth", "late")] {
                let mut came_out = BTreeSet::new();
                for n in BTreeSet::from([1, 2, 3, count / 2, count]) {
                    if !(1..=count).contains(&n) {
                        continue;
                    }
                    let fault = Some((key, format!("{call}:{n}")));
                    let how = run(&plugin, &scenario, spaces, fault, next());
                    came_out.insert(how);
                    *cells.entry(how).or_default() += 1;
                    if how == "not reached" {
                        // The function of the plugin gives no event.
                        break;
                    }
                }
                let came_out = Vec::from_iter(came_out).join("; ");
                println!("{row:45} {call:45} {when:8} x{count:<3} {came_out}");
            }
        }
    }
    println!("live at the end: {:?}; cases: {cells:?}", plugin.live());
    assert!(cells["an error"] > 30, "the faults were not reached");
}

#[test]
fn every_function_has_a_scenario() {
    let known: BTreeSet<&str> = scenarios().iter().map(|it| it.function).collect();
    for function in common::declared_functions() {
        // After this one nothing works any more; the C suite has it.
        if function != "pjrtmem_exiting" {
            assert!(known.contains(function.as_str()), "{function} has no scenario");
        }
    }
}

#[test]
fn every_call_of_every_function_may_fail() {
    for faults in ["", "hide_addresses=1", "hide_addresses=1,raw_buffer=1", "buffers_only=1"] {
        println!("\n# With {faults:?}");
        common::on_test_plugin("matrix", faults, &[]);
    }
}
