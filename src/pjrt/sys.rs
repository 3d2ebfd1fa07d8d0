//! The part of the PJRT C API that this library calls, declared by hand.
//!
//! The names are those of the official `pjrt_c_api.h` (openxla/xla, PJRT 0.81),
//! so that one can be read beside the other. `tests/declarations.rs` compiles a
//! C program against that header which asserts every size and offset below.
#![allow(non_snake_case)]

use std::ffi::{c_char, c_int, c_void};

/// One struct of the API, as the layout test sees it.
pub struct Layout {
    /// The C name of the struct.
    pub name: &'static str,
    /// What C calls `<name>_STRUCT_SIZE`: the end of the last field, unpadded.
    pub size: usize,
    /// Each field's C name and byte offset.
    pub fields: &'static [(&'static str, usize)],
}

/// The opaque objects of the API. They are only ever seen behind pointers.
macro_rules! opaque {
    ($($name:ident),* $(,)?) => {$(
        #[doc = concat!("`", stringify!($name), "`, opaque.")]
        #[repr(C)]
        pub struct $name {
            _opaque: [u8; 0],
        }
    )*};
}

opaque!(
    PJRT_Error,
    PJRT_Event,
    PJRT_Client,
    PJRT_Device,
    PJRT_DeviceDescription,
    PJRT_Memory,
    PJRT_Buffer,
    PJRT_LoadedExecutable,
    PJRT_RawBuffer,
);

/// Declares structs that start with `struct_size` and `extension_start`, and
/// keeps their layout for the test.
macro_rules! structs {
    ($($name:ident { $($field:ident: $ty:ty),* $(,)? })*) => {
        $(
            #[doc = concat!("`", stringify!($name), "` of the PJRT C API.")]
            #[repr(C)]
            #[allow(missing_docs)]
            pub struct $name {
                pub struct_size: usize,
                pub extension_start: *mut $crate::pjrt::sys::PJRT_Extension_Base,
                $(pub $field: $ty,)*
            }

            impl $name {
                /// The end of the last field, which is what `struct_size` holds.
                pub const STRUCT_SIZE: usize = {
                    #[allow(unused_mut)]
                    let mut end = 2 * size_of::<usize>();
                    $(
                        let field_end =
                            std::mem::offset_of!($name, $field) + size_of::<$ty>();
                        if field_end > end {
                            end = field_end;
                        }
                    )*
                    end
                };
            }

            // SAFETY: a `repr(C)` struct that starts with `struct_size` and holds
            // only integers, raw pointers and a `bool`, so all zeros is a value.
            unsafe impl $crate::pjrt::args::Args for $name {
                const SIZE: usize = $name::STRUCT_SIZE;
            }
        )*

        /// The layout of every struct above.
        pub const STRUCTS: &[$crate::pjrt::sys::Layout] = &[$(
            $crate::pjrt::sys::Layout {
                name: stringify!($name),
                size: $name::STRUCT_SIZE,
                fields: &[
                    $((stringify!($field), std::mem::offset_of!($name, $field)),)*
                ],
            },
        )*];
    };
}

pub(super) use structs;

/// Declares `PJRT_Api`: a slot is a function when its arguments are given here,
/// and only a place in the table when they are not.
macro_rules! api_table {
    ($($slot:ident $(($args:ty) $(-> $result:ty)?)?,)*) => {
        /// `PJRT_Api`: the table of functions that a plugin gives.
        ///
        /// A plugin's own table may be shorter or longer: read a slot only through
        /// [`Api`](super::api::Api).
        #[repr(C)]
        #[allow(missing_docs)]
        pub struct PJRT_Api {
            pub struct_size: usize,
            pub extension_start: *mut PJRT_Extension_Base,
            pub pjrt_api_version: PJRT_Api_Version,
            $(pub $slot: api_table!(@slot $(($args) $(-> $result)?)?),)*
        }

        /// Every slot of the table and its byte offset.
        pub const SLOTS: &[(&str, usize)] = &[
            $((stringify!($slot), std::mem::offset_of!(PJRT_Api, $slot)),)*
        ];
    };
    (@slot) => { *const c_void };
    (@slot ($args:ty)) => {
        Option<unsafe extern "C" fn(*mut $args) -> *mut PJRT_Error>
    };
    (@slot ($args:ty) -> $result:ty) => {
        Option<unsafe extern "C" fn(*mut $args) -> $result>
    };
}

/// `PJRT_Extension_Base`: one link of a plugin's chain of extensions.
#[repr(C)]
#[allow(missing_docs)]
pub struct PJRT_Extension_Base {
    pub struct_size: usize,
    pub extension_type: c_int,
    pub next: *mut PJRT_Extension_Base,
}

/// `PJRT_Extension_Type_RawBuffer`.
pub const RAW_BUFFER: c_int = 8;

/// The major version of the API that these declarations follow.
pub const PJRT_API_MAJOR: c_int = 0;

/// `PJRT_Error_Code`; the numbers are those of absl's status codes.
pub type PJRT_Error_Code = c_int;
/// `PJRT_Buffer_Type`; see [`ElementType`](crate::memory::ElementType).
pub type PJRT_Buffer_Type = c_int;
/// `PJRT_NamedValue_Type`: which member of [`PJRT_NamedValue_Value`] is set.
pub type PJRT_NamedValue_Type = c_int;
#[allow(missing_docs)]
pub mod named_value_type {
    use super::PJRT_NamedValue_Type as Type;
    pub const STRING: Type = 0;
    pub const INT64: Type = 1;
    pub const INT64_LIST: Type = 2;
    pub const FLOAT: Type = 3;
    pub const BOOL: Type = 4;
}
/// `PJRT_HostBufferSemantics_kImmutableOnlyDuringCall`: the plugin has read the
/// host's bytes when the call returns.
pub const IMMUTABLE_ONLY_DURING_CALL: c_int = 0;

/// The unnamed union in `PJRT_NamedValue`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub union PJRT_NamedValue_Value {
    pub string_value: *const c_char,
    pub int64_value: i64,
    pub int64_array_value: *const i64,
    pub float_value: f32,
    pub bool_value: bool,
}

structs! {
    PJRT_Api_Version { major_version: c_int, minor_version: c_int }

    PJRT_Error_Destroy_Args { error: *mut PJRT_Error }
    PJRT_Error_Message_Args {
        error: *const PJRT_Error,
        message: *const c_char,
        message_size: usize,
    }
    PJRT_Error_GetCode_Args { error: *const PJRT_Error, code: PJRT_Error_Code }

    PJRT_NamedValue {
        name: *const c_char,
        name_size: usize,
        r#type: PJRT_NamedValue_Type,
        value: PJRT_NamedValue_Value,
        value_size: usize,
    }
    PJRT_Plugin_Initialize_Args {}

    PJRT_Event_Destroy_Args { event: *mut PJRT_Event }
    PJRT_Event_IsReady_Args { event: *mut PJRT_Event, is_ready: bool }
    PJRT_Event_Await_Args { event: *mut PJRT_Event }

    PJRT_Client_Create_Args {
        create_options: *const PJRT_NamedValue,
        num_options: usize,
        kv_get_callback: *const c_void,
        kv_get_user_arg: *mut c_void,
        kv_put_callback: *const c_void,
        kv_put_user_arg: *mut c_void,
        client: *mut PJRT_Client,
        kv_try_get_callback: *const c_void,
        kv_try_get_user_arg: *mut c_void,
    }
    PJRT_Client_Destroy_Args { client: *mut PJRT_Client }
    PJRT_Client_PlatformName_Args {
        client: *mut PJRT_Client,
        platform_name: *const c_char,
        platform_name_size: usize,
    }
    PJRT_Client_PlatformVersion_Args {
        client: *mut PJRT_Client,
        platform_version: *const c_char,
        platform_version_size: usize,
    }
    PJRT_Client_AddressableDevices_Args {
        client: *mut PJRT_Client,
        addressable_devices: *const *mut PJRT_Device,
        num_addressable_devices: usize,
    }
    PJRT_Program {
        code: *const c_char,
        code_size: usize,
        format: *const c_char,
        format_size: usize,
    }
    PJRT_Client_Compile_Args {
        client: *mut PJRT_Client,
        program: *const PJRT_Program,
        compile_options: *const c_char,
        compile_options_size: usize,
        executable: *mut PJRT_LoadedExecutable,
    }
    PJRT_Client_CreateUninitializedBuffer_Args {
        client: *mut PJRT_Client,
        shape_dims: *const i64,
        shape_num_dims: usize,
        shape_element_type: PJRT_Buffer_Type,
        shape_layout: *mut c_void,
        device: *mut PJRT_Device,
        memory: *mut PJRT_Memory,
        buffer: *mut PJRT_Buffer,
    }
    PJRT_Client_BufferFromHostBuffer_Args {
        client: *mut PJRT_Client,
        data: *const c_void,
        r#type: PJRT_Buffer_Type,
        dims: *const i64,
        num_dims: usize,
        byte_strides: *const i64,
        num_byte_strides: usize,
        host_buffer_semantics: c_int,
        device: *mut PJRT_Device,
        memory: *mut PJRT_Memory,
        device_layout: *mut c_void,
        done_with_host_buffer: *mut PJRT_Event,
        buffer: *mut PJRT_Buffer,
    }

    PJRT_DeviceDescription_Id_Args {
        device_description: *mut PJRT_DeviceDescription,
        id: c_int,
    }
    PJRT_DeviceDescription_Kind_Args {
        device_description: *mut PJRT_DeviceDescription,
        device_kind: *const c_char,
        device_kind_size: usize,
    }
    PJRT_Device_GetDescription_Args {
        device: *mut PJRT_Device,
        device_description: *mut PJRT_DeviceDescription,
    }
    PJRT_Device_AddressableMemories_Args {
        device: *mut PJRT_Device,
        memories: *const *mut PJRT_Memory,
        num_memories: usize,
    }
    PJRT_Device_DefaultMemory_Args { device: *mut PJRT_Device, memory: *mut PJRT_Memory }
    PJRT_Memory_Kind_Args {
        memory: *mut PJRT_Memory,
        kind: *const c_char,
        kind_size: usize,
    }

    PJRT_LoadedExecutable_Destroy_Args { executable: *mut PJRT_LoadedExecutable }
    PJRT_ExecuteOptions {
        send_callbacks: *mut c_void,
        recv_callbacks: *mut c_void,
        num_send_ops: usize,
        num_recv_ops: usize,
        launch_id: c_int,
        non_donatable_input_indices: *const i64,
        num_non_donatable_input_indices: usize,
        context: *mut c_void,
        call_location: *const c_char,
        num_tasks: usize,
        task_ids: *mut c_int,
        incarnation_ids: *mut i64,
    }
    PJRT_LoadedExecutable_Execute_Args {
        executable: *mut PJRT_LoadedExecutable,
        options: *mut PJRT_ExecuteOptions,
        argument_lists: *const *const *mut PJRT_Buffer,
        num_devices: usize,
        num_args: usize,
        output_lists: *const *mut *mut PJRT_Buffer,
        device_complete_events: *mut *mut PJRT_Event,
        execute_device: *mut PJRT_Device,
    }

    PJRT_Buffer_Destroy_Args { buffer: *mut PJRT_Buffer }
    PJRT_Buffer_ReadyEvent_Args { buffer: *mut PJRT_Buffer, event: *mut PJRT_Event }
    PJRT_Buffer_ToHostBuffer_Args {
        src: *mut PJRT_Buffer,
        host_layout: *mut c_void,
        dst: *mut c_void,
        dst_size: usize,
        event: *mut PJRT_Event,
    }
    PJRT_Buffer_CopyRawToHost_Args {
        buffer: *mut PJRT_Buffer,
        dst: *mut c_void,
        offset: i64,
        transfer_size: i64,
        event: *mut PJRT_Event,
    }
    PJRT_Buffer_CopyToMemory_Args {
        buffer: *mut PJRT_Buffer,
        dst_memory: *mut PJRT_Memory,
        dst_buffer: *mut PJRT_Buffer,
    }
    PJRT_Buffer_IsDeleted_Args { buffer: *mut PJRT_Buffer, is_deleted: bool }
    PJRT_Buffer_IsOnCpu_Args { buffer: *mut PJRT_Buffer, is_on_cpu: bool }
    PJRT_Buffer_UnsafePointer_Args { buffer: *mut PJRT_Buffer, buffer_pointer: usize }
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args {
        buffer: *mut PJRT_Buffer,
        device_memory_ptr: *mut c_void,
    }
}

api_table! {
    PJRT_Error_Destroy(PJRT_Error_Destroy_Args) -> (),
    PJRT_Error_Message(PJRT_Error_Message_Args) -> (),
    PJRT_Error_GetCode(PJRT_Error_GetCode_Args),
    PJRT_Plugin_Initialize(PJRT_Plugin_Initialize_Args),
    PJRT_Plugin_Attributes,
    PJRT_Event_Destroy(PJRT_Event_Destroy_Args),
    PJRT_Event_IsReady(PJRT_Event_IsReady_Args),
    PJRT_Event_Error,
    PJRT_Event_Await(PJRT_Event_Await_Args),
    PJRT_Event_OnReady,
    PJRT_Client_Create(PJRT_Client_Create_Args),
    PJRT_Client_Destroy(PJRT_Client_Destroy_Args),
    PJRT_Client_PlatformName(PJRT_Client_PlatformName_Args),
    PJRT_Client_ProcessIndex,
    PJRT_Client_PlatformVersion(PJRT_Client_PlatformVersion_Args),
    PJRT_Client_Devices,
    PJRT_Client_AddressableDevices(PJRT_Client_AddressableDevices_Args),
    PJRT_Client_LookupDevice,
    PJRT_Client_LookupAddressableDevice,
    PJRT_Client_AddressableMemories,
    PJRT_Client_Compile(PJRT_Client_Compile_Args),
    PJRT_Client_DefaultDeviceAssignment,
    PJRT_Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args),
    PJRT_DeviceDescription_Id(PJRT_DeviceDescription_Id_Args),
    PJRT_DeviceDescription_ProcessIndex,
    PJRT_DeviceDescription_Attributes,
    PJRT_DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args),
    PJRT_DeviceDescription_DebugString,
    PJRT_DeviceDescription_ToString,
    PJRT_Device_GetDescription(PJRT_Device_GetDescription_Args),
    PJRT_Device_IsAddressable,
    PJRT_Device_LocalHardwareId,
    PJRT_Device_AddressableMemories(PJRT_Device_AddressableMemories_Args),
    PJRT_Device_DefaultMemory(PJRT_Device_DefaultMemory_Args),
    PJRT_Device_MemoryStats,
    PJRT_Memory_Id,
    PJRT_Memory_Kind(PJRT_Memory_Kind_Args),
    PJRT_Memory_DebugString,
    PJRT_Memory_ToString,
    PJRT_Memory_AddressableByDevices,
    PJRT_Executable_Destroy,
    PJRT_Executable_Name,
    PJRT_Executable_NumReplicas,
    PJRT_Executable_NumPartitions,
    PJRT_Executable_NumOutputs,
    PJRT_Executable_SizeOfGeneratedCodeInBytes,
    PJRT_Executable_GetCostAnalysis,
    PJRT_Executable_OutputMemoryKinds,
    PJRT_Executable_OptimizedProgram,
    PJRT_Executable_Serialize,
    PJRT_LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args),
    PJRT_LoadedExecutable_GetExecutable,
    PJRT_LoadedExecutable_AddressableDevices,
    PJRT_LoadedExecutable_Delete,
    PJRT_LoadedExecutable_IsDeleted,
    PJRT_LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args),
    PJRT_Executable_DeserializeAndLoad,
    PJRT_LoadedExecutable_Fingerprint,
    PJRT_Buffer_Destroy(PJRT_Buffer_Destroy_Args),
    PJRT_Buffer_ElementType,
    PJRT_Buffer_Dimensions,
    PJRT_Buffer_UnpaddedDimensions,
    PJRT_Buffer_DynamicDimensionIndices,
    PJRT_Buffer_GetMemoryLayout,
    PJRT_Buffer_OnDeviceSizeInBytes,
    PJRT_Buffer_Device,
    PJRT_Buffer_Memory,
    PJRT_Buffer_Delete,
    PJRT_Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args),
    PJRT_Buffer_CopyToDevice,
    PJRT_Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args),
    PJRT_Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args),
    PJRT_Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args),
    PJRT_Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args),
    PJRT_Buffer_IncreaseExternalReferenceCount,
    PJRT_Buffer_DecreaseExternalReferenceCount,
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args),
    PJRT_CopyToDeviceStream_Destroy,
    PJRT_CopyToDeviceStream_AddChunk,
    PJRT_CopyToDeviceStream_TotalBytes,
    PJRT_CopyToDeviceStream_GranuleSize,
    PJRT_CopyToDeviceStream_CurrentBytes,
    PJRT_TopologyDescription_Create,
    PJRT_TopologyDescription_Destroy,
    PJRT_TopologyDescription_PlatformName,
    PJRT_TopologyDescription_PlatformVersion,
    PJRT_TopologyDescription_GetDeviceDescriptions,
    PJRT_TopologyDescription_Serialize,
    PJRT_TopologyDescription_Attributes,
    PJRT_Compile,
    PJRT_Executable_OutputElementTypes,
    PJRT_Executable_OutputDimensions,
    PJRT_Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args),
    PJRT_Client_CreateViewOfDeviceBuffer,
    PJRT_Executable_Fingerprint,
    PJRT_Client_TopologyDescription,
    PJRT_Executable_GetCompiledMemoryStats,
    PJRT_Memory_Kind_Id,
    PJRT_ExecuteContext_Create,
    PJRT_ExecuteContext_Destroy,
    PJRT_Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args),
    PJRT_AsyncHostToDeviceTransferManager_Destroy,
    PJRT_AsyncHostToDeviceTransferManager_TransferData,
    PJRT_Client_CreateBuffersForAsyncHostToDevice,
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer,
    PJRT_AsyncHostToDeviceTransferManager_Device,
    PJRT_AsyncHostToDeviceTransferManager_BufferCount,
    PJRT_AsyncHostToDeviceTransferManager_BufferSize,
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError,
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata,
    PJRT_Client_DmaMap,
    PJRT_Client_DmaUnmap,
    PJRT_Client_CreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args),
}
