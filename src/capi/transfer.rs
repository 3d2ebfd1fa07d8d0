//! Transfers. Offsets and lengths are in bytes; 0 bytes are fine everywhere.

use std::ffi::c_void;

use super::boundary::{boundary, destination, source};
use super::error::pjrtmem_error;
use super::pjrtmem_buffer;
use crate::memory;

/// Copies `length` bytes of the host into a buffer. The host's bytes are free
/// again on return. If it fails, the buffer is as it was.
///
/// Where the space is not host-visible, writing a part of a buffer costs as much
/// as writing all of it.
///
/// Error: `OUT_OF_RANGE` if the range is not inside of the buffer.
///
/// # Safety
/// `src` has `length` readable bytes. They may be the buffer's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_copy_from_host(
    dst: pjrtmem_buffer,
    dst_offset: usize,
    src: *const c_void,
    length: usize,
) -> *mut pjrtmem_error {
    boundary(|| {
        // SAFETY: the caller's promise.
        let source = unsafe { source(src.cast(), length) }?;
        memory::write(&*memory::get(dst)?, dst_offset, source)
    })
}

/// Copies `length` bytes of a buffer to the host, where they are on return.
///
/// Error: `OUT_OF_RANGE` if the range is not inside of the buffer.
///
/// # Safety
/// `dst` has `length` writable bytes. They may be the buffer's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_copy_to_host(
    src: pjrtmem_buffer,
    src_offset: usize,
    dst: *mut c_void,
    length: usize,
) -> *mut pjrtmem_error {
    boundary(|| {
        // SAFETY: the caller's promise.
        let destination = unsafe { destination(dst.cast(), length) }?;
        memory::read(&*memory::get(src)?, src_offset, destination)
    })
}

/// Copies `length` bytes between any two buffers: of one address space or two,
/// of one client or two. Ranges of one buffer may overlap. Bytes are copied as
/// they are, whatever the element types.
///
/// Where neither buffer is host-visible the copy may be under way on return:
/// later calls on either buffer come after it, and `pjrtmem_wait` tells its error.
///
/// Error: `OUT_OF_RANGE` if a range is not inside of its buffer.
#[unsafe(no_mangle)]
pub extern "C" fn pjrtmem_copy(
    dst: pjrtmem_buffer,
    dst_offset: usize,
    src: pjrtmem_buffer,
    src_offset: usize,
    length: usize,
) -> *mut pjrtmem_error {
    boundary(|| {
        let (target, source) = (memory::get(dst)?, memory::get(src)?);
        memory::copy(&target, dst_offset, &source, src_offset, length)
    })
}

/// Repeats a pattern of 1 to 16 bytes over `length` bytes, a multiple of its size.
///
/// Error: `OUT_OF_RANGE` if the range is not inside of the buffer.
///
/// # Safety
/// `pattern` has `pattern_size` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_fill(
    dst: pjrtmem_buffer,
    dst_offset: usize,
    length: usize,
    pattern: *const c_void,
    pattern_size: usize,
) -> *mut pjrtmem_error {
    boundary(|| {
        // SAFETY: the caller's promise.
        let pattern = unsafe { source(pattern.cast(), pattern_size) }?;
        memory::fill(&*memory::get(dst)?, dst_offset, length, pattern)
    })
}
