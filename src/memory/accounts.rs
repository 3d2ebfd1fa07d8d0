//! What is allocated in an address space, exact to the byte.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The counters of one address space.
#[derive(Default)]
pub struct Accounts {
    live_bytes: AtomicU64,
    live_buffers: AtomicU64,
    queued_bytes: AtomicU64,
    queued_buffers: AtomicU64,
    peak_bytes: AtomicU64,
    total_bytes: AtomicU64,
    total_buffers: AtomicU64,
}

/// The state of the counters. Each is exact; while other threads allocate, they
/// may be of slightly different moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Allocated and not given back to the plugin, those queued among them.
    pub live_bytes: u64,
    /// The same in buffers.
    pub live_buffers: u64,
    /// Released, and waiting to be given back.
    pub queued_bytes: u64,
    /// The same in buffers.
    pub queued_buffers: u64,
    /// The highest that `live_bytes` has been.
    pub peak_bytes: u64,
    /// Allocated ever.
    pub total_bytes: u64,
    /// The same in buffers.
    pub total_buffers: u64,
}

/// An entry that counts bytes as live until it is dropped.
pub struct Charge {
    accounts: &'static Accounts,
    bytes: u64,
}

impl Accounts {
    /// Counts a new buffer.
    pub fn charge(&'static self, bytes: usize) -> Charge {
        let bytes = bytes as u64;
        let live = self.live_bytes.fetch_add(bytes, Relaxed) + bytes;
        self.peak_bytes.fetch_max(live, Relaxed);
        self.live_buffers.fetch_add(1, Relaxed);
        self.total_bytes.fetch_add(bytes, Relaxed);
        self.total_buffers.fetch_add(1, Relaxed);
        Charge { accounts: self, bytes }
    }

    /// Counts a buffer as waiting to be given back.
    pub fn queue(&self, bytes: usize) {
        self.queued_bytes.fetch_add(bytes as u64, Relaxed);
        self.queued_buffers.fetch_add(1, Relaxed);
    }

    /// Counts it as waiting no longer.
    pub fn unqueue(&self, bytes: usize) {
        self.queued_bytes.fetch_sub(bytes as u64, Relaxed);
        self.queued_buffers.fetch_sub(1, Relaxed);
    }

    /// The present state.
    pub fn usage(&self) -> Usage {
        Usage {
            live_bytes: self.live_bytes.load(Relaxed),
            live_buffers: self.live_buffers.load(Relaxed),
            queued_bytes: self.queued_bytes.load(Relaxed),
            queued_buffers: self.queued_buffers.load(Relaxed),
            peak_bytes: self.peak_bytes.load(Relaxed),
            total_bytes: self.total_bytes.load(Relaxed),
            total_buffers: self.total_buffers.load(Relaxed),
        }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.accounts.live_bytes.fetch_sub(self.bytes, Relaxed);
        self.accounts.live_buffers.fetch_sub(1, Relaxed);
    }
}
