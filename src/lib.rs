//! Device memory of PJRT (OpenXLA) plugins behind a small C ABI, keyed by
//! address space.
//!
//! The way down: [`capi`] (frames: raw pointers become values, errors and panics
//! become error objects) -> [`memory`] (address spaces, handles, lifetime,
//! transfers) -> [`pjrt`] (a plugin's functions and objects). Errors come up the
//! same way. `unsafe` is in `capi` and `pjrt` only.

pub mod capi;
pub mod error;
pub mod memory;
pub mod pjrt;
