//! By which of the possible ways bytes went, for tests and for the curious.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A way for bytes into a buffer, out of it, or between two.
#[derive(Clone, Copy)]
pub enum Path {
    /// Written by the host in place.
    WriteInPlace,
    /// Written by the plugin in place (the RawBuffer extension).
    WriteRaw,
    /// Written by replacing the whole buffer, which the write covers.
    WriteWhole,
    /// Written by a compiled program that updates a part in place.
    WriteByProgram,
    /// Written by reading the whole buffer, changing a part, and replacing it.
    WriteByRewrite,
    /// Read by the host in place.
    ReadInPlace,
    /// Read by the plugin, exactly what is wanted.
    Read,
    /// Read by the plugin as a whole, for a part of it.
    ReadByWhole,
    /// Copied by the plugin from one memory to another; counted for the target.
    CopyOnDevice,
}

/// Bytes of transfers by the way they went, as the caller counts them.
#[derive(Default)]
pub struct Paths([AtomicU64; Path::CopyOnDevice as usize + 1]);

impl Paths {
    pub(super) fn count(&self, path: Path, bytes: usize) {
        self.0[path as usize].fetch_add(bytes as u64, Relaxed);
    }

    /// The bytes that went that way.
    pub fn bytes(&self, path: Path) -> u64 {
        self.0[path as usize].load(Relaxed)
    }
}
