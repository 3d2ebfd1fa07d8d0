//! The RawBuffer extension: writing a part of a buffer in place.
//!
//! It is optional, and PJRT calls it experimental. These declarations follow
//! `pjrt_c_api_raw_buffer_extension.h`, version 1 (openxla/xla).
#![allow(non_snake_case)]

use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr::NonNull;

use super::api::Api;
use super::args;
use super::buffer::Buffer;
use super::event::Event;
use super::host::Source;
use super::sys::{
    PJRT_Buffer, PJRT_Error, PJRT_Event, PJRT_Extension_Base, PJRT_RawBuffer, RAW_BUFFER,
    structs,
};
use crate::error::{Result, error};

structs! {
    PJRT_RawBuffer_CreateRawAliasOfBuffer_Args {
        buffer: *mut PJRT_Buffer,
        raw_buffer: *mut PJRT_RawBuffer,
    }
    PJRT_RawBuffer_Destroy_Args { buffer: *mut PJRT_RawBuffer }
    PJRT_RawBuffer_CopyRawHostToDevice_Args {
        buffer: *mut PJRT_RawBuffer,
        src: *const c_void,
        offset: i64,
        transfer_size: i64,
        event: *mut PJRT_Event,
    }
}

type Function<Args> = Option<unsafe extern "C" fn(*mut Args) -> *mut PJRT_Error>;

#[repr(C)]
struct PJRT_RawBuffer_Extension {
    base: PJRT_Extension_Base,
    create_raw_alias_of_buffer: Function<PJRT_RawBuffer_CreateRawAliasOfBuffer_Args>,
    destroy: Function<PJRT_RawBuffer_Destroy_Args>,
    get_on_device_size_in_bytes: *const c_void,
    get_memory_space: *const c_void,
    copy_raw_host_to_device: Function<PJRT_RawBuffer_CopyRawHostToDevice_Args>,
}

/// A plugin's RawBuffer extension.
#[derive(Clone, Copy)]
pub struct RawBuffers {
    api: &'static Api,
    create: unsafe extern "C" fn(
        *mut PJRT_RawBuffer_CreateRawAliasOfBuffer_Args,
    ) -> *mut PJRT_Error,
    destroy: unsafe extern "C" fn(*mut PJRT_RawBuffer_Destroy_Args) -> *mut PJRT_Error,
    write:
        unsafe extern "C" fn(*mut PJRT_RawBuffer_CopyRawHostToDevice_Args) -> *mut PJRT_Error,
}

impl RawBuffers {
    /// The extension, if the plugin has it with all that is used here.
    pub fn of(api: &'static Api) -> Option<RawBuffers> {
        let base = api.extension(RAW_BUFFER)?;
        let end = offset_of!(PJRT_RawBuffer_Extension, copy_raw_host_to_device)
            + size_of::<*const c_void>();
        // SAFETY: the link is alive, and its type says what it begins.
        if unsafe { base.as_ref() }.struct_size < end {
            return None;
        }
        // SAFETY: the extension reaches over all of the fields, as was just seen.
        let extension = unsafe { base.cast::<PJRT_RawBuffer_Extension>().as_ref() };
        Some(RawBuffers {
            api,
            create: extension.create_raw_alias_of_buffer?,
            destroy: extension.destroy?,
            write: extension.copy_raw_host_to_device?,
        })
    }

    /// Copies bytes of the host into the buffer, from byte `offset` on, and waits
    /// for it. They fit, and nothing else uses the buffer.
    pub fn write(&self, buffer: &Buffer, offset: i64, source: Source) -> Result<()> {
        let alias = self.alias(buffer)?;
        let mut args = args::new::<PJRT_RawBuffer_CopyRawHostToDevice_Args>();
        args.buffer = alias.raw.as_ptr();
        args.src = source.as_ptr().cast();
        args.offset = offset;
        args.transfer_size = source.length() as i64;
        // SAFETY: the alias and the source are alive until the event below.
        let error = unsafe { (self.write)(&raw mut args) };
        self.api.check(error, "PJRT_RawBuffer_CopyRawHostToDevice")?;
        Event::take(self.api, args.event).map_or(Ok(()), |done| done.wait())
    }

    fn alias(&self, buffer: &Buffer) -> Result<Alias<'_>> {
        let mut args = args::new::<PJRT_RawBuffer_CreateRawAliasOfBuffer_Args>();
        args.buffer = buffer.raw.as_ptr();
        // SAFETY: the buffer is alive.
        let error = unsafe { (self.create)(&raw mut args) };
        self.api.check(error, "PJRT_RawBuffer_CreateRawAliasOfBuffer")?;
        NonNull::new(args.raw_buffer)
            .map(|raw| Alias { buffers: self, raw })
            .ok_or_else(|| error!(Internal, "the plugin reported success, but gave no alias"))
    }
}

/// A second name of a buffer's memory.
struct Alias<'a> {
    buffers: &'a RawBuffers,
    raw: NonNull<PJRT_RawBuffer>,
}

impl Drop for Alias<'_> {
    fn drop(&mut self) {
        let mut args = args::new::<PJRT_RawBuffer_Destroy_Args>();
        args.buffer = self.raw.as_ptr();
        // SAFETY: the alias is alive and not used again.
        let error = unsafe { (self.buffers.destroy)(&raw mut args) };
        // A destructor has nobody to tell; the plugin has let go either way.
        let _ = self.buffers.api.check(error, "PJRT_RawBuffer_Destroy");
    }
}
