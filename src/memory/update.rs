//! Programs that update a part of a buffer in place, for memory that neither the
//! host nor the plugin can write in place otherwise.
//!
//! The buffer is donated to the program, whose result has the same memory. A
//! program is compiled for a buffer's type and length and for a length of what
//! is written, which takes tens of milliseconds; so what is written is cut into
//! powers of two, and short buffers are rewritten as a whole instead.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::buffer::Buffer;
use super::element::ElementType;
use crate::error::{Code, Error, Result, error};
use crate::pjrt::host::Source;
use crate::pjrt::{self, Program};

/// Rewriting fewer bytes than this costs less than a compilation would: both
/// take some ten milliseconds.
const SHORTEST: usize = 8 << 20;
/// More programs than this are not kept.
const MOST_PROGRAMS: usize = 512;

/// What a program is for: an element type, the length of the buffer, and the
/// length of what is written.
type Key = (ElementType, usize, usize);

/// The compiled programs of one client; none for what it cannot compile.
#[derive(Default)]
pub struct Updates {
    programs: Mutex<HashMap<Key, Option<Arc<Program>>>>,
}

/// Whether a part of that buffer is best written by a program. Programs have
/// their results in a device's default memory.
pub fn suits(buffer: &Buffer) -> bool {
    buffer.bytes >= SHORTEST && buffer.space.description.default_memory
}

/// Writes whole elements from element `start` on into the plugin's buffer, in
/// the place of which comes the one with the new contents.
///
/// An UNIMPLEMENTED error means that the plugin cannot do it and that nothing
/// has changed.
pub fn update(
    buffer: &Buffer,
    storage: &mut pjrt::Buffer,
    start: usize,
    elements: &[u8],
) -> Result<()> {
    let size = buffer.element.size();
    let (mut start, mut rest) = (start, elements);
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let length = 1 << (rest.len() / size).ilog2();
        let (now, later) = rest.split_at(length * size);
        pieces.push(Piece::prepare(buffer, start, length, Source::of(now))?);
        (start, rest) = (start + length, later);
    }
    // Nothing was written so far; from here on a program may fail half-way.
    for (done, piece) in pieces.into_iter().enumerate() {
        *storage = piece.write(buffer, storage).map_err(|error| match done {
            0 => error,
            _ => error.context("some of the bytes may have been written"),
        })?;
    }
    Ok(())
}

/// One piece of what is written, on the device, and the program that puts it in.
struct Piece {
    program: Arc<Program>,
    new: pjrt::Buffer,
    at: pjrt::Buffer,
}

impl Piece {
    fn prepare(
        buffer: &Buffer,
        start: usize,
        length: usize,
        elements: Source,
    ) -> Result<Piece> {
        let program = program(buffer, length).ok_or_else(|| {
            error!(Unimplemented, "the plugin cannot compile an update of {:?}", buffer.element)
        })?;
        let (client, memory) = (&buffer.space.client.pjrt, buffer.space.description.memory);
        let new = client.from_host(memory, buffer.element as i32, length as i64, elements)?;
        let at = (start as i64).to_ne_bytes();
        let at = client.from_host(memory, ElementType::S64 as i32, 1, Source::of(&at))?;
        Ok(Piece { program, new, at })
    }

    /// Runs the program, to which the old buffer is donated.
    fn write(self, buffer: &Buffer, old: &pjrt::Buffer) -> Result<pjrt::Buffer> {
        let device = buffer.space.description.device;
        let updated = self.program.execute(device, &[old, &self.new, &self.at]);
        let updated = updated.and_then(|updated| updated.wait().map(|()| updated));
        updated.map_err(|error| after_failure(old, error))
    }
}

/// A program that failed may have taken the buffer that was donated to it along.
fn after_failure(storage: &pjrt::Buffer, error: Error) -> Error {
    if storage.is_deleted().unwrap_or(false) {
        return error
            .context(
                "writing a part of a buffer failed and its contents are lost; write all of it",
            )
            .with_code(Code::DataLoss);
    }
    error
}

fn program(buffer: &Buffer, piece: usize) -> Option<Arc<Program>> {
    let client = buffer.space.client;
    // Held while compiling, so that nothing is compiled twice at the same time.
    let mut programs = client.updates.programs.lock();
    if programs.len() >= MOST_PROGRAMS {
        programs.clear();
    }
    let compile = || {
        let module = module(buffer.element, buffer.count, piece);
        Program::compile(&client.pjrt, &module).ok().map(Arc::new)
    };
    programs.entry((buffer.element, buffer.count, piece)).or_insert_with(compile).clone()
}

/// `dynamic_update_slice` of `piece` elements in `count`, the first argument
/// donated.
///
/// The bytes have to come through as they are, but XLA on CPUs does bfloat16 and
/// eight-bit floats as wider ones, which quiets NaNs. So floats are updated as
/// integers.
fn module(element: ElementType, count: usize, piece: usize) -> String {
    let (ty, bits) = stablehlo_types(element);
    let tensor = |count, ty| format!("tensor<{count}x{ty}>");
    let (whole, part) = (tensor(count, ty), tensor(piece, ty));
    let (whole_bits, part_bits) = (tensor(count, bits), tensor(piece, bits));
    let cast = |value: &str, from: &str, to: &str| match from == to {
        true => String::new(),
        false => {
            format!("%{value}_cast = stablehlo.bitcast_convert %{value} : ({from}) -> {to}")
        }
    };
    let cast_of = if ty == bits { "" } else { "_cast" };
    format!(
        "module @update {{
  func.func public @main(
      %old: {whole} {{tf.aliasing_output = 0 : i32}}, %new: {part}, %at: tensor<1xi64>
  ) -> {whole} {{
    %start = stablehlo.reshape %at : (tensor<1xi64>) -> tensor<i64>
    {old_cast}
    {new_cast}
    %result = stablehlo.dynamic_update_slice %old{cast_of}, %new{cast_of}, %start
        : ({whole_bits}, {part_bits}, tensor<i64>) -> {whole_bits}
    {result_cast}
    return %result{cast_of} : {whole}
  }}
}}
",
        old_cast = cast("old", &whole, &whole_bits),
        new_cast = cast("new", &part, &part_bits),
        result_cast = cast("result", &whole_bits, &whole),
    )
}

/// The name of an element type in StableHLO, and that of the type it is updated
/// as.
fn stablehlo_types(element: ElementType) -> (&'static str, &'static str) {
    use ElementType::*;
    match element {
        Pred => ("i1", "i1"),
        C64 => ("complex<f32>", "complex<f32>"),
        C128 => ("complex<f64>", "complex<f64>"),
        S8 => ("i8", "ui8"),
        S16 => ("i16", "ui16"),
        S32 => ("i32", "ui32"),
        S64 => ("i64", "ui64"),
        U8 => ("ui8", "ui8"),
        U16 => ("ui16", "ui16"),
        U32 => ("ui32", "ui32"),
        U64 => ("ui64", "ui64"),
        F16 => ("f16", "ui16"),
        F32 => ("f32", "ui32"),
        F64 => ("f64", "ui64"),
        Bf16 => ("bf16", "ui16"),
        F8e5m2 => ("f8E5M2", "ui8"),
        F8e4m3fn => ("f8E4M3FN", "ui8"),
        F8e4m3b11fnuz => ("f8E4M3B11FNUZ", "ui8"),
        F8e5m2fnuz => ("f8E5M2FNUZ", "ui8"),
        F8e4m3fnuz => ("f8E4M3FNUZ", "ui8"),
        F8e4m3 => ("f8E4M3", "ui8"),
        F8e3m4 => ("f8E3M4", "ui8"),
        F8e8m0fnu => ("f8E8M0FNU", "ui8"),
    }
}
