//! Options for a plugin's client.

use std::ffi::c_char;

use super::boundary::{Out, boundary, boundary_or, exclusive, string};
use super::error::pjrtmem_error;
use crate::error::{Result, bail};
use crate::pjrt::{Options, Value};

/// Options under construction. Which options there are is the plugin's to say;
/// the XLA CPU plugins have `cpu_device_count`, an integer. One thread at a time
/// may use it.
#[derive(Default)]
pub struct pjrtmem_options {
    pub(super) options: Options,
}

/// Makes empty options. The caller frees them with `pjrtmem_options_free`.
///
/// # Safety
/// `out` is `NULL` (an error) or has room for the pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_options_new(
    out: *mut *mut pjrtmem_options,
) -> *mut pjrtmem_error {
    // SAFETY: the caller's promise.
    boundary(|| unsafe { Out::new(out) }?.set(Box::into_raw(Box::default())))
}

/// Sets an option to text, which is copied. A later value for a name takes the
/// place of an earlier one.
///
/// # Safety
/// `options` is from `pjrtmem_options_new`; `name` and `value` are terminated.
/// `NULL` is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_options_set_string(
    options: *mut pjrtmem_options,
    name: *const c_char,
    value: *const c_char,
) -> *mut pjrtmem_error {
    boundary(|| {
        // SAFETY: the caller's promise.
        let value = unsafe { string(value, "value") }?.to_owned();
        // SAFETY: the caller's promise.
        unsafe { set(options, name, Value::String(value)) }
    })
}

/// Sets an option to an integer; see `pjrtmem_options_set_string`.
///
/// # Safety
/// As for `pjrtmem_options_set_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_options_set_integer(
    options: *mut pjrtmem_options,
    name: *const c_char,
    value: i64,
) -> *mut pjrtmem_error {
    // SAFETY: the caller's promise.
    boundary(|| unsafe { set(options, name, Value::Integer(value)) })
}

/// Sets an option to a number; see `pjrtmem_options_set_string`.
///
/// # Safety
/// As for `pjrtmem_options_set_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_options_set_float(
    options: *mut pjrtmem_options,
    name: *const c_char,
    value: f32,
) -> *mut pjrtmem_error {
    // SAFETY: the caller's promise.
    boundary(|| unsafe { set(options, name, Value::Float(value)) })
}

/// Sets an option to true or false; see `pjrtmem_options_set_string`.
///
/// # Safety
/// As for `pjrtmem_options_set_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_options_set_boolean(
    options: *mut pjrtmem_options,
    name: *const c_char,
    value: bool,
) -> *mut pjrtmem_error {
    // SAFETY: the caller's promise.
    boundary(|| unsafe { set(options, name, Value::Boolean(value)) })
}

/// Sets an option to `count` integers, which are copied; see
/// `pjrtmem_options_set_string`.
///
/// # Safety
/// As for `pjrtmem_options_set_string`; `values` has `count` integers, and may
/// be `NULL` if that is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_options_set_integers(
    options: *mut pjrtmem_options,
    name: *const c_char,
    values: *const i64,
    count: usize,
) -> *mut pjrtmem_error {
    boundary(|| {
        let values = match (values.is_null(), count) {
            (_, 0) => Vec::new(),
            (true, _) => {
                bail!(InvalidArgument, "values is NULL; expected are {count} integers")
            }
            // SAFETY: the caller's promise.
            (false, _) => unsafe { std::slice::from_raw_parts(values, count) }.to_vec(),
        };
        // SAFETY: the caller's promise.
        unsafe { set(options, name, Value::Integers(values)) }
    })
}

/// Frees options. `NULL` is fine.
///
/// # Safety
/// `options` is `NULL` or from `pjrtmem_options_new`; it is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_options_free(options: *mut pjrtmem_options) {
    boundary_or((), || {
        if !options.is_null() {
            // SAFETY: the caller's promise; it came from `Box::into_raw`.
            drop(unsafe { Box::from_raw(options) });
        }
    });
}

/// # Safety
/// As for `pjrtmem_options_set_string`.
unsafe fn set(options: *mut pjrtmem_options, name: *const c_char, value: Value) -> Result<()> {
    // SAFETY: the caller's promise.
    let (options, name) = unsafe { (exclusive(options, "options")?, string(name, "name")?) };
    if name.is_empty() {
        bail!(InvalidArgument, "the option's name is empty");
    }
    options.options.set(name, value);
    Ok(())
}
