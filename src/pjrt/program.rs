//! Programs: StableHLO that a plugin compiled.

use std::ptr::{self, NonNull};

use super::api::Api;
use super::args::{self, call};
use super::buffer::Buffer;
use super::client::Client;
use super::device::Device;
use super::sys::{PJRT_Buffer, PJRT_ExecuteOptions, PJRT_LoadedExecutable, PJRT_Program};
use crate::error::{Result, error};

/// A `CompileOptionsProto` for one replica and one partition that may run on any
/// device (`compile_portable_executable`): fields 3.4, 3.5 and 4 are 1.
const ONE_DEVICE: &[u8] = &[0x1a, 0x04, 0x20, 0x01, 0x28, 0x01, 0x20, 0x01];

/// A compiled program with one result, destroyed when it is dropped.
pub struct Program {
    api: &'static Api,
    raw: NonNull<PJRT_LoadedExecutable>,
}

// SAFETY: PJRT's executables may be used and destroyed on any thread.
unsafe impl Send for Program {}
// SAFETY: as above.
unsafe impl Sync for Program {}

impl Program {
    /// Compiles an MLIR module whose `@main` has one result.
    pub fn compile(client: &Client, module: &str) -> Result<Program> {
        let mut program = args::new::<PJRT_Program>();
        program.code = module.as_ptr().cast();
        program.code_size = module.len();
        program.format = c"mlir".as_ptr();
        program.format_size = c"mlir".count_bytes();
        let args = call!(
            client.api(),
            PJRT_Client_Compile(PJRT_Client_Compile_Args {
                client: client.raw.as_ptr(),
                program: &raw const program,
                compile_options: ONE_DEVICE.as_ptr().cast(),
                compile_options_size: ONE_DEVICE.len(),
            })
        )?;
        let raw = NonNull::new(args.executable)
            .ok_or_else(|| error!(Internal, "PJRT_Client_Compile gave no executable"))?;
        Ok(Program { api: client.api(), raw })
    }

    /// Starts the program on a device. The arguments are as many as it takes, of
    /// its sizes, and no donated one is among them twice: plugins check little of
    /// that. Whether a donated argument is gone after an error, ask it.
    pub fn execute(&self, device: Device, arguments: &[&Buffer]) -> Result<Buffer> {
        let arguments: Vec<*mut PJRT_Buffer> =
            arguments.iter().map(|buffer| buffer.raw.as_ptr()).collect();
        let argument_list = arguments.as_ptr();
        let mut result: *mut PJRT_Buffer = ptr::null_mut();
        let results: *mut *mut PJRT_Buffer = &raw mut result;
        let mut options = args::new::<PJRT_ExecuteOptions>();
        call!(
            self.api,
            PJRT_LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args {
                executable: self.raw.as_ptr(),
                options: &raw mut options,
                argument_lists: &raw const argument_list,
                num_devices: 1,
                num_args: arguments.len(),
                output_lists: &raw const results,
                execute_device: device.raw.as_ptr(),
            })
        )?;
        Buffer::take(self.api, result)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let executable = self.raw.as_ptr();
        // A destructor has nobody to tell; the plugin has let go either way.
        let _ = call!(
            self.api,
            PJRT_LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args {
                executable: executable,
            })
        );
    }
}
