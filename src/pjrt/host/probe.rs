//! Finding out whether an address is the host's, without touching it.
//!
//! Plugins give an address for memory of every kind, and only some say whose it
//! is. The kernel knows: it copies between a pipe and an address, and answers
//! EFAULT instead of ending the process where there is no memory.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};

/// A pipe to probe one address with.
struct Pipe {
    reader: File,
    writer: File,
}

impl Pipe {
    /// Makes the pipe; none where the process may not have more descriptors.
    fn new() -> Option<Pipe> {
        let mut ends = [0; 2];
        // SAFETY: there is room for both descriptors.
        if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) } != 0 {
            return None;
        }
        // SAFETY: the descriptors are new and nobody else's.
        let [reader, writer] = ends.map(|end| unsafe { File::from_raw_fd(end) });
        Some(Pipe { reader, writer })
    }
}

/// The finding that the host can read and write a kind of memory in place.
pub struct HostVisible {
    _found: (),
}

impl HostVisible {
    /// Tries to read `expected` at the address of a buffer and then to write
    /// `replacement` there. Both are short and of one length. The buffer has to
    /// be made for it: what was in it is lost.
    pub fn find(address: usize, expected: &[u8], replacement: &[u8]) -> Option<HostVisible> {
        let pipe = Pipe::new()?;
        let found = read_at(&pipe, address, expected.len())? == expected
            && write_at(&pipe, address, replacement);
        found.then_some(HostVisible { _found: () })
    }
}

fn read_at(pipe: &Pipe, address: usize, length: usize) -> Option<Vec<u8>> {
    let start = std::ptr::with_exposed_provenance::<libc::c_void>(address);
    // SAFETY: the kernel checks the address; nothing is read through it here.
    let sent = unsafe { libc::write(pipe.writer.as_raw_fd(), start, length) };
    let mut found = vec![0; usize::try_from(sent).ok()?];
    (&pipe.reader).read_exact(&mut found).ok()?;
    (found.len() == length).then_some(found)
}

fn write_at(pipe: &Pipe, address: usize, bytes: &[u8]) -> bool {
    if (&pipe.writer).write_all(bytes).is_err() {
        return false;
    }
    let start = std::ptr::with_exposed_provenance_mut::<libc::c_void>(address);
    // SAFETY: the kernel checks the address, which is that of a buffer made for
    // the probe: nobody else's bytes are there.
    let received = unsafe { libc::read(pipe.reader.as_raw_fd(), start, bytes.len()) };
    usize::try_from(received) == Ok(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_the_host_is_found() {
        let memory = &mut [7_u8; 64];
        let address = memory.as_mut_ptr().expose_provenance();
        assert!(HostVisible::find(address, &[7; 64], &[9; 64]).is_some());
        assert_eq!(*memory, [9; 64]);
    }

    #[test]
    fn other_contents_and_unmapped_addresses_are_not_the_buffer() {
        let memory = &mut [7_u8; 64];
        let address = memory.as_mut_ptr().expose_provenance();
        assert!(HostVisible::find(address, &[8; 64], &[9; 64]).is_none());
        for nowhere in [0, 4096, usize::MAX - 4096] {
            assert!(HostVisible::find(nowhere, &[0; 64], &[9; 64]).is_none());
        }
        assert_eq!(*memory, [7; 64]);
    }
}
