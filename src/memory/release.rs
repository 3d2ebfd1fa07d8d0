//! Buffers that nobody holds any more, on their way back to the plugin.
//!
//! Finalizers only put a buffer into a queue: giving memory back may take long
//! or wait for a device, and a finalizer runs in the middle of somebody else's
//! work. A thread of the library empties the queue; so does whoever needs memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::buffer::{self, Buffer};
use crate::error::Result;
use crate::pjrt::host::process;

static QUEUE: Mutex<Vec<Arc<Buffer>>> = Mutex::new(Vec::new());
static FILLED: Condvar = Condvar::new();
/// Held by whoever is giving buffers back.
static EMPTYING: Mutex<()> = Mutex::new(());

/// Takes a holder away. The last one puts the buffer into the queue. Never waits
/// for the plugin.
pub fn release(handle: u64) -> Result<()> {
    if process::is_exiting() {
        return Ok(());
    }
    if let Some(buffer) = buffer::let_go(handle)? {
        start_thread();
        buffer.space.accounts.queue(buffer.bytes);
        let mut queue = QUEUE.lock();
        queue.push(buffer);
        if queue.len() == 1 {
            FILLED.notify_one();
        }
    }
    Ok(())
}

/// Gives back all that is in the queue, before it returns.
pub fn reclaim() {
    if process::is_exiting() {
        return;
    }
    let _emptying = EMPTYING.lock();
    let mut taken = std::mem::take(&mut *QUEUE.lock());
    give_back(&mut taken);
}

/// From now on nothing is given back: the process exits, and with it everything
/// ends; a plugin that is torn down at the same time would only crash.
pub fn prepare_exit() {
    if process::set_exiting() {
        return;
    }
    // Buffers that are being given back at this moment are waited for, but not
    // for ever, and afterwards nobody gets to do it again.
    if let Some(emptying) = EMPTYING.try_lock_for(Duration::from_secs(1)) {
        std::mem::forget(emptying);
    }
}

/// [`prepare_exit`] as a handler of the process's exit.
pub extern "C" fn on_exit() {
    if !process::is_forked_child() {
        prepare_exit();
    }
}

fn give_back(buffers: &mut Vec<Arc<Buffer>>) {
    for buffer in buffers.drain(..) {
        buffer.space.accounts.unqueue(buffer.bytes);
    }
}

fn start_thread() {
    static STARTED: AtomicBool = AtomicBool::new(false);
    if !STARTED.load(Ordering::Relaxed) && !STARTED.swap(true, Ordering::Relaxed) {
        // Without the thread the queue is emptied when memory is needed.
        let _ = process::spawn_without_signals("pjrtmem-release", run);
    }
}

fn run() {
    let mut taken = Vec::new();
    loop {
        let mut queue = QUEUE.lock();
        FILLED.wait_while(&mut queue, |queue| queue.is_empty());
        drop(queue);
        let _emptying = EMPTYING.lock();
        std::mem::swap(&mut *QUEUE.lock(), &mut taken);
        give_back(&mut taken);
    }
}
