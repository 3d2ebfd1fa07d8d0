//! A range of addresses that nobody can touch.

use std::ptr;

/// Takes `size` bytes of address space for the rest of the process. It costs no
/// memory, and every access to it faults. None where the system refuses.
pub fn reserve(size: usize) -> Option<usize> {
    // SAFETY: a new mapping, at an address that the system chooses.
    let start = unsafe {
        libc::mmap(
            ptr::null_mut(),
            size,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    (start != libc::MAP_FAILED).then(|| start.expose_provenance())
}
