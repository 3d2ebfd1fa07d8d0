//! Events that report an error of ours or are late, and the functions that take events.
//!
//! Only an event with a fault is wrapped; every other is the real plugin's and is passed on as
//! it is.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use crate::counts::{CALLBACKS, EVENTS, lock};
use crate::errors;
use crate::faults;
use crate::names::slot;
use crate::sys::{
    Error, Object, OnReady, PJRT_Event_Await_Args, PJRT_Event_Destroy_Args,
    PJRT_Event_Error_Args, PJRT_Event_IsReady_Args, PJRT_Event_OnReady_Args,
};
use crate::table;

/// An event of ours around a real one.
struct Own {
    /// The address of the real event, which this one owns.
    real: usize,
    fault: Fault,
}

#[derive(Clone)]
struct Fault {
    error: Option<(c_int, String)>,
    ready: Instant,
}

/// Ours by the address that the client knows them by.
static OURS: Mutex<Option<HashMap<usize, Arc<Own>>>> = Mutex::new(None);

fn own(event: Object) -> Option<Arc<Own>> {
    lock(&OURS).as_ref().and_then(|ours| ours.get(&event.addr()).cloned())
}

/// Counts an event on its way to the client, and wraps it if it is to fail or to be late.
pub fn handed_out(function: usize, event: &mut Object) {
    if event.is_null() {
        return;
    }
    EVENTS.created();
    let (error, delay) = (faults::on_event(function), faults::delay());
    if error.is_some() || !delay.is_zero() {
        let fault = Fault { error, ready: Instant::now() + delay };
        let own = Arc::new(Own { real: event.addr(), fault });
        *event = Arc::as_ptr(&own).cast_mut().cast();
        lock(&OURS).get_or_insert_default().insert(event.addr(), own);
    }
}

impl Fault {
    fn wait(&self) {
        thread::sleep(self.ready.saturating_duration_since(Instant::now()));
    }

    /// The error to report, given what the real event reports.
    ///
    /// # Safety
    /// `real` is null or an error of the real plugin that is not used again.
    unsafe fn instead_of(&self, real: Error) -> Error {
        match &self.error {
            None => real,
            Some((code, message)) => {
                // SAFETY: the caller's promise.
                unsafe { errors::discard(real) };
                errors::make(*code, message)
            }
        }
    }
}

impl Own {
    fn real(&self) -> Object {
        std::ptr::with_exposed_provenance_mut(self.real)
    }
}

/// `PJRT_Event_Destroy`.
///
/// # Safety
/// The arguments are as PJRT wants them.
pub unsafe fn destroy(arguments: &mut PJRT_Event_Destroy_Args) -> Error {
    if !arguments.event.is_null() {
        EVENTS.destroyed();
    }
    let own = lock(&OURS).as_mut().and_then(|ours| ours.remove(&arguments.event.addr()));
    if let Some(own) = &own {
        arguments.event = own.real();
    }
    // SAFETY: the caller's promise; a wrapped event is destroyed with its wrapper.
    unsafe { table::call(slot("PJRT_Event_Destroy"), arguments) }
}

/// `PJRT_Event_IsReady`.
///
/// # Safety
/// The arguments are as PJRT wants them.
pub unsafe fn is_ready(arguments: &mut PJRT_Event_IsReady_Args) -> Error {
    let own = own(arguments.event);
    if let Some(own) = &own {
        arguments.event = own.real();
    }
    // SAFETY: the caller's promise.
    let error = unsafe { table::call(slot("PJRT_Event_IsReady"), arguments) };
    if let Some(own) = own {
        arguments.is_ready &= Instant::now() >= own.fault.ready;
    }
    error
}

/// `PJRT_Event_Error`.
///
/// # Safety
/// The arguments are as PJRT wants them.
pub unsafe fn error(arguments: &mut PJRT_Event_Error_Args) -> Error {
    let Some(own) = own(arguments.event) else {
        // SAFETY: the caller's promise.
        return unsafe { table::call(slot("PJRT_Event_Error"), arguments) };
    };
    arguments.event = own.real();
    // SAFETY: the caller's promise; the error is the real plugin's and new.
    unsafe { own.fault.instead_of(table::call(slot("PJRT_Event_Error"), arguments)) }
}

/// `PJRT_Event_Await`.
///
/// # Safety
/// The arguments are as PJRT wants them.
pub unsafe fn wait(arguments: &mut PJRT_Event_Await_Args) -> Error {
    let Some(own) = own(arguments.event) else {
        // SAFETY: the caller's promise.
        return unsafe { table::call(slot("PJRT_Event_Await"), arguments) };
    };
    arguments.event = own.real();
    // SAFETY: the caller's promise.
    let real = unsafe { table::call(slot("PJRT_Event_Await"), arguments) };
    own.fault.wait();
    // SAFETY: the error is the real plugin's and new.
    unsafe { own.fault.instead_of(real) }
}

/// What the client registered, on its way through the real plugin.
struct Callback {
    call: OnReady,
    argument: *mut c_void,
    fault: Option<Fault>,
}

// SAFETY: PJRT calls back on any thread, so the client expects that.
unsafe impl Send for Callback {}

/// `PJRT_Event_OnReady`. Always with a callback of ours, because the error that it is given
/// counts.
///
/// # Safety
/// The arguments are as PJRT wants them.
pub unsafe fn on_ready(arguments: &mut PJRT_Event_OnReady_Args) -> Error {
    let own = own(arguments.event);
    let callback = Callback {
        call: arguments.callback,
        argument: arguments.user_arg,
        fault: own.as_ref().map(|own| own.fault.clone()),
    };
    if let Some(own) = own {
        arguments.event = own.real();
    }
    let callback = Box::into_raw(Box::new(callback));
    arguments.callback = ready;
    arguments.user_arg = callback.cast();
    // The event can call back before this returns.
    CALLBACKS.created();
    // SAFETY: the caller's promise.
    let error = unsafe { table::call(slot("PJRT_Event_OnReady"), arguments) };
    if !error.is_null() {
        // SAFETY: a call that failed registered nothing, so the callback is still ours.
        drop(unsafe { Box::from_raw(callback) });
        CALLBACKS.destroyed();
    }
    error
}

/// # Safety
/// `argument` is a `Callback` that nobody else has.
unsafe extern "C" fn ready(real: Error, argument: *mut c_void) {
    // SAFETY: the real plugin calls back once.
    let callback = unsafe { Box::from_raw(argument.cast::<Callback>()) };
    let Some(fault) = callback.fault.clone() else {
        return callback.finish(real);
    };
    // SAFETY: the error is the real plugin's and new.
    let error = unsafe { fault.instead_of(real) };
    if fault.ready <= Instant::now() {
        return callback.finish(error);
    }
    let error = error.expose_provenance();
    // Sleeping here would hold up the plugin's own thread, which a slow device does not do.
    thread::spawn(move || {
        fault.wait();
        callback.finish(std::ptr::with_exposed_provenance_mut(error));
    });
}

impl Callback {
    fn finish(&self, error: Error) {
        CALLBACKS.destroyed();
        // SAFETY: this is the client's own callback with its own argument.
        unsafe { (self.call)(errors::handed_out(error), self.argument) };
    }
}
