//! What a plugin can do beyond the least, and what is done where it cannot.

use std::ffi::CStr;

use super::plugins::Client;
use crate::pjrt::Api;

/// Something that not every plugin can do.
pub struct Capability {
    /// What it is.
    pub name: &'static CStr,
    /// The function of PJRT that does it.
    pub function: &'static CStr,
    /// What is done without it; none if it is not possible then.
    pub instead: Option<&'static CStr>,
}

/// All of them, in the order in which a byte meets them.
pub const CAPABILITIES: &[Capability] = &[
    Capability {
        name: c"allocate without writing",
        function: c"PJRT_Client_CreateUninitializedBuffer",
        instead: Some(c"zeros are copied from the host"),
    },
    Capability {
        name: c"tell whether memory is the host's",
        function: c"PJRT_Buffer_IsOnCpu",
        instead: Some(c"no memory counts as host-visible"),
    },
    Capability {
        name: c"tell the host's address",
        function: c"PJRT_Buffer_UnsafePointer",
        instead: Some(c"no memory counts as host-visible"),
    },
    Capability {
        name: c"tell the device's address",
        function: c"PJRT_Buffer_OpaqueDeviceMemoryDataPointer",
        instead: None,
    },
    Capability {
        name: c"write a part in place",
        function: c"PJRT_RawBuffer_CopyRawHostToDevice",
        instead: Some(c"a program updates long buffers; short ones are rewritten"),
    },
    Capability {
        name: c"compile a program",
        function: c"PJRT_Client_Compile",
        instead: Some(c"long buffers are rewritten too, to write a part"),
    },
    Capability {
        name: c"read a part",
        function: c"PJRT_Buffer_CopyRawToHost",
        instead: Some(c"the whole buffer is read"),
    },
    Capability {
        name: c"copy from one memory to another",
        function: c"PJRT_Buffer_CopyToMemory",
        instead: Some(c"bytes go through the host"),
    },
    Capability {
        name: c"tell the platform's version",
        function: c"PJRT_Client_PlatformVersion",
        instead: Some(c"the version is empty"),
    },
];

impl Capability {
    /// Whether a client's plugin has the function. One that is there and answers
    /// UNIMPLEMENTED is found out when it is called, and served the same way.
    pub fn is_available(&self, client: &Client) -> bool {
        let api: &Api = client.pjrt.api();
        if self.function == c"PJRT_RawBuffer_CopyRawHostToDevice" {
            return client.raw_buffers.is_some();
        }
        self.function.to_str().is_ok_and(|name| api.has(name))
    }
}
