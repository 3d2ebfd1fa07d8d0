//! Buffers: allocation, who holds them, and their pending work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::{Mutex, RwLock};

use super::accounts::Charge;
use super::addresses::Reserved;
use super::element::ElementType;
use super::handles::{Handles, Kind};
use super::release;
use super::spaces::{Space, space};
use crate::error::{Code, Result, bail, error};
use crate::pjrt::host::{HostBytes, Source, process};
use crate::pjrt::{self, Event};

/// Memory of an address space, with an element type and a length.
///
/// It is given back to the plugin when the last `Arc` of it is dropped: the
/// table of handles has one, and every call that is under way has one. So a
/// buffer that is freed during a copy lives until the copy is done.
pub struct Buffer {
    /// Where it is.
    pub space: &'static Space,
    /// The type of its elements.
    pub element: ElementType,
    /// The number of its elements.
    pub count: usize,
    /// The number of its bytes.
    pub bytes: usize,
    /// How many hold it; with none left it is on its way out.
    holders: AtomicU32,
    /// The plugin's buffer. Another one takes its place when memory that the host
    /// cannot touch is written, so writers take the lock for writing.
    pub(super) storage: RwLock<pjrt::Buffer>,
    pending: Mutex<Pending>,
    /// Where its bytes are, for life.
    place: Place,
    /// Dropped last: the bytes count as live until the plugin has them back.
    _charge: Charge,
}

/// Work of the plugin that may be under way.
#[derive(Default)]
struct Pending {
    /// Whether the contents are known to be there.
    ready: bool,
    /// Work that reads the contents.
    uses: Vec<Event>,
}

enum Place {
    /// In memory of the host.
    Host(HostBytes),
    /// Elsewhere; the addresses only stand for it.
    Elsewhere(Reserved),
}

static BUFFERS: Handles<Buffer> = Handles::new(Kind::Buffer);

/// Allocates `count` elements with arbitrary contents. The caller is the one
/// holder.
pub fn alloc(space_id: u32, element: ElementType, count: usize) -> Result<u64> {
    if process::is_exiting() {
        bail!(
            FailedPrecondition,
            "the process is exiting: no memory can be allocated any more"
        );
    }
    let space = space(space_id)?;
    let bytes = element.bytes(count)?;
    let buffer = match Buffer::new(space, element, count, bytes) {
        Err(error) if error.code() == Code::ResourceExhausted => {
            // What was released may be all that is missing.
            release::reclaim();
            Buffer::new(space, element, count, bytes)
        }
        first => first,
    };
    let buffer = buffer.map_err(|error| {
        let wanted = element.name().to_string_lossy();
        error.context(format!("allocating {count} x {wanted} in address space {space_id}"))
    })?;
    BUFFERS.insert(Arc::new(buffer))
}

/// The buffer of a handle.
pub fn get(handle: u64) -> Result<Arc<Buffer>> {
    BUFFERS.get(handle)
}

/// Adds a holder.
pub fn retain(handle: u64) -> Result<()> {
    let buffer = get(handle)?;
    let add = |holders| (holders > 0).then_some(holders + 1);
    match buffer.holders.fetch_update(Ordering::AcqRel, Ordering::Acquire, add) {
        Ok(_) => Ok(()),
        // Somebody is freeing it at this moment.
        Err(_) => Err(freed(handle)),
    }
}

/// Frees a buffer that only the caller holds.
pub fn free(handle: u64) -> Result<()> {
    if process::is_exiting() {
        return Ok(());
    }
    let buffer = get(handle)?;
    match buffer.holders.compare_exchange(1, 0, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => BUFFERS.remove(handle).map(drop),
        Err(0) => Err(freed(handle)),
        Err(holders) => bail!(
            FailedPrecondition,
            "the buffer cannot be freed while it is held by {} more (views of it in host memory, \
             for example); release them first",
            holders - 1
        ),
    }
}

/// Takes a holder away. With the last one the handle ends, and the buffer is
/// returned, to be given back when it is convenient.
pub(super) fn let_go(handle: u64) -> Result<Option<Arc<Buffer>>> {
    let buffer = get(handle)?;
    let less = |holders: u32| holders.checked_sub(1);
    match buffer.holders.fetch_update(Ordering::AcqRel, Ordering::Acquire, less) {
        Ok(1) => BUFFERS.remove(handle).map(Some),
        Ok(_) => Ok(None),
        Err(_) => Err(freed(handle)),
    }
}

fn freed(handle: u64) -> crate::error::Error {
    error!(StaleHandle, "the buffer of the handle {handle:#x} has been freed")
}

impl Buffer {
    fn new(
        space: &'static Space,
        element: ElementType,
        count: usize,
        bytes: usize,
    ) -> Result<Buffer> {
        let storage = storage(space, element, count, bytes)?;
        let place = match &space.description.host_visible {
            Some(visible) => Place::Host(storage.host_bytes(visible, bytes)?),
            None => Place::Elsewhere(Reserved::take(bytes)?),
        };
        Ok(Buffer {
            space,
            element,
            count,
            bytes,
            holders: AtomicU32::new(1),
            storage: RwLock::new(storage),
            pending: Mutex::default(),
            place,
            _charge: space.accounts.charge(bytes),
        })
    }

    /// How many hold the buffer.
    pub fn holders(&self) -> u32 {
        self.holders.load(Ordering::Acquire)
    }

    /// An address that is the buffer's own and stays the same for its life. Only
    /// where there are [`host_bytes`](Self::host_bytes) may it be touched.
    pub fn address(&self) -> usize {
        match &self.place {
            Place::Host(bytes) => bytes.start().addr().get(),
            Place::Elsewhere(reserved) => reserved.start(),
        }
    }

    /// The bytes, if the host can touch them. Call [`settle`](Self::settle) first.
    pub fn host_bytes(&self) -> Option<HostBytes> {
        match self.place {
            Place::Host(bytes) => Some(bytes),
            Place::Elsewhere(_) => None,
        }
    }

    /// The bytes where the host can touch them, when pending work is done.
    pub fn host_address(&self) -> Result<HostBytes> {
        let bytes = self.host_bytes().ok_or_else(|| {
            error!(
                FailedPrecondition,
                "the host cannot touch address space {} ({} memory of device {}); copy instead",
                self.space.id,
                self.space.description.memory_kind.to_string_lossy(),
                self.space.description.device_id
            )
        })?;
        self.settle()?;
        Ok(bytes)
    }

    /// The address for the device, if the plugin tells it.
    pub fn device_address(&self) -> Result<usize> {
        self.storage.read().device_address()
    }

    /// Waits until nothing reads or writes the contents any more, and returns the
    /// error of work that failed.
    pub fn settle(&self) -> Result<()> {
        // First the storage, then what is pending: writers do it in that order.
        let storage = self.storage.read();
        let mut pending = self.pending.lock();
        if !pending.ready {
            storage.wait()?;
            pending.ready = true;
        }
        // All of them have to end, also if one failed.
        let uses = std::mem::take(&mut pending.uses);
        uses.iter().map(Event::wait).fold(Ok(()), Result::and)
    }

    /// Records work that reads the contents.
    pub(super) fn add_use(&self, event: Event) {
        self.pending.lock().uses.push(event);
    }

    /// Puts the plugin's buffer with new contents in the place of the old one.
    pub(super) fn replace(&self, storage: &mut pjrt::Buffer, new: pjrt::Buffer) {
        *storage = new;
        self.pending.lock().ready = false;
    }

    /// A new buffer of the plugin, like this one, with a copy of these bytes.
    pub(super) fn with_contents(&self, source: Source) -> Result<pjrt::Buffer> {
        from_host(self.space, self.element, self.count, source)
    }
}

/// A buffer of the plugin, from zeros where it cannot leave them away.
fn storage(
    space: &Space,
    element: ElementType,
    count: usize,
    bytes: usize,
) -> Result<pjrt::Buffer> {
    let memory = space.description.memory;
    match space.client.pjrt.uninitialized(memory, element as i32, count as i64) {
        Err(error) if error.code() == Code::Unimplemented => {
            from_host(space, element, count, Source::of(&zeros(bytes)?))
        }
        allocated => allocated,
    }
}

fn from_host(
    space: &Space,
    element: ElementType,
    count: usize,
    source: Source,
) -> Result<pjrt::Buffer> {
    let memory = space.description.memory;
    let buffer = space.client.pjrt.from_host(memory, element as i32, count as i64, source)?;
    // A failure is the caller's to know, before the old contents are given up.
    buffer.wait()?;
    Ok(buffer)
}

/// Host memory for bytes on their way, which may be too many for the host.
pub(super) fn zeros(bytes: usize) -> Result<Vec<u8>> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(bytes).map_err(|_| {
        error!(ResourceExhausted, "the host has no {bytes} bytes for data on its way")
    })?;
    memory.resize(bytes, 0);
    Ok(memory)
}
