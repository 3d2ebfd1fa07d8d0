//! Address spaces, buffers behind handles, their lifetime, and transfers.
//!
//! All arguments are checked here, before a plugin sees them: several bad inputs
//! make a plugin end the process instead of returning an error.

mod accounts;
mod addresses;
mod buffer;
mod capabilities;
mod element;
mod handles;
mod paths;
mod plugins;
mod release;
mod spaces;
mod transfer;
mod update;
mod write;

pub use accounts::Usage;
pub use buffer::{Buffer, alloc, free, get, retain};
pub use capabilities::{CAPABILITIES, Capability};
pub use element::ElementType;
pub use paths::{Path, Paths};
pub use plugins::{Client, cache, client, load};
pub use release::{prepare_exit, reclaim, release};
pub use spaces::{Space, space, space_count};
pub use transfer::{copy, fill, read};
pub use write::write;
