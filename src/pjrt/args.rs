//! The only place that makes argument structs, and so the only one that sets
//! `struct_size`; and the one way of calling a plugin's function.

use std::mem::MaybeUninit;

/// An argument struct of the PJRT C API.
///
/// # Safety
/// The type is `repr(C)`, starts with `struct_size: usize`, and all zeros is a
/// value of it.
pub unsafe trait Args {
    /// What `struct_size` has to hold.
    const SIZE: usize;
}

/// Arguments with `struct_size` set and all else zero.
pub fn new<T: Args>() -> T {
    let mut args = MaybeUninit::<T>::zeroed();
    // SAFETY: by the contract of `Args` the first field is the size, and zeros
    // are a value.
    unsafe {
        args.as_mut_ptr().cast::<usize>().write(T::SIZE);
        args.assume_init()
    }
}

/// Fills in an argument struct, calls a plugin's function with it, and returns
/// the struct, in which the outputs are, or the plugin's error:
/// `call!(api, PJRT_X(PJRT_X_Args { field: value }))`.
///
/// Use it only with pointers that are what the header says and alive for the
/// call. The types of this module see to that: each holds an object of the
/// plugin whose [`Api`](super::api::Api) it calls, from its creation to its drop.
macro_rules! call {
    ($api:expr, $function:ident($args:ident { $($field:ident: $value:expr),* $(,)? })) => {{
        let mut args = $crate::pjrt::args::new::<$crate::pjrt::sys::$args>();
        $(args.$field = $value;)*
        $crate::pjrt::api::slot!($api, $function).and_then(|function| {
            // SAFETY: the macro's contract, and the slot's own type.
            let error = unsafe { function(&raw mut args) };
            $api.check(error, stringify!($function)).map(|()| args)
        })
    }};
}

pub(super) use call;
