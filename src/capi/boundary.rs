//! What every exported function goes through: no panic leaves it, a forked child
//! is refused, and pointers are checked before they are used.

use std::any::Any;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use super::error::pjrtmem_error;
use crate::error::{Result, bail, error};
use crate::pjrt::host::{Destination, Source, process};

/// Runs the body of an exported function and hands its error to C.
pub(super) fn boundary(body: impl FnOnce() -> Result<()>) -> *mut pjrtmem_error {
    let caught = catch_unwind(AssertUnwindSafe(|| {
        if process::is_forked_child() {
            bail!(
                Forked,
                "the process was forked from one that had loaded a plugin, whose threads are not \
                 here; load the plugin after the fork, or execute a new program"
            );
        }
        body()
    }));
    match caught {
        Ok(Ok(())) => ptr::null_mut(),
        Ok(Err(error)) => pjrtmem_error::into_raw(error),
        Err(panic) => pjrtmem_error::into_raw(error!(
            Panic,
            "a defect of pjrtmem, please report it: {}",
            message(panic.as_ref())
        )),
    }
}

/// [`boundary`] for functions that return a value and have no error to give.
pub(super) fn boundary_or<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(fallback)
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
}

/// The text of a C string.
///
/// # Safety
/// `text` is null, or terminated and unchanged for `'a`.
pub(super) unsafe fn string<'a>(text: *const c_char, name: &str) -> Result<&'a CStr> {
    if text.is_null() {
        bail!(InvalidArgument, "{name} is NULL; expected is a terminated string");
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// The object behind a pointer.
///
/// # Safety
/// `object` is null, or alive and unchanged for `'a`.
pub(super) unsafe fn shared<'a, T>(object: *const T, name: &str) -> Result<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { object.as_ref() }.ok_or_else(|| error!(InvalidArgument, "{name} is NULL"))
}

/// The object behind a pointer, to change.
///
/// # Safety
/// `object` is null, or alive and not used by another thread for `'a`.
pub(super) unsafe fn exclusive<'a, T>(object: *mut T, name: &str) -> Result<&'a mut T> {
    // SAFETY: the caller's promise.
    unsafe { object.as_mut() }.ok_or_else(|| error!(InvalidArgument, "{name} is NULL"))
}

/// A place for an output, which may be uninitialized.
pub(super) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// # Safety
    /// `place` is null, or has room for a `T` during the call.
    pub(super) unsafe fn new(place: *mut T) -> Result<Out<T>> {
        if place.is_null() {
            bail!(InvalidArgument, "the pointer to the output is NULL");
        }
        Ok(Out(place))
    }

    pub(super) fn set(self, value: T) -> Result<()> {
        // SAFETY: by the contract of `new` there is room.
        unsafe { self.0.write(value) };
        Ok(())
    }
}

/// Fills the caller's struct, which starts with its size, as far as it reaches:
/// a caller that was built with an older header has a shorter one.
///
/// # Safety
/// `place` is null, or has as many bytes as its first field, a `size_t`, says.
pub(super) unsafe fn fill<T: Copy>(place: *mut T, value: T) -> Result<()> {
    const FIRST: usize = size_of::<usize>();
    if place.is_null() {
        bail!(InvalidArgument, "the pointer to the output is NULL");
    }
    // SAFETY: the caller's promise.
    let size = unsafe { place.cast::<usize>().read() };
    if !(FIRST..=1 << 16).contains(&size) {
        bail!(
            InvalidArgument,
            "struct_size of the output is {size}; set it to the size of the struct, {}",
            size_of::<T>()
        );
    }
    let length = size.min(size_of::<T>()) - FIRST;
    // SAFETY: both have that many bytes after the first field; padding is copied
    // as it is.
    unsafe {
        let from = (&raw const value).cast::<u8>().add(FIRST);
        ptr::copy_nonoverlapping(from, place.cast::<u8>().add(FIRST), length);
    }
    Ok(())
}

/// Bytes of the host to read from.
///
/// # Safety
/// `start` is null, or has `length` readable bytes during the call.
pub(super) unsafe fn source(start: *const u8, length: usize) -> Result<Source> {
    if start.is_null() && length > 0 {
        bail!(InvalidArgument, "the host memory to copy from is NULL, and {length} bytes long");
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { Source::new(start, length) })
}

/// Bytes of the host to write to.
///
/// # Safety
/// `start` is null, or has `length` writable bytes during the call.
pub(super) unsafe fn destination(start: *mut u8, length: usize) -> Result<Destination> {
    if start.is_null() && length > 0 {
        bail!(InvalidArgument, "the host memory to copy to is NULL, and {length} bytes long");
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { Destination::new(start, length) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capi::error::{pjrtmem_error_code, pjrtmem_error_free, pjrtmem_error_message};
    use crate::error::Code;

    #[test]
    fn a_panic_becomes_an_error() {
        let error = boundary(|| panic!("no {} left", "luck"));
        // SAFETY: the error is alive until it is freed, once.
        unsafe {
            assert_eq!(pjrtmem_error_code(error), Code::Panic as i32);
            let message = CStr::from_ptr(pjrtmem_error_message(error)).to_str().unwrap();
            assert_eq!(message, "a defect of pjrtmem, please report it: no luck left");
            pjrtmem_error_free(error);
        }
        assert_eq!(boundary_or(7, || panic!("again")), 7);
    }

    #[test]
    fn a_struct_is_filled_as_far_as_it_reaches() {
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq)]
        struct Info {
            struct_size: usize,
            old: u64,
            new: u64,
        }
        let value = Info { struct_size: 24, old: 1, new: 2 };
        for (size, expected) in [(24, Some((1, 2))), (16, Some((1, 0))), (99, Some((1, 2)))] {
            let mut info = Info { struct_size: size, old: 0, new: 0 };
            // SAFETY: the struct is there, and no longer than the value.
            unsafe { fill(&raw mut info, value) }.unwrap();
            assert_eq!(Some((info.old, info.new)), expected);
            assert_eq!(info.struct_size, size, "the caller's");
        }
        for size in [0, 7, usize::MAX] {
            let mut info = Info { struct_size: size, old: 0, new: 0 };
            // SAFETY: as above.
            assert!(unsafe { fill(&raw mut info, value) }.is_err(), "{size}");
            assert_eq!((info.old, info.new), (0, 0));
        }
    }
}
