//! Plugins and their clients.

use std::ffi::c_char;

use super::boundary::{Out, boundary, fill, shared, string};
use super::error::pjrtmem_error;
use super::options::pjrtmem_options;
use super::pjrtmem_client;
use crate::error::error;
use crate::memory::{self, CAPABILITIES};
use crate::pjrt::Options;

/// What a client is. Its texts live as long as the process.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct pjrtmem_client_info {
    /// Set by the caller: `sizeof(pjrtmem_client_info)`.
    pub struct_size: usize,
    /// The file of the plugin.
    pub plugin_path: *const c_char,
    /// The platform's name, such as `"cpu"` or `"cuda"`.
    pub platform_name: *const c_char,
    /// The platform's version, in its own words; may be empty.
    pub platform_version: *const c_char,
    /// The version of the PJRT API that the plugin was built with.
    pub api_major: i32,
    /// See `api_major`.
    pub api_minor: i32,
    /// The ID of the client's first address space; the others follow it.
    pub first_space: u32,
    /// The number of the client's address spaces.
    pub space_count: u32,
}

/// Loads a PJRT plugin and makes a client of it, or returns the client that was
/// made of the same file with equal options before. Takes as long as the plugin
/// takes to start, some tenths of a second.
///
/// `plugin` is a path, if there is a slash in it, or else a name: it is looked
/// up in the environment variable `PJRT_NAMES_AND_LIBRARY_PATHS`
/// (`name:path,name:path`, as JAX and TensorFlow have it), and then as the file
/// `plugins/NAME.so` in the cache, which is `PJRTMEM_CACHE` or else `pjrtmem` in
/// `XDG_CACHE_HOME` or `~/.cache`. Code of that file is run: that it may be is
/// the caller's decision. Plugins are never unloaded.
///
/// Errors: `PLUGIN_NOT_FOUND`, `NOT_A_PLUGIN`, `VERSION_MISMATCH`,
/// `TABLE_TOO_SHORT`, `OPTION_REFUSED`, or what the plugin reports.
///
/// # Safety
/// `plugin` is terminated; `options` is `NULL` (none) or from
/// `pjrtmem_options_new`, and stays the caller's; `out` has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_load(
    plugin: *const c_char,
    options: *const pjrtmem_options,
    out: *mut pjrtmem_client,
) -> *mut pjrtmem_error {
    boundary(|| {
        // SAFETY: the caller's promise.
        let (plugin, out) = unsafe { (string(plugin, "plugin")?, Out::new(out)?) };
        // SAFETY: the caller's promise.
        let client = match unsafe { shared(options, "options") } {
            Ok(given) => memory::load(plugin, &given.options)?,
            Err(_) => memory::load(plugin, &Options::default())?,
        };
        out.set(client.id)
    })
}

/// Describes a client.
///
/// # Safety
/// `out` has as many bytes as its `struct_size` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_get_client_info(
    client: pjrtmem_client,
    out: *mut pjrtmem_client_info,
) -> *mut pjrtmem_error {
    boundary(|| {
        let client = memory::client(client)?;
        let (api_major, api_minor) = client.pjrt.api().version();
        let info = pjrtmem_client_info {
            struct_size: size_of::<pjrtmem_client_info>(),
            plugin_path: client.plugin_path.as_ptr(),
            platform_name: client.platform_name.as_ptr(),
            platform_version: client.platform_version.as_ptr(),
            api_major,
            api_minor,
            first_space: client.first_space,
            space_count: client.space_count,
        };
        // SAFETY: the caller's promise.
        unsafe { fill(out, info) }
    })
}

/// Something that not every plugin can do. The texts are static.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct pjrtmem_capability {
    /// Set by the caller: `sizeof(pjrtmem_capability)`.
    pub struct_size: usize,
    /// What it is, such as `"read a part"`.
    pub name: *const c_char,
    /// The function of PJRT that does it.
    pub function: *const c_char,
    /// What is done without it, such as `"the whole buffer is read"`; `NULL` if it
    /// is not possible then, and the call that needs it is `UNIMPLEMENTED`.
    pub instead: *const c_char,
    /// Whether the client's plugin has the function.
    pub available: bool,
}

/// Describes the capability of that number, from 0 on, of a client's plugin.
///
/// Error: `OUT_OF_RANGE` behind the last one.
///
/// # Safety
/// `out` has as many bytes as its `struct_size` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_get_capability(
    client: pjrtmem_client,
    number: usize,
    out: *mut pjrtmem_capability,
) -> *mut pjrtmem_error {
    boundary(|| {
        let client = memory::client(client)?;
        let capability = CAPABILITIES.get(number).ok_or_else(|| {
            let count = CAPABILITIES.len();
            error!(OutOfRange, "there is no capability {number}; there are {count}, from 0 on")
        })?;
        let info = pjrtmem_capability {
            struct_size: size_of::<pjrtmem_capability>(),
            name: capability.name.as_ptr(),
            function: capability.function.as_ptr(),
            instead: capability.instead.map_or(std::ptr::null(), |instead| instead.as_ptr()),
            available: capability.is_available(client),
        };
        // SAFETY: the caller's promise.
        unsafe { fill(out, info) }
    })
}
