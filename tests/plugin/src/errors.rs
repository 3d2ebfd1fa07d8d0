//! Errors of this plugin's own, and the three functions that take errors.
//!
//! The real plugin must never be given an error that it did not make, so the addresses of ours
//! are kept.

use std::collections::HashSet;
use std::ffi::{CString, c_int};
use std::sync::Mutex;

use crate::counts::{ERRORS, lock};
use crate::names::slot;
use crate::sys::{
    Error, PJRT_Error_Destroy_Args, PJRT_Error_GetCode_Args, PJRT_Error_Message_Args,
};
use crate::table;

/// The errors of ours that nobody has destroyed yet.
static OURS: Mutex<Option<HashSet<usize>>> = Mutex::new(None);

struct Own {
    code: c_int,
    message: CString,
}

/// A new error. Whoever gets it from the plugin has to destroy it.
pub fn make(code: c_int, message: &str) -> Error {
    let message = CString::new(message).unwrap_or_default();
    let error: Error = Box::into_raw(Box::new(Own { code, message })).cast();
    lock(&OURS).get_or_insert_default().insert(error.addr());
    error
}

/// Counts an error on its way to the client.
pub fn handed_out(error: Error) -> Error {
    if !error.is_null() {
        ERRORS.created();
    }
    error
}

/// The error as one of ours, if it is.
///
/// # Safety
/// `error` is null or not yet destroyed, and is not destroyed while the result is used.
unsafe fn own<'a>(error: Error) -> Option<&'a Own> {
    let ours = lock(&OURS).as_ref().is_some_and(|ours| ours.contains(&error.addr()));
    // SAFETY: what is in the set came from `make`, and the caller promises that it is still
    // there.
    ours.then(|| unsafe { &*error.cast::<Own>() })
}

/// Destroys an error that the client never saw.
///
/// # Safety
/// `error` is null or not yet destroyed.
pub unsafe fn discard(error: Error) {
    let mut arguments = PJRT_Error_Destroy_Args {
        struct_size: size_of::<PJRT_Error_Destroy_Args>(),
        extension_start: std::ptr::null_mut(),
        error,
    };
    // SAFETY: the caller's promise.
    unsafe { free(&mut arguments) };
}

/// `PJRT_Error_Destroy`.
///
/// # Safety
/// The arguments are as PJRT wants them.
pub unsafe fn destroy(arguments: &mut PJRT_Error_Destroy_Args) {
    if !arguments.error.is_null() {
        ERRORS.destroyed();
    }
    // SAFETY: the caller's promise.
    unsafe { free(arguments) };
}

/// # Safety
/// The arguments are as PJRT wants them.
unsafe fn free(arguments: &mut PJRT_Error_Destroy_Args) {
    let ours = lock(&OURS).as_mut().is_some_and(|ours| ours.remove(&arguments.error.addr()));
    if ours {
        // SAFETY: it was in the set, so it came from `make` and was not freed; now it is out of
        // the set.
        drop(unsafe { Box::from_raw(arguments.error.cast::<Own>()) });
    } else if !arguments.error.is_null() {
        // SAFETY: the caller's promise.
        unsafe { table::call(slot("PJRT_Error_Destroy"), arguments) };
    }
}

/// `PJRT_Error_Message`.
///
/// # Safety
/// The arguments are as PJRT wants them.
pub unsafe fn message(arguments: &mut PJRT_Error_Message_Args) {
    // SAFETY: the caller's promise.
    if let Some(own) = unsafe { own(arguments.error) } {
        arguments.message = own.message.as_ptr();
        arguments.message_size = own.message.as_bytes().len();
    } else {
        // SAFETY: the caller's promise.
        unsafe { table::call(slot("PJRT_Error_Message"), arguments) };
    }
}

/// `PJRT_Error_GetCode`.
///
/// # Safety
/// The arguments are as PJRT wants them.
pub unsafe fn code(arguments: &mut PJRT_Error_GetCode_Args) -> Error {
    // SAFETY: the caller's promise.
    if let Some(own) = unsafe { own(arguments.error) } {
        arguments.code = own.code;
        return std::ptr::null_mut();
    }
    // SAFETY: the caller's promise.
    unsafe { table::call(slot("PJRT_Error_GetCode"), arguments) }
}

/// Whether an error is one of ours, for functions that only the real plugin's errors have.
pub fn is_own(error: Error) -> bool {
    lock(&OURS).as_ref().is_some_and(|ours| ours.contains(&error.addr()))
}
