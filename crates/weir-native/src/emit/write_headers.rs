//! Writes the headers at the end of a pipeline.
//!
//! If every emitted header is already at its final place, only fields that may have changed are
//! written. Otherwise, the parsed bytes are saved, and each header is assembled: from the saved
//! bytes if it comes from the packet, otherwise from its fields.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use cranelift_frontend::Variable;
use weir_ir::{Block, HeaderId, HeaderRef, Program, Stmt, StmtKind};

use super::Emit;
use super::element_runs::{ElementRun, EmittedPart};
use super::held_values::HeldValues;
use super::locations::NO_LOCATION;
use super::packet_reads::integer;
use crate::abi::status::end;
use crate::options::InjectedBug;
use crate::runtime;

/// A header in the packet, at the place at which it will be written.
#[derive(Clone, Copy)]
struct LocatedHeader {
    valid: Value,
    location: Value,
    /// The header's final place.
    at: Value,
}

/// The first bit, the width and the words of a field.
type PlacedField = (u32, u32, Vec<Value>);

impl Emit<'_, '_, '_> {
    /// Returns the statements before the first `emit`, and the emitted headers. `None` unless a
    /// block reaches its first `emit` always, and from there on only emits known headers of whole
    /// bytes.
    pub(super) fn emitted_headers<'b>(&self, body: &'b Block) -> Option<(&'b [Stmt], Vec<HeaderId>)> {
        let is_emit = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Emit(_));
        let first = body.0.iter().position(is_emit).unwrap_or(body.0.len());
        let (before, emits) = body.0.split_at(first);
        if before.iter().any(|stmt| emits_or_ends(self.unit.program, &stmt.kind, 0)) {
            return None;
        }
        let headers = emits.iter().map(|stmt| match &stmt.kind {
            StmtKind::Emit(HeaderRef::Header(header)) => self.is_whole(*header).then_some(*header),
            _ => None,
        });
        Some((before, headers.collect::<Option<Vec<_>>>()?))
    }

    /// Returns whether a header has a constant length in whole bytes.
    pub(super) fn is_whole(&self, header: HeaderId) -> bool {
        let program = self.unit.program;
        let ty = &program.header_types[program.headers[header].ty];
        let varbit = ty.fields.iter().any(|field| matches!(field.ty, weir_ir::Type::Varbit { .. }));
        !varbit && ty.fixed_width().is_multiple_of(8)
    }

    /// Writes the valid headers among these before the payload. `held` are the values before the
    /// deparser. A packet without room for its headers leaves the pipeline with these values.
    pub(super) fn write_headers(&mut self, headers: &[HeaderId], held: &HeldValues) {
        let consumed = self.consumed_bytes();
        let mut total = self.iconst(0);
        // Whether a header is not at its final place.
        let mut moved: Option<Value> = None;
        let emitted = self.with_runs(headers);
        let mut lengths = Vec::with_capacity(emitted.len());
        for one in &emitted {
            let (valid, length, is_placed) = match one {
                EmittedPart::One(header) => {
                    let (valid, length) = self.emitted_length(*header);
                    (valid, length, self.has_location(*header))
                }
                EmittedPart::Run(run) => {
                    let (count, length) = self.valid_elements(run);
                    let is_valid = self.compare_const(IntCC::NotEqual, count, 0);
                    (self.word(is_valid), length, false)
                }
            };
            total = self.plus(total, length);
            lengths.push(length);
            if !is_placed {
                moved = Some(moved.map_or(valid, |before| self.or(before, valid)));
            }
        }
        if !matches!((self.as_const(total), self.as_const(consumed)), (Some(total), Some(consumed)) if total <= consumed)
        {
            let room = self.headroom();
            let most = self.plus(room, consumed);
            let over = self.compare(IntCC::UnsignedGreaterThan, total, most);
            let stage = self.scope.as_ref().map_or(0, |scope| scope.stage as u64);
            self.leave_pipeline_with(over, end::NO_ROOM | stage << end::SHIFT, |emit| {
                emit.restore(held);
                emit.keep_state();
            });
        }
        let start = self.minus(consumed, total);
        self.set_packet_start(start);
        // The headers in the packet, with their validity, their location, and their final place.
        let mut position = start;
        let mut located = vec![None; emitted.len()];
        let is_placed =
            |one: &EmittedPart| matches!(one, EmittedPart::One(header) if self.has_location(*header));
        let last = emitted.iter().rposition(is_placed).map_or(0, |last| last + 1);
        for ((one, located), length) in emitted[..last].iter().zip(&mut located).zip(lengths) {
            let length = match one {
                // Computed again, it need not wait in a register.
                EmittedPart::One(header) => {
                    let (valid, length) = self.emitted_length(*header);
                    if self.has_location(*header) {
                        let location = self.location(*header);
                        let differs = self.compare(IntCC::NotEqual, location, position);
                        let differs = self.word(differs);
                        let differs = self.and(differs, valid);
                        moved = Some(moved.map_or(differs, |before| self.or(before, differs)));
                        *located = Some(LocatedHeader { valid, location, at: position });
                    }
                    length
                }
                EmittedPart::Run(_) => length,
            };
            position = self.plus(position, length);
        }
        let Some(moved) = moved else { return };
        self.branch(
            moved,
            |emit| {
                emit.assemble_headers(&emitted, start, &located);
                true
            },
            |emit| {
                for (one, located) in emitted.iter().zip(&located) {
                    let (EmittedPart::One(header), Some(LocatedHeader { valid, at: position, .. })) =
                        (one, located)
                    else {
                        continue;
                    };
                    let changed = emit.changed_fields(*header);
                    if !changed.is_empty() {
                        emit.if_true(*valid, |emit| {
                            let to = emit.packet_at(*position);
                            emit.store_fields(&changed, to);
                        });
                    }
                }
                true
            },
        );
    }

    /// Emits code for a header's validity and the number of bytes that are written for it.
    pub(super) fn emitted_length(&mut self, header: HeaderId) -> (Value, Value) {
        let (valid, bytes) = (self.is_valid(header), self.bytes_of(header));
        (valid, self.times(valid, u64::from(bytes)))
    }

    fn packet_at(&mut self, at: Value) -> Value {
        let zero = self.iconst(0);
        let packet = self.packet.map_or(zero, |packet| packet.address);
        self.b.ins().iadd(packet, at)
    }

    /// Assembles headers from the start of the packet on.
    ///
    /// The places of headers that are not in the packet are not computed in advance: with many such
    /// headers, all these values would have to be kept until they are used.
    fn assemble_headers(&mut self, emitted: &[EmittedPart], start: Value, located: &[Option<LocatedHeader>]) {
        // Fields that are read lazily are read before their header's place is overwritten.
        let changed: Vec<_> = emitted
            .iter()
            .zip(located)
            .map(|(one, located)| match (one, located) {
                (EmittedPart::One(header), Some(_)) => self.changed_fields(*header),
                _ => Vec::new(),
            })
            .collect();
        let saved = self.call_runtime_for_word(runtime::save_headers as *const u8, &[self.context]);
        // The place is a variable, which the branches pass on. If the places were computed again at
        // each use, the time would grow with the square of the number of headers.
        let next = self.b.declare_var(I64);
        self.b.def_var(next, start);
        for ((one, located), changed) in emitted.iter().zip(located).zip(&changed) {
            let header = match one {
                EmittedPart::One(header) => header,
                EmittedPart::Run(run) => {
                    self.assemble_elements(run, next);
                    continue;
                }
            };
            let LocatedHeader { valid, location, at } = match *located {
                Some(located) => located,
                None => LocatedHeader {
                    valid: self.is_valid(*header),
                    location: self.iconst(NO_LOCATION),
                    at: self.b.use_var(next),
                },
            };
            self.if_true(valid, |emit| {
                let to = emit.packet_at(at);
                let bytes = emit.iconst(u64::from(emit.bytes_of(*header)));
                let end = emit.plus(at, bytes);
                emit.b.def_var(next, end);
                let copied = |emit: &mut Self| {
                    let from = emit.b.ins().iadd(saved, location);
                    emit.copy_bytes(to, from, emit.bytes_of(*header));
                    emit.store_fields(changed, to);
                    true
                };
                let write = |emit: &mut Self| {
                    // The header's fields are not in the packet either.
                    let no_location = emit.iconst(NO_LOCATION);
                    emit.set_fields_location(*header, no_location);
                    emit.store_header(*header, to);
                    true
                };
                if emit.is_unchanged_in_packet(*header) {
                    copied(emit);
                } else if emit.has_location(*header) {
                    let is_nowhere = emit.compare_const(IntCC::Equal, location, NO_LOCATION);
                    emit.branch(is_nowhere, write, copied);
                } else {
                    write(emit);
                }
            });
        }
    }

    /// Assembles the elements of a run, beginning at the place in the variable `next`.
    fn assemble_elements(&mut self, run: &ElementRun, next: Variable) {
        self.for_each_element(run, |emit, header| {
            let valid = emit.is_valid(header);
            emit.if_true(valid, |emit| {
                let position = emit.b.use_var(next);
                let (to, bytes) = (emit.packet_at(position), emit.iconst(u64::from(emit.bytes_of(header))));
                emit.store_header(header, to);
                let end = emit.plus(position, bytes);
                emit.b.def_var(next, end);
            });
        });
    }

    fn changed_fields(&mut self, header: HeaderId) -> Vec<PlacedField> {
        let program = self.unit.program;
        let mut changed = Vec::new();
        let location = self.location(header);
        if let Some(source) = self.fields_location(header)
            && self.b.func.dfg.resolve_aliases(source) == self.b.func.dfg.resolve_aliases(location)
        {
            return changed;
        }
        let mut first = 0;
        for var in &program.headers[header].fields {
            let width = program.vars[*var].ty.width();
            if self.is_written(*var) {
                let words = self.read(*var);
                if !self.is_in_packet_at(&words, header, (first, width)) {
                    changed.push((first, width, words));
                }
            }
            first += width;
        }
        if self.has_bug(InjectedBug::ForgottenField) {
            changed.pop();
        }
        changed
    }

    /// Writes fields of the header at an address. Other bits keep their values.
    fn store_fields(&mut self, fields: &[PlacedField], to: Value) {
        let mut rest = fields;
        while let Some((first, _, _)) = rest.first() {
            let (start, mut end, mut count) = (*first, *first, 0);
            while let Some((first, width, _)) = rest.get(count)
                && *first == end
            {
                (end, count) = (first + width, count + 1);
            }
            self.store_run(&rest[..count], (start, end), to);
            rest = &rest[count..];
        }
    }

    fn store_run(&mut self, fields: &[PlacedField], (start, end): (u32, u32), to: Value) {
        let mut byte = start / 8;
        while 8 * byte < end {
            let from = 8 * byte;
            let partial = from < start || from + 8 > end;
            let size = if partial {
                1
            } else {
                [8, 4, 2, 1].into_iter().find(|size| from + 8 * size <= end).unwrap_or(1)
            };
            let mut word = self.join_fields(fields, from, 8 * size);
            if partial {
                let old = self.b.ins().load(I8, MemFlagsData::trusted(), to, byte as i32);
                let old = self.b.ins().uextend(I64, old);
                let covered = |bit: u32| (start..end).contains(&(from + bit));
                let mask_of_kept_bits =
                    (0..8).filter(|bit| !covered(*bit)).fold(0, |mask, bit| mask | 0x80 >> bit);
                let mask_of_kept_bits = self.iconst(mask_of_kept_bits);
                let old = self.b.ins().band(old, mask_of_kept_bits);
                word = self.b.ins().bor(word, old);
            }
            self.store_bytes(word, size, to, byte);
            byte += size;
        }
    }

    /// Copies bytes between memory that does not overlap.
    fn copy_bytes(&mut self, to: Value, from: Value, bytes: u32) {
        let mut offset = 0;
        while offset < bytes {
            let left = bytes - offset;
            let size = [8, 4, 2, 1].into_iter().find(|size| *size <= left).unwrap_or(1);
            // The last word overlaps the word before it.
            let (size, start) = if left < 8 && bytes >= 8 { (8, bytes - 8) } else { (size, offset) };
            let ty = integer(size);
            let word = self.b.ins().load(ty, MemFlagsData::trusted(), from, start as i32);
            self.b.ins().store(MemFlagsData::trusted(), word, to, start as i32);
            offset = start + size;
        }
    }
}

/// The maximum depth of calls whose code is searched for `emit`.
const MAX_DEPTH: usize = 4;

/// Returns whether a statement inside so many calls contains an `emit`, or may leave the control.
fn emits_or_ends(program: &Program, kind: &StmtKind, depth: usize) -> bool {
    let any_stmt = |block: &Block| block.0.iter().any(|stmt| emits_or_ends(program, &stmt.kind, depth));
    match kind {
        StmtKind::Emit(_) | StmtKind::Exit => true,
        // It only ends the called code.
        StmtKind::Return => depth == 0,
        StmtKind::If { then, otherwise, .. } => any_stmt(then) || any_stmt(otherwise),
        StmtKind::Switch { cases, default, .. } => {
            cases.iter().any(|(_, block)| any_stmt(block)) || any_stmt(default)
        }
        StmtKind::Loop { body, step, .. } => any_stmt(body) || any_stmt(step),
        StmtKind::Call(id) if depth < MAX_DEPTH => {
            let called = &program.procedures[*id].body;
            called.0.iter().any(|stmt| emits_or_ends(program, &stmt.kind, depth + 1))
        }
        // The called code may emit.
        StmtKind::Call(_) | StmtKind::CallAction(_) | StmtKind::Apply { .. } => true,
        _ => false,
    }
}
