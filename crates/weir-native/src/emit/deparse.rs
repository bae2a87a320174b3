//! Emits headers: fields are joined to words, most significant bit first, and stored.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use weir_ir::HeaderId;

use super::Emit;
use super::packet_reads::integer;
use super::words::word_count;
use crate::abi::Registers;
use crate::runtime;

/// The number of bytes of a header whose fields are read before they are stored. Values occupy
/// registers until they are stored, and the time to allocate registers grows with the square of the
/// number of such values.
const READ_AHEAD: u32 = 512;

impl Emit<'_, '_, '_> {
    /// Emits code that appends a header to the output if it is valid.
    pub(super) fn emit_header(&mut self, header: HeaderId) {
        let valid = self.is_valid(header);
        self.if_true(valid, |emit| {
            if emit.whole_emits {
                emit.emit_bytes(header);
            } else {
                emit.emit_bits(header);
            }
        });
    }

    /// Emits code that appends the fields of a header one by one, at any bit.
    fn emit_bits(&mut self, header: HeaderId) {
        let program = self.unit.program;
        for var in &program.headers[header].fields {
            if self.is_varbit(*var) {
                let address = self.varbit_address(*var);
                let max = self.iconst(u64::from(program.vars[*var].ty.width()));
                self.call_runtime(runtime::push_varbit as *const u8, &[self.context, address, max]);
                continue;
            }
            let width = program.vars[*var].ty.width();
            let words = self.read(*var);
            for (i, word) in words.into_iter().enumerate().rev() {
                let bits = self.iconst(u64::from((width - 64 * i as u32).min(64)));
                self.call_runtime(runtime::push_bits as *const u8, &[self.context, word, bits]);
            }
        }
    }

    /// Appends a header of whole bytes at a whole byte.
    fn emit_bytes(&mut self, header: HeaderId) {
        let program = self.unit.program;
        let fields = &program.headers[header].fields;
        let total: u32 = fields.iter().map(|var| program.vars[*var].ty.width()).sum();
        let start = self.load_context(Registers::OUT_BITS);
        let bits = self.iconst(u64::from(total));
        let end = self.b.ins().iadd(start, bits);
        let capacity = self.load_context(Registers::OUT_CAPACITY);
        let full = self.compare(IntCC::UnsignedGreaterThan, end, capacity);
        self.if_true(full, |emit| {
            emit.call_runtime(runtime::grow as *const u8, &[emit.context, bits]);
        });
        let out = self.load_context(Registers::OUT);
        let three = self.iconst(3);
        let offset = self.b.ins().ushr(start, three);
        let address = self.b.ins().iadd(out, offset);

        self.store_header(header, address);
        self.store_context(Registers::OUT_BITS, end);
    }

    /// Writes a header of whole bytes to an address.
    pub(super) fn store_header(&mut self, header: HeaderId, address: Value) {
        let program = self.unit.program;
        let fields = &program.headers[header].fields;
        let mut total = 0;
        // For every field, its first bit, its width and its variable.
        let mut unread = Vec::with_capacity(fields.len());
        for var in fields {
            let width = program.vars[*var].ty.width();
            unread.push((total, width, *var));
            total += width;
        }
        let mut unread = unread.into_iter().peekable();
        // For every field that is not completely stored yet: its first bit, its width and its
        // words.
        let mut placed = Vec::new();
        for begin in (0..total / 8).step_by(READ_AHEAD as usize) {
            let end = (begin + READ_AHEAD).min(total / 8);
            placed.retain(|(first, width, _)| first + width > 8 * begin);
            while let Some((first, width, var)) = unread.next_if(|(first, ..)| *first < 8 * end) {
                placed.push((first, width, self.read(var)));
            }
            let mut byte = begin;
            while byte < end {
                let size = [8, 4, 2, 1].into_iter().find(|size| byte + size <= end).unwrap_or(1);
                let word = self.join_fields(&placed, 8 * byte, 8 * size);
                self.store_bytes(word, size, address, byte);
                byte += size;
            }
        }
    }

    /// Emits code that joins `width` bits of the header, from bit `from` on, to a number.
    pub(super) fn join_fields(&mut self, placed: &[(u32, u32, Vec<Value>)], from: u32, width: u32) -> Value {
        let end = from + width;
        let mut joined: Option<Value> = None;
        for (first, bits, words) in placed {
            let (low, high) = (from.max(*first), end.min(first + bits));
            if low >= high {
                continue;
            }
            let zero = self.iconst(0);
            let part = if high - low == *bits && word_count(*bits) == 1 {
                words[0]
            } else if low == *first && word_count(*bits) == 1 {
                // The bits above are 0.
                self.shift_right(words[0], u64::from(first + bits - high))
            } else {
                self.slice_words(words, zero, first + bits - high, high - low)[0]
            };
            let up = self.iconst(u64::from(end - high));
            let part = if end == high { part } else { self.b.ins().ishl(part, up) };
            joined = Some(match joined {
                None => part,
                Some(before) => self.b.ins().bor(before, part),
            });
        }
        match joined {
            Some(joined) => joined,
            None => self.iconst(0),
        }
    }

    pub(super) fn store_bytes(&mut self, word: Value, size: u32, address: Value, at: u32) {
        let ty = integer(size);
        let mut value = if ty == I64 { word } else { self.b.ins().ireduce(ty, word) };
        if ty != I8 {
            value = self.b.ins().bswap(value);
        }
        self.b.ins().store(MemFlagsData::new().with_notrap(), value, address, at as i32);
    }
}
