//! Safe types over the PJRT C API. All `unsafe` that the plugins need is here.
//!
//! Nothing here decides anything: these types own the plugin's objects, destroy
//! them, and turn its errors into ours. What is validated before a plugin sees
//! it is validated above, in [`memory`](crate::memory).
#![allow(unsafe_code)]

pub mod api;
mod args;
pub mod buffer;
pub mod client;
pub mod device;
pub mod event;
pub mod host;
pub mod options;
pub mod program;
pub mod raw;
#[allow(non_camel_case_types)]
pub mod sys;

pub use api::Api;
pub use buffer::Buffer;
pub use client::Client;
pub use device::{Device, Memory};
pub use event::Event;
pub use options::{Options, Value};
pub use program::Program;
pub use raw::RawBuffers;
