//! The C ABI: frames around [`memory`](crate::memory), and nothing else. One
//! file for each section of the header.
//!
//! The contract of all functions: a `pjrtmem_error *` that is returned is the
//! caller's to free, and null means success; outputs come last and are written
//! only on success; no panic leaves a function; every function may be called
//! from any thread.
#![allow(unsafe_code, non_camel_case_types)]

mod boundary;
pub mod buffer;
pub mod client;
pub mod error;
pub mod lifetime;
pub mod options;
pub mod space;
pub mod transfer;
pub mod types;

/// A client's ID: 0, 1, 2 … in the order of loading.
pub type pjrtmem_client = u32;
/// An address space's ID: 0, 1, 2 … in the order of loading, device by device,
/// each device's default memory first. No ID is used for another space later.
pub type pjrtmem_space = u32;
/// A handle of a buffer. It is refused once the buffer is freed; 0 never is one.
pub type pjrtmem_buffer = u64;
