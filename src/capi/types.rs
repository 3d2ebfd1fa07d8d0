//! Element types.

use std::ffi::c_char;

use super::boundary::{Out, boundary, boundary_or};
use super::error::pjrtmem_error;
use crate::memory::ElementType;

/// The name of an element type as in PJRT, such as `"F32"`; `"UNKNOWN"` for
/// others. Static; never `NULL`.
#[unsafe(no_mangle)]
pub extern "C" fn pjrtmem_type_name(r#type: i32) -> *const c_char {
    boundary_or(c"UNKNOWN".as_ptr(), || {
        ElementType::from_raw(r#type).map_or(c"UNKNOWN".as_ptr(), |it| it.name().as_ptr())
    })
}

/// The bytes of one element. Types of less than one byte are refused.
///
/// # Safety
/// `out` has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pjrtmem_type_size(r#type: i32, out: *mut usize) -> *mut pjrtmem_error {
    // SAFETY: the caller's promise.
    boundary(|| unsafe { Out::new(out) }?.set(ElementType::from_raw(r#type)?.size()))
}
