//! The Internet checksum (RFC 1071) over leaves of an argument.
//!
//! The bits stand one behind the other from the upper end of the first 16-bit word on. A sum of words that is reduced modulo 2^16 - 1 does not
//! mind at which multiple of 16 bits a piece is added, so pieces of many bits are added at once and folded at the end.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use weir_ir::{ArgValue, ExprKind, ExternCall, HeaderId, Leaf, Meaning, Program, Type, VarId, VarRole};

use super::Emit;
use super::parse::Source;

/// Whether a checksum's arguments have the shapes that are summed up here.
pub(crate) fn is_plain(program: &Program, call: &ExternCall, meaning: &Meaning) -> bool {
    let value = |arg: usize| match call.args.get(arg).map(|arg| &arg.value) {
        Some(ArgValue::Leaves(leaves)) => match leaves.as_slice() {
            [Leaf::Value(value)] => Some(value.ty),
            _ => None,
        },
        Some(ArgValue::Vars { vars, .. }) => match vars.as_slice() {
            [var] => Some(program.vars[*var].ty),
            _ => None,
        },
        _ => None,
    };
    let summed = |arg: usize| match call.args.get(arg).map(|arg| &arg.value) {
        Some(ArgValue::Leaves(leaves)) => leaves
            .iter()
            .all(|leaf| matches!(leaf, Leaf::Value(value) if !matches!(value.ty, Type::Varbit { .. }))),
        _ => false,
    };
    let written = |arg: usize| match call.args.get(arg).map(|arg| &arg.value) {
        Some(ArgValue::Vars { vars, .. }) => {
            vars.iter().all(|var| matches!(program.vars[*var].role, VarRole::Plain | VarRole::Field(_)))
        }
        _ => false,
    };
    let word = |ty: Option<Type>| ty.is_some_and(|ty| !matches!(ty, Type::Varbit { .. }) && ty.width() == 16);
    match meaning {
        Meaning::VerifyChecksum { condition, data, given, .. } => {
            value(*condition).is_some_and(|ty| ty.width() == 1) && summed(*data) && word(value(*given))
        }
        Meaning::UpdateChecksum { condition, data, field } => {
            value(*condition).is_some_and(|ty| ty.width() == 1)
                && summed(*data)
                && word(value(*field))
                && written(*field)
        }
        _ => true,
    }
}

impl Emit<'_, '_, '_> {
    pub(super) fn verify_checksum(
        &mut self,
        call: &ExternCall,
        (condition, data, given): (usize, usize, usize),
        error: VarId,
    ) {
        let condition = self.argument_word(call, condition);
        self.when(condition, |emit| {
            let sum = emit.checksum(call, data);
            let given = emit.argument_word(call, given);
            let wrong = emit.compare(IntCC::NotEqual, sum, given);
            let (one, old) = (emit.k(1), emit.read_word(error));
            let new = emit.select(wrong, one, old);
            emit.set_cut(error, new);
        });
    }

    pub(super) fn update_checksum(
        &mut self,
        call: &ExternCall,
        (condition, data, field): (usize, usize, usize),
    ) {
        let condition = self.argument_word(call, condition);
        self.when(condition, |emit| {
            let sum = emit.checksum(call, data);
            if let ArgValue::Vars { vars, .. } = &call.args[field].value {
                emit.write(vars[0], &[sum]);
            }
        });
    }

    /// The only value of an argument.
    fn argument_word(&mut self, call: &ExternCall, arg: usize) -> Value {
        match &call.args[arg].value {
            ArgValue::Leaves(leaves) => match leaves.first() {
                Some(Leaf::Value(value)) => self.one(value),
                _ => self.k(0),
            },
            ArgValue::Vars { vars, .. } => self.read_word(vars[0]),
            ArgValue::Text(_) | ArgValue::Extern(_) => self.k(0),
        }
    }

    fn checksum(&mut self, call: &ExternCall, data: usize) -> Value {
        let ArgValue::Leaves(leaves) = &call.args[data].value else { return self.k(0xffff) };
        let mut sum = self.k(0);
        let (mut position, mut next) = (0u32, 0);
        while next < leaves.len() {
            if let Some((header, from, bits, count)) = self.unchanged_run(&leaves[next..]) {
                sum = self.add_packet_bytes(sum, header, (from, bits), position);
                (position, next) = (position + bits, next + count);
                continue;
            }
            if let Leaf::Value(value) = &leaves[next] {
                let width = value.ty.width();
                let words = self.eval(value);
                for (i, word) in words.into_iter().enumerate() {
                    let end = position + width - 64 * i as u32;
                    sum = self.add_piece(sum, word, (width - 64 * i as u32).min(64), end);
                }
                position += width;
            }
            next += 1;
        }
        for fold in [32, 16, 16, 16] {
            let (mask, shift) = (self.k((1 << fold) - 1), self.k(fold));
            let (low, high) = (self.b.ins().band(sum, mask), self.b.ins().ushr(sum, shift));
            sum = self.b.ins().iadd(low, high);
        }
        let ones = self.k(0xffff);
        self.b.ins().bxor(sum, ones)
    }

    /// Adds at most 64 bits that end at a bit of the data.
    fn add_piece(&mut self, sum: Value, value: Value, width: u32, end: u32) -> Value {
        let shift = (16 - end % 16) % 16;
        let up = |emit: &mut Self, value: Value| {
            if shift == 0 {
                return value;
            }
            let shift = emit.k(u64::from(shift));
            emit.b.ins().ishl(value, shift)
        };
        if width + shift <= 32 {
            let moved = up(self, value);
            return self.b.ins().iadd(sum, moved);
        }
        let (mask, down) = (self.k((1 << (32 - shift)) - 1), self.k(u64::from(32 - shift)));
        let low = self.b.ins().band(value, mask);
        let low = up(self, low);
        let high = self.b.ins().ushr(value, down);
        let sum = self.b.ins().iadd(sum, low);
        self.b.ins().iadd(sum, high)
    }

    /// How many of the leaves are fields of one header, one behind the other and unchanged since they were parsed, and take whole bytes of it: the header, the first
    /// bit there, the bits, the leaves. Fewer than two are none.
    fn unchanged_run(&self, leaves: &[Leaf]) -> Option<(HeaderId, u32, u32, usize)> {
        let program = self.unit.program;
        let field = |leaf: &Leaf| match leaf {
            Leaf::Value(value) => match value.kind {
                ExprKind::Var(var) => match program.vars[var].role {
                    VarRole::Field(header) => Some((var, header)),
                    _ => None,
                },
                _ => None,
            },
            Leaf::Header(_) => None,
        };
        let (first, header) = field(leaves.first()?)?;
        if !self.lies_unchanged(header) {
            return None;
        }
        let fields = &program.headers[header].fields;
        let index = fields.iter().position(|var| *var == first)?;
        let width = |var: &VarId| program.vars[*var].ty.width();
        let from: u32 = fields[..index].iter().map(width).sum();
        if !from.is_multiple_of(8) {
            return None;
        }
        let (mut bits, mut best) = (0, None);
        for (count, (var, leaf)) in fields[index..].iter().zip(leaves).enumerate() {
            if field(leaf) != Some((*var, header)) || self.is_written(*var) {
                break;
            }
            bits += width(var);
            if bits.is_multiple_of(8) && count > 0 {
                best = Some((header, from, bits, count + 1));
            }
        }
        best
    }

    /// Adds bits of a header that lies in the packet unchanged; an invalid one's are 0.
    fn add_packet_bytes(
        &mut self,
        mut sum: Value,
        header: HeaderId,
        (from, bits): (u32, u32),
        position: u32,
    ) -> Value {
        let (valid, place) = (self.is_valid(header), self.place(header));
        let bytes = self.bytes_of(header);
        let Source::Bytes { address, .. } = self.at_byte(place, header) else { return sum };
        let zeros = self.constant_address(vec![0; bytes.div_ceil(8) as usize]);
        let address = self.select(valid, address, zeros);
        let mut done = 0;
        while done < bits {
            let size = [64, 32, 16, 8].into_iter().find(|size| *size <= bits - done).unwrap_or(8);
            let word = self.read_word_at(Source::Bytes { address, bytes }, from + done, size);
            sum = self.add_piece(sum, word, size, position + done + size);
            done += size;
        }
        sum
    }
}
