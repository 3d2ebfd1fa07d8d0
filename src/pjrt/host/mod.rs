//! The host's side: bytes that the host may touch, addresses that nobody may
//! touch, and what can become of the process.

mod bytes;
mod probe;
pub mod process;
mod reserve;

pub use bytes::{Destination, HostBytes, Source};
pub use probe::HostVisible;
pub use reserve::reserve;
