//! Transfers: bytes between the host and buffers, and between buffers.
//!
//! Where the host can touch a buffer, a transfer is a copy in host memory. Else
//! reads go through the plugin, and a write makes a new buffer of the plugin
//! with the new contents, which takes the place of the old one.

use super::buffer::{Buffer, zeros};
use crate::error::{Code, Result, bail, error};
use crate::pjrt::host::{Destination, Source};

/// Copies bytes of the host into a buffer, from byte `offset` on. A write that
/// fails leaves the buffer as it was.
pub fn write(buffer: &Buffer, offset: usize, source: Source) -> Result<()> {
    check_range(buffer, offset, source.length())?;
    if source.length() == 0 {
        return Ok(());
    }
    if let Some(bytes) = buffer.host_bytes() {
        buffer.settle()?;
        bytes.write(offset, source);
        return Ok(());
    }
    if source.length() == buffer.bytes {
        let new = buffer.with_contents(source)?;
        buffer.replace(&mut buffer.storage.write(), new);
        return Ok(());
    }
    // From reading the old contents to putting in the new ones nobody else may
    // write, or that write would be lost.
    let mut storage = buffer.storage.write();
    let mut contents = zeros(buffer.bytes)?;
    storage.read_all(Destination::of(&mut contents))?;
    source.copy_into(&mut contents[offset..offset + source.length()]);
    let new = buffer.with_contents(Source::of(&contents))?;
    buffer.replace(&mut storage, new);
    Ok(())
}

/// Copies bytes of a buffer, from byte `offset` on, to the host.
pub fn read(buffer: &Buffer, offset: usize, destination: Destination) -> Result<()> {
    check_range(buffer, offset, destination.length())?;
    if destination.length() == 0 {
        return Ok(());
    }
    if let Some(bytes) = buffer.host_bytes() {
        buffer.settle()?;
        bytes.read(offset, destination);
        return Ok(());
    }
    let storage = buffer.storage.read();
    if destination.length() == buffer.bytes {
        return storage.read_all(destination);
    }
    match storage.read(offset as i64, destination) {
        Err(error) if error.code() == Code::Unimplemented => {
            let mut contents = zeros(buffer.bytes)?;
            storage.read_all(Destination::of(&mut contents))?;
            destination.copy_from(&contents[offset..offset + destination.length()]);
            Ok(())
        }
        done => done,
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

fn check_range(buffer: &Buffer, offset: usize, length: usize) -> Result<()> {
    if offset.checked_add(length).is_some_and(|end| end <= buffer.bytes) {
        return Ok(());
    }
    Err(error!(
        OutOfRange,
        "{length} bytes from byte {offset} on reach outside of the buffer's {} bytes",
        buffer.bytes
    ))
}
