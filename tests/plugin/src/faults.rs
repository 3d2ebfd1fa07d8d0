//! What is to go wrong. Everything is off at first.
//!
//! A function F is named with or without `PJRT_`; several are joined by `+`. An empty value
//! takes the fault back.
//!
//! | key | value |
//! | --- | --- |
//! | `hide_addresses` | `1`: the host can touch no memory, as on a GPU; `device`: only not the memory of kind `device` |
//! | `refuse` | `F`: UNIMPLEMENTED from now on |
//! | `null_slot` | `F`: a null pointer in the table |
//! | `buffers_only` | `1`: null pointers for uninitialized allocation, views, raw copies and addresses |
//! | `raw_buffer` | `1`: the RawBuffer extension is offered |
//! | `fail_nth` | `F:N` or `F:N:CODE`: the N-th call from now on fails, once; INTERNAL if no code is named |
//! | `fail_event_nth` | `F:N` or `F:N:CODE`: the event that the N-th call from now on returns reports the error |
//! | `delay_ms` | `N`: events returned from now on are ready that much later |
//! | `limit_bytes` | `N`: RESOURCE_EXHAUSTED for what would make live buffers exceed it |
//! | `major`, `minor`, `struct_size` | `N`, or `+N` and `-N` from the real one, of the table |
//! | `reset` | all of the above is taken back; counts stay |

use std::ffi::c_int;
use std::sync::RwLock;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::counts;
use crate::names::{find, slot};
use crate::sys::{CODES, INTERNAL, UNIMPLEMENTED};
use crate::table::{self, CAPACITY};

/// Which memory the host cannot touch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    Nothing,
    DeviceKind,
    Everything,
}

/// A fault that waits for its call.
#[derive(Clone, Copy)]
struct Countdown {
    left: u64,
    code: c_int,
}

struct Faults {
    hidden: Hidden,
    refused: [bool; CAPACITY],
    calls: [Option<Countdown>; CAPACITY],
    events: [Option<Countdown>; CAPACITY],
    delay: Duration,
    limit: Option<u64>,
}

const NONE: Faults = Faults {
    hidden: Hidden::Nothing,
    refused: [false; CAPACITY],
    calls: [None; CAPACITY],
    events: [None; CAPACITY],
    delay: Duration::ZERO,
    limit: None,
};

static FAULTS: RwLock<Faults> = RwLock::new(NONE);

fn read<T>(what: impl FnOnce(&Faults) -> T) -> T {
    what(&FAULTS.read().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

fn change<T>(what: impl FnOnce(&mut Faults) -> T) -> T {
    what(&mut FAULTS.write().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

// ---- what the rest of the plugin asks
// ------------------------------------------------------------

pub fn hidden() -> Hidden {
    read(|faults| faults.hidden)
}

pub fn limit() -> Option<u64> {
    read(|faults| faults.limit)
}

pub fn delay() -> Duration {
    read(|faults| faults.delay)
}

/// What the call of a function is answered with instead of being forwarded: a code and a
/// message.
pub fn on_call(slot: usize) -> Option<(c_int, String)> {
    let (refused, counting) =
        read(|faults| (faults.refused[slot], faults.calls[slot].is_some()));
    let (code, why) = if refused {
        (UNIMPLEMENTED, "is refused by the test plugin")
    } else if counting {
        (change(|faults| due(&mut faults.calls[slot]))?, "was made to fail by the test plugin")
    } else {
        return None;
    };
    counts::FAULTS.fetch_add(1, Relaxed);
    Some((code, format!("{} {why}", table::name(slot))))
}

/// The error that an event returned by a function has to report.
pub fn on_event(slot: usize) -> Option<(c_int, String)> {
    read(|faults| faults.events[slot])?;
    let code = change(|faults| due(&mut faults.events[slot]))?;
    counts::FAULTS.fetch_add(1, Relaxed);
    Some((
        code,
        format!("the event of {} was made to fail by the test plugin", table::name(slot)),
    ))
}

fn due(countdown: &mut Option<Countdown>) -> Option<c_int> {
    let waiting = countdown.as_mut()?;
    waiting.left -= 1;
    if waiting.left > 0 {
        return None;
    }
    countdown.take().map(|waiting| waiting.code)
}

// ---- setting
// --------------------------------------------------------------------------------------

/// Sets what `PJRTMEM_TEST_FAULTS` asks for.
pub fn set_from_environment() -> Result<(), String> {
    let settings = std::env::var("PJRTMEM_TEST_FAULTS").unwrap_or_default();
    for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
        let (key, value) = setting
            .split_once('=')
            .ok_or_else(|| format!("PJRTMEM_TEST_FAULTS: {setting} is no key=value"))?;
        set(key, value)?;
    }
    Ok(())
}

/// Sets one fault; nothing changes if that is an error.
pub fn set(key: &str, value: &str) -> Result<(), String> {
    let wrong = |reason: &str| format!("{key}={value}: {reason}");
    match key {
        "reset" => {
            change(|faults| *faults = NONE);
            table::restore();
        }
        "hide_addresses" => {
            let hidden = match value {
                "" | "0" => Hidden::Nothing,
                "1" => Hidden::Everything,
                "device" => Hidden::DeviceKind,
                _ => return Err(wrong("expected 0, 1 or device")),
            };
            change(|faults| faults.hidden = hidden);
        }
        "refuse" => {
            let slots = functions(value).map_err(|reason| wrong(&reason))?;
            change(|faults| mark(&mut faults.refused, &slots));
        }
        "null_slot" => {
            let slots = functions(value).map_err(|reason| wrong(&reason))?;
            if slots.is_empty() {
                (0..CAPACITY).for_each(table::show);
            }
            slots.into_iter().for_each(table::hide);
        }
        "buffers_only" => match value {
            "1" => BEYOND_BUFFERS.iter().copied().for_each(table::hide),
            "" | "0" => BEYOND_BUFFERS.iter().copied().for_each(table::show),
            _ => return Err(wrong("expected 0 or 1")),
        },
        "raw_buffer" => match value {
            "1" => table::offer_raw_buffer(true),
            "" | "0" => table::offer_raw_buffer(false),
            _ => return Err(wrong("expected 0 or 1")),
        },
        "fail_nth" => {
            let found = countdown(value).map_err(|reason| wrong(&reason))?;
            change(|faults| wait_for(&mut faults.calls, found));
        }
        "fail_event_nth" => {
            let found = countdown(value).map_err(|reason| wrong(&reason))?;
            change(|faults| wait_for(&mut faults.events, found));
        }
        "delay_ms" => {
            let delay =
                if value.is_empty() { 0 } else { number(value).map_err(|e| wrong(&e))? };
            change(|faults| faults.delay = Duration::from_millis(delay));
        }
        "limit_bytes" => {
            let limit = match value {
                "" => None,
                _ => Some(number(value).map_err(|reason| wrong(&reason))?),
            };
            change(|faults| faults.limit = limit);
        }
        "major" => {
            let major = from_real(value, table::real_version().0).map_err(|e| wrong(&e))?;
            table::set_version(major, table::version().1);
        }
        "minor" => {
            let minor = from_real(value, table::real_version().1).map_err(|e| wrong(&e))?;
            table::set_version(table::version().0, minor);
        }
        "struct_size" => {
            let real = i32::try_from(table::real_size()).unwrap_or(i32::MAX);
            let size = from_real(value, real).map_err(|reason| wrong(&reason))?;
            let size = usize::try_from(size).map_err(|_| wrong("a size is not negative"))?;
            if size > table::LARGEST {
                // A client that believed it would read past the end of this table.
                return Err(wrong(&format!("at most {}", table::LARGEST)));
            }
            table::set_size(size);
        }
        _ => return Err(format!("{key}: no such fault")),
    }
    Ok(())
}

/// What a plugin lacks that can only make buffers from host data, copy them whole and read them
/// whole.
const BEYOND_BUFFERS: &[usize] = &[
    slot("PJRT_Client_CreateUninitializedBuffer"),
    slot("PJRT_Client_CreateViewOfDeviceBuffer"),
    slot("PJRT_Client_CreateBuffersForAsyncHostToDevice"),
    slot("PJRT_Client_CreateAliasBuffer"),
    slot("PJRT_Client_DmaMap"),
    slot("PJRT_Buffer_CopyRawToHost"),
    slot("PJRT_Buffer_CopyRawToHostFuture"),
    slot("PJRT_Buffer_UnsafePointer"),
    slot("PJRT_Buffer_OpaqueDeviceMemoryDataPointer"),
    slot("PJRT_Buffer_Bitcast"),
];

fn mark(refused: &mut [bool; CAPACITY], slots: &[usize]) {
    if slots.is_empty() {
        *refused = [false; CAPACITY];
    }
    for slot in slots {
        refused[*slot] = true;
    }
}

fn wait_for(all: &mut [Option<Countdown>; CAPACITY], found: Option<(usize, Countdown)>) {
    match found {
        Some((slot, countdown)) => all[slot] = Some(countdown),
        None => *all = [None; CAPACITY],
    }
}

fn functions(value: &str) -> Result<Vec<usize>, String> {
    let known = |name| find(name).ok_or_else(|| format!("no function {name}"));
    value.split('+').filter(|name| !name.is_empty()).map(known).collect()
}

fn countdown(value: &str) -> Result<Option<(usize, Countdown)>, String> {
    if value.is_empty() {
        return Ok(None);
    }
    let mut parts = value.split(':');
    let name = parts.next().unwrap_or_default();
    let slot = find(name).ok_or_else(|| format!("no function {name}"))?;
    let left = number(parts.next().unwrap_or_default())?;
    let code = match parts.next() {
        None => INTERNAL,
        Some(code) => {
            CODES
                .iter()
                .find(|(known, _)| *known == code)
                .ok_or_else(|| format!("no code {code}"))?
                .1
        }
    };
    if left == 0 || parts.next().is_some() {
        return Err("expected F:N or F:N:CODE, with N from 1".into());
    }
    Ok(Some((slot, Countdown { left, code })))
}

fn number(value: &str) -> Result<u64, String> {
    value.parse().map_err(|_| format!("{value} is no number"))
}

fn from_real(value: &str, real: i32) -> Result<i32, String> {
    let number = || value.parse::<i32>().map_err(|_| format!("{value} is no number"));
    match value.as_bytes().first() {
        None => Ok(real),
        Some(b'+' | b'-') => Ok(real.saturating_add(number()?)),
        Some(_) => number(),
    }
}
