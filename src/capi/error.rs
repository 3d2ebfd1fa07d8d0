//! Errors.

use std::ffi::{CString, c_char};

use super::boundary::boundary_or;
use crate::error::{Code, Error};

/// What went wrong: a code and a message. `NULL` stands for success.
pub struct pjrtmem_error {
    code: Code,
    message: CString,
}

impl pjrtmem_error {
    pub(super) fn into_raw(error: Error) -> *mut pjrtmem_error {
        let message = CString::new(error.to_string().replace('\0', "\u{fffd}"));
        let error = pjrtmem_error { code: error.code(), message: message.unwrap_or_default() };
        Box::into_raw(Box::new(error))
    }
}

/// The code, one of `PJRTMEM_CODE_*`; 0 for `NULL`.
///
/// # Safety
/// `error` is `NULL` or an error that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_error_code(error: *const pjrtmem_error) -> i32 {
    // SAFETY: the caller's promise.
    boundary_or(0, || unsafe { error.as_ref() }.map_or(0, |error| error.code as i32))
}

/// The message: UTF-8, terminated, alive as long as the error; `""` for `NULL`.
///
/// # Safety
/// `error` is `NULL` or an error that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_error_message(error: *const pjrtmem_error) -> *const c_char {
    // SAFETY: the caller's promise.
    let message = || unsafe { error.as_ref() }.map_or(c"".as_ptr(), |e| e.message.as_ptr());
    boundary_or(c"".as_ptr(), message)
}

/// Frees an error. `NULL` is fine.
///
/// # Safety
/// `error` is `NULL` or an error that was not freed; it is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_error_free(error: *mut pjrtmem_error) {
    boundary_or((), || {
        if !error.is_null() {
            // SAFETY: the caller's promise; it came from `Box::into_raw`.
            drop(unsafe { Box::from_raw(error) });
        }
    });
}

/// The name of a code, such as `"STALE_HANDLE"`: `"OK"` for 0, `"UNKNOWN_CODE"`
/// for a number that is none. Static; never `NULL`.
#[unsafe(no_mangle)]
pub extern "C" fn pjrtmem_code_name(code: i32) -> *const c_char {
    boundary_or(c"UNKNOWN_CODE".as_ptr(), || match (code, Code::from_raw(code)) {
        (0, _) => c"OK".as_ptr(),
        (_, Some(code)) => code.name().as_ptr(),
        (_, None) => c"UNKNOWN_CODE".as_ptr(),
    })
}

/// The version of this library, such as `"0.1.0"`. Static.
#[unsafe(no_mangle)]
pub extern "C" fn pjrtmem_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    boundary_or(VERSION.as_ptr().cast(), || VERSION.as_ptr().cast())
}
