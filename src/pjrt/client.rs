//! Clients: one plugin's view of its devices, and what makes buffers.

use std::ptr::{self, NonNull};

use super::api::{Api, text};
use super::args::call;
use super::buffer::Buffer;
use super::device::{self, Device, Memory};
use super::event::Event;
use super::host::Source;
use super::options::Options;
use super::sys::{IMMUTABLE_ONLY_DURING_CALL, PJRT_Client};
use crate::error::{Result, error};

/// A client, destroyed when it is dropped. No device, memory or buffer of it may
/// be used afterwards, so only a client that never got into use is dropped.
pub struct Client {
    api: &'static Api,
    pub(super) raw: NonNull<PJRT_Client>,
}

// SAFETY: PJRT's clients may be used from any thread.
unsafe impl Send for Client {}
// SAFETY: as above.
unsafe impl Sync for Client {}

impl Client {
    /// Makes a client with these options.
    pub fn create(api: &'static Api, options: &Options) -> Result<Client> {
        let options = options.as_raw();
        let args = call!(
            api,
            PJRT_Client_Create(PJRT_Client_Create_Args {
                create_options: options.as_ptr(),
                num_options: options.len(),
            })
        )?;
        let raw = NonNull::new(args.client)
            .ok_or_else(|| error!(Internal, "PJRT_Client_Create gave no client"))?;
        Ok(Client { api, raw })
    }

    /// The plugin.
    pub fn api(&self) -> &'static Api {
        self.api
    }

    /// The name of the platform, such as `cpu` or `cuda`.
    pub fn platform_name(&self) -> Result<String> {
        call!(
            self.api,
            PJRT_Client_PlatformName(PJRT_Client_PlatformName_Args {
                client: self.raw.as_ptr()
            })
        )
        // SAFETY: the text belongs to the client, which lives on.
        .map(|args| unsafe { text(args.platform_name, args.platform_name_size) })
    }

    /// The version of the platform, in its own words.
    pub fn platform_version(&self) -> Result<String> {
        call!(
            self.api,
            PJRT_Client_PlatformVersion(PJRT_Client_PlatformVersion_Args {
                client: self.raw.as_ptr(),
            })
        )
        // SAFETY: the text belongs to the client, which lives on.
        .map(|args| unsafe { text(args.platform_version, args.platform_version_size) })
    }

    /// The devices that this process can use.
    pub fn devices(&self) -> Result<Vec<Device>> {
        let args = call!(
            self.api,
            PJRT_Client_AddressableDevices(PJRT_Client_AddressableDevices_Args {
                client: self.raw.as_ptr(),
            })
        )?;
        // SAFETY: the list belongs to the client, which lives on.
        let list =
            unsafe { device::list(args.addressable_devices, args.num_addressable_devices) };
        Ok(list.into_iter().map(|raw| Device::new(self.api, raw)).collect())
    }

    /// A flat buffer of `count` elements with arbitrary contents.
    ///
    /// `element` is a whole-byte type and its bytes times `count` fit in `i64`:
    /// plugins end the process otherwise.
    pub fn uninitialized(&self, memory: Memory, element: i32, count: i64) -> Result<Buffer> {
        let args = call!(
            self.api,
            PJRT_Client_CreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args {
                client: self.raw.as_ptr(),
                shape_dims: &raw const count,
                shape_num_dims: 1,
                shape_element_type: element,
                memory: memory.raw.as_ptr(),
            })
        )?;
        Buffer::take(self.api, args.buffer)
    }

    /// A flat buffer of `count` elements with a copy of the host's bytes, which
    /// are free again on return.
    ///
    /// `element` is a whole-byte type and `source` has exactly its bytes times
    /// `count`.
    pub fn from_host(
        &self,
        memory: Memory,
        element: i32,
        count: i64,
        source: Source,
    ) -> Result<Buffer> {
        let args = call!(
            self.api,
            PJRT_Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args {
                client: self.raw.as_ptr(),
                data: source.as_ptr().cast(),
                r#type: element,
                dims: &raw const count,
                num_dims: 1,
                byte_strides: ptr::null(),
                host_buffer_semantics: IMMUTABLE_ONLY_DURING_CALL,
                memory: memory.raw.as_ptr(),
            })
        )?;
        let done = Event::take(self.api, args.done_with_host_buffer);
        let buffer = Buffer::take(self.api, args.buffer)?;
        // The semantics say that this has happened; a wait makes sure of it.
        done.map_or(Ok(()), |done| done.wait())?;
        Ok(buffer)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let client = self.raw.as_ptr();
        // A destructor has nobody to tell; the plugin has let go either way.
        let _ =
            call!(self.api, PJRT_Client_Destroy(PJRT_Client_Destroy_Args { client: client }));
    }
}
