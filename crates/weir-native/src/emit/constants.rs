//! Operations that compute with constants at compile time. On most paths through a parser it is
//! known which headers are valid and where they are; code that depends on that is not emitted.

use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{InstBuilder, InstructionData, Opcode, Value, ValueDef};

use super::Emit;

impl Emit<'_, '_, '_> {
    /// Returns the number of a value that is a constant.
    pub(super) fn as_const(&self, value: Value) -> Option<u64> {
        let dfg = &self.b.func.dfg;
        let value = dfg.resolve_aliases(value);
        let ValueDef::Result(inst, _) = dfg.value_def(value) else { return None };
        match dfg.insts[inst] {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => {
                let mask = if dfg.value_type(value) == I8 { 0xff } else { u64::MAX };
                Some(imm.bits() as u64 & mask)
            }
            _ => None,
        }
    }

    pub(super) fn bool_const(&mut self, truth: bool) -> Value {
        self.typed_const(I8, u64::from(truth))
    }

    /// Emits a comparison, folded if both operands are constant.
    pub(super) fn compare(&mut self, how: IntCC, a: Value, b: Value) -> Value {
        if let (Some(a), Some(b)) = (self.as_const(a), self.as_const(b)) {
            let (a_signed, b_signed) = (a as i64, b as i64);
            return self.bool_const(match how {
                IntCC::Equal => a == b,
                IntCC::NotEqual => a != b,
                IntCC::UnsignedLessThan => a < b,
                IntCC::UnsignedGreaterThan => a > b,
                IntCC::UnsignedLessThanOrEqual => a <= b,
                IntCC::UnsignedGreaterThanOrEqual => a >= b,
                IntCC::SignedLessThan => a_signed < b_signed,
                IntCC::SignedGreaterThan => a_signed > b_signed,
                IntCC::SignedLessThanOrEqual => a_signed <= b_signed,
                IntCC::SignedGreaterThanOrEqual => a_signed >= b_signed,
            });
        }
        if matches!(how, IntCC::Equal | IntCC::NotEqual)
            && let (Some(raw), Some(number)) = (self.value_before_swap(a), self.as_const(b))
        {
            let ty = self.b.func.dfg.value_type(raw);
            let spare = 64 - ty.bits();
            if number << spare >> spare != number {
                return self.bool_const(how == IntCC::NotEqual);
            }
            let swapped = self.typed_const(ty, number.swap_bytes() >> spare);
            return self.b.ins().icmp(how, raw, swapped);
        }
        self.b.ins().icmp(how, a, b)
    }

    /// Returns the value before its bytes were swapped, in the width that was read, for a number
    /// that was read from whole bytes.
    pub(super) fn value_before_swap(&self, value: Value) -> Option<Value> {
        let dfg = &self.b.func.dfg;
        let operand = |value: Value, of: Opcode| match dfg.value_def(dfg.resolve_aliases(value)) {
            ValueDef::Result(inst, _) => match dfg.insts[inst] {
                InstructionData::Unary { opcode, arg } if opcode == of => Some(arg),
                _ => None,
            },
            _ => None,
        };
        let whole = operand(value, Opcode::Uextend).unwrap_or(value);
        let raw = operand(whole, Opcode::Bswap)?;
        matches!(dfg.value_type(raw), I16 | I32 | I64).then_some(raw)
    }

    pub(super) fn compare_const(&mut self, how: IntCC, a: Value, b: u64) -> Value {
        let b = self.iconst(b);
        self.compare(how, a, b)
    }

    /// Converts a truth value to a 64-bit word.
    pub(super) fn word(&mut self, truth: Value) -> Value {
        if self.b.func.dfg.value_type(truth) != I8 {
            return truth;
        }
        match self.as_const(truth) {
            Some(truth) => self.iconst(truth),
            None => self.b.ins().uextend(I64, truth),
        }
    }

    /// Emits code that selects one of two values.
    pub(super) fn select(&mut self, truth: Value, yes: Value, no: Value) -> Value {
        match self.as_const(truth) {
            Some(0) => no,
            Some(_) => yes,
            None if yes == no => yes,
            None => self.b.ins().select(truth, yes, no),
        }
    }

    /// Emits a bitwise and, folded as far as an operand is constant.
    pub(super) fn and(&mut self, a: Value, b: Value) -> Value {
        match (self.as_const(a), self.as_const(b)) {
            (Some(0), _) => a,
            (_, Some(0)) => b,
            (Some(x), Some(y)) => self.constant_like(a, x & y),
            _ => self.b.ins().band(a, b),
        }
    }

    /// Emits a bitwise or, folded as far as an operand is constant.
    pub(super) fn or(&mut self, a: Value, b: Value) -> Value {
        match (self.as_const(a), self.as_const(b)) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(x), Some(y)) => self.constant_like(a, x | y),
            _ => self.b.ins().bor(a, b),
        }
    }

    /// Emits an addition, folded as far as an operand is constant.
    pub(super) fn plus(&mut self, a: Value, b: Value) -> Value {
        match (self.as_const(a), self.as_const(b)) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(a), Some(b)) => self.iconst(a.wrapping_add(b)),
            _ => self.b.ins().iadd(a, b),
        }
    }

    /// Emits a subtraction, folded as far as an operand is constant.
    pub(super) fn minus(&mut self, a: Value, b: Value) -> Value {
        match (self.as_const(a), self.as_const(b)) {
            (_, Some(0)) => a,
            (Some(a), Some(b)) => self.iconst(a.wrapping_sub(b)),
            _ => self.b.ins().isub(a, b),
        }
    }

    /// Emits a multiplication by a constant.
    pub(super) fn times(&mut self, a: Value, by: u64) -> Value {
        match self.as_const(a) {
            Some(a) => self.iconst(a.wrapping_mul(by)),
            None => {
                let by = self.iconst(by);
                self.b.ins().imul(a, by)
            }
        }
    }

    /// Emits code that shifts a word right by fewer than 64 bits.
    pub(super) fn shift_right(&mut self, a: Value, by: u64) -> Value {
        if let Some(a) = self.as_const(a) {
            return self.iconst(a >> by);
        }
        let by = self.iconst(by);
        self.b.ins().ushr(a, by)
    }

    fn constant_like(&mut self, like: Value, value: u64) -> Value {
        if self.b.func.dfg.value_type(like) == I8 { self.typed_const(I8, value) } else { self.iconst(value) }
    }

    /// Emits the negation of a truth value.
    pub(super) fn not(&mut self, truth: Value) -> Value {
        if let Some(truth) = self.as_const(truth) {
            return self.bool_const(truth == 0);
        }
        // This inverts the comparison instead of its result.
        let dfg = &self.b.func.dfg;
        if let ValueDef::Result(inst, _) = dfg.value_def(dfg.resolve_aliases(truth))
            && let InstructionData::IntCompare { args, cond, .. } = dfg.insts[inst]
        {
            return self.b.ins().icmp(cond.complement(), args[0], args[1]);
        }
        let one = self.bool_const(true);
        self.b.ins().bxor(truth, one)
    }
}
