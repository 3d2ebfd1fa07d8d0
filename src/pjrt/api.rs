//! A plugin's table of functions: loading it, its version, what it has.

use std::ffi::{c_char, c_int};
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::args::{self, call};
use super::sys::{self, PJRT_Api, PJRT_Error, PJRT_Extension_Base};
use crate::error::{Code, Error, Result, bail, error};

/// A plugin, loaded for as long as the process lives: plugins start threads
/// and keep static state, so none of them can be unloaded safely.
pub struct Api {
    table: NonNull<PJRT_Api>,
    path: PathBuf,
    major: i32,
    minor: i32,
}

// SAFETY: the table is constant after loading, and PJRT's functions may be
// called from any thread.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

/// The function in a slot of the table, or an UNIMPLEMENTED error that names it.
macro_rules! slot {
    ($api:expr, $function:ident) => {
        $api.slot(
            std::mem::offset_of!($crate::pjrt::sys::PJRT_Api, $function),
            stringify!($function),
            // SAFETY: `slot` calls this only where the table reaches over the slot.
            |table| unsafe { (&raw const (*table).$function).read() },
        )
    };
}

pub(super) use slot;

/// Without these nothing works, so a plugin that lacks one is refused at once.
const NEEDED: &[&str] = &[
    "PJRT_Error_Destroy",
    "PJRT_Error_Message",
    "PJRT_Error_GetCode",
    "PJRT_Event_Destroy",
    "PJRT_Event_Await",
    "PJRT_Client_Create",
    "PJRT_Client_PlatformName",
    "PJRT_Client_AddressableDevices",
    "PJRT_Client_BufferFromHostBuffer",
    "PJRT_DeviceDescription_Id",
    "PJRT_DeviceDescription_Kind",
    "PJRT_Device_GetDescription",
    "PJRT_Device_AddressableMemories",
    "PJRT_Device_DefaultMemory",
    "PJRT_Memory_Kind",
    "PJRT_Buffer_Destroy",
    "PJRT_Buffer_ToHostBuffer",
    "PJRT_Buffer_ReadyEvent",
];

impl Api {
    /// Loads the plugin at `path` and initializes it.
    ///
    /// Call it once for a path: PJRT asks for one initialization only.
    pub fn load(path: &Path) -> Result<Api> {
        let table = open(path)?;
        let mut api = Api { table, path: path.to_owned(), major: 0, minor: 0 };
        api.read_version()?;
        api.check_needed()?;
        match call!(api, PJRT_Plugin_Initialize(PJRT_Plugin_Initialize_Args {})) {
            Err(error) if error.code() != Code::Unimplemented => {
                Err(error.context(format!("initializing the plugin {}", path.display())))
            }
            _ => Ok(api),
        }
    }

    /// The file that the plugin was loaded from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The version of the PJRT API that the plugin was built with.
    pub fn version(&self) -> (i32, i32) {
        (self.major, self.minor)
    }

    fn shown_version(&self) -> String {
        format!("PJRT API {}.{}", self.major, self.minor)
    }

    fn size(&self) -> usize {
        // SAFETY: every table starts with its size.
        unsafe { (&raw const (*self.table.as_ptr()).struct_size).read() }
    }

    fn read_version(&mut self) -> Result<()> {
        let path = self.path.display();
        let (size, least) = (self.size(), offset_of!(PJRT_Api, PJRT_Error_Destroy));
        if size < least {
            bail!(
                TableTooShort,
                "the plugin {path} has a table of {size} bytes, which does not even hold its \
                 version; expected are at least {least}"
            );
        }
        // SAFETY: the table is long enough, as was just seen.
        let version = unsafe { (&raw const (*self.table.as_ptr()).pjrt_api_version).read() };
        (self.major, self.minor) = (version.major_version, version.minor_version);
        if self.major != sys::PJRT_API_MAJOR {
            bail!(
                VersionMismatch,
                "the plugin {path} has {}; expected is a major version of {}",
                self.shown_version(),
                sys::PJRT_API_MAJOR
            );
        }
        Ok(())
    }

    fn check_needed(&self) -> Result<()> {
        let (path, size) = (self.path.display(), self.size());
        let version = self.shown_version();
        for &(name, offset) in sys::SLOTS.iter().filter(|(name, _)| NEEDED.contains(name)) {
            let end = offset + size_of::<usize>();
            if size < end {
                bail!(
                    TableTooShort,
                    "the plugin {path} ({version}) has a table of {size} bytes; {name} needs at \
                     least {end}"
                );
            }
            if !self.has(name) {
                bail!(
                    TableTooShort,
                    "the plugin {path} ({version}) lacks {name}, which is needed"
                );
            }
        }
        Ok(())
    }

    /// Whether the plugin has the function of that name.
    pub fn has(&self, name: &str) -> bool {
        let slot = sys::SLOTS.iter().find(|(known, _)| *known == name);
        slot.is_some_and(|&(_, offset)| {
            offset + size_of::<usize>() <= self.size()
                // SAFETY: the slot lies inside of the table and is a pointer.
                && unsafe { self.table.as_ptr().byte_add(offset).cast::<usize>().read() } != 0
        })
    }

    /// The extension of that type, if the plugin has it.
    pub(super) fn extension(
        &self,
        extension_type: c_int,
    ) -> Option<NonNull<PJRT_Extension_Base>> {
        /// More than any plugin has; a chain that is longer has a loop.
        const MOST: usize = 256;
        // SAFETY: the table is at least that long, see `read_version`.
        let mut link = unsafe { (&raw const (*self.table.as_ptr()).extension_start).read() };
        for _ in 0..MOST {
            let extension = NonNull::new(link)?;
            // SAFETY: the chain consists of such links, which live as long as the plugin.
            let base = unsafe { extension.as_ref() };
            if base.extension_type == extension_type {
                return Some(extension);
            }
            link = base.next;
        }
        None
    }

    /// The function at `offset` of the table. Called through [`slot!`].
    pub(super) fn slot<F>(
        &self,
        offset: usize,
        name: &str,
        read: impl FnOnce(*const PJRT_Api) -> Option<F>,
    ) -> Result<F> {
        let inside = offset + size_of::<usize>() <= self.size();
        let function = if inside { read(self.table.as_ptr()) } else { None };
        function.ok_or_else(|| {
            error!(
                Unimplemented,
                "the plugin {} ({}) has no {name}",
                self.path.display(),
                self.shown_version()
            )
        })
    }

    /// Turns what a function of the plugin returned into a result.
    pub(super) fn check(&self, raw: *mut PJRT_Error, function: &str) -> Result<()> {
        let Some(raw) = NonNull::new(raw) else {
            return Ok(());
        };
        let (code, message) = (self.error_code(raw), self.error_message(raw));
        let mut args = args::new::<sys::PJRT_Error_Destroy_Args>();
        args.error = raw.as_ptr();
        if let Ok(destroy) = slot!(self, PJRT_Error_Destroy) {
            // SAFETY: the error is the plugin's, ours to destroy, and not used
            // again; its message was copied.
            unsafe { destroy(&mut args) };
        }
        let plugin = self.path.file_name().unwrap_or_default().display();
        let version = self.shown_version();
        Err(Error::new(code, format!("{message} ({function} of {plugin}, {version})")))
    }

    fn error_code(&self, raw: NonNull<PJRT_Error>) -> Code {
        let mut args = args::new::<sys::PJRT_Error_GetCode_Args>();
        args.error = raw.as_ptr();
        let told = slot!(self, PJRT_Error_GetCode)
            // SAFETY: the error is alive.
            .is_ok_and(|code| unsafe { code(&mut args) }.is_null());
        Code::from_raw(args.code).filter(|_| told).unwrap_or(Code::Unknown)
    }

    fn error_message(&self, raw: NonNull<PJRT_Error>) -> String {
        let mut args = args::new::<sys::PJRT_Error_Message_Args>();
        args.error = raw.as_ptr();
        if let Ok(message) = slot!(self, PJRT_Error_Message) {
            // SAFETY: the error is alive.
            unsafe { message(&mut args) };
        }
        // SAFETY: the message lives as long as the error.
        unsafe { text(args.message, args.message_size) }
    }
}

/// Opens the library and asks it for its table.
fn open(path: &Path) -> Result<NonNull<PJRT_Api>> {
    type GetPjrtApi = unsafe extern "C" fn() -> *const PJRT_Api;

    let shown = path.display();
    // SAFETY: loading a library runs its initializers; that this file may be
    // run is the caller's decision, as the documentation of loading says.
    // Symbols stay local, so that two plugins, each with an LLVM, live together.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| {
        error!(NotAPlugin, "{shown} cannot be loaded as a PJRT plugin, a shared library: {e}")
    })?;
    // SAFETY: this is the type that every PJRT plugin gives the function.
    let get =
        unsafe { library.get::<GetPjrtApi>("GetPjrtApi") }.map(|get| *get).map_err(|_| {
            error!(
                NotAPlugin,
                "{shown} is a shared library, but no PJRT plugin: it has no function GetPjrtApi"
            )
        });
    // Also on failure the library stays: its initializers may have started threads.
    std::mem::forget(library);
    // SAFETY: the function takes nothing, and the library stays loaded.
    NonNull::new(unsafe { get?() }.cast_mut())
        .ok_or_else(|| error!(NotAPlugin, "GetPjrtApi of {shown} returned no table"))
}

/// A copy of a plugin's text, which is not terminated.
///
/// # Safety
/// `start` is null or has `size` bytes.
pub(super) unsafe fn text(start: *const c_char, size: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), size) };
    // A NUL would end the text early on its way to C.
    String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}")
}
