//! How many bytes the live buffers hold, and the limit on that.
//!
//! The limit is one for the process, whichever client or device a buffer is on.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::counts::{BUFFERS, lock};
use crate::errors;
use crate::faults;
use crate::names::slot;
use crate::sys::{Error, Object, PJRT_Buffer_OnDeviceSizeInBytes_Args, RESOURCE_EXHAUSTED};
use crate::table;

#[derive(Default)]
struct Accounts {
    /// The bytes of each buffer that was handed out and not destroyed; 0 once its memory is
    /// gone.
    buffers: HashMap<usize, u64>,
    live: u64,
}

static ACCOUNTS: Mutex<Option<Accounts>> = Mutex::new(None);

fn accounts<T>(what: impl FnOnce(&mut Accounts) -> T) -> T {
    what(lock(&ACCOUNTS).get_or_insert_default())
}

pub fn live_bytes() -> u64 {
    accounts(|accounts| accounts.live)
}

/// Bytes that a call is about to allocate.
pub struct Reserved(u64);

impl Reserved {
    /// Counts the bytes before they are allocated, so that two threads cannot exceed the limit
    /// together.
    pub fn new(bytes: u64) -> Result<Reserved, Error> {
        accounts(|accounts| {
            let wanted = accounts.live.saturating_add(bytes);
            if let Some(limit) = faults::limit().filter(|limit| bytes > 0 && wanted > *limit) {
                crate::counts::FAULTS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let live = accounts.live;
                let message = format!(
                    "out of memory: {bytes} bytes asked for, {live} of {limit} in use (test plugin)"
                );
                return Err(errors::make(RESOURCE_EXHAUSTED, &message));
            }
            accounts.live = wanted;
            Ok(Reserved(bytes))
        })
    }

    /// The bytes are this buffer's from now on; without that, dropping this gives them back.
    pub fn belongs_to(mut self, buffer: Object) {
        let bytes = std::mem::take(&mut self.0);
        BUFFERS.created();
        accounts(|accounts| accounts.buffers.insert(buffer.addr(), bytes));
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        accounts(|accounts| accounts.live = accounts.live.saturating_sub(self.0));
    }
}

/// A buffer that came with memory of its own, such as an output of a program: its size is known
/// too late to refuse it.
pub fn handed_out(buffer: Object, bytes: u64) {
    BUFFERS.created();
    accounts(|accounts| {
        accounts.live = accounts.live.saturating_add(bytes);
        accounts.buffers.insert(buffer.addr(), bytes);
    });
}

/// The memory of a buffer is given back, though the object stays: deleted or donated.
pub fn released(buffer: Object) {
    accounts(|accounts| {
        let held = accounts.buffers.get_mut(&buffer.addr()).map(std::mem::take).unwrap_or(0);
        accounts.live = accounts.live.saturating_sub(held);
    });
}

/// The object is about to be destroyed. Before and not after: its address can then be used
/// again.
pub fn destroyed(buffer: Object) {
    BUFFERS.destroyed();
    accounts(|accounts| {
        let held = accounts.buffers.remove(&buffer.addr()).unwrap_or(0);
        accounts.live = accounts.live.saturating_sub(held);
    });
}

/// # Safety
/// `buffer` is the real plugin's and alive.
pub unsafe fn size_of_buffer(buffer: Object) -> u64 {
    let mut arguments = PJRT_Buffer_OnDeviceSizeInBytes_Args {
        struct_size: size_of::<PJRT_Buffer_OnDeviceSizeInBytes_Args>(),
        extension_start: std::ptr::null_mut(),
        buffer,
        on_device_size_in_bytes: 0,
    };
    // SAFETY: the caller's promise.
    let error = unsafe { table::call(slot("PJRT_Buffer_OnDeviceSizeInBytes"), &mut arguments) };
    if error.is_null() {
        return arguments.on_device_size_in_bytes as u64;
    }
    // A deleted buffer has no size, and no memory either.
    // SAFETY: the error is the real plugin's and new.
    unsafe { errors::discard(error) };
    0
}
