//! Addresses for buffers that the host cannot touch.
//!
//! Such a buffer still needs an address that is its own: offsets into it have to
//! be right, two buffers must not look as if they overlapped, and a stray access
//! has to fault at once. All of them come out of one reservation, because a
//! process may have only some 65 thousand mappings.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;

use crate::error::{Result, error};
use crate::pjrt::host::reserve;

/// What the reservation is at first tried with, and at last.
const LARGEST: usize = 16 << 40;
const SMALLEST: usize = 64 << 30;
/// Buffers of PJRT are aligned like this, so their addresses are as well.
const ALIGNMENT: usize = 64;

static RANGES: Mutex<Option<Ranges>> = Mutex::new(None);

/// A range of addresses; given back when it is dropped.
pub struct Reserved {
    start: usize,
    length: usize,
}

impl Reserved {
    /// A range of at least `bytes`, and at least one byte.
    pub fn take(bytes: usize) -> Result<Reserved> {
        let none = || {
            error!(
                ResourceExhausted,
                "there is no range of {bytes} bytes left among the addresses that are reserved \
                 for memory that the host cannot touch"
            )
        };
        let length = bytes.max(1).checked_next_multiple_of(ALIGNMENT).ok_or_else(none)?;
        let mut ranges = RANGES.lock();
        if ranges.is_none() {
            *ranges = Some(Ranges::reserve()?);
        }
        let start = ranges.as_mut().and_then(|ranges| ranges.take(length)).ok_or_else(none)?;
        Ok(Reserved { start, length })
    }

    /// The first address.
    pub fn start(&self) -> usize {
        self.start
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if let Some(ranges) = RANGES.lock().as_mut() {
            ranges.give_back(self.start, self.length);
        }
    }
}

/// The free ranges, none of them adjacent to another.
#[derive(Default)]
struct Ranges {
    by_start: BTreeMap<usize, usize>,
    by_length: BTreeSet<(usize, usize)>,
}

impl Ranges {
    fn reserve() -> Result<Ranges> {
        let mut size = LARGEST;
        while size >= SMALLEST {
            if let Some(start) = reserve(size) {
                let mut ranges = Ranges::default();
                ranges.insert(start, size);
                return Ok(ranges);
            }
            size /= 2;
        }
        Err(error!(
            ResourceExhausted,
            "the system refuses to reserve {SMALLEST} bytes of address space, which memory that \
             the host cannot touch needs; see `ulimit -v`"
        ))
    }

    /// The start of `length` bytes out of the shortest range that has them.
    fn take(&mut self, length: usize) -> Option<usize> {
        let &(found, start) = self.by_length.range((length, 0)..).next()?;
        self.remove(start, found);
        if found > length {
            self.insert(start + length, found - length);
        }
        Some(start)
    }

    fn give_back(&mut self, mut start: usize, mut length: usize) {
        if let Some((&before, &size)) = self.by_start.range(..start).next_back()
            && before + size == start
        {
            self.remove(before, size);
            (start, length) = (before, length + size);
        }
        if let Some(&size) = self.by_start.get(&(start + length)) {
            self.remove(start + length, size);
            length += size;
        }
        self.insert(start, length);
    }

    fn insert(&mut self, start: usize, length: usize) {
        self.by_start.insert(start, length);
        self.by_length.insert((length, start));
    }

    fn remove(&mut self, start: usize, length: usize) {
        self.by_start.remove(&start);
        self.by_length.remove(&(length, start));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(length: usize) -> Ranges {
        let mut ranges = Ranges::default();
        ranges.insert(1000, length);
        ranges
    }

    #[test]
    fn ranges_do_not_overlap_and_come_back_whole() {
        let mut ranges = ranges(300);
        let starts: Vec<_> = (0..3).map(|_| ranges.take(100).unwrap()).collect();
        assert_eq!(starts, [1000, 1100, 1200]);
        assert_eq!(ranges.take(1), None);
        for start in [1100, 1000, 1200] {
            ranges.give_back(start, 100);
        }
        assert_eq!(ranges.by_start, BTreeMap::from([(1000, 300)]));
        assert_eq!(ranges.by_length, BTreeSet::from([(300, 1000)]));
    }

    #[test]
    fn the_shortest_range_that_fits_is_taken() {
        let mut ranges = ranges(300);
        let start = ranges.take(50).unwrap();
        ranges.take(50).unwrap();
        ranges.give_back(start, 50);
        assert_eq!(ranges.take(40), Some(start));
        assert_eq!(ranges.take(20), Some(1100));
    }

    #[test]
    fn a_length_past_all_addresses_is_an_error() {
        assert!(Reserved::take(usize::MAX).is_err());
        assert!(Reserved::take(i64::MAX as usize).is_err());
        assert_eq!(Reserved::take(0).unwrap().length, ALIGNMENT);
    }
}
