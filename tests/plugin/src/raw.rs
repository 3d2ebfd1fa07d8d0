//! The RawBuffer extension, which none of the real CPU plugins has: other names of a buffer's
//! memory, through which parts of it are written and read in place.
//!
//! It is the real buffer's memory, written by this plugin as a device would write its own. The
//! fault `raw_buffer` offers it; its functions have places of their own behind those of the
//! table, so that they are counted and made to fail like all others.

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::counts::RAW_BUFFERS;
use crate::names::{RAW_ALIAS, RAW_DESTROY, RAW_TO_HOST, RAW_WRITE, slot};
use crate::sys::{
    Error, Function, Object, PJRT_Buffer_ReadyEvent_Args, PJRT_Buffer_UnsafePointer_Args,
};
use crate::{errors, events, memory, table};

const RAW_BUFFER: c_int = 8;
const OUT_OF_RANGE: c_int = 11;

/// `PJRT_RawBuffer_Extension`, version 1.
#[repr(C)]
struct Extension {
    struct_size: usize,
    extension_type: c_int,
    next: *mut c_void,
    functions: [Option<Function>; 6],
}

/// `PJRT_RawBuffer_CreateRawAliasOfBuffer_Args`, and those of destroying, which end earlier.
#[repr(C)]
pub struct AliasArgs {
    struct_size: usize,
    extension_start: *mut c_void,
    buffer: Object,
    raw_buffer: Object,
}

/// `PJRT_RawBuffer_CopyRawHostToDevice_Args`, and those of the other direction.
#[repr(C)]
pub struct CopyArgs {
    struct_size: usize,
    extension_start: *mut c_void,
    buffer: Object,
    host: *mut u8,
    offset: i64,
    transfer_size: i64,
    event: Object,
}

struct Alias {
    buffer: Object,
    address: *mut u8,
    bytes: u64,
}

/// The extension to put before those of the real plugin.
pub fn extension(next: *mut c_void, gates: &[Function]) -> *mut c_void {
    let gate = |slot: usize| Some(gates[slot]);
    let functions =
        [gate(RAW_ALIAS), gate(RAW_DESTROY), None, None, gate(RAW_WRITE), gate(RAW_TO_HOST)];
    let struct_size = size_of::<Extension>();
    // It is one of the plugin, and lives as long.
    Box::into_raw(Box::new(Extension {
        struct_size,
        extension_type: RAW_BUFFER,
        next,
        functions,
    }))
    .cast()
}

/// # Safety
/// The arguments are as PJRT wants them.
pub unsafe fn alias(args: &mut AliasArgs) -> Error {
    let mut pointer = PJRT_Buffer_UnsafePointer_Args {
        struct_size: size_of::<PJRT_Buffer_UnsafePointer_Args>(),
        extension_start: ptr::null_mut(),
        buffer: args.buffer,
        buffer_pointer: 0,
    };
    // SAFETY: the caller's promise; the real plugin is asked, which hides nothing.
    let (error, bytes) = unsafe {
        (
            table::call(slot("PJRT_Buffer_UnsafePointer"), &raw mut pointer),
            memory::size_of_buffer(args.buffer),
        )
    };
    if error.is_null() {
        let address = ptr::with_exposed_provenance_mut(pointer.buffer_pointer);
        let alias = Alias { buffer: args.buffer, address, bytes };
        args.raw_buffer = Box::into_raw(Box::new(alias)).cast();
        RAW_BUFFERS.created();
    }
    error
}

/// # Safety
/// The arguments are as PJRT wants them.
pub unsafe fn destroy(args: &mut AliasArgs) -> Error {
    if !args.buffer.is_null() {
        // SAFETY: the caller's promise: it is one of `alias`, not used again.
        drop(unsafe { Box::from_raw(args.buffer.cast::<Alias>()) });
        RAW_BUFFERS.destroyed();
    }
    ptr::null_mut()
}

/// Copies in one of the directions.
///
/// # Safety
/// The arguments are as PJRT wants them.
pub unsafe fn copy(function: usize, args: &mut CopyArgs) -> Error {
    // SAFETY: the caller's promise.
    let alias = unsafe { &*args.buffer.cast::<Alias>() };
    let range = (u64::try_from(args.offset), u64::try_from(args.transfer_size));
    let (Ok(offset), Ok(size)) = range else {
        return errors::make(OUT_OF_RANGE, "a negative offset or size (test plugin)");
    };
    if offset.checked_add(size).is_none_or(|end| end > alias.bytes) {
        return errors::make(OUT_OF_RANGE, "a range outside of the buffer (test plugin)");
    }
    let mut ready = PJRT_Buffer_ReadyEvent_Args {
        struct_size: size_of::<PJRT_Buffer_ReadyEvent_Args>(),
        extension_start: ptr::null_mut(),
        buffer: alias.buffer,
        event: ptr::null_mut(),
    };
    // SAFETY: the buffer is alive as long as the alias, both ranges have that many bytes.
    let error = unsafe {
        let device = alias.address.add(offset as usize);
        match function {
            RAW_WRITE => ptr::copy(args.host, device, size as usize),
            _ => ptr::copy(device, args.host, size as usize),
        }
        table::call(slot("PJRT_Buffer_ReadyEvent"), &raw mut ready)
    };
    if error.is_null() {
        args.event = ready.event;
        events::handed_out(function, &mut args.event);
    }
    error
}
