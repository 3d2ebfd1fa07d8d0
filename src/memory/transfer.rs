//! Transfers: from buffers to the host, between buffers, and filling. All writing
//! is in [`write`](super::write).

use super::buffer::{Buffer, zeros};
use super::paths::Path;
use super::write::write;
use crate::error::{Code, Result, bail, error};
use crate::pjrt;
use crate::pjrt::host::{Destination, Source};

/// Copies bytes of a buffer, from byte `offset` on, to the host.
pub fn read(buffer: &Buffer, offset: usize, destination: Destination) -> Result<()> {
    check_range(buffer, offset, destination.length())?;
    if destination.length() == 0 {
        return Ok(());
    }
    let path = if let Some(bytes) = buffer.host_bytes() {
        buffer.settle()?;
        bytes.read(offset, destination);
        Path::ReadInPlace
    } else {
        read_through_plugin(&buffer.storage.read(), buffer.bytes, offset, destination)?
    };
    buffer.space.paths.count(path, destination.length());
    Ok(())
}

/// Reads a range of the plugin's buffer of `bytes` bytes.
pub(super) fn read_through_plugin(
    storage: &pjrt::Buffer,
    bytes: usize,
    offset: usize,
    destination: Destination,
) -> Result<Path> {
    if destination.length() == bytes {
        return storage.read_all(destination).map(|()| Path::Read);
    }
    match storage.read(offset as i64, destination) {
        Err(error) if error.code() == Code::Unimplemented => {
            let mut contents = zeros(bytes)?;
            storage.read_all(Destination::of(&mut contents))?;
            destination.copy_from(&contents[offset..offset + destination.length()]);
            Ok(Path::ReadByWhole)
        }
        read => read.map(|()| Path::Read),
    }
}

/// Copies bytes from one buffer to another or within one; ranges of one buffer
/// may overlap.
///
/// Between memories that the host cannot touch the copy may be under way on
/// return. Whatever comes after it, on either buffer, comes after it.
pub fn copy(
    target: &Buffer,
    target_offset: usize,
    source: &Buffer,
    source_offset: usize,
    length: usize,
) -> Result<()> {
    check_range(target, target_offset, length).map_err(|e| e.context("the target"))?;
    check_range(source, source_offset, length).map_err(|e| e.context("the source"))?;
    if length == 0 {
        return Ok(());
    }
    if let Some(bytes) = source.host_bytes() {
        source.settle()?;
        return write(target, target_offset, bytes.source(source_offset, length));
    }
    if let Some(bytes) = target.host_bytes() {
        target.settle()?;
        return read(source, source_offset, bytes.destination(target_offset, length));
    }
    if length == target.bytes && copy_on_device(target, source)? {
        return Ok(());
    }
    let mut staged = zeros(length)?;
    read(source, source_offset, Destination::of(&mut staged))?;
    write(target, target_offset, Source::of(&staged))
}

/// Lets the plugin copy a whole buffer, and says whether it could.
fn copy_on_device(target: &Buffer, source: &Buffer) -> Result<bool> {
    let alike = target.element == source.element && target.count == source.count;
    if !alike || target.space.client.id != source.space.client.id {
        return Ok(false);
    }
    // Never both locks at once: another thread may copy the other way.
    let copied = source.storage.read().copy_to(target.space.description.memory);
    let new = match copied {
        Ok(new) => new,
        Err(error) if matches!(error.code(), Code::Unimplemented | Code::InvalidArgument) => {
            return Ok(false);
        }
        Err(error) => return Err(error),
    };
    if let Some(done) = new.ready()? {
        source.add_use(done);
    }
    target.replace(&mut target.storage.write(), new);
    target.space.paths.count(Path::CopyOnDevice, target.bytes);
    Ok(true)
}

/// Repeats a pattern of 1 to 16 bytes over `length` bytes from `offset` on.
pub fn fill(buffer: &Buffer, offset: usize, length: usize, source: Source) -> Result<()> {
    let (mut copy, size) = ([0; 16], source.length());
    if !(1..=copy.len()).contains(&size) {
        bail!(InvalidArgument, "a pattern of {size} bytes; expected are 1 to 16");
    }
    let pattern = &mut copy[..size];
    source.copy_into(pattern);
    if !length.is_multiple_of(size) {
        bail!(
            InvalidArgument,
            "{length} bytes cannot be filled with a pattern of {size} bytes; expected is a \
             multiple of it"
        );
    }
    check_range(buffer, offset, length)?;
    if let Some(bytes) = buffer.host_bytes() {
        buffer.settle()?;
        bytes.fill(offset, length, pattern);
        return Ok(());
    }
    let mut contents = zeros(length)?;
    contents.chunks_exact_mut(size).for_each(|chunk| chunk.copy_from_slice(pattern));
    write(buffer, offset, Source::of(&contents))
}

/// Refuses a range that is not inside of the buffer.
pub(super) fn check_range(buffer: &Buffer, offset: usize, length: usize) -> Result<()> {
    if offset.checked_add(length).is_some_and(|end| end <= buffer.bytes) {
        return Ok(());
    }
    Err(error!(
        OutOfRange,
        "{length} bytes from byte {offset} on reach outside of the buffer's {} bytes",
        buffer.bytes
    ))
}
