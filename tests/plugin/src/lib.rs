//! A PJRT plugin that forwards to a real one and misbehaves on request.
//!
//! Devices that matter have memory that the host cannot touch, limits, slow events, and older
//! or newer tables of functions. This plugin stands in for them: it loads the real plugin that
//! `PJRTMEM_TEST_REAL_PLUGIN` names, hands out a copy of its table in which every function
//! passes through here first, and counts what is created and destroyed.
//!
//! [`pjrtmem_test_set`] turns faults on and off while the process runs, and
//! [`pjrtmem_test_get`] reads the counts. A process that cannot call them sets
//! `PJRTMEM_TEST_FAULTS="key=value,key=value"` before it loads the plugin. The keys are
//! described in `faults.rs` and `counts.rs`.

mod counts;
mod dispatch;
mod errors;
mod events;
mod faults;
mod memory;
mod names;
mod raw;
mod sys;
mod table;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};

/// The one function that a PJRT client looks up. Null, with the reason on stderr, if the real
/// plugin cannot be loaded.
#[unsafe(no_mangle)]
pub extern "C" fn GetPjrtApi() -> *const c_void {
    match table::start() {
        Ok(table) => table,
        Err(reason) => {
            eprintln!("pjrtmem-test-plugin: {reason}");
            std::ptr::null()
        }
    }
}

/// Sets a fault, 0 on success. An unknown key or a wrong value changes nothing, says so on
/// stderr and returns 1. It may be called before `GetPjrtApi`, which it then calls.
///
/// # Safety
/// `key` and `value` are strings that end with a NUL; a null `value` is an empty one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_test_set(key: *const c_char, value: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    let (key, value) = unsafe { (text(key), text(value)) };
    match table::start().and_then(|_| faults::set(&key, &value)) {
        Ok(()) => 0,
        Err(reason) => {
            eprintln!("pjrtmem-test-plugin: {reason}");
            1
        }
    }
}

/// Reads a count or a setting; null for an unknown key. The text is the calling thread's and
/// lives until its next call.
///
/// # Safety
/// `key` is a string that ends with a NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_test_get(key: *const c_char) -> *const c_char {
    thread_local! {
        static ANSWER: RefCell<CString> = RefCell::default();
    }
    // SAFETY: the caller's promise.
    let key = unsafe { text(key) };
    let Some(answer) = counts::get(&key).or_else(|| table::get(&key)) else {
        return std::ptr::null();
    };
    ANSWER.with_borrow_mut(|kept| {
        *kept = CString::new(answer).unwrap_or_default();
        kept.as_ptr()
    })
}

/// # Safety
/// `start` is null or a string that ends with a NUL.
unsafe fn text(start: *const c_char) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(start) }.to_string_lossy().into_owned()
}
