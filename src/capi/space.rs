//! Address spaces.

use std::ffi::c_char;

use super::boundary::{Out, boundary, fill, string};
use super::error::pjrtmem_error;
use super::{pjrtmem_client, pjrtmem_space};
use crate::memory::{self, Space};

/// What an address space is. Its texts live as long as the process.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct pjrtmem_space_info {
    /// Set by the caller: `sizeof(pjrtmem_space_info)`.
    pub struct_size: usize,
    /// The client that it belongs to.
    pub client: pjrtmem_client,
    /// The ID of the device, one of its own among the client's devices.
    pub device_id: i32,
    /// What the vendor calls this kind of device.
    pub device_kind: *const c_char,
    /// The kind of memory, such as `"device"` or `"pinned_host"`.
    pub memory_kind: *const c_char,
    /// Whether the host can read and write the bytes in place. It was tried.
    pub host_visible: bool,
    /// Whether it is the default memory of its device.
    pub default_memory: bool,
}

/// The number of address spaces. Their IDs are 0 to one less.
///
/// # Safety
/// `out` has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_space_count(out: *mut u32) -> *mut pjrtmem_error {
    // SAFETY: the caller's promise.
    boundary(|| unsafe { Out::new(out) }?.set(memory::space_count()))
}

/// Describes an address space.
///
/// # Safety
/// `out` has as many bytes as its `struct_size` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_get_space_info(
    space: pjrtmem_space,
    out: *mut pjrtmem_space_info,
) -> *mut pjrtmem_error {
    boundary(|| {
        let space = memory::space(space)?;
        let it = &space.description;
        let info = pjrtmem_space_info {
            struct_size: size_of::<pjrtmem_space_info>(),
            client: space.client.id,
            device_id: it.device_id,
            device_kind: it.device_kind.as_ptr(),
            memory_kind: it.memory_kind.as_ptr(),
            host_visible: it.host_visible.is_some(),
            default_memory: it.default_memory,
        };
        // SAFETY: the caller's promise.
        unsafe { fill(out, info) }
    })
}

/// Finds the address space of a client's device with that kind of memory; with
/// `NULL`, the one of the device's default memory.
///
/// # Safety
/// `memory_kind` is `NULL` or terminated; `out` has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_space_find(
    client: pjrtmem_client,
    device_id: i32,
    memory_kind: *const c_char,
    out: *mut pjrtmem_space,
) -> *mut pjrtmem_error {
    boundary(|| {
        // SAFETY: the caller's promise.
        let (kind, out) = unsafe { (string(memory_kind, "memory_kind").ok(), Out::new(out)?) };
        out.set(Space::find(memory::client(client)?, device_id, kind)?.id)
    })
}
