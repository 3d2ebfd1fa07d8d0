//! Random sequences of calls on every plugin, checked against plain memory.

mod common;

use common::abi;

use std::ffi::CString;

use pjrtmem::error::Code;
use pjrtmem::memory::{self, ElementType};
use pjrtmem::pjrt::{Options, Value};
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};

/// One call. Buffers are named by their place among the live ones, offsets and
/// lengths are taken modulo what fits, so that most calls are right.
#[derive(Clone, Debug)]
#[rustfmt::skip]
enum Call {
    Alloc { space: usize, element: ElementType, count: usize },
    Free { buffer: usize },
    Release { buffer: usize },
    Write { buffer: usize, offset: usize, length: usize, seed: u8 },
    Read { buffer: usize, offset: usize, length: usize },
    Copy { target: usize, target_offset: usize, source: usize, source_offset: usize, length: usize },
    Fill { buffer: usize, offset: usize, repeats: usize, pattern: Vec<u8> },
    PastTheEnd { buffer: usize, offset: usize, length: usize },
    /// A handle, an element type and a space that are most likely none.
    Wrong { handle: u64, element: i32, space: u32 },
}

fn call() -> impl Strategy<Value = Call> {
    use ElementType::*;
    let some = 0_usize..1000;
    let element = prop::sample::select(vec![U8, S16, F32, F64, C128]);
    let bytes = 0_usize..300;
    prop_oneof![
        3 => (some.clone(), element, 0_usize..40)
            .prop_map(|(space, element, count)| Call::Alloc { space, element, count }),
        1 => some.clone().prop_map(|buffer| Call::Free { buffer }),
        1 => some.clone().prop_map(|buffer| Call::Release { buffer }),
        3 => (some.clone(), bytes.clone(), bytes.clone(), any::<u8>())
            .prop_map(|(buffer, offset, length, seed)| Call::Write { buffer, offset, length, seed }),
        2 => (some.clone(), bytes.clone(), bytes.clone())
            .prop_map(|(buffer, offset, length)| Call::Read { buffer, offset, length }),
        3 => (some.clone(), bytes.clone(), some.clone(), bytes.clone(), bytes.clone()).prop_map(
            |(target, target_offset, source, source_offset, length)| Call::Copy {
                target, target_offset, source, source_offset, length
            }
        ),
        1 => (some.clone(), bytes.clone(), 0_usize..9, prop::collection::vec(any::<u8>(), 1..=16))
            .prop_map(|(buffer, offset, repeats, pattern)| Call::Fill {
                buffer, offset, repeats, pattern
            }),
        1 => (any::<u64>(), any::<i32>(), any::<u32>())
            .prop_map(|(handle, element, space)| Call::Wrong { handle, element, space }),
        1 => (some, bytes.clone(), bytes)
            .prop_map(|(buffer, offset, length)| Call::PastTheEnd { buffer, offset, length }),
    ]
}

/// A live buffer and what has to be in it.
struct Modelled {
    handle: u64,
    contents: Vec<u8>,
}

#[derive(Default)]
struct Model {
    spaces: Vec<u32>,
    buffers: Vec<Modelled>,
    freed: Vec<u64>,
}

/// `offset` and `length` made to fit into `bytes`.
fn fit(offset: usize, length: usize, bytes: usize) -> (usize, usize) {
    let offset = offset % (bytes + 1);
    (offset, length % (bytes - offset + 1))
}

fn assert_code<T>(result: Result<T, abi::Failure>, code: Code) {
    match result {
        Err((found, message)) => {
            assert_eq!(found, code as i32, "{message}");
            assert!(!message.is_empty());
        }
        Ok(_) => panic!("{code:?} was expected"),
    }
}

impl Model {
    fn index(&self, buffer: usize) -> Option<usize> {
        buffer.checked_rem(self.buffers.len())
    }

    fn run(&mut self, call: &Call) {
        if let Call::Alloc { space, element, count } = call {
            let space = self.spaces[space % self.spaces.len()];
            let handle = abi::alloc(space, *element as i32, *count).unwrap();
            let contents = vec![0; count * element.size()];
            abi::write(handle, 0, &contents).unwrap();
            self.buffers.push(Modelled { handle, contents });
            return;
        }
        if let Call::Wrong { handle, element, space } = call {
            return self.run_wrong(*handle, *element, *space);
        }
        let Some(i) = self.index(call.buffer()) else { return };
        let Modelled { handle, contents } = &mut self.buffers[i];
        let handle = *handle;
        match call {
            Call::Alloc { .. } | Call::Wrong { .. } => unreachable!("run above"),
            Call::Free { .. } | Call::Release { .. } => {
                match call {
                    Call::Free { .. } => abi::free(handle).unwrap(),
                    _ => abi::release(handle).unwrap(),
                }
                self.buffers.swap_remove(i);
                self.freed.push(handle);
            }
            Call::Write { offset, length, seed, .. } => {
                let (offset, length) = fit(*offset, *length, contents.len());
                let bytes: Vec<u8> = (0..length).map(|k| seed.wrapping_add(k as u8)).collect();
                abi::write(handle, offset, &bytes).unwrap();
                contents[offset..offset + length].copy_from_slice(&bytes);
            }
            Call::Read { offset, length, .. } => {
                let (offset, length) = fit(*offset, *length, contents.len());
                let found = abi::read(handle, offset, length).unwrap();
                assert_eq!(found, contents[offset..offset + length]);
            }
            Call::Copy { target_offset, source, source_offset, length, .. } => {
                let target_offset = target_offset % (contents.len() + 1);
                let room = contents.len() - target_offset;
                let from = &self.buffers[self.index(*source).unwrap()];
                let (source_offset, length) = fit(*source_offset, *length, from.contents.len());
                let length = length.min(room);
                let (to, from_there) = ((handle, target_offset), (from.handle, source_offset));
                abi::copy(to, from_there, length).unwrap();
                let bytes = from.contents[source_offset..source_offset + length].to_vec();
                self.buffers[i].contents[target_offset..target_offset + length]
                    .copy_from_slice(&bytes);
            }
            Call::Fill { offset, repeats, pattern, .. } => {
                let offset = offset % (contents.len() + 1);
                let most = (contents.len() - offset) / pattern.len();
                let length = (*repeats).min(most) * pattern.len();
                abi::fill(handle, offset, length, pattern).unwrap();
                for (k, byte) in contents[offset..offset + length].iter_mut().enumerate() {
                    *byte = pattern[k % pattern.len()];
                }
            }
            Call::PastTheEnd { offset, length, .. } => {
                let length = contents.len().saturating_sub(*offset) + length + 1;
                assert_code(abi::write(handle, *offset, &vec![0; length]), Code::OutOfRange);
                assert_code(abi::read(handle, *offset, length), Code::OutOfRange);
                assert_code(abi::fill(handle, *offset, length, &[1]), Code::OutOfRange);
                assert_code(
                    abi::copy((handle, *offset), (handle, 0), length),
                    Code::OutOfRange,
                );
                assert_code(
                    abi::copy((handle, 0), (handle, *offset), length),
                    Code::OutOfRange,
                );
                assert_code(abi::write(handle, usize::MAX, &[1]), Code::OutOfRange);
            }
        }
    }

    /// Handles that were made up or freed, and arguments that nothing is right of.
    fn run_wrong(&self, handle: u64, element: i32, space: u32) {
        if !self.buffers.iter().any(|buffer| buffer.handle == handle) {
            // By chance it may be one that was freed before.
            for result in [
                abi::free(handle),
                abi::release(handle),
                abi::write(handle, 0, &[1]),
                abi::fill(handle, 0, 1, &[1]),
                abi::copy((handle, 0), (handle, 0), 1),
            ] {
                let (code, _) = result.expect_err("a handle that stands for nothing");
                assert!([Code::InvalidHandle as i32, Code::StaleHandle as i32].contains(&code));
            }
        }
        for stale in &self.freed {
            assert_code(abi::free(*stale), Code::StaleHandle);
            assert_code(abi::read(*stale, 0, 0), Code::StaleHandle);
        }
        let known = |element| ElementType::from_raw(element).is_ok();
        if !known(element) {
            assert_code(abi::alloc(self.spaces[0], element, 1), Code::InvalidArgument);
        }
        let unknown_space = space.max(memory::space_count());
        assert_code(abi::alloc(unknown_space, 1, 1), Code::NotFound);
        assert_code(abi::alloc(self.spaces[0], 12, usize::MAX / 8 + 1), Code::OutOfRange);
        assert_code(abi::alloc(self.spaces[0], 1, usize::MAX), Code::OutOfRange);
    }

    /// Everything is as it has to be, and nothing is left when all is given up.
    fn finish(mut self) {
        for Modelled { handle, contents } in &self.buffers {
            assert_eq!(abi::read(*handle, 0, contents.len()).unwrap(), *contents);
        }
        let live = || self.spaces.iter().map(|id| abi::live_bytes(*id)).sum::<u64>();
        memory::reclaim();
        let expected: usize = self.buffers.iter().map(|buffer| buffer.contents.len()).sum();
        assert_eq!(live(), expected as u64);
        let buffers = std::mem::take(&mut self.buffers);
        buffers.into_iter().for_each(|buffer| abi::release(buffer.handle).unwrap());
        memory::reclaim();
        assert_eq!(live(), 0);
    }
}

impl Call {
    fn buffer(&self) -> usize {
        match self {
            Call::Alloc { .. } | Call::Wrong { .. } => 0,
            Call::Free { buffer }
            | Call::Release { buffer }
            | Call::Write { buffer, .. }
            | Call::Read { buffer, .. }
            | Call::Fill { buffer, .. }
            | Call::PastTheEnd { buffer, .. }
            | Call::Copy { target: buffer, .. } => *buffer,
        }
    }
}

/// The address spaces of all plugins under test, two devices each.
fn spaces() -> Vec<u32> {
    let mut options = Options::default();
    options.set(c"cpu_device_count", Value::Integer(2));
    let load = |plugin: String| memory::load(&CString::new(plugin).unwrap(), &options).unwrap();
    let clients = common::plugins().into_iter().map(load);
    clients
        .flat_map(|client| client.first_space..client.first_space + client.space_count)
        .collect()
}

#[test]
fn any_sequence_of_calls_does_what_plain_memory_does() {
    let spaces = spaces();
    if let Ok(hidden) = std::env::var(HIDDEN_KINDS) {
        for id in &spaces {
            let it = &memory::space(*id).unwrap().description;
            let kind = it.memory_kind.to_str().unwrap();
            let expected = !hidden.split(',').any(|hidden| hidden == kind);
            assert_eq!(it.host_visible.is_some(), expected, "{kind}");
        }
    }
    let cases = std::env::var("PJRTMEM_TEST_CASES").map_or(200, |cases| cases.parse().unwrap());
    // What once failed is in model.proptest-regressions, and run first.
    let persistence = FileFailurePersistence::SourceParallel("proptest-regressions");
    let failure_persistence = Some(Box::new(persistence) as _);
    let config = Config { cases, failure_persistence, ..Config::default() };
    let calls = prop::collection::vec(call(), 0..80);
    TestRunner::new(config)
        .run(&calls, |calls| {
            let mut model = Model { spaces: spaces.clone(), ..Model::default() };
            calls.iter().for_each(|call| model.run(call));
            model.finish();
            Ok(())
        })
        .unwrap();
    println!("{cases} random sequences of up to 80 calls, in {} spaces", spaces.len());
}

/// Tells the test above which kinds of memory the host cannot touch.
const HIDDEN_KINDS: &str = "PJRTMEM_TEST_HIDDEN_KINDS";
const ALL_KINDS: &str = "device,pinned_host,unpinned_host";

/// The same on devices that cannot do what the CPU can: each in a process of its
/// own, on the test plugin over each of the real ones.
#[test]
fn and_on_devices_that_can_do_less() {
    for (faults, hidden) in [
        ("hide_addresses=1", ALL_KINDS),
        ("hide_addresses=1,raw_buffer=1", ALL_KINDS),
        ("hide_addresses=device", "device"),
        ("hide_addresses=1,refuse=Buffer_CopyRawToHost", ALL_KINDS),
        ("hide_addresses=1,refuse=Buffer_CopyToMemory", ALL_KINDS),
        ("buffers_only=1", ALL_KINDS),
        ("refuse=Client_CreateUninitializedBuffer", ""),
    ] {
        let test = "any_sequence_of_calls_does_what_plain_memory_does";
        common::on_test_plugin(test, faults, &[(HIDDEN_KINDS, hidden)]);
    }
}
