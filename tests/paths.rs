//! Every way of writing and reading a part of a buffer is right to the bit, and
//! is the one that was meant to be taken: each is reached by taking away those
//! before it.

mod common;

use std::ffi::CString;

use pjrtmem::memory::ElementType::*;
use pjrtmem::memory::{self, Buffer, ElementType, Path, Space};
use pjrtmem::pjrt::Options;
use pjrtmem::pjrt::host::{Destination, Source};

/// Long enough that a program is worth its compilation.
const LONG: usize = 8 << 20;
const SHORT: usize = 4096;

fn default_space() -> &'static Space {
    let plugin = CString::new(common::plugins().remove(0)).unwrap();
    let client = memory::load(&plugin, &Options::default()).unwrap();
    memory::space(client.first_space).unwrap()
}

/// Bytes in which every pattern comes, signaling NaNs among them.
fn bytes(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// Offsets and lengths at the ends, in the middle, and across elements.
fn ranges(bytes: usize) -> [(usize, usize); 8] {
    let size = bytes - bytes % 16;
    [
        (0, 16),
        (0, 1),
        (1, 1),
        (size - 1, 1),
        (size - 48, 48),
        (3, 61),
        (size / 2 - 5, 1234),
        (16, 2048),
    ]
}

/// Writes and reads parts of a buffer of each type and compares with memory.
fn check(buffer_bytes: usize, write: Path, read: Path) {
    let space = default_space();
    let (written, got) = (space.paths.bytes(write), space.paths.bytes(read));
    let mut asked = 0;
    // Each combination of long buffer, type and length is a compilation.
    let sample = [Pred, Bf16, C128, F8e4m3fn];
    let elements: &[_] = if buffer_bytes == LONG { &sample } else { &ElementType::ALL };
    for &element in elements {
        let count = buffer_bytes / element.size();
        let handle = memory::alloc(space.id, element, count).unwrap();
        let buffer = memory::get(handle).unwrap();
        let mut expected = bytes(count * element.size(), element as u64);
        memory::write(&buffer, 0, Source::of(&expected)).unwrap();
        for (k, (offset, length)) in ranges(expected.len()).into_iter().enumerate() {
            let new = bytes(length, 1000 + k as u64);
            memory::write(&buffer, offset, Source::of(&new)).unwrap();
            expected[offset..offset + length].copy_from_slice(&new);
            asked += length as u64;
            assert_same(&buffer, 0, &expected);
            assert_same(&buffer, offset, &expected[offset..offset + length]);
        }
        memory::free(handle).unwrap();
    }
    assert!(space.paths.bytes(write) - written >= asked, "the writes did not go this way");
    assert!(space.paths.bytes(read) - got >= asked, "the reads did not go this way");
}

fn assert_same(buffer: &Buffer, offset: usize, expected: &[u8]) {
    let mut found = vec![0xEE; expected.len()];
    memory::read(buffer, offset, Destination::of(&mut found)).unwrap();
    if found != expected {
        let at = (0..found.len()).find(|i| found[*i] != expected[*i]).unwrap();
        panic!(
            "{:?}: byte {at} from {offset} on is {:#x}, not {:#x}",
            buffer.element, found[at], expected[at]
        );
    }
}

#[test]
fn in_place() {
    check(SHORT, Path::WriteInPlace, Path::ReadInPlace);
}

#[test]
#[ignore = "for the test plugin, see below"]
fn by_program() {
    check(LONG, Path::WriteByProgram, Path::Read);
}

#[test]
#[ignore = "for the test plugin, see below"]
fn by_rewrite() {
    check(SHORT, Path::WriteByRewrite, Path::Read);
}

#[test]
#[ignore = "for the test plugin, see below"]
fn by_rewrite_and_by_whole() {
    check(SHORT, Path::WriteByRewrite, Path::ReadByWhole);
}

#[test]
#[ignore = "for the test plugin, see below"]
fn long_by_rewrite() {
    check(LONG, Path::WriteByRewrite, Path::Read);
}

#[test]
#[ignore = "for the test plugin, see below"]
fn raw() {
    check(SHORT, Path::WriteRaw, Path::Read);
}

#[test]
fn where_the_host_cannot_touch_memory() {
    common::on_test_plugin("by_program", "hide_addresses=1", &[]);
    common::on_test_plugin("by_rewrite", "hide_addresses=1", &[]);
    common::on_test_plugin("by_rewrite_and_by_whole", "buffers_only=1", &[]);
    common::on_test_plugin("raw", "hide_addresses=1,raw_buffer=1", &[]);
    let refused = "hide_addresses=1,raw_buffer=1,refuse=RawBuffer_CopyRawHostToDevice";
    common::on_test_plugin("by_rewrite", refused, &[]);
    common::on_test_plugin("long_by_rewrite", "hide_addresses=1,refuse=Client_Compile", &[]);
}
