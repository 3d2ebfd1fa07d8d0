//! What happens between the client's call and the real plugin's function.

use std::ffi::c_void;

use crate::counts::{self, CLIENTS, Count, EXECUTABLES, EXTERNAL_REFS};
use crate::faults::{self, Hidden};
use crate::memory::{self, Reserved};
use crate::names::{RAW_ALIAS, RAW_DESTROY, RAW_TO_HOST as RAW_READ, RAW_WRITE, slot};
use crate::sys::*;
use crate::{errors, events, raw, table};

/// Calls function `slot` of the real plugin, unless a fault is the answer, and keeps the
/// counts.
///
/// # Safety
/// `arguments` points to that function's argument struct, filled in as PJRT wants it.
pub unsafe fn dispatch(slot: usize, arguments: *mut c_void) -> Error {
    counts::called(slot);
    // SAFETY: the struct that belongs to the function.
    unsafe {
        match slot {
            // These return nothing, and are how a client gets rid of errors: never a fault.
            ERROR_DESTROY => {
                errors::destroy(&mut *arguments.cast());
                return std::ptr::null_mut();
            }
            ERROR_MESSAGE => {
                errors::message(&mut *arguments.cast());
                return std::ptr::null_mut();
            }
            _ => {}
        }
    }
    let error = match faults::on_call(slot) {
        Some((code, message)) => {
            if table::name(slot).ends_with("_Destroy") {
                // A client has no second way to get rid of an object, so failing means here
                // that it is gone and an error is reported, not that it stays. SAFETY: the
                // caller's promise; the error is new and nobody else's.
                unsafe { errors::discard(forward(slot, arguments)) };
            }
            errors::make(code, &message)
        }
        // SAFETY: the caller's promise.
        None => unsafe { forward(slot, arguments) },
    };
    errors::handed_out(error)
}

const ERROR_DESTROY: usize = slot("PJRT_Error_Destroy");
const ERROR_MESSAGE: usize = slot("PJRT_Error_Message");
const ERROR_CODE: usize = slot("PJRT_Error_GetCode");
const ERROR_PAYLOAD: usize = slot("PJRT_Error_ForEachPayload");
const EVENT_DESTROY: usize = slot("PJRT_Event_Destroy");
const EVENT_IS_READY: usize = slot("PJRT_Event_IsReady");
const EVENT_ERROR: usize = slot("PJRT_Event_Error");
const EVENT_AWAIT: usize = slot("PJRT_Event_Await");
const EVENT_ON_READY: usize = slot("PJRT_Event_OnReady");
const CLIENT_CREATE: usize = slot("PJRT_Client_Create");
const CLIENT_DESTROY: usize = slot("PJRT_Client_Destroy");
const COMPILE: usize = slot("PJRT_Client_Compile");
const COMPILE_ONLY: usize = slot("PJRT_Compile");
const DESERIALIZE: usize = slot("PJRT_Executable_DeserializeAndLoad");
const GET_EXECUTABLE: usize = slot("PJRT_LoadedExecutable_GetExecutable");
const NUM_OUTPUTS: usize = slot("PJRT_Executable_NumOutputs");
const LOADED_DESTROY: usize = slot("PJRT_LoadedExecutable_Destroy");
const EXECUTABLE_DESTROY: usize = slot("PJRT_Executable_Destroy");
const EXECUTE: usize = slot("PJRT_LoadedExecutable_Execute");
const UNINITIALIZED: usize = slot("PJRT_Client_CreateUninitializedBuffer");
const FROM_HOST: usize = slot("PJRT_Client_BufferFromHostBuffer");
const VIEW: usize = slot("PJRT_Client_CreateViewOfDeviceBuffer");
const COPY_TO_DEVICE: usize = slot("PJRT_Buffer_CopyToDevice");
const COPY_TO_MEMORY: usize = slot("PJRT_Buffer_CopyToMemory");
const BITCAST: usize = slot("PJRT_Buffer_Bitcast");
const RETRIEVE: usize = slot("PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer");
const TRANSFER: usize = slot("PJRT_AsyncHostToDeviceTransferManager_TransferData");
const BUFFER_DESTROY: usize = slot("PJRT_Buffer_Destroy");
const BUFFER_DELETE: usize = slot("PJRT_Buffer_Delete");
const BUFFER_IS_DELETED: usize = slot("PJRT_Buffer_IsDeleted");
const BUFFER_MEMORY: usize = slot("PJRT_Buffer_Memory");
const MEMORY_KIND: usize = slot("PJRT_Memory_Kind");
const TO_HOST: usize = slot("PJRT_Buffer_ToHostBuffer");
const RAW_TO_HOST: usize = slot("PJRT_Buffer_CopyRawToHost");
const READY_EVENT: usize = slot("PJRT_Buffer_ReadyEvent");
const IS_ON_CPU: usize = slot("PJRT_Buffer_IsOnCpu");
const UNSAFE_POINTER: usize = slot("PJRT_Buffer_UnsafePointer");
const OPAQUE_POINTER: usize = slot("PJRT_Buffer_OpaqueDeviceMemoryDataPointer");
const INCREASE: usize = slot("PJRT_Buffer_IncreaseExternalReferenceCount");
const DECREASE: usize = slot("PJRT_Buffer_DecreaseExternalReferenceCount");

/// # Safety
/// As for [`dispatch`].
unsafe fn forward(slot: usize, arguments: *mut c_void) -> Error {
    // SAFETY: each arm takes the struct that belongs to its function, as the caller promises.
    unsafe {
        match slot {
            ERROR_CODE => errors::code(&mut *arguments.cast()),
            ERROR_PAYLOAD => error_payload(arguments),

            EVENT_DESTROY => events::destroy(&mut *arguments.cast()),
            EVENT_IS_READY => events::is_ready(&mut *arguments.cast()),
            EVENT_ERROR => events::error(&mut *arguments.cast()),
            EVENT_AWAIT => events::wait(&mut *arguments.cast()),
            EVENT_ON_READY => events::on_ready(&mut *arguments.cast()),
            TO_HOST => event(slot, arguments, |args: &mut PJRT_Buffer_ToHostBuffer_Args| {
                &mut args.event
            }),
            RAW_TO_HOST => {
                event(slot, arguments, |args: &mut PJRT_Buffer_CopyRawToHost_Args| {
                    &mut args.event
                })
            }
            READY_EVENT => {
                event(slot, arguments, |args: &mut PJRT_Buffer_ReadyEvent_Args| &mut args.event)
            }
            TRANSFER => event(
                slot,
                arguments,
                |args: &mut PJRT_AsyncHostToDeviceTransferManager_TransferData_Args| {
                    &mut args.done_with_h2d_transfer
                },
            ),

            CLIENT_CREATE => made(slot, arguments, &CLIENTS),
            CLIENT_DESTROY => gone(slot, arguments, &CLIENTS),
            COMPILE | COMPILE_ONLY | DESERIALIZE | GET_EXECUTABLE => {
                made(slot, arguments, &EXECUTABLES)
            }
            LOADED_DESTROY | EXECUTABLE_DESTROY => gone(slot, arguments, &EXECUTABLES),
            INCREASE => made(slot, arguments, &EXTERNAL_REFS),
            DECREASE => gone(slot, arguments, &EXTERNAL_REFS),
            EXECUTE => execute(&mut *arguments.cast()),

            UNINITIALIZED => uninitialized(&mut *arguments.cast()),
            FROM_HOST => from_host(&mut *arguments.cast()),
            // The memory of these is another's, or was counted when the transfer was set up.
            VIEW => buffer(
                slot,
                arguments,
                0,
                |args: &mut PJRT_Client_CreateViewOfDeviceBuffer_Args| &mut args.buffer,
            ),
            RETRIEVE => buffer(
                slot,
                arguments,
                0,
                |args: &mut PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args| {
                    &mut args.buffer_out
                },
            ),
            COPY_TO_DEVICE => {
                let bytes = memory::size_of_buffer(
                    (*arguments.cast::<PJRT_Buffer_CopyToDevice_Args>()).buffer,
                );
                buffer(slot, arguments, bytes, |args: &mut PJRT_Buffer_CopyToDevice_Args| {
                    &mut args.dst_buffer
                })
            }
            COPY_TO_MEMORY => {
                let bytes = memory::size_of_buffer(
                    (*arguments.cast::<PJRT_Buffer_CopyToMemory_Args>()).buffer,
                );
                buffer(slot, arguments, bytes, |args: &mut PJRT_Buffer_CopyToMemory_Args| {
                    &mut args.dst_buffer
                })
            }
            BITCAST => bitcast(arguments),
            BUFFER_DESTROY => {
                let args: &mut PJRT_Buffer_Destroy_Args = &mut *arguments.cast();
                if !args.buffer.is_null() {
                    memory::destroyed(args.buffer);
                }
                table::call(slot, args)
            }
            BUFFER_DELETE => {
                let args: &mut PJRT_Buffer_Delete_Args = &mut *arguments.cast();
                let error = table::call(slot, args);
                if error.is_null() {
                    memory::released(args.buffer);
                }
                error
            }

            UNSAFE_POINTER => {
                let args: &mut PJRT_Buffer_UnsafePointer_Args = &mut *arguments.cast();
                address(slot, args.buffer, args)
            }
            OPAQUE_POINTER => {
                let args: &mut PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args =
                    &mut *arguments.cast();
                address(slot, args.buffer, args)
            }
            IS_ON_CPU => {
                let args: &mut PJRT_Buffer_IsOnCpu_Args = &mut *arguments.cast();
                let error = table::call(slot, args);
                args.is_on_cpu &= !is_hidden(args.buffer);
                error
            }
            RAW_ALIAS => raw::alias(&mut *arguments.cast()),
            RAW_DESTROY => raw::destroy(&mut *arguments.cast()),
            RAW_WRITE | RAW_READ => raw::copy(slot, &mut *arguments.cast()),
            _ => table::call(slot, arguments),
        }
    }
}

// ---- one kind of function each
// --------------------------------------------------------------------

/// A function that returns an event.
///
/// # Safety
/// As for [`dispatch`], and `T` is the struct of the function.
unsafe fn event<T>(
    slot: usize,
    arguments: *mut c_void,
    field: fn(&mut T) -> &mut Object,
) -> Error {
    // SAFETY: the caller's promise.
    let (error, arguments) =
        unsafe { (table::call(slot, arguments), &mut *arguments.cast::<T>()) };
    if error.is_null() {
        events::handed_out(slot, field(arguments));
    }
    error
}

/// A function that makes a buffer of so many bytes.
///
/// # Safety
/// As for [`dispatch`], and `T` is the struct of the function.
unsafe fn buffer<T>(
    slot: usize,
    arguments: *mut c_void,
    bytes: u64,
    field: fn(&mut T) -> &mut Object,
) -> Error {
    let reserved = match Reserved::new(bytes) {
        Ok(reserved) => reserved,
        Err(error) => return error,
    };
    // SAFETY: the caller's promise.
    let (error, arguments) =
        unsafe { (table::call(slot, arguments), &mut *arguments.cast::<T>()) };
    if error.is_null() {
        reserved.belongs_to(*field(arguments));
    }
    error
}

/// A function that makes one more of what is counted, if it succeeds.
///
/// # Safety
/// As for [`dispatch`].
unsafe fn made(slot: usize, arguments: *mut c_void, count: &Count) -> Error {
    // SAFETY: the caller's promise.
    let error = unsafe { table::call(slot, arguments) };
    if error.is_null() {
        count.created();
    }
    error
}

/// A function that takes one of what is counted, if it succeeds.
///
/// # Safety
/// As for [`dispatch`].
unsafe fn gone(slot: usize, arguments: *mut c_void, count: &Count) -> Error {
    // SAFETY: the caller's promise.
    let error = unsafe { table::call(slot, arguments) };
    if error.is_null() {
        count.destroyed();
    }
    error
}

/// A function that tells an address.
///
/// # Safety
/// As for [`dispatch`]; the buffer is alive.
unsafe fn address<T>(slot: usize, buffer: Object, arguments: &mut T) -> Error {
    // SAFETY: the caller's promise.
    unsafe {
        if is_hidden(buffer) {
            let message = format!(
                "{}: the host cannot touch this memory (test plugin)",
                table::name(slot)
            );
            return errors::make(UNIMPLEMENTED, &message);
        }
        table::call(slot, arguments)
    }
}

// ---- single functions
// -----------------------------------------------------------------------------

/// # Safety
/// The arguments are as PJRT wants them.
unsafe fn uninitialized(args: &mut PJRT_Client_CreateUninitializedBuffer_Args) -> Error {
    // SAFETY: the caller's promise.
    unsafe {
        let bytes = bytes_of(args.shape_element_type, args.shape_dims, args.shape_num_dims);
        let arguments: *mut PJRT_Client_CreateUninitializedBuffer_Args = args;
        buffer(
            UNINITIALIZED,
            arguments.cast(),
            bytes,
            |args: &mut PJRT_Client_CreateUninitializedBuffer_Args| &mut args.buffer,
        )
    }
}

/// # Safety
/// The arguments are as PJRT wants them.
unsafe fn from_host(args: &mut PJRT_Client_BufferFromHostBuffer_Args) -> Error {
    const UNTIL_TRANSFER_COMPLETES: i32 = 1;
    const IMMUTABLE_ZERO_COPY: i32 = 2;
    // A device of its own memory cannot use the host's bytes in place, and copies instead.
    if faults::hidden() != Hidden::Nothing && args.host_buffer_semantics >= IMMUTABLE_ZERO_COPY
    {
        args.host_buffer_semantics = UNTIL_TRANSFER_COMPLETES;
    }
    // SAFETY: the caller's promise.
    let error = unsafe {
        let bytes = bytes_of(args.r#type, args.dims, args.num_dims);
        let arguments: *mut PJRT_Client_BufferFromHostBuffer_Args = args;
        buffer(
            FROM_HOST,
            arguments.cast(),
            bytes,
            |args: &mut PJRT_Client_BufferFromHostBuffer_Args| &mut args.buffer,
        )
    };
    if error.is_null() {
        events::handed_out(FROM_HOST, &mut args.done_with_host_buffer);
    }
    error
}

/// `PJRT_Buffer_Bitcast`: the memory of one buffer goes on in another.
///
/// # Safety
/// The arguments are as PJRT wants them. The new buffer is the last field: the 0.81 header has
/// no such struct to declare here.
unsafe fn bitcast(arguments: *mut c_void) -> Error {
    // SAFETY: every argument struct starts with its size, this one goes on with extensions and
    // buffer.
    unsafe {
        let words = arguments.cast::<usize>();
        let source = *words.add(2).cast::<Object>();
        let bytes = memory::size_of_buffer(source);
        let error = table::call(BITCAST, arguments);
        if error.is_null() {
            memory::released(source);
            let result = *words.byte_add(words.read() - size_of::<Object>()).cast::<Object>();
            memory::handed_out(result, bytes);
        }
        error
    }
}

/// `PJRT_Error_ForEachPayload`: an error of ours has none.
///
/// # Safety
/// The arguments are as PJRT wants them.
unsafe fn error_payload(arguments: *mut c_void) -> Error {
    // SAFETY: the error is the first field after size and extensions.
    unsafe {
        if errors::is_own((*arguments.cast::<PJRT_Error_Destroy_Args>()).error) {
            return std::ptr::null_mut();
        }
        table::call(ERROR_PAYLOAD, arguments)
    }
}

/// # Safety
/// The arguments are as PJRT wants them.
unsafe fn execute(args: &mut PJRT_LoadedExecutable_Execute_Args) -> Error {
    // SAFETY: the caller's promise: the lists are as long as the numbers beside them say, the
    // output lists as long as the program has outputs.
    unsafe {
        let outputs = number_of_outputs(args.executable);
        let error = table::call(EXECUTE, args);
        for device in 0..args.num_devices {
            if error.is_null() {
                for output in 0..outputs {
                    let output = *(*args.output_lists.add(device)).add(output);
                    memory::handed_out(output, memory::size_of_buffer(output));
                }
                if !args.device_complete_events.is_null() {
                    events::handed_out(EXECUTE, &mut *args.device_complete_events.add(device));
                }
            }
            // Also after an error: some plugins have taken the donated arguments by then.
            for argument in 0..args.num_args {
                let argument = *(*args.argument_lists.add(device)).add(argument);
                if is_deleted(argument) {
                    memory::released(argument);
                }
            }
        }
        error
    }
}

// ---- questions to the real plugin
// -----------------------------------------------------------------

const fn size<T>() -> usize {
    size_of::<T>()
}

/// Whether the host is to believe that it cannot touch this buffer's memory.
///
/// # Safety
/// The buffer is alive.
unsafe fn is_hidden(buffer: Object) -> bool {
    match faults::hidden() {
        Hidden::Nothing => false,
        Hidden::Everything => true,
        // SAFETY: the caller's promise.
        Hidden::DeviceKind => unsafe { is_of_device_kind(buffer) },
    }
}

/// # Safety
/// The buffer is alive.
unsafe fn is_of_device_kind(buffer: Object) -> bool {
    let extension_start = std::ptr::null_mut();
    let mut place = PJRT_Buffer_Memory_Args {
        struct_size: size::<PJRT_Buffer_Memory_Args>(),
        extension_start,
        buffer,
        memory: std::ptr::null_mut(),
    };
    let mut kind = PJRT_Memory_Kind_Args {
        struct_size: size::<PJRT_Memory_Kind_Args>(),
        extension_start,
        memory: std::ptr::null_mut(),
        kind: std::ptr::null(),
        kind_size: 0,
    };
    // SAFETY: the caller's promise; the kind's text lives as long as the memory.
    unsafe {
        errors::discard(table::call(BUFFER_MEMORY, &mut place));
        kind.memory = place.memory;
        if kind.memory.is_null() {
            return false;
        }
        errors::discard(table::call(MEMORY_KIND, &mut kind));
        !kind.kind.is_null()
            && std::slice::from_raw_parts(kind.kind.cast::<u8>(), kind.kind_size) == b"device"
    }
}

/// # Safety
/// The buffer is alive.
unsafe fn is_deleted(buffer: Object) -> bool {
    let mut args = PJRT_Buffer_IsDeleted_Args {
        struct_size: size::<PJRT_Buffer_IsDeleted_Args>(),
        extension_start: std::ptr::null_mut(),
        buffer,
        is_deleted: false,
    };
    // SAFETY: the caller's promise.
    unsafe { errors::discard(table::call(BUFFER_IS_DELETED, &mut args)) };
    args.is_deleted
}

/// # Safety
/// The executable is alive.
unsafe fn number_of_outputs(loaded_executable: Object) -> usize {
    let extension_start = std::ptr::null_mut();
    let mut get = PJRT_LoadedExecutable_GetExecutable_Args {
        struct_size: size::<PJRT_LoadedExecutable_GetExecutable_Args>(),
        extension_start,
        loaded_executable,
        executable: std::ptr::null_mut(),
    };
    // SAFETY: the caller's promise; what is made here is destroyed here.
    unsafe {
        errors::discard(table::call(GET_EXECUTABLE, &mut get));
        if get.executable.is_null() {
            return 0;
        }
        let mut outputs = PJRT_Executable_NumOutputs_Args {
            struct_size: size::<PJRT_Executable_NumOutputs_Args>(),
            extension_start,
            executable: get.executable,
            num_outputs: 0,
        };
        errors::discard(table::call(NUM_OUTPUTS, &mut outputs));
        let mut destroy = PJRT_Executable_Destroy_Args {
            struct_size: size::<PJRT_Executable_Destroy_Args>(),
            extension_start,
            executable: get.executable,
        };
        errors::discard(table::call(EXECUTABLE_DESTROY, &mut destroy));
        outputs.num_outputs
    }
}

/// The bytes that an array takes. What cannot be computed is left to the real plugin to refuse.
///
/// # Safety
/// There are `count` dimensions.
unsafe fn bytes_of(element_type: i32, dims: *const i64, count: usize) -> u64 {
    let mut bytes = element_size(element_type);
    for index in 0..count {
        // SAFETY: the caller's promise.
        let dim = unsafe { dims.add(index).read() };
        bytes = bytes.saturating_mul(u64::try_from(dim).unwrap_or(0));
    }
    bytes
}
