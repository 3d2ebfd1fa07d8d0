//! Buffers.

use std::ffi::c_void;

use super::boundary::{Out, boundary, fill};
use super::error::pjrtmem_error;
use super::{pjrtmem_buffer, pjrtmem_space};
use crate::memory::{self, ElementType};

/// What a buffer is.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct pjrtmem_buffer_info {
    /// Set by the caller: `sizeof(pjrtmem_buffer_info)`.
    pub struct_size: usize,
    /// The address space.
    pub space: pjrtmem_space,
    /// The type of the elements, one of `PJRTMEM_TYPE_*`.
    pub r#type: i32,
    /// The number of elements.
    pub count: usize,
    /// The number of bytes.
    pub bytes: usize,
    /// How many hold the buffer; see `pjrtmem_retain`.
    pub holders: u32,
    /// An address that stays the same for the buffer's life and is no other
    /// buffer's; never `NULL`. Where the space is not host-visible nothing is
    /// there: every access faults. To touch the bytes, ask `pjrtmem_host_address`.
    pub address: *const c_void,
}

/// Allocates a buffer of `count` elements of a type, one of `PJRTMEM_TYPE_*`. Its contents are arbitrary. 0 elements
/// are fine. The caller holds it, and gives it up with `pjrtmem_free` or
/// `pjrtmem_release`.
///
/// Errors: `RESOURCE_EXHAUSTED` without enough memory, `OUT_OF_RANGE` for more
/// bytes than `int64_t` counts, `INVALID_ARGUMENT` for a type of less than one
/// byte, `NOT_FOUND` for a space that is not loaded.
///
/// # Safety
/// `out` has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_alloc(
    space: pjrtmem_space,
    r#type: i32,
    count: usize,
    out: *mut pjrtmem_buffer,
) -> *mut pjrtmem_error {
    boundary(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out) }?;
        out.set(memory::alloc(space, ElementType::from_raw(r#type)?, count)?)
    })
}

/// Describes a buffer.
///
/// # Safety
/// `out` has as many bytes as its `struct_size` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_get_buffer_info(
    buffer: pjrtmem_buffer,
    out: *mut pjrtmem_buffer_info,
) -> *mut pjrtmem_error {
    boundary(|| {
        let buffer = memory::get(buffer)?;
        let info = pjrtmem_buffer_info {
            struct_size: size_of::<pjrtmem_buffer_info>(),
            space: buffer.space.id,
            r#type: buffer.element as i32,
            count: buffer.count,
            bytes: buffer.bytes,
            holders: buffer.holders(),
            address: std::ptr::without_provenance(buffer.address()),
        };
        // SAFETY: the caller's promise.
        unsafe { fill(out, info) }
    })
}

/// The address of the bytes, for the host to read and write, after waiting for
/// pending work on them. It is good until the buffer is freed: holding the
/// buffer (`pjrtmem_retain`) keeps it good. 64-byte aligned on the XLA CPU
/// plugins.
///
/// Error: `FAILED_PRECONDITION` where the space is not host-visible.
///
/// # Safety
/// `out` has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_host_address(
    buffer: pjrtmem_buffer,
    out: *mut *mut c_void,
) -> *mut pjrtmem_error {
    boundary(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out) }?;
        out.set(memory::get(buffer)?.host_address()?.start().as_ptr().cast())
    })
}

/// The address of the bytes on the device. It can become another one whenever
/// the buffer is written.
///
/// Error: `UNIMPLEMENTED` where the plugin does not tell it.
///
/// # Safety
/// `out` has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_device_address(
    buffer: pjrtmem_buffer,
    out: *mut u64,
) -> *mut pjrtmem_error {
    boundary(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out) }?;
        out.set(memory::get(buffer)?.device_address()? as u64)
    })
}

/// Waits until no work on the buffer is pending, and returns the error of work
/// that failed.
#[unsafe(no_mangle)]
pub extern "C" fn pjrtmem_wait(buffer: pjrtmem_buffer) -> *mut pjrtmem_error {
    boundary(|| memory::get(buffer)?.settle())
}
