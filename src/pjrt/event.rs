//! Events: work of the plugin that is under way, and how it ended.

use std::ptr::NonNull;
use std::time::Duration;

use super::api::Api;
use super::args::call;
use super::sys::PJRT_Event;
use crate::error::Result;

/// Work that is under way. Dropping it forgets the work; it does not stop it.
pub struct Event {
    api: &'static Api,
    raw: NonNull<PJRT_Event>,
}

// SAFETY: PJRT's events may be used and destroyed on any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// Takes over an event that a function of the plugin returned; none is an
    /// event that has happened.
    pub(super) fn take(api: &'static Api, raw: *mut PJRT_Event) -> Option<Event> {
        NonNull::new(raw).map(|raw| Event { api, raw })
    }

    /// Blocks until the work is done, and returns how it ended.
    pub fn wait(&self) -> Result<()> {
        let event = self.raw.as_ptr();
        let ended = call!(self.api, PJRT_Event_Await(PJRT_Event_Await_Args { event: event }));
        // The error may be that of waiting itself. Then the work can still be under
        // way, in memory that the caller is about to give up.
        while ended.is_err() && self.is_ready().is_ok_and(|ready| !ready) {
            std::thread::sleep(Duration::from_micros(100));
        }
        ended.map(drop)
    }

    fn is_ready(&self) -> Result<bool> {
        let event = self.raw.as_ptr();
        call!(self.api, PJRT_Event_IsReady(PJRT_Event_IsReady_Args { event: event }))
            .map(|args| args.is_ready)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let event = self.raw.as_ptr();
        // A destructor has nobody to tell; the plugin has let go either way.
        let _ = call!(self.api, PJRT_Event_Destroy(PJRT_Event_Destroy_Args { event: event }));
    }
}
