//! What was created and destroyed, and how often each function was called.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::table::CAPACITY;
use crate::{memory, names};

/// One kind of thing that has to be given back.
pub struct Count {
    name: &'static str,
    created: AtomicU64,
    destroyed: AtomicU64,
}

pub static CLIENTS: Count = Count::new("clients");
pub static BUFFERS: Count = Count::new("buffers");
pub static EVENTS: Count = Count::new("events");
pub static ERRORS: Count = Count::new("errors");
pub static EXTERNAL_REFS: Count = Count::new("external_refs");
pub static EXECUTABLES: Count = Count::new("executables");
pub static RAW_BUFFERS: Count = Count::new("raw_buffers");
/// Registered with `PJRT_Event_OnReady`, and called back.
pub static CALLBACKS: Count = Count::new("callbacks");

static ALL: [&Count; 8] = [
    &CLIENTS,
    &BUFFERS,
    &EVENTS,
    &ERRORS,
    &EXTERNAL_REFS,
    &EXECUTABLES,
    &RAW_BUFFERS,
    &CALLBACKS,
];

static CALLS: [AtomicU64; CAPACITY] = [const { AtomicU64::new(0) }; CAPACITY];
/// How often a fault was the answer.
pub static FAULTS: AtomicU64 = AtomicU64::new(0);

impl Count {
    const fn new(name: &'static str) -> Count {
        Count { name, created: AtomicU64::new(0), destroyed: AtomicU64::new(0) }
    }

    pub fn created(&self) {
        self.created.fetch_add(1, Relaxed);
    }

    pub fn destroyed(&self) {
        self.destroyed.fetch_add(1, Relaxed);
    }
}

pub fn called(slot: usize) {
    CALLS[slot].fetch_add(1, Relaxed);
}

/// The keys that `pjrtmem_test_get` knows from here.
///
/// - `created_X`, `destroyed_X`, `live_X`, where X is one of `clients`, `buffers`, `events`,
///   `errors`, `external_refs`, `executables`, `raw_buffers`, `callbacks`; more destroyed than created is a
///   negative `live_X`
/// - `live`: every kind with a live count that is not zero, `events=1 buffers=2`, empty if
///   there is none
/// - `live_bytes`: of the buffers that were neither destroyed nor deleted nor donated
/// - `calls:F`: how often the function F was called, those that a fault answered included
/// - `faults`: how often a fault was the answer
pub fn get(key: &str) -> Option<String> {
    if let Some(function) = key.strip_prefix("calls:") {
        return names::find(function).map(|slot| CALLS[slot].load(Relaxed).to_string());
    }
    match key {
        "live" => {
            let left = ALL.iter().filter(|count| count.live() != 0);
            let left: Vec<_> =
                left.map(|count| format!("{}={}", count.name, count.live())).collect();
            return Some(left.join(" "));
        }
        "live_bytes" => return Some(memory::live_bytes().to_string()),
        "faults" => return Some(FAULTS.load(Relaxed).to_string()),
        _ => {}
    }
    let (what, name) = key.split_once('_')?;
    let count = ALL.iter().find(|count| count.name == name)?;
    Some(match what {
        "created" => count.created.load(Relaxed).to_string(),
        "destroyed" => count.destroyed.load(Relaxed).to_string(),
        "live" => count.live().to_string(),
        _ => return None,
    })
}

impl Count {
    fn live(&self) -> i64 {
        // Destroyed first: a pair counted in between is then seen as one too many, never one
        // too few.
        let destroyed = self.destroyed.load(Relaxed);
        self.created.load(Relaxed).wrapping_sub(destroyed) as i64
    }
}

/// A lock that a panic elsewhere does not spoil: the tests go on to tell what happened.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
