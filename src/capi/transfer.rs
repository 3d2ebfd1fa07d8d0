//! Transfers. Offsets and lengths are in bytes; 0 bytes are fine everywhere.

use std::ffi::c_void;

use super::boundary::{boundary, destination, fill, source};
use super::error::pjrtmem_error;
use super::{pjrtmem_buffer, pjrtmem_space};
use crate::memory::{self, Path};

/// Bytes that were transferred in an address space since it was loaded, by the
/// way they went. Bytes are counted as the caller asked for them.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct pjrtmem_transfer_info {
    /// Set by the caller: `sizeof(pjrtmem_transfer_info)`.
    pub struct_size: usize,
    /// Written by the host in place.
    pub written_in_place: u64,
    /// Written by the plugin in place (PJRT's RawBuffer extension).
    pub written_raw: u64,
    /// Written by replacing a whole buffer, all of which was to be written.
    pub written_whole: u64,
    /// Written by a compiled program that updates a part of a buffer.
    pub written_by_program: u64,
    /// Written by reading a whole buffer, changing a part, and replacing it.
    pub written_by_rewrite: u64,
    /// Read by the host in place.
    pub read_in_place: u64,
    /// Read through the plugin.
    pub read: u64,
    /// Read through the plugin as whole buffers, to get at a part.
    pub read_by_whole: u64,
    /// Copied into this space by the plugin, without the host.
    pub copied_on_device: u64,
}

/// Copies `length` bytes of the host into a buffer. The host's bytes are free
/// again on return. If it fails, the buffer is as it was, unless the message
/// says something else.
///
/// Where the space is not host-visible and the plugin cannot write in place,
/// writing a part of a buffer costs about as much as writing all of it.
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

/// Says by which ways bytes went into buffers of an address space and out of them.
///
/// # Safety
/// `out` has as many bytes as its `struct_size` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_get_transfer_info(
    space: pjrtmem_space,
    out: *mut pjrtmem_transfer_info,
) -> *mut pjrtmem_error {
    boundary(|| {
        let paths = &memory::space(space)?.paths;
        let info = pjrtmem_transfer_info {
            struct_size: size_of::<pjrtmem_transfer_info>(),
            written_in_place: paths.bytes(Path::WriteInPlace),
            written_raw: paths.bytes(Path::WriteRaw),
            written_whole: paths.bytes(Path::WriteWhole),
            written_by_program: paths.bytes(Path::WriteByProgram),
            written_by_rewrite: paths.bytes(Path::WriteByRewrite),
            read_in_place: paths.bytes(Path::ReadInPlace),
            read: paths.bytes(Path::Read),
            read_by_whole: paths.bytes(Path::ReadByWhole),
            copied_on_device: paths.bytes(Path::CopyOnDevice),
        };
        // SAFETY: the caller's promise.
        unsafe { fill(out, info) }
    })
}
