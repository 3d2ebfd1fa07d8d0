//! What can become of the process: it exits, or it forks.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static EXITING: AtomicBool = AtomicBool::new(false);
static FORKED: AtomicBool = AtomicBool::new(false);

/// Whether the process is on its way out. From then on plugins may have torn
/// down their state, so nothing is given back to them any more.
pub fn is_exiting() -> bool {
    EXITING.load(Ordering::Acquire)
}

/// Marks the process as on its way out, and says whether it was already.
pub fn set_exiting() -> bool {
    EXITING.swap(true, Ordering::AcqRel)
}

/// Whether this is a child, forked after [`watch`]. The plugin's threads are
/// not in it, and whoever waits for them waits forever.
pub fn is_forked_child() -> bool {
    FORKED.load(Ordering::Acquire)
}

/// Starts to watch for a fork and for the exit of the process, once.
///
/// Handlers of exit run in the reverse order of their registration. Called
/// after a plugin was loaded, this makes ours run before its destructors.
pub fn watch(on_exit: extern "C" fn()) {
    extern "C" fn in_child() {
        FORKED.store(true, Ordering::Release);
    }
    static WATCHING: Once = Once::new();
    WATCHING.call_once(|| {
        // SAFETY: the handler stores to an atomic, which is async-signal-safe.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
    // SAFETY: the handler is a function of this library, which is never unloaded
    // once a plugin is: the plugin's threads may be anywhere.
    unsafe { libc::atexit(on_exit) };
}

/// Starts a thread that takes no signals: they are for the program's threads.
pub fn spawn_without_signals(name: &str, run: fn()) -> std::io::Result<()> {
    // SAFETY: the sets are initialized before they are read.
    let before = unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        before
    };
    // A thread inherits the mask of the one that starts it.
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(run);
    // SAFETY: the mask is the one this thread had.
    unsafe {
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut())
    };
    thread.map(drop)
}
