//! The table that this plugin hands out: the real one's, with every function replaced by a gate
//! that calls [`dispatch`].

use std::ffi::{CStr, CString, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::dispatch::dispatch;
use crate::names::NAMES;
use crate::sys::{Error, Function, TableHead};
use crate::{faults, names, raw};

/// How many functions a table can have here. PJRT 0.115 has 138.
pub const CAPACITY: usize = 256;
const WORD: usize = size_of::<usize>();
/// The words before the first function: size, extensions, and the version with its own size and
/// extensions; the last word holds the major and the minor number.
const HEAD: usize = size_of::<TableHead>() / WORD;
const SIZE: usize = 0;
const EXTENSIONS: usize = 1;
const VERSION: usize = 4;

/// The table handed out. Words, because a fault can change any of them while others read it.
static WORDS: [AtomicUsize; HEAD + CAPACITY] = [const { AtomicUsize::new(0) }; HEAD + CAPACITY];
static REAL: OnceLock<Result<Real, String>> = OnceLock::new();

/// What the real plugin gave.
struct Real {
    head: TableHead,
    functions: Vec<Option<Function>>,
}

// SAFETY: the pointers in the head are only passed on.
unsafe impl Send for Real {}
// SAFETY: as above.
unsafe impl Sync for Real {}

/// Loads the real plugin, at the first call, and returns the table to hand out.
pub fn start() -> Result<*const c_void, String> {
    let mut first = false;
    let real = REAL.get_or_init(|| {
        first = true;
        Real::load()
    });
    real.as_ref().map_err(Clone::clone)?;
    if first {
        restore();
        faults::set_from_environment()?;
    }
    Ok(WORDS.as_ptr().cast())
}

/// Makes the table what the real one is.
pub fn restore() {
    let Some(real) = real() else { return };
    WORDS[EXTENSIONS].store(real.head.extension_start.addr(), Relaxed);
    WORDS[2].store(real.head.version_struct_size, Relaxed);
    WORDS[3].store(real.head.version_extension_start.addr(), Relaxed);
    set_version(real.head.major, real.head.minor);
    set_size(real.head.struct_size);
    for slot in 0..CAPACITY {
        show(slot);
    }
}

/// Puts the RawBuffer extension before those of the real plugin, or takes it away.
pub fn offer_raw_buffer(offer: bool) {
    static OURS: OnceLock<usize> = OnceLock::new();
    let Some(real) = real() else { return };
    let next = real.head.extension_start;
    let ours = || raw::extension(next, &GATES).expose_provenance();
    let first = if offer { *OURS.get_or_init(ours) } else { next.addr() };
    WORDS[EXTENSIONS].store(first, Relaxed);
}

/// Puts the gate of a function into the table, if the real plugin has the function.
pub fn show(slot: usize) {
    let there = function(slot).is_some();
    WORDS[HEAD + slot].store(if there { GATES[slot] as usize } else { 0 }, Relaxed);
}

/// Leaves a null pointer in the function's place.
pub fn hide(slot: usize) {
    WORDS[HEAD + slot].store(0, Relaxed);
}

pub fn set_version(major: i32, minor: i32) {
    let mut bytes = [0; WORD];
    bytes[..4].copy_from_slice(&major.to_ne_bytes());
    bytes[4..].copy_from_slice(&minor.to_ne_bytes());
    WORDS[VERSION].store(usize::from_ne_bytes(bytes), Relaxed);
}

pub fn version() -> (i32, i32) {
    let bytes = WORDS[VERSION].load(Relaxed).to_ne_bytes();
    let half = |at: usize| i32::from_ne_bytes(std::array::from_fn(|byte| bytes[at + byte]));
    (half(0), half(4))
}

pub fn set_size(bytes: usize) {
    WORDS[SIZE].store(bytes, Relaxed);
}

pub fn real_version() -> (i32, i32) {
    real().map_or((0, 0), |real| (real.head.major, real.head.minor))
}

pub fn real_size() -> usize {
    real().map_or(0, |real| real.head.struct_size)
}

/// The largest table that can be told of: the words exist and are zero where there is no
/// function.
pub const LARGEST: usize = (HEAD + CAPACITY) * WORD;

/// The keys that `pjrtmem_test_get` knows from here.
///
/// - `functions`: the names of the functions now in the table, separated by commas
/// - `version`, `real_version`: major and minor, `0.81`
/// - `struct_size`: what the table says of its size
pub fn get(key: &str) -> Option<String> {
    let shown = |(major, minor)| format!("{major}.{minor}");
    Some(match key {
        "functions" => {
            let there = |slot: &usize| WORDS[HEAD + slot].load(Relaxed) != 0;
            let names: Vec<&str> =
                (0..NAMES.len()).filter(there).map(|slot| NAMES[slot]).collect();
            names.join(",")
        }
        "version" => shown(version()),
        "real_version" => shown(real_version()),
        "struct_size" => WORDS[SIZE].load(Relaxed).to_string(),
        _ => return None,
    })
}

/// Calls the real plugin's function. One that it lacks succeeds and does nothing: a gate for it
/// is never in the table, and what this crate calls for its accounts must not fail because of
/// that.
///
/// # Safety
/// `arguments` points to that function's argument struct, filled in.
pub unsafe fn call<T>(slot: usize, arguments: *mut T) -> Error {
    match function(slot) {
        // SAFETY: the caller's promise.
        Some(function) => unsafe { function(arguments.cast()) },
        None => std::ptr::null_mut(),
    }
}

fn function(slot: usize) -> Option<Function> {
    real().and_then(|real| real.functions.get(slot).copied().flatten())
}

fn real() -> Option<&'static Real> {
    REAL.get().and_then(|real| real.as_ref().ok())
}

impl Real {
    fn load() -> Result<Real, String> {
        let path = std::env::var("PJRTMEM_TEST_REAL_PLUGIN")
            .map_err(|_| "PJRTMEM_TEST_REAL_PLUGIN does not name the plugin to forward to")?;
        let file = CString::new(path.as_str()).map_err(|_| "a path has no NUL")?;
        // SAFETY: the test that set the variable wants this library loaded. It is never
        // unloaded.
        let library = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            return Err(format!("{path}: {}", last_dl_error()));
        }
        // SAFETY: the handle is the one just opened.
        let symbol = unsafe { libc::dlsym(library, c"GetPjrtApi".as_ptr()) };
        if symbol.is_null() || symbol == GetPjrtApi as *mut c_void {
            return Err(format!("{path} has no GetPjrtApi of its own"));
        }
        // SAFETY: this is the type that PJRT gives the function of that name.
        let get: unsafe extern "C" fn() -> *const TableHead =
            unsafe { std::mem::transmute(symbol) };
        // SAFETY: it takes nothing.
        let table = unsafe { get() };
        if table.is_null() {
            return Err(format!("GetPjrtApi of {path} returned null"));
        }
        // SAFETY: a table starts with its head, and has as many functions as its size says.
        let real = unsafe {
            let head = table.read();
            let count = (head.struct_size.saturating_sub(size_of::<TableHead>())) / WORD;
            let functions = table.add(1).cast::<Option<Function>>();
            let functions =
                (0..count.min(CAPACITY)).map(|slot| functions.add(slot).read()).collect();
            Real { head, functions }
        };
        Ok(real)
    }
}

use crate::GetPjrtApi;

fn last_dl_error() -> String {
    // SAFETY: the text is this thread's and is copied at once.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() {
            "unknown".into()
        } else {
            CStr::from_ptr(text).to_string_lossy().into()
        }
    }
}

/// The function that stands in place `SLOT` of the table.
///
/// # Safety
/// As for the real function of that place.
unsafe extern "C" fn gate<const SLOT: usize>(arguments: *mut c_void) -> Error {
    // SAFETY: the caller's promise, which is the real function's.
    unsafe { dispatch(SLOT, arguments) }
}

/// A gate for every place: PJRT functions are not told which one they are.
static GATES: [Function; CAPACITY] = {
    macro_rules! sixteen {
        ($high:literal) => {
            [
                gate::<{ $high * 16 }>,
                gate::<{ $high * 16 + 1 }>,
                gate::<{ $high * 16 + 2 }>,
                gate::<{ $high * 16 + 3 }>,
                gate::<{ $high * 16 + 4 }>,
                gate::<{ $high * 16 + 5 }>,
                gate::<{ $high * 16 + 6 }>,
                gate::<{ $high * 16 + 7 }>,
                gate::<{ $high * 16 + 8 }>,
                gate::<{ $high * 16 + 9 }>,
                gate::<{ $high * 16 + 10 }>,
                gate::<{ $high * 16 + 11 }>,
                gate::<{ $high * 16 + 12 }>,
                gate::<{ $high * 16 + 13 }>,
                gate::<{ $high * 16 + 14 }>,
                gate::<{ $high * 16 + 15 }>,
            ]
        };
    }
    let rows: [[Function; 16]; 16] = [
        sixteen!(0),
        sixteen!(1),
        sixteen!(2),
        sixteen!(3),
        sixteen!(4),
        sixteen!(5),
        sixteen!(6),
        sixteen!(7),
        sixteen!(8),
        sixteen!(9),
        sixteen!(10),
        sixteen!(11),
        sixteen!(12),
        sixteen!(13),
        sixteen!(14),
        sixteen!(15),
    ];
    let mut gates: [Function; CAPACITY] = [gate::<0>; CAPACITY];
    let mut slot = 0;
    while slot < CAPACITY {
        gates[slot] = rows[slot / 16][slot % 16];
        slot += 1;
    }
    gates
};

/// What a message calls the function in that place.
pub fn name(slot: usize) -> String {
    let raw = || names::RAW_NAMES.get(slot.wrapping_sub(names::RAW));
    let name = names::NAMES.get(slot).or_else(raw);
    name.map_or_else(|| format!("slot {slot}"), |name| (*name).to_string())
}
