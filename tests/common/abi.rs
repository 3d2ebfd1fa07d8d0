//! The C ABI as a C program calls it, with results instead of error pointers.
#![allow(dead_code, unsafe_code)]

use std::ffi::CStr;

use pjrtmem::capi::{buffer::*, error::*, lifetime::*, transfer::*};

/// A code and a message.
pub type Failure = (i32, String);

/// Takes an error apart and frees it.
pub fn outcome(error: *mut pjrtmem_error) -> Result<(), Failure> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the error is alive until it is freed, once.
    unsafe {
        let message = CStr::from_ptr(pjrtmem_error_message(error)).to_str().unwrap().to_owned();
        let code = pjrtmem_error_code(error);
        pjrtmem_error_free(error);
        Err((code, message))
    }
}

pub fn alloc(space: u32, element: i32, count: usize) -> Result<u64, Failure> {
    let mut buffer = 0;
    // SAFETY: there is room for the handle.
    outcome(unsafe { pjrtmem_alloc(space, element, count, &raw mut buffer) })?;
    Ok(buffer)
}

pub fn free(buffer: u64) -> Result<(), Failure> {
    outcome(pjrtmem_free(buffer))
}

pub fn release(buffer: u64) -> Result<(), Failure> {
    outcome(pjrtmem_release(buffer))
}

pub fn write(buffer: u64, offset: usize, bytes: &[u8]) -> Result<(), Failure> {
    let start = bytes.as_ptr().cast();
    // SAFETY: the bytes are there.
    outcome(unsafe { pjrtmem_copy_from_host(buffer, offset, start, bytes.len()) })
}

pub fn read(buffer: u64, offset: usize, length: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = vec![0xEE; length];
    let start = bytes.as_mut_ptr().cast();
    // SAFETY: there is room for the bytes.
    outcome(unsafe { pjrtmem_copy_to_host(buffer, offset, start, length) })?;
    Ok(bytes)
}

pub fn copy(
    (target, target_offset): (u64, usize),
    (source, source_offset): (u64, usize),
    length: usize,
) -> Result<(), Failure> {
    outcome(pjrtmem_copy(target, target_offset, source, source_offset, length))
}

pub fn fill(buffer: u64, offset: usize, length: usize, pattern: &[u8]) -> Result<(), Failure> {
    let start = pattern.as_ptr().cast();
    // SAFETY: the pattern is there.
    outcome(unsafe { pjrtmem_fill(buffer, offset, length, start, pattern.len()) })
}

pub fn live_bytes(space: u32) -> u64 {
    // SAFETY: a struct of integers, with its size set.
    unsafe {
        let mut info: pjrtmem_memory_info = std::mem::zeroed();
        info.struct_size = size_of::<pjrtmem_memory_info>();
        outcome(pjrtmem_get_memory_info(space, &raw mut info)).unwrap();
        info.live_bytes
    }
}
