//! Random sequences of calls on every plugin, checked against plain memory.

mod common;

use std::ffi::CString;

use pjrtmem::error::Code;
use pjrtmem::memory::{self, ElementType};
use pjrtmem::pjrt::host::{Destination, Source};
use pjrtmem::pjrt::{Options, Value};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// One call. Buffers are named by their place among the live ones, offsets and
/// lengths are taken modulo what fits, so that most calls are right.
#[derive(Clone, Debug)]
enum Call {
    Alloc {
        space: usize,
        element: ElementType,
        count: usize,
    },
    Free {
        buffer: usize,
    },
    Release {
        buffer: usize,
    },
    Write {
        buffer: usize,
        offset: usize,
        length: usize,
        seed: u8,
    },
    Read {
        buffer: usize,
        offset: usize,
        length: usize,
    },
    Copy {
        target: usize,
        target_offset: usize,
        source: usize,
        source_offset: usize,
        length: usize,
    },
    Fill {
        buffer: usize,
        offset: usize,
        repeats: usize,
        pattern: Vec<u8>,
    },
    PastTheEnd {
        buffer: usize,
        offset: usize,
        length: usize,
    },
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

impl Model {
    fn index(&self, buffer: usize) -> Option<usize> {
        buffer.checked_rem(self.buffers.len())
    }

    fn run(&mut self, call: &Call) {
        match call {
            Call::Alloc { space, element, count } => {
                let space = self.spaces[space % self.spaces.len()];
                let handle = memory::alloc(space, *element, *count).unwrap();
                let contents = vec![0; count * element.size()];
                let buffer = memory::get(handle).unwrap();
                memory::write(&buffer, 0, Source::of(&contents)).unwrap();
                self.buffers.push(Modelled { handle, contents });
            }
            Call::Free { buffer } | Call::Release { buffer } => {
                let Some(i) = self.index(*buffer) else { return };
                let Modelled { handle, .. } = self.buffers.swap_remove(i);
                let give_up = match call {
                    Call::Free { .. } => memory::free,
                    _ => memory::release,
                };
                give_up(handle).unwrap();
                self.freed.push(handle);
            }
            Call::Write { buffer, offset, length, seed } => {
                let Some(i) = self.index(*buffer) else { return };
                let Modelled { handle, contents } = &mut self.buffers[i];
                let (offset, length) = fit(*offset, *length, contents.len());
                let bytes: Vec<u8> = (0..length).map(|k| seed.wrapping_add(k as u8)).collect();
                let buffer = memory::get(*handle).unwrap();
                memory::write(&buffer, offset, Source::of(&bytes)).unwrap();
                contents[offset..offset + length].copy_from_slice(&bytes);
            }
            Call::Read { buffer, offset, length } => {
                let Some(i) = self.index(*buffer) else { return };
                let Modelled { handle, contents } = &self.buffers[i];
                let (offset, length) = fit(*offset, *length, contents.len());
                let mut bytes = vec![0xEE; length];
                let buffer = memory::get(*handle).unwrap();
                memory::read(&buffer, offset, Destination::of(&mut bytes)).unwrap();
                assert_eq!(bytes, contents[offset..offset + length]);
            }
            Call::Copy { target, target_offset, source, source_offset, length } => {
                let (Some(t), Some(s)) = (self.index(*target), self.index(*source)) else {
                    return;
                };
                let (from, to) = (&self.buffers[s], &self.buffers[t]);
                let (source_offset, length) = fit(*source_offset, *length, from.contents.len());
                let target_offset = target_offset % (to.contents.len() + 1);
                let length = length.min(to.contents.len() - target_offset);
                let (source, target) =
                    (memory::get(from.handle).unwrap(), memory::get(to.handle).unwrap());
                memory::copy(&target, target_offset, &source, source_offset, length).unwrap();
                let bytes = from.contents[source_offset..source_offset + length].to_vec();
                self.buffers[t].contents[target_offset..target_offset + length]
                    .copy_from_slice(&bytes);
            }
            Call::Fill { buffer, offset, repeats, pattern } => {
                let Some(i) = self.index(*buffer) else { return };
                let Modelled { handle, contents } = &mut self.buffers[i];
                let (offset, room) = fit(*offset, usize::MAX, contents.len());
                let length =
                    (repeats * pattern.len()).min(room / pattern.len() * pattern.len());
                let buffer = memory::get(*handle).unwrap();
                memory::fill(&buffer, offset, length, Source::of(pattern)).unwrap();
                for (k, byte) in contents[offset..offset + length].iter_mut().enumerate() {
                    *byte = pattern[k % pattern.len()];
                }
            }
            Call::PastTheEnd { buffer, offset, length } => {
                let Some(i) = self.index(*buffer) else { return };
                let Modelled { handle, contents } = &self.buffers[i];
                let length = contents.len().saturating_sub(*offset) + length + 1;
                let buffer = memory::get(*handle).unwrap();
                let mut bytes = vec![0; length];
                let write = memory::write(&buffer, *offset, Source::of(&bytes));
                assert_eq!(write.unwrap_err().code(), Code::OutOfRange);
                let read = memory::read(&buffer, *offset, Destination::of(&mut bytes));
                assert_eq!(read.unwrap_err().code(), Code::OutOfRange);
            }
        }
    }

    /// Everything is as it has to be, and nothing is left when all is given up.
    fn finish(mut self) {
        for Modelled { handle, contents } in &self.buffers {
            let mut bytes = vec![0xEE; contents.len()];
            let buffer = memory::get(*handle).unwrap();
            memory::read(&buffer, 0, Destination::of(&mut bytes)).unwrap();
            assert_eq!(bytes, *contents);
        }
        for handle in &self.freed {
            let stale = memory::get(*handle).err().expect("a stale handle");
            assert_eq!(stale.code(), Code::StaleHandle);
        }
        let live = |spaces: &[u32]| -> u64 {
            let usage = |id: &u32| memory::space(*id).unwrap().accounts.usage();
            spaces.iter().map(|id| usage(id).live_bytes).sum()
        };
        memory::reclaim();
        let expected: usize = self.buffers.iter().map(|buffer| buffer.contents.len()).sum();
        assert_eq!(live(&self.spaces), expected as u64);
        self.buffers.drain(..).for_each(|buffer| memory::release(buffer.handle).unwrap());
        memory::reclaim();
        assert_eq!(live(&self.spaces), 0);
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
    let config = Config { cases: 200, failure_persistence: None, ..Config::default() };
    let calls = prop::collection::vec(call(), 0..80);
    TestRunner::new(config)
        .run(&calls, |calls| {
            let mut model = Model { spaces: spaces.clone(), ..Model::default() };
            calls.iter().for_each(|call| model.run(call));
            model.finish();
            Ok(())
        })
        .unwrap();
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
