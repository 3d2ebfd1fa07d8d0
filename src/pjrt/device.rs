//! Devices of a client and the memories that they can address.

use std::ptr::NonNull;

use super::api::{Api, text};
use super::args::call;
use super::sys::{PJRT_Device, PJRT_DeviceDescription, PJRT_Memory};
use crate::error::{Result, error};

/// A device. It belongs to its client, which is never destroyed.
#[derive(Clone, Copy)]
pub struct Device {
    api: &'static Api,
    pub(super) raw: NonNull<PJRT_Device>,
}

// SAFETY: PJRT's devices may be used from any thread.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

/// One kind of memory that a device can address. It belongs to its client too.
#[derive(Clone, Copy)]
pub struct Memory {
    api: &'static Api,
    pub(super) raw: NonNull<PJRT_Memory>,
}

// SAFETY: PJRT's memories may be used from any thread.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Device {
    pub(super) fn new(api: &'static Api, raw: NonNull<PJRT_Device>) -> Device {
        Device { api, raw }
    }

    fn description(&self) -> Result<*mut PJRT_DeviceDescription> {
        let device = self.raw.as_ptr();
        call!(
            self.api,
            PJRT_Device_GetDescription(PJRT_Device_GetDescription_Args { device: device })
        )
        .map(|args| args.device_description)
    }

    /// The ID, one of its own among all devices of the client.
    pub fn id(&self) -> Result<i32> {
        let device_description = self.description()?;
        call!(
            self.api,
            PJRT_DeviceDescription_Id(PJRT_DeviceDescription_Id_Args {
                device_description: device_description,
            })
        )
        .map(|args| args.id)
    }

    /// What the vendor calls this kind of device.
    pub fn kind(&self) -> Result<String> {
        let device_description = self.description()?;
        call!(
            self.api,
            PJRT_DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args {
                device_description: device_description,
            })
        )
        // SAFETY: the text belongs to the device, which lives on.
        .map(|args| unsafe { text(args.device_kind, args.device_kind_size) })
    }

    /// The memories that the device can address.
    pub fn memories(&self) -> Result<Vec<Memory>> {
        let args = call!(
            self.api,
            PJRT_Device_AddressableMemories(PJRT_Device_AddressableMemories_Args {
                device: self.raw.as_ptr(),
            })
        )?;
        // SAFETY: the list belongs to the device, which lives on.
        let list = unsafe { list(args.memories, args.num_memories) };
        Ok(list.into_iter().map(|raw| Memory { api: self.api, raw }).collect())
    }

    /// The memory that the device's data is in by default.
    pub fn default_memory(&self) -> Result<Memory> {
        let args = call!(
            self.api,
            PJRT_Device_DefaultMemory(PJRT_Device_DefaultMemory_Args {
                device: self.raw.as_ptr(),
            })
        )?;
        let raw = NonNull::new(args.memory)
            .ok_or_else(|| error!(Internal, "a device's default memory is null"))?;
        Ok(Memory { api: self.api, raw })
    }
}

impl Memory {
    /// The kind, such as `device` or `pinned_host`.
    pub fn kind(&self) -> Result<String> {
        call!(self.api, PJRT_Memory_Kind(PJRT_Memory_Kind_Args { memory: self.raw.as_ptr() }))
            // SAFETY: the text belongs to the memory, which lives on.
            .map(|args| unsafe { text(args.kind, args.kind_size) })
    }
}

/// A copy of a plugin's list of pointers, without nulls.
///
/// # Safety
/// `start` is null or has `size` pointers.
pub(super) unsafe fn list<T>(start: *const *mut T, size: usize) -> Vec<NonNull<T>> {
    if start.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller's promise.
    let pointers = unsafe { std::slice::from_raw_parts(start, size) };
    pointers.iter().filter_map(|pointer| NonNull::new(*pointer)).collect()
}
