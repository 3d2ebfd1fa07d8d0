//! Writing into buffers.
//!
//! In this order: in place by the host, in place by the plugin, by replacing the
//! whole buffer, by a program that updates a part of it, and at last by reading
//! all of it, changing a part, and replacing it.

use super::buffer::{Buffer, zeros};
use super::paths::Path;
use super::transfer::{check_range, read_through_plugin};
use super::update;
use crate::error::{Code, Result};
use crate::pjrt;
use crate::pjrt::host::{Destination, Source};

/// Copies bytes of the host into a buffer, from byte `offset` on. After an error
/// the buffer is as it was, unless the error says something else.
pub fn write(buffer: &Buffer, offset: usize, source: Source) -> Result<()> {
    check_range(buffer, offset, source.length())?;
    if source.length() == 0 {
        return Ok(());
    }
    let path = if let Some(bytes) = buffer.host_bytes() {
        buffer.settle()?;
        bytes.write(offset, source);
        Path::WriteInPlace
    } else if write_raw(buffer, offset, source)? {
        Path::WriteRaw
    } else if source.length() == buffer.bytes {
        let new = buffer.with_contents(source)?;
        buffer.replace(&mut buffer.storage.write(), new);
        Path::WriteWhole
    } else {
        write_part(buffer, offset, source)?
    };
    buffer.space.paths.count(path, source.length());
    Ok(())
}

/// Lets the plugin write in place, and says whether it could.
fn write_raw(buffer: &Buffer, offset: usize, source: Source) -> Result<bool> {
    let Some(raw_buffers) = &buffer.space.client.raw_buffers else {
        return Ok(false);
    };
    // The extension does not wait for work that still reads what is there.
    buffer.settle()?;
    match raw_buffers.write(&buffer.storage.read(), offset as i64, source) {
        Ok(()) => Ok(true),
        Err(error) if error.code() == Code::Unimplemented => Ok(false),
        Err(error) => Err(error.context("some of the bytes may have been written")),
    }
}

fn write_part(buffer: &Buffer, offset: usize, source: Source) -> Result<Path> {
    // From reading the old contents to putting in the new ones nobody else may
    // write, or that write would be lost.
    let mut storage = buffer.storage.write();
    if update::suits(buffer) {
        match write_by_program(buffer, &mut storage, offset, source) {
            Err(error) if error.code() == Code::Unimplemented => {}
            written => return written.map(|()| Path::WriteByProgram),
        }
    }
    let mut contents = zeros(buffer.bytes)?;
    storage.read_all(Destination::of(&mut contents))?;
    source.copy_into(&mut contents[offset..offset + source.length()]);
    let new = buffer.with_contents(Source::of(&contents))?;
    buffer.replace(&mut storage, new);
    Ok(Path::WriteByRewrite)
}

fn write_by_program(
    buffer: &Buffer,
    storage: &mut pjrt::Buffer,
    offset: usize,
    source: Source,
) -> Result<()> {
    // Programs write whole elements: those at the ends are completed first.
    let size = buffer.element.size();
    let start = offset - offset % size;
    let end = (offset + source.length()).next_multiple_of(size);
    let mut elements = zeros(end - start)?;
    let (first, last) = (offset - start, offset - start + source.length());
    for (element, incomplete) in [(0, first > 0), (end - start - size, last < end - start)] {
        if incomplete {
            let destination = Destination::of(&mut elements[element..element + size]);
            read_through_plugin(storage, buffer.bytes, start + element, destination)?;
        }
    }
    source.copy_into(&mut elements[first..last]);
    update::update(buffer, storage, start / size, &elements)
}
