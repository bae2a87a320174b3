//! The Internet checksum (RFC 1071) of an argument's leaves.
//!
//! The bits are concatenated from the most significant bit of the first 16-bit word on. In a sum
//! modulo 2^16 - 1, it does not matter at which multiple of 16 bits a piece is added. So pieces of
//! many bits are added at once, and the sum is folded at the end. Byte order does not matter either
//! (RFC 1071, section 2B): the sum of words in memory order is the sum with its two bytes swapped.
//! Bytes of the packet are added that way, in words of 32 bits.
//!
//! Fields that no statement writes come first. If a program verifies and updates a header's
//! checksum, both calls use the same sum of these fields. The update then adds only fields that may
//! have changed (the aim of RFC 1624). The result is the same as that of the whole sum for every
//! packet.

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I16, I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value, ValueDef};
use weir_exec::SumStep;
use weir_ir::{ArgValue, Expr, ExprKind, ExternCall, HeaderId, Leaf, VarId, VarRole};

use super::Emit;
use super::locations::NO_LOCATION;
use super::origin::Bits;
use super::packet_reads::{Source, load_long};
use crate::options::InjectedBug;

/// A partial sum, and its largest possible value.
#[derive(Clone, Copy)]
struct Sum {
    value: Value,
    most: u64,
}

/// A piece of a checksum's data that is added at once.
enum Piece<'a> {
    /// Bits of a header in the packet.
    Packet {
        header: BytesAt,
        from: u32,
        bits: u32,
    },
    Leaf(&'a weir_ir::Expr),
}

/// The address of a header whose bytes are added.
#[derive(Clone, Copy)]
enum BytesAt {
    /// The header and bits from which an earlier instruction read this value.
    Read(Value, Bits),
    /// The header's location, if it was extracted; otherwise its bits are 0.
    Now(HeaderId),
}

impl Emit<'_, '_, '_> {
    pub(super) fn verify_checksum(
        &mut self,
        call: &ExternCall,
        (condition, data, expected): (usize, usize, usize),
        error: VarId,
    ) {
        let condition = self.argument_word(call, condition);
        self.if_true(condition, |emit| {
            let sum = emit.folded_sum(call, data);
            let expected = emit.argument_word(call, expected);
            let expected = emit.swap_bytes(expected);
            // The sum and the given checksum must add to all ones.
            let all = emit.plus(sum, expected);
            let is_wrong = emit.compare_const(IntCC::NotEqual, all, 0xffff);
            let (one, old) = (emit.iconst(1), emit.read_word(error));
            let new = emit.select(is_wrong, one, old);
            emit.set_cut(error, new);
        });
    }

    pub(super) fn update_checksum(
        &mut self,
        call: &ExternCall,
        (condition, data, field): (usize, usize, usize),
    ) {
        let condition = self.argument_word(call, condition);
        self.if_true(condition, |emit| {
            let sum = emit.checksum_of(call, data);
            if let ArgValue::Vars { vars, .. } = &call.args[field].value {
                emit.write(vars[0], &[sum]);
            }
        });
    }

    /// Emits code that sets the result of a call to the checksum of an argument.
    pub(super) fn checksum(&mut self, call: &ExternCall, data: usize) {
        let Some(result) = call.result.first() else { return };
        let checksum = self.checksum_of(call, data);
        self.write(*result, &[checksum]);
    }

    /// Emits code for the checksum of an argument.
    fn checksum_of(&mut self, call: &ExternCall, data: usize) -> Value {
        let (sum, ones) = (self.folded_sum(call, data), self.iconst(0xffff));
        let checksum = self.b.ins().bxor(sum, ones);
        self.swap_bytes(checksum)
    }

    /// Emits a step of a ones' complement sum.
    pub(super) fn sum_step(&mut self, call: &ExternCall, sum: VarId, step: SumStep) {
        match step {
            SumStep::Clear => self.set_const(sum, 0),
            SumStep::Add(data) => {
                let added = self.folded_sum(call, data);
                let added = self.swap_bytes(added);
                let before = self.read_word(sum);
                let mut after = added;
                if self.as_const(before) != Some(0) {
                    let (both, ones) = (self.plus(before, added), self.iconst(0xffff));
                    let (low, carry) = (self.and(both, ones), self.shift_right(both, 16));
                    after = self.plus(low, carry);
                }
                self.set(sum, &[after]);
            }
            SumStep::Set(value) => {
                let value = self.argument_word(call, value);
                self.set(sum, &[value]);
            }
            SumStep::Get { complement } => {
                let Some(result) = call.result.first() else { return };
                let (mut value, ones) = (self.read_word(sum), self.iconst(0xffff));
                if complement {
                    value = self.b.ins().bxor(value, ones);
                }
                self.expect_right(value);
                self.write(*result, &[value]);
            }
            SumStep::IsWrong => {
                let Some(result) = call.result.first() else { return };
                let is_wrong = if self.predicts_keys() {
                    // Key prediction assumes that checksums are right.
                    self.iconst(0)
                } else {
                    let sum = self.read_word(sum);
                    let is_wrong = self.compare_const(IntCC::NotEqual, sum, 0xffff);
                    self.word(is_wrong)
                };
                self.write(*result, &[is_wrong]);
            }
        }
    }

    /// Emits code for the value of an argument that consists of one value.
    pub(super) fn argument_word(&mut self, call: &ExternCall, arg: usize) -> Value {
        match &call.args[arg].value {
            ArgValue::Leaves(leaves) => match leaves.first() {
                Some(Leaf::Value(value)) => self.eval_word(value),
                _ => self.iconst(0),
            },
            ArgValue::Vars { vars, .. } => self.read_word(vars[0]),
            ArgValue::Text(_) | ArgValue::Extern(_) => self.iconst(0),
        }
    }

    /// Emits code for the 16-bit sum of an argument's bits, with its bytes in memory order.
    fn folded_sum(&mut self, call: &ExternCall, data: usize) -> Value {
        match &call.args[data].value {
            ArgValue::Leaves(leaves) => self.folded_sum_of(leaves),
            _ => self.iconst(0),
        }
    }

    /// Returns the values of a header's fields.
    fn fields_of(&self, header: HeaderId) -> impl Iterator<Item = Leaf> {
        let program = self.unit.program;
        let fields = program.headers[header].fields.iter();
        fields.map(|field| Leaf::Value(Expr { kind: ExprKind::Var(*field), ty: program.vars[*field].ty }))
    }

    /// Emits code for the 16-bit sum of leaves, with its bytes in memory order.
    fn folded_sum_of(&mut self, leaves: &[Leaf]) -> Value {
        let zero = self.iconst(0);
        // The fields of valid headers are values like all others.
        let mut values = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            match leaf {
                Leaf::Header(header) => {
                    let valid = self.is_valid(*header);
                    match self.as_const(valid) {
                        Some(0) => {}
                        Some(_) => values.extend(self.fields_of(*header)),
                        None => values.push(leaf.clone()),
                    }
                }
                Leaf::Value(_) => values.push(leaf.clone()),
            }
        }
        let leaves = values.as_slice();
        // The sums of headers that may be invalid.
        let mut sums_of_headers = Vec::new();
        let (mut kept, mut written) = (Vec::new(), Vec::new());
        let (mut position, mut next) = (0u32, 0);
        while next < leaves.len() {
            let (piece, bits, count, stays) = match self.run_of_fields(&leaves[next..], position) {
                Some((header, from, bits, count)) => {
                    let stays = leaves[next..next + count].iter().all(|leaf| !self.may_change(leaf));
                    (Piece::Packet { header, from, bits }, bits, count, stays)
                }
                None => match &leaves[next] {
                    Leaf::Value(value) => (Piece::Leaf(value), value.ty.width(), 1, false),
                    // These headers begin and end at whole words, so that their bits do not move
                    // those of later leaves.
                    Leaf::Header(header) => {
                        let fields: Vec<_> = self.fields_of(*header).collect();
                        let (valid, sum) = (self.is_valid(*header), self.folded_sum_of(&fields));
                        sums_of_headers.push(self.select(valid, sum, zero));
                        next += 1;
                        continue;
                    }
                },
            };
            if stays { &mut kept } else { &mut written }.push((piece, position));
            (position, next) = (position + bits, next + count);
        }
        let mut sum = Sum { value: zero, most: 0 };
        // Pieces that are not whole bytes are added as numbers.
        let mut numbers = Sum { value: zero, most: 0 };
        for (piece, position) in kept.into_iter().chain(written) {
            match piece {
                Piece::Packet { header, from, bits } => {
                    sum = self.add_bytes(sum, header, (from, bits), position);
                }
                Piece::Leaf(value) => {
                    let width = value.ty.width();
                    let words = self.eval(value);
                    for (i, word) in words.into_iter().enumerate() {
                        let end = position + width - 64 * i as u32;
                        let width = (width - 64 * i as u32).min(64);
                        if width == 8 && end.is_multiple_of(8) {
                            // A single byte needs no swap.
                            let up = if end.is_multiple_of(16) { 8 } else { 0 };
                            sum = self.add_up(sum, word, 8, up);
                        } else {
                            numbers = self.add_number(numbers, word, width, end);
                        }
                    }
                }
            }
        }
        if numbers.most > 0 {
            let low = self.fold_to_32(numbers);
            let low = self.b.ins().ireduce(I32, low.value);
            let low = self.b.ins().bswap(low);
            let value = self.b.ins().uextend(I64, low);
            sum = self.add_up(sum, value, 32, 0);
        }
        for of_header in sums_of_headers {
            sum = self.add_up(sum, of_header, 16, 0);
        }
        let sum = self.fold_to_32(sum);
        let most = if self.has_bug(InjectedBug::LostCarry) { 2 * 0xffff } else { 0xffff };
        if sum.most <= most {
            return sum.value;
        }
        // Adds both halves: the upper half of the sum with its rotated value contains the result
        // with the carry from the lower half.
        let low = self.b.ins().ireduce(I32, sum.value);
        let turned = {
            let half = self.iconst(16);
            self.b.ins().rotl(low, half)
        };
        let both = self.b.ins().iadd(low, turned);
        let both = self.b.ins().uextend(I64, both);
        self.shift_right(both, 16)
    }

    /// Reduces a sum modulo 2^16 - 1 to at most 32 bits. The result is 0 only if the sum was 0.
    fn fold_to_32(&mut self, sum: Sum) -> Sum {
        if sum.most <= u64::from(u32::MAX) {
            return sum;
        }
        let turned = {
            let half = self.iconst(32);
            self.b.ins().rotl(sum.value, half)
        };
        let both = self.b.ins().iadd(sum.value, turned);
        Sum { value: self.shift_right(both, 32), most: u64::from(u32::MAX) }
    }

    /// Swaps the bytes of a 16-bit number.
    fn swap_bytes(&mut self, value: Value) -> Value {
        if let Some(number) = self.as_const(value) {
            return self.iconst(u64::from((number as u16).swap_bytes()));
        }
        let raw = match self.value_before_swap(value) {
            Some(raw) if self.b.func.dfg.value_type(raw) == I16 => raw,
            _ => {
                let low = self.b.ins().ireduce(I16, value);
                self.b.ins().bswap(low)
            }
        };
        self.b.ins().uextend(I64, raw)
    }

    /// Emits code that adds a number, shifted left, to a partial sum.
    fn add_up(&mut self, sum: Sum, value: Value, width: u32, up: u32) -> Sum {
        let sum = if sum.most > u64::MAX >> 1 { self.fold_to_32(sum) } else { sum };
        let moved = if up == 0 {
            value
        } else {
            let up = self.iconst(u64::from(up));
            self.b.ins().ishl(value, up)
        };
        Sum { value: self.plus(sum.value, moved), most: sum.most + ((1 << (width + up)) - 1) }
    }

    /// Adds a number of at most 64 bits that ends at a bit of the data.
    fn add_number(&mut self, sum: Sum, value: Value, width: u32, end: u32) -> Sum {
        let shift = (16 - end % 16) % 16;
        if width + shift <= 32 {
            return self.add_up(sum, value, width, shift);
        }
        let mask = self.iconst((1 << (32 - shift)) - 1);
        let low = self.b.ins().band(value, mask);
        let high = self.shift_right(value, u64::from(32 - shift));
        let sum = self.add_up(sum, low, 32 - shift, shift);
        self.add_up(sum, high, width + shift - 32, 0)
    }

    /// Returns whether a leaf is not a field, or a field that some statement writes.
    fn may_change(&self, leaf: &Leaf) -> bool {
        !matches!(leaf, Leaf::Value(value) if matches!(value.kind, ExprKind::Var(var) if !self.is_written(var)))
    }

    /// Finds the leaves at the start of `leaves` that are adjacent in the packet and take whole
    /// bytes there. Returns the header's address, the first bit, the number of bits, and the number
    /// of leaves. A run contains either only leaves that some statement writes or only leaves that
    /// no statement writes, so that the sum of the latter can be used twice.
    fn run_of_fields(&mut self, leaves: &[Leaf], position: u32) -> Option<(BytesAt, u32, u32, usize)> {
        let first = self.field_in_packet(leaves.first()?)?;
        let stays = !self.may_change(&leaves[0]);
        let (header, from, _) = first;
        if !from.is_multiple_of(8) || !position.is_multiple_of(8) {
            return None;
        }
        let (mut bits, mut best) = (0, None);
        for (count, leaf) in leaves.iter().enumerate() {
            let Some((here, at, width)) = self.field_in_packet(leaf) else { break };
            let same = match (header, here) {
                (BytesAt::Read(_, a), BytesAt::Read(_, b)) => a.address == b.address,
                (BytesAt::Now(a), BytesAt::Now(b)) => a == b,
                _ => false,
            };
            if !same || at != from + bits || stays == self.may_change(leaf) {
                break;
            }
            bits += width;
            if bits.is_multiple_of(8) {
                best = Some((header, from, bits, count + 1));
            }
        }
        best
    }

    /// Returns the bits of the packet that contain a leaf: the header, the first bit in the header,
    /// and the number of bits.
    fn field_in_packet(&mut self, leaf: &Leaf) -> Option<(BytesAt, u32, u32)> {
        let program = self.unit.program;
        let Leaf::Value(value) = leaf else { return None };
        let ExprKind::Var(var) = value.kind else { return None };
        if let [word] = self.read(var).as_slice()
            && let Some(bits) = self.packet_bits(*word)
            && bits.width == value.ty.width()
        {
            return Some((BytesAt::Read(*word, bits), bits.first, bits.width));
        }
        let VarRole::Field(header) = program.vars[var].role else { return None };
        if !self.is_unchanged_in_packet(header)
            || self.is_written(var) && !self.has_bug(InjectedBug::StaleChecksum)
        {
            return None;
        }
        let fields = program.headers[header].fields.iter().take_while(|field| **field != var);
        let first = fields.map(|field| program.vars[*field].ty.width()).sum();
        Some((BytesAt::Now(header), first, value.ty.width()))
    }

    /// Adds bytes of a header, in memory order, that are at a bit of the data.
    fn add_bytes(&mut self, mut sum: Sum, header: BytesAt, (from, bits): (u32, u32), position: u32) -> Sum {
        let address = match header {
            BytesAt::Read(_, bits) => bits.address,
            BytesAt::Now(header) => {
                let (valid, place) = (self.is_valid(header), self.location(header));
                let bytes = self.bytes_of(header);
                let Source::Bytes { address, .. } = self.packet_bytes_of_header(place, header) else {
                    return sum;
                };
                let is_extracted = match self.as_const(valid) {
                    // The header is valid, so it was extracted.
                    Some(1) => valid,
                    _ => self.compare_const(IntCC::NotEqual, place, NO_LOCATION),
                };
                let zeros = self.constant_address(vec![0; bytes.div_ceil(8) as usize]);
                self.select(is_extracted, address, zeros)
            }
        };
        let (mut byte, end) = (from / 8, (from + bits) / 8);
        let odd = |byte: u32| (position / 8 + byte - from / 8) % 2 == 1;
        while byte < end {
            let size =
                if odd(byte) { 1 } else { [4, 2, 1].into_iter().find(|n| *n <= end - byte).unwrap_or(1) };
            let word = self.raw_word(header, address, byte, size);
            sum = self.add_up(sum, word, 8 * size, if odd(byte) { 8 } else { 0 });
            byte += size;
        }
        sum
    }

    /// Loads bytes in memory order. If a field was read from these bytes, the load is placed next
    /// to that read, so that its result can be used wherever the field can.
    fn raw_word(&mut self, header: BytesAt, address: Value, byte: u32, size: u32) -> Value {
        let dfg = &self.b.func.dfg;
        let read = match header {
            BytesAt::Read(value, _) => match dfg.value_def(dfg.resolve_aliases(value)) {
                ValueDef::Result(inst, _) => Some(inst),
                _ => None,
            },
            BytesAt::Now(_) => None,
        };
        let Some(inst) = read else {
            return load_long(self.b.ins(), size, address, byte);
        };
        let key = (address, byte, size);
        if let Some(word) = self.raw_words.get(&key) {
            return *word;
        }
        let mut cursor = FuncCursor::new(self.b.func).after_inst(inst);
        let word = load_long(cursor.ins(), size, address, byte);
        self.raw_words.insert(key, word);
        word
    }
}
