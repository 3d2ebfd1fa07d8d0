//! Host memory by address: a caller's for the time of a call, and a buffer's.
//!
//! None of it is ever a Rust reference: callers may give memory that other
//! threads write, that is not initialized, or that is a buffer's own.

use std::ptr::{self, NonNull};

/// Bytes to read from, which a caller promised to be readable.
#[derive(Clone, Copy)]
pub struct Source {
    start: *const u8,
    length: usize,
}

/// Bytes to write to, which a caller promised to be writable.
#[derive(Clone, Copy)]
pub struct Destination {
    start: *mut u8,
    length: usize,
}

impl Source {
    /// # Safety
    /// `start` has `length` readable bytes until the value is used last.
    pub unsafe fn new(start: *const u8, length: usize) -> Source {
        Source { start, length }
    }

    /// The bytes of a slice. The value must not outlive it; every function that
    /// takes one uses it before it returns only.
    pub fn of(bytes: &[u8]) -> Source {
        Source { start: bytes.as_ptr(), length: bytes.len() }
    }

    /// The first byte.
    pub fn as_ptr(self) -> *const u8 {
        self.start
    }

    /// The number of bytes.
    pub fn length(self) -> usize {
        self.length
    }

    /// Copies all bytes into a slice of the same length.
    pub fn copy_into(self, slice: &mut [u8]) {
        assert_eq!(slice.len(), self.length);
        // SAFETY: both have that many bytes; `copy` allows overlap.
        unsafe { ptr::copy(self.start, slice.as_mut_ptr(), self.length) }
    }
}

impl Destination {
    /// # Safety
    /// `start` has `length` writable bytes until the value is used last.
    pub unsafe fn new(start: *mut u8, length: usize) -> Destination {
        Destination { start, length }
    }

    /// The bytes of a slice; see [`Source::of`].
    pub fn of(bytes: &mut [u8]) -> Destination {
        Destination { start: bytes.as_mut_ptr(), length: bytes.len() }
    }

    /// The first byte.
    pub fn as_ptr(self) -> *mut u8 {
        self.start
    }

    /// The number of bytes.
    pub fn length(self) -> usize {
        self.length
    }

    /// Fills all bytes from a slice of the same length.
    pub fn copy_from(self, slice: &[u8]) {
        assert_eq!(slice.len(), self.length);
        // SAFETY: both have that many bytes; `copy` allows overlap.
        unsafe { ptr::copy(slice.as_ptr(), self.start, self.length) }
    }
}

/// The bytes of a buffer in host memory. They live as long as the buffer, which
/// the holder of this value has to keep.
#[derive(Clone, Copy)]
pub struct HostBytes {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: an address; what may be done with it at the same time is the caller's
// to order, as with any memory.
unsafe impl Send for HostBytes {}
// SAFETY: as above.
unsafe impl Sync for HostBytes {}

impl HostBytes {
    /// # Safety
    /// `start` has `length` readable and writable bytes as long as the value is
    /// used.
    pub unsafe fn new(start: NonNull<u8>, length: usize) -> HostBytes {
        HostBytes { start, length }
    }

    /// The first byte.
    pub fn start(self) -> NonNull<u8> {
        self.start
    }

    /// `length` bytes from `offset` on, to read from.
    pub fn source(self, offset: usize, length: usize) -> Source {
        Source { start: self.range(offset, length), length }
    }

    /// `length` bytes from `offset` on, to write to.
    pub fn destination(self, offset: usize, length: usize) -> Destination {
        Destination { start: self.range(offset, length), length }
    }

    /// Copies bytes in; they may be the buffer's own.
    pub fn write(self, offset: usize, source: Source) {
        let to = self.range(offset, source.length);
        // SAFETY: both ranges have that many bytes; `copy` allows overlap.
        unsafe { ptr::copy(source.start, to, source.length) }
    }

    /// Copies bytes out; they may be the buffer's own.
    pub fn read(self, offset: usize, destination: Destination) {
        let from = self.range(offset, destination.length);
        // SAFETY: both ranges have that many bytes; `copy` allows overlap.
        unsafe { ptr::copy(from, destination.start, destination.length) }
    }

    /// Repeats a pattern over `length` bytes, a multiple of its own.
    pub fn fill(self, offset: usize, length: usize, pattern: &[u8]) {
        assert_eq!(length % pattern.len(), 0);
        let start = self.range(offset, length);
        if let [byte] = pattern {
            // SAFETY: the range has that many bytes.
            return unsafe { ptr::write_bytes(start, *byte, length) };
        }
        let mut done = pattern.len().min(length);
        // SAFETY: every copy lies in the range and reads what was written before
        // it: what is done doubles until the range is full.
        unsafe {
            ptr::copy(pattern.as_ptr(), start, done);
            while done < length {
                let next = done.min(length - done);
                ptr::copy_nonoverlapping(start, start.add(done), next);
                done += next;
            }
        }
    }

    /// The address of a range, which has to lie in the buffer.
    fn range(self, offset: usize, length: usize) -> *mut u8 {
        let inside = offset.checked_add(length).is_some_and(|end| end <= self.length);
        assert!(inside, "{offset} + {length} lies outside of {} bytes", self.length);
        // SAFETY: the offset lies in the buffer.
        unsafe { self.start.as_ptr().add(offset) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(memory: &mut [u8]) -> HostBytes {
        let start = NonNull::new(memory.as_mut_ptr()).unwrap();
        // SAFETY: the tests keep the memory while they use the value.
        unsafe { HostBytes::new(start, memory.len()) }
    }

    #[test]
    fn a_pattern_fills_exactly_its_range() {
        for size in 1..=16_usize {
            for repeats in 0..5 {
                let mut memory = [0xAA_u8; 100];
                let pattern: Vec<u8> = (1..=size as u8).collect();
                over(&mut memory).fill(3, size * repeats, &pattern);
                let mut expected = [0xAA_u8; 100];
                for i in 0..size * repeats {
                    expected[3 + i] = pattern[i % size];
                }
                assert_eq!(memory, expected);
            }
        }
    }

    #[test]
    fn own_bytes_may_overlap() {
        let mut memory: Vec<u8> = (0..10).collect();
        let bytes = over(&mut memory);
        bytes.write(2, bytes.source(0, 8));
        assert_eq!(memory, [0, 1, 0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    #[should_panic(expected = "lies outside")]
    fn a_range_past_the_end_is_refused() {
        let mut memory = [0; 4];
        let bytes = over(&mut memory);
        bytes.source(usize::MAX, 2);
    }
}
