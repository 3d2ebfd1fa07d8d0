//! Buffers: memory of a device, and what can be asked of it.

use std::ptr::NonNull;

use super::api::Api;
use super::args::call;
use super::device::Memory;
use super::event::Event;
use super::host::{Destination, HostBytes, HostVisible};
use super::sys::PJRT_Buffer;
use crate::error::{Result, error};

/// A buffer of the plugin, destroyed when it is dropped. The plugin keeps its
/// memory until work that was started on it is done.
pub struct Buffer {
    api: &'static Api,
    pub(super) raw: NonNull<PJRT_Buffer>,
}

// SAFETY: PJRT's buffers may be used and destroyed on any thread.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    pub(super) fn take(api: &'static Api, raw: *mut PJRT_Buffer) -> Result<Buffer> {
        NonNull::new(raw)
            .map(|raw| Buffer { api, raw })
            .ok_or_else(|| error!(Internal, "the plugin reported success, but gave no buffer"))
    }

    /// Blocks until the contents are there, or their producer failed.
    pub fn wait(&self) -> Result<()> {
        self.ready()?.map_or(Ok(()), |ready| ready.wait())
    }

    /// What [`wait`](Self::wait) waits for.
    pub fn ready(&self) -> Result<Option<Event>> {
        call!(
            self.api,
            PJRT_Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args { buffer: self.raw.as_ptr() })
        )
        .map(|args| Event::take(self.api, args.event))
    }

    /// Whether the plugin says that the memory is the host's.
    pub fn is_on_cpu(&self) -> Result<bool> {
        call!(
            self.api,
            PJRT_Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args { buffer: self.raw.as_ptr() })
        )
        .map(|args| args.is_on_cpu)
    }

    /// The address of the bytes as the plugin tells it, which the host may touch
    /// only if the memory is its own.
    pub fn address(&self) -> Result<usize> {
        call!(
            self.api,
            PJRT_Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args {
                buffer: self.raw.as_ptr(),
            })
        )
        .map(|args| args.buffer_pointer)
    }

    /// The `length` bytes of the buffer in host memory. Its memory has to be one
    /// that was found to be visible.
    pub fn host_bytes(&self, _: &HostVisible, length: usize) -> Result<HostBytes> {
        let start = NonNull::new(std::ptr::with_exposed_provenance_mut(self.address()?))
            .ok_or_else(|| error!(Internal, "the plugin gave a null address for a buffer"))?;
        // SAFETY: the memory was tried and found to be the host's; the address of
        // a buffer does not change.
        Ok(unsafe { HostBytes::new(start, length) })
    }

    /// The address of the bytes for the device.
    pub fn device_address(&self) -> Result<usize> {
        call!(
            self.api,
            PJRT_Buffer_OpaqueDeviceMemoryDataPointer(
                PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args { buffer: self.raw.as_ptr() }
            )
        )
        .map(|args| args.device_memory_ptr.addr())
    }

    /// Copies all bytes to the host. `destination` has exactly their number.
    pub fn read_all(&self, destination: Destination) -> Result<()> {
        let args = call!(
            self.api,
            PJRT_Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args {
                src: self.raw.as_ptr(),
                dst: destination.as_ptr().cast(),
                dst_size: destination.length(),
            })
        )?;
        Event::take(self.api, args.event).map_or(Ok(()), |done| done.wait())
    }

    /// Copies the bytes from `offset` on to the host. They lie in the buffer.
    pub fn read(&self, offset: i64, destination: Destination) -> Result<()> {
        let args = call!(
            self.api,
            PJRT_Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args {
                buffer: self.raw.as_ptr(),
                dst: destination.as_ptr().cast(),
                offset: offset,
                transfer_size: destination.length() as i64,
            })
        )?;
        Event::take(self.api, args.event).map_or(Ok(()), |done| done.wait())
    }

    /// Whether the memory is gone, because it was donated to a program.
    pub fn is_deleted(&self) -> Result<bool> {
        call!(
            self.api,
            PJRT_Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args { buffer: self.raw.as_ptr() })
        )
        .map(|args| args.is_deleted)
    }

    /// Starts a copy into another memory of the same client.
    pub fn copy_to(&self, memory: Memory) -> Result<Buffer> {
        let args = call!(
            self.api,
            PJRT_Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args {
                buffer: self.raw.as_ptr(),
                dst_memory: memory.raw.as_ptr(),
            })
        )?;
        Buffer::take(self.api, args.dst_buffer)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let buffer = self.raw.as_ptr();
        // A destructor has nobody to tell; the plugin has let go either way.
        let _ =
            call!(self.api, PJRT_Buffer_Destroy(PJRT_Buffer_Destroy_Args { buffer: buffer }));
    }
}
