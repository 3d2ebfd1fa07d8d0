//! Lifetime of buffers, and what is allocated.

use super::boundary::{boundary, boundary_or, fill};
use super::error::pjrtmem_error;
use super::{pjrtmem_buffer, pjrtmem_space};
use crate::memory;

/// What is allocated in an address space, exact to the byte. While other threads
/// allocate, the numbers may be of slightly different moments.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct pjrtmem_memory_info {
    /// Set by the caller: `sizeof(pjrtmem_memory_info)`.
    pub struct_size: usize,
    /// Bytes allocated and not given back to the plugin, `queued_bytes` included.
    pub live_bytes: u64,
    /// The same in buffers.
    pub live_buffers: u64,
    /// Bytes released and waiting to be given back.
    pub queued_bytes: u64,
    /// The same in buffers.
    pub queued_buffers: u64,
    /// The highest that `live_bytes` has been.
    pub peak_bytes: u64,
    /// Bytes allocated ever.
    pub total_bytes: u64,
    /// The same in buffers.
    pub total_buffers: u64,
}

/// Frees a buffer that only the caller holds. Its memory is given back at once,
/// or when calls on it in other threads have returned.
///
/// Errors: `STALE_HANDLE` if it was freed before, which does no harm;
/// `FAILED_PRECONDITION` while others hold it, with their number.
#[unsafe(no_mangle)]
pub extern "C" fn pjrtmem_free(buffer: pjrtmem_buffer) -> *mut pjrtmem_error {
    boundary(|| memory::free(buffer))
}

/// Holds a buffer once more: it is not freed before as many `pjrtmem_release`.
#[unsafe(no_mangle)]
pub extern "C" fn pjrtmem_retain(buffer: pjrtmem_buffer) -> *mut pjrtmem_error {
    boundary(|| memory::retain(buffer))
}

/// Gives up one hold. After the last one the handle is stale, and the memory is
/// given back a little later, by a thread of the library. Made for finalizers:
/// it never waits for the device and never fails for want of anything.
///
/// Error: `STALE_HANDLE` if the buffer was freed before, which does no harm.
#[unsafe(no_mangle)]
pub extern "C" fn pjrtmem_release(buffer: pjrtmem_buffer) -> *mut pjrtmem_error {
    boundary(|| memory::release(buffer))
}

/// Gives back all that was released, before it returns.
#[unsafe(no_mangle)]
pub extern "C" fn pjrtmem_reclaim() -> *mut pjrtmem_error {
    boundary(|| {
        memory::reclaim();
        Ok(())
    })
}

/// Says what is allocated in an address space.
///
/// # Safety
/// `out` has as many bytes as its `struct_size` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_get_memory_info(
    space: pjrtmem_space,
    out: *mut pjrtmem_memory_info,
) -> *mut pjrtmem_error {
    boundary(|| {
        let usage = memory::space(space)?.accounts.usage();
        let info = pjrtmem_memory_info {
            struct_size: size_of::<pjrtmem_memory_info>(),
            live_bytes: usage.live_bytes,
            live_buffers: usage.live_buffers,
            queued_bytes: usage.queued_bytes,
            queued_buffers: usage.queued_buffers,
            peak_bytes: usage.peak_bytes,
            total_bytes: usage.total_bytes,
            total_buffers: usage.total_buffers,
        };
        // SAFETY: the caller's promise.
        unsafe { fill(out, info) }
    })
}

/// Says that the process is about to exit: from now on free, release and reclaim
/// do nothing and succeed, and nothing can be allocated or loaded any more.
/// The library calls it itself when `exit` runs its handlers; a language runtime
/// whose finalizers run before that calls it first.
#[unsafe(no_mangle)]
pub extern "C" fn pjrtmem_exiting() {
    boundary_or((), memory::prepare_exit);
}
