//! The part of the PJRT C API that this plugin looks into, declared by hand and on purpose not
//! shared with the library under test: a mistake in one is then not a mistake in both.
//!
//! A test compiles a C program that compares every offset with the official header.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_int, c_void};

/// What stands before the first function in a plugin's table.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TableHead {
    pub struct_size: usize,
    pub extension_start: *mut c_void,
    pub version_struct_size: usize,
    pub version_extension_start: *mut c_void,
    pub major: c_int,
    pub minor: c_int,
}

/// Every object of PJRT that is only passed on: errors, events, buffers, clients and so on.
pub type Object = *mut c_void;
/// What the functions of the table return: null, or an error.
pub type Error = *mut c_void;
/// A function of the table. The two that return nothing are called the same way.
pub type Function = unsafe extern "C" fn(*mut c_void) -> Error;
/// What `PJRT_Event_OnReady` calls.
pub type OnReady = unsafe extern "C" fn(Error, *mut c_void);

/// Declares argument structs and, for the test, lists their fields.
macro_rules! arguments {
    ($($name:ident { $($field:ident: $type:ty),* $(,)? })*) => {
        $(
            #[repr(C)]
            pub struct $name {
                pub struct_size: usize,
                pub extension_start: *mut c_void,
                $(pub $field: $type,)*
            }
        )*
        /// (struct, field, offset) of everything above.
        #[cfg(test)]
        pub const FIELDS: &[(&str, &str, usize)] = &[
            $($((stringify!($name), stringify!($field), std::mem::offset_of!($name, $field)),)*)*
        ];
    };
}

arguments! {
    PJRT_Error_Destroy_Args { error: Error }
    PJRT_Error_Message_Args { error: Error, message: *const c_char, message_size: usize }
    PJRT_Error_GetCode_Args { error: Error, code: c_int }

    PJRT_Event_Destroy_Args { event: Object }
    PJRT_Event_IsReady_Args { event: Object, is_ready: bool }
    PJRT_Event_Error_Args { event: Object }
    PJRT_Event_Await_Args { event: Object }
    PJRT_Event_OnReady_Args { event: Object, callback: OnReady, user_arg: *mut c_void }

    PJRT_Client_CreateUninitializedBuffer_Args {
        client: Object,
        shape_dims: *const i64,
        shape_num_dims: usize,
        shape_element_type: c_int,
        shape_layout: *mut c_void,
        device: Object,
        memory: Object,
        buffer: Object,
    }
    PJRT_Client_BufferFromHostBuffer_Args {
        client: Object,
        data: *const c_void,
        r#type: c_int,
        dims: *const i64,
        num_dims: usize,
        byte_strides: *const i64,
        num_byte_strides: usize,
        host_buffer_semantics: c_int,
        device: Object,
        memory: Object,
        device_layout: *mut c_void,
        done_with_host_buffer: Object,
        buffer: Object,
    }
    PJRT_Client_CreateViewOfDeviceBuffer_Args {
        client: Object,
        device_buffer_ptr: *mut c_void,
        dims: *const i64,
        num_dims: usize,
        element_type: c_int,
        layout: *mut c_void,
        device: Object,
        on_delete_callback: *const c_void,
        on_delete_callback_arg: *mut c_void,
        stream: isize,
        buffer: Object,
    }
    PJRT_Memory_Kind_Args { memory: Object, kind: *const c_char, kind_size: usize }

    PJRT_Executable_Destroy_Args { executable: Object }
    PJRT_Executable_NumOutputs_Args { executable: Object, num_outputs: usize }
    PJRT_LoadedExecutable_GetExecutable_Args { loaded_executable: Object, executable: Object }
    PJRT_LoadedExecutable_Execute_Args {
        executable: Object,
        options: *mut c_void,
        argument_lists: *const *const Object,
        num_devices: usize,
        num_args: usize,
        output_lists: *const *mut Object,
        device_complete_events: *mut Object,
    }

    PJRT_Buffer_Destroy_Args { buffer: Object }
    PJRT_Buffer_Delete_Args { buffer: Object }
    PJRT_Buffer_IsDeleted_Args { buffer: Object, is_deleted: bool }
    PJRT_Buffer_OnDeviceSizeInBytes_Args { buffer: Object, on_device_size_in_bytes: usize }
    PJRT_Buffer_Memory_Args { buffer: Object, memory: Object }
    PJRT_Buffer_CopyToDevice_Args { buffer: Object, dst_device: Object, dst_buffer: Object }
    PJRT_Buffer_CopyToMemory_Args { buffer: Object, dst_memory: Object, dst_buffer: Object }
    PJRT_Buffer_ToHostBuffer_Args {
        src: Object,
        host_layout: *mut c_void,
        dst: *mut c_void,
        dst_size: usize,
        event: Object,
    }
    PJRT_Buffer_CopyRawToHost_Args {
        buffer: Object,
        dst: *mut c_void,
        offset: i64,
        transfer_size: i64,
        event: Object,
    }
    PJRT_Buffer_IsOnCpu_Args { buffer: Object, is_on_cpu: bool }
    PJRT_Buffer_ReadyEvent_Args { buffer: Object, event: Object }
    PJRT_Buffer_UnsafePointer_Args { buffer: Object, buffer_pointer: usize }
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args { buffer: Object, device_memory_ptr: *mut c_void }

    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args {
        transfer_manager: Object,
        buffer_index: c_int,
        data: *const c_void,
        offset: i64,
        transfer_size: i64,
        is_last_transfer: bool,
        done_with_h2d_transfer: Object,
    }
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args {
        transfer_manager: Object,
        buffer_index: c_int,
        buffer_out: Object,
    }
}

/// The numbers of `PJRT_Error_Code`, by the names that fault settings use.
pub const CODES: &[(&str, c_int)] = &[
    ("CANCELLED", 1),
    ("UNKNOWN", 2),
    ("INVALID_ARGUMENT", 3),
    ("DEADLINE_EXCEEDED", 4),
    ("NOT_FOUND", 5),
    ("ALREADY_EXISTS", 6),
    ("PERMISSION_DENIED", 7),
    ("RESOURCE_EXHAUSTED", 8),
    ("FAILED_PRECONDITION", 9),
    ("ABORTED", 10),
    ("OUT_OF_RANGE", 11),
    ("UNIMPLEMENTED", 12),
    ("INTERNAL", 13),
    ("UNAVAILABLE", 14),
    ("DATA_LOSS", 15),
    ("UNAUTHENTICATED", 16),
];
pub const RESOURCE_EXHAUSTED: c_int = 8;
pub const UNIMPLEMENTED: c_int = 12;
pub const INTERNAL: c_int = 13;

/// The size of an element on the host, 0 for types that this plugin has no memory accounts for.
pub fn element_size(element_type: c_int) -> u64 {
    match element_type {
        1 | 2 | 6 | 16..=20 | 26..=28 => 1,
        3 | 7 | 10 | 13 => 2,
        4 | 8 | 11 => 4,
        5 | 9 | 12 | 14 => 8,
        15 => 16,
        _ => 0,
    }
}
