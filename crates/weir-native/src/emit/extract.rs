//! Extracts and other parser statements (P4_16 spec, section 12.8).
//!
//! Every extract compares its whole length once with the rest of the packet; its reads stay within
//! that length.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use weir_ir::{Expr, HeaderId, HeaderRef, HeaderType, Place, Type};

use super::packet_reads::Source;
use super::{Emit, Packet};
use crate::abi::status;
use crate::analysis::type_of;
use crate::runtime;

/// A header that an extraction found in the packet.
struct FoundHeader {
    /// The position of the header's first bit.
    at: Value,
    /// The same position as a location (see `locations`), if all extracts begin at whole bytes.
    location: Value,
    source: Source,
    /// The length of the header's varbit in bits.
    varbit: Option<Value>,
    /// The words of the header's fields; none for a varbit.
    fields: Vec<Vec<Value>>,
}

impl Emit<'_, '_, '_> {
    /// Returns the position in the packet in bits.
    fn position(&mut self) -> Value {
        match self.position {
            Some(position) => self.b.use_var(position),
            None => self.iconst(0),
        }
    }

    fn move_to(&mut self, at: Value) {
        if let Some(position) = self.position {
            self.b.def_var(position, at);
        }
    }

    /// Returns the packet bytes to read at this position, after which the packet has at least
    /// `bytes` bytes.
    fn source(&mut self, at: Value, bytes: u32) -> Source {
        match self.packet {
            Some(Packet { address, .. }) if self.whole_extracts => {
                let offset = self.shift_right(at, 3);
                Source::Bytes { address: self.b.ins().iadd(address, offset), bytes }
            }
            _ => Source::Bits(at),
        }
    }

    /// Ends parsing if the packet has fewer bits left than wanted. Returns the position after the
    /// wanted bits.
    fn require(&mut self, at: Value, wanted: Value) -> Value {
        let end = self.plus(at, wanted);
        if let Some(Packet { bytes, bits, .. }) = self.packet {
            let short = match (self.as_const(end), self.as_const(wanted)) {
                (Some(end), _) => self.compare_const(IntCC::UnsignedLessThan, bytes, end.div_ceil(8)),
                (None, Some(_)) => self.compare(IntCC::UnsignedGreaterThan, end, bits),
                // The number of bits is any number at run time, and the sum may overflow. The
                // position never exceeds the packet's length.
                (None, None) => {
                    let left = self.minus(bits, at);
                    self.compare(IntCC::UnsignedGreaterThan, wanted, left)
                }
            };
            self.leave_if(short, self.error(self.unit.errors.packet_too_short));
        }
        end
    }

    /// Emits an extract. All checks come before the first write, in the order of the specification,
    /// so that an error leaves header, stack and position unchanged.
    pub(super) fn extract(&mut self, to: &HeaderRef, varbit_bits: Option<&Expr>) {
        let program = self.unit.program;
        let element = match to {
            HeaderRef::Header(_) => None,
            HeaderRef::Element(stack, index) => Some((*stack, self.eval_word(index))),
            HeaderRef::Next(stack) => Some((*stack, self.read_word(program.stacks[*stack].next_index))),
        };
        if let Some((stack, index)) = element {
            let size = program.stacks[stack].elements.len() as u64;
            let past = self.compare_const(IntCC::UnsignedGreaterThanOrEqual, index, size);
            self.leave_if(past, self.error(self.unit.errors.stack_out_of_bounds));
        }
        let layout = &program.header_types[type_of(program, to)];
        let fixed = layout.fixed_width();
        let varbit = varbit_bits.map(|bits| self.eval_word(bits));
        let mut total = self.iconst(u64::from(fixed));
        if let Some(varbit) = varbit {
            total = self.plus(total, varbit);
            let seven = self.iconst(7);
            let spare = self.b.ins().band(total, seven);
            self.leave_if(spare, self.error(self.unit.errors.parser_invalid_argument));
        }
        self.extracted = None;
        let start = self.position();
        let end = self.require(start, total);
        for field in &layout.fields {
            if let (Type::Varbit { max }, Some(varbit)) = (field.ty, varbit) {
                let over = self.compare_const(IntCC::UnsignedGreaterThan, varbit, u64::from(max));
                self.leave_if(over, self.error(self.unit.errors.header_too_short));
            }
        }
        let source = self.source(start, fixed.div_ceil(8));
        let extracted = FoundHeader {
            at: start,
            location: self.shift_right(start, 3),
            source,
            varbit,
            fields: self.read_fields(layout, source, start, varbit),
        };
        match (to, element) {
            (HeaderRef::Header(header), _) => self.fill(*header, &extracted),
            (_, Some((stack, index))) => {
                self.apply_to_element(stack, index, |emit, header| emit.fill(header, &extracted));
            }
            (_, None) => {}
        }
        self.move_to(end);
        if let (HeaderRef::Next(stack), Some((_, index))) = (to, element) {
            let one = self.iconst(1);
            let next = self.plus(index, one);
            self.set(program.stacks[*stack].next_index, &[next]);
            if varbit.is_none() {
                self.record_extracted(*stack, next, extracted.fields);
            }
        }
    }

    /// Reads the fields of a header, except varbits. The packet has all bits of the header.
    fn read_fields(
        &mut self,
        layout: &HeaderType,
        source: Source,
        at: Value,
        varbit: Option<Value>,
    ) -> Vec<Vec<Value>> {
        let (mut source, mut offset) = (source, 0);
        let mut fields = Vec::with_capacity(layout.fields.len());
        for field in &layout.fields {
            if let (Type::Varbit { .. }, Some(varbit)) = (field.ty, varbit) {
                // The following fields are further on by the varbit's length.
                source = Source::Bits(self.b.ins().iadd(at, varbit));
                fields.push(Vec::new());
                continue;
            }
            let width = field.ty.width();
            fields.push(self.read_words(source, offset, width));
            offset += width;
        }
        fields
    }

    /// Fills a header with the values that were found.
    fn fill(&mut self, header: HeaderId, found: &FoundHeader) {
        let program = self.unit.program;
        self.record_location(header, found.location);
        let parts = &program.headers[header];
        self.set_const(parts.valid, 1);
        if self.reads_lazily(header) {
            return self.set_fields_location(header, found.location);
        }
        let mut offset = 0;
        for ((field, var), words) in
            program.header_types[parts.ty].fields.iter().zip(&parts.fields).zip(&found.fields)
        {
            if let (Type::Varbit { max }, Some(varbit)) = (field.ty, found.varbit) {
                let to = self.varbit_address(*var);
                let before = self.iconst(u64::from(offset));
                let from = self.b.ins().iadd(found.at, before);
                let max = self.iconst(u64::from(max));
                let read = runtime::read_varbit as *const u8;
                self.call_runtime(read, &[self.context, to, from, varbit, max]);
                continue;
            }
            self.set(*var, words);
            self.record_origin(header, words, found.source, (offset, field.ty.width()));
            offset += field.ty.width();
        }
    }

    /// Emits code that reads the packet's next bits into a place without consuming them.
    pub(super) fn lookahead(&mut self, place: &Place) {
        let width = self.place_type(place).width();
        let start = self.position();
        let bits = self.iconst(u64::from(width));
        self.require(start, bits);
        let source = self.source(start, width.div_ceil(8));
        let words = self.read_words(source, 0, width);
        self.write_place(place, &words);
    }

    /// Emits code that skips bits of the packet.
    pub(super) fn advance(&mut self, bits: &Expr) {
        let bits = self.eval_word(bits);
        let seven = self.iconst(7);
        let spare = self.b.ins().band(bits, seven);
        self.leave_if(spare, self.error(self.unit.errors.parser_invalid_argument));
        let start = self.position();
        let end = self.require(start, bits);
        self.move_to(end);
    }

    /// Emits code for `verify`, which ends the parser with an error unless the condition holds.
    pub(super) fn verify(&mut self, condition: &Expr, error: &Expr) {
        let condition = self.eval_bool(condition);
        let (bad, on) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(condition, on, &[], bad, &[]);
        self.b.set_cold_block(bad);
        self.b.switch_to_block(bad);
        self.b.seal_block(bad);
        let error = self.eval_word(error);
        let base = self.iconst(status::PARSER_ERROR);
        let status = self.b.ins().iadd(base, error);
        self.b.ins().jump(self.epilogue, &[status.into()]);
        self.b.switch_to_block(on);
        self.b.seal_block(on);
    }
}
