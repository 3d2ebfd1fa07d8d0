//! Handles: numbers that stand for objects, and stop doing so for good.
//!
//! A handle is 64 bits: 4 of kind, 28 of index, 32 of generation. A slot's
//! generation goes up when its object is removed, so an old handle is told from
//! a new one in the same slot; a slot whose generations are used up is not used
//! again. 0 is never a handle, because no kind is 0.

use std::sync::Arc;

use parking_lot::RwLock;

use crate::error::{Result, bail, error};

/// What a handle stands for. It is part of the handle, so that one of another
/// kind is refused.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Memory of a device.
    Buffer = 1,
}

const INDEX_BITS: u32 = 28;
const GENERATION_BITS: u32 = 32;

/// The objects of one kind.
pub struct Handles<T> {
    kind: Kind,
    slots: RwLock<Slots<T>>,
}

struct Slots<T> {
    slots: Vec<Slot<T>>,
    vacant: Vec<u32>,
}

struct Slot<T> {
    /// Of the object that is there, or else of the next one.
    generation: u32,
    object: Option<Arc<T>>,
}

impl<T> Handles<T> {
    /// No objects yet.
    pub const fn new(kind: Kind) -> Handles<T> {
        let slots = Slots { slots: Vec::new(), vacant: Vec::new() };
        Handles { kind, slots: RwLock::new(slots) }
    }

    /// Gives an object a handle.
    pub fn insert(&self, object: Arc<T>) -> Result<u64> {
        let mut slots = self.slots.write();
        let index = match slots.vacant.pop() {
            Some(index) => index,
            None => slots.grow()?,
        };
        let slot = &mut slots.slots[index as usize];
        slot.object = Some(object);
        Ok(self.encode(index, slot.generation))
    }

    /// The object that a handle stands for.
    pub fn get(&self, handle: u64) -> Result<Arc<T>> {
        let (index, generation) = self.decode(handle)?;
        let slots = self.slots.read();
        let slot = slots.slots.get(index as usize).ok_or_else(|| invalid(handle))?;
        match &slot.object {
            Some(object) if slot.generation == generation => Ok(Arc::clone(object)),
            _ if generation < slot.generation => Err(stale(handle)),
            _ => Err(invalid(handle)),
        }
    }

    /// Ends a handle and returns what it stood for.
    pub fn remove(&self, handle: u64) -> Result<Arc<T>> {
        let (index, generation) = self.decode(handle)?;
        let mut slots = self.slots.write();
        let slot = slots.slots.get_mut(index as usize).ok_or_else(|| invalid(handle))?;
        if generation < slot.generation {
            return Err(stale(handle));
        }
        let object = slot
            .object
            .take_if(|_| slot.generation == generation)
            .ok_or_else(|| invalid(handle))?;
        slot.generation += 1;
        // The last generation is never given out: it would have no successor.
        if slot.generation < u32::MAX {
            slots.vacant.push(index);
        }
        Ok(object)
    }

    fn encode(&self, index: u32, generation: u32) -> u64 {
        (self.kind as u64) << (INDEX_BITS + GENERATION_BITS)
            | u64::from(index) << GENERATION_BITS
            | u64::from(generation)
    }

    fn decode(&self, handle: u64) -> Result<(u32, u32)> {
        if handle >> (INDEX_BITS + GENERATION_BITS) != self.kind as u64 {
            return Err(invalid(handle));
        }
        let index = (handle >> GENERATION_BITS) as u32 & ((1 << INDEX_BITS) - 1);
        Ok((index, handle as u32))
    }
}

impl<T> Slots<T> {
    fn grow(&mut self) -> Result<u32> {
        let index = self.slots.len() as u32;
        if index >> INDEX_BITS != 0 {
            bail!(ResourceExhausted, "there are {index} buffers, the most that can be alive");
        }
        self.slots.push(Slot { generation: 0, object: None });
        Ok(index)
    }
}

#[cold]
fn invalid(handle: u64) -> crate::error::Error {
    error!(InvalidHandle, "{handle:#x} is no buffer handle: it was never given out")
}

#[cold]
fn stale(handle: u64) -> crate::error::Error {
    error!(StaleHandle, "the buffer of the handle {handle:#x} has been freed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    fn handles() -> Handles<&'static str> {
        Handles::new(Kind::Buffer)
    }

    fn code<T>(result: Result<T>) -> Code {
        result.err().expect("an error").code()
    }

    #[test]
    fn a_handle_stands_for_its_object_until_it_is_removed() {
        let handles = handles();
        let (a, b) =
            (handles.insert(Arc::new("a")).unwrap(), handles.insert(Arc::new("b")).unwrap());
        assert_eq!((*handles.get(a).unwrap(), *handles.get(b).unwrap()), ("a", "b"));
        assert_eq!(*handles.remove(a).unwrap(), "a");
        assert_eq!(code(handles.get(a)), Code::StaleHandle);
        assert_eq!(code(handles.remove(a)), Code::StaleHandle);
        assert_eq!(*handles.get(b).unwrap(), "b");
    }

    #[test]
    fn an_old_handle_does_not_reach_the_next_object_in_its_slot() {
        let handles = handles();
        let old = handles.insert(Arc::new("old")).unwrap();
        handles.remove(old).unwrap();
        let new = handles.insert(Arc::new("new")).unwrap();
        assert_eq!(old >> 32, new >> 32, "the slot is used again");
        assert_eq!(code(handles.get(old)), Code::StaleHandle);
        assert_eq!(*handles.get(new).unwrap(), "new");
    }

    #[test]
    fn made_up_handles_are_invalid() {
        let handles = handles();
        let one = handles.insert(Arc::new("one")).unwrap();
        for made_up in [0, 1, u64::MAX, one + 1, one + (1 << 32), one ^ (3 << 60)] {
            assert_eq!(code(handles.get(made_up)), Code::InvalidHandle, "{made_up:#x}");
            assert_eq!(code(handles.remove(made_up)), Code::InvalidHandle, "{made_up:#x}");
        }
        handles.remove(one).unwrap();
        assert_eq!(
            code(handles.get(one + 1)),
            Code::InvalidHandle,
            "the next, not given out yet"
        );
    }

    #[test]
    fn a_slot_without_generations_left_is_not_used_again() {
        let handles = handles();
        let first = handles.insert(Arc::new("first")).unwrap();
        handles.slots.write().slots[0].generation = u32::MAX - 1;
        let last = first | u64::from(u32::MAX - 1);
        handles.remove(last).unwrap();
        let next = handles.insert(Arc::new("next")).unwrap();
        assert_ne!(next >> 32, first >> 32);
        assert_eq!(code(handles.get(last)), Code::StaleHandle);
    }
}
