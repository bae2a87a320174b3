//! Operations on values of any width, as sequences of words.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use weir_ir::BinaryOp;

use super::{Emit, word_offset};
use crate::options::InjectedBug;
use crate::runtime;

/// Returns the number of words of a width.
pub(super) fn word_count(width: u32) -> usize {
    width.div_ceil(64) as usize
}

impl Emit<'_, '_, '_> {
    /// Clears the bits above the width.
    pub(super) fn mask(&mut self, words: &mut [Value], width: u32) {
        let spare = if self.has_bug(InjectedBug::OffByOneWidth) { (width + 1) % 64 } else { width % 64 };
        if let Some(top) = words.last_mut()
            && spare != 0
        {
            let ones = (1 << spare) - 1;
            *top = match self.as_const(*top) {
                Some(known) => self.iconst(known & ones),
                None => {
                    let ones = self.iconst(ones);
                    self.b.ins().band(*top, ones)
                }
            };
        }
    }

    /// Sign-extends the highest word. Also returns the word that would follow.
    pub(super) fn sign_extend(&mut self, words: &[Value], width: u32) -> (Vec<Value>, Value) {
        let mut words = words.to_vec();
        let Some(top) = words.last_mut() else {
            let zero = self.iconst(0);
            return (words, zero);
        };
        if !width.is_multiple_of(64) {
            let spare = self.iconst(u64::from(64 - width % 64));
            let up = self.b.ins().ishl(*top, spare);
            *top = self.b.ins().sshr(up, spare);
        }
        let all = self.iconst(63);
        let fill = self.b.ins().sshr(*top, all);
        (words, fill)
    }

    /// Emits code that truncates or extends a value.
    pub(super) fn resize(&mut self, words: &[Value], from: u32, signed: bool, to: u32) -> Vec<Value> {
        let (mut words, fill) = if signed && to > from {
            self.sign_extend(words, from)
        } else {
            (words.to_vec(), self.iconst(0))
        };
        words.resize(word_count(to), fill);
        if to < from || signed && to > from {
            self.mask(&mut words, to);
        }
        words
    }

    /// Returns the `width` bits from the bit `low` on. Words above the highest word count as
    /// `fill`.
    pub(super) fn slice_words(&mut self, words: &[Value], fill: Value, low: u32, width: u32) -> Vec<Value> {
        let (skip, shift) = ((low / 64) as usize, u64::from(low % 64));
        let mut slice = Vec::with_capacity(word_count(width));
        for i in 0..word_count(width) {
            let word = words.get(skip + i).copied().unwrap_or(fill);
            if shift == 0 {
                slice.push(word);
                continue;
            }
            let down = self.iconst(shift);
            let mut value = self.b.ins().ushr(word, down);
            // The next word matters only if the wanted bits reach into it.
            let wanted = (width - 64 * i as u32).min(64);
            if shift + u64::from(wanted) > 64 {
                let next = words.get(skip + i + 1).copied().unwrap_or(fill);
                let up = self.iconst(64 - shift);
                let high = self.b.ins().ishl(next, up);
                value = self.b.ins().bor(value, high);
            }
            slice.push(value);
        }
        self.mask(&mut slice, width);
        slice
    }

    /// Shifts left by a constant, to a result that may have another width.
    pub(super) fn shift_up(&mut self, words: &[Value], by: u32, width: u32) -> Vec<Value> {
        let (skip, shift) = ((by / 64) as usize, u64::from(by % 64));
        let zero = self.iconst(0);
        let mut shifted = Vec::with_capacity(word_count(width));
        for i in 0..word_count(width) {
            let word_at = |i: usize| i.checked_sub(skip).and_then(|i| words.get(i)).copied();
            let (word, below) = (word_at(i), i.checked_sub(1).and_then(word_at));
            let mut value = word.unwrap_or(zero);
            if shift != 0 {
                let up = self.iconst(shift);
                value = self.b.ins().ishl(value, up);
                if let Some(below) = below {
                    let down = self.iconst(64 - shift);
                    let low = self.b.ins().ushr(below, down);
                    value = self.b.ins().bor(value, low);
                }
            }
            shifted.push(value);
        }
        self.mask(&mut shifted, width);
        shifted
    }

    /// Emits the addition of two values in words.
    pub(super) fn add(&mut self, a: &[Value], b: &[Value], width: u32) -> Vec<Value> {
        let over = |emit: &mut Self, a, _, sum| emit.compare(IntCC::UnsignedLessThan, sum, a);
        self.with_carry(a, b, width, |emit, a, b| emit.b.ins().iadd(a, b), over)
    }

    /// Emits the subtraction of two values in words.
    pub(super) fn sub(&mut self, a: &[Value], b: &[Value], width: u32) -> Vec<Value> {
        let under = |emit: &mut Self, a, b, _| emit.compare(IntCC::UnsignedLessThan, a, b);
        self.with_carry(a, b, width, |emit, a, b| emit.b.ins().isub(a, b), under)
    }

    /// Applies an operation word by word. `carries` says, for two operands and their result,
    /// whether a bit is carried into the next word, to which the operation is applied as well.
    fn with_carry(
        &mut self,
        a: &[Value],
        b: &[Value],
        width: u32,
        operation: impl Fn(&mut Self, Value, Value) -> Value,
        carries: impl Fn(&mut Self, Value, Value, Value) -> Value,
    ) -> Vec<Value> {
        let mut carry: Option<Value> = None;
        let mut results = Vec::with_capacity(a.len());
        for (i, (a, b)) in a.iter().zip(b).enumerate() {
            let is_last = i + 1 == word_count(width);
            let mut result = operation(self, *a, *b);
            let mut over = (!is_last).then(|| carries(self, *a, *b, result));
            if let Some(carry) = carry {
                let carry = self.word(carry);
                let with = operation(self, result, carry);
                if let Some(first) = over {
                    let second = carries(self, result, carry, with);
                    over = Some(self.b.ins().bor(first, second));
                }
                result = with;
            }
            carry = over;
            results.push(result);
        }
        self.mask(&mut results, width);
        results
    }

    /// Emits the multiplication of two values in words.
    pub(super) fn mul(&mut self, a: &[Value], b: &[Value], width: u32) -> Vec<Value> {
        let mut product = match (a, b) {
            ([], _) | (_, []) => return Vec::new(),
            ([a], [b]) => vec![self.b.ins().imul(*a, *b)],
            ([a0, a1], [b0, b1]) => {
                let low = self.b.ins().imul(*a0, *b0);
                let high = self.b.ins().umulhi(*a0, *b0);
                let cross = self.b.ins().imul(*a0, *b1);
                let high = self.b.ins().iadd(high, cross);
                let cross = self.b.ins().imul(*a1, *b0);
                vec![low, self.b.ins().iadd(high, cross)]
            }
            _ => return self.compute_by_runtime(BinaryOp::Mul, a, b, (width, width), false),
        };
        self.mask(&mut product, width);
        product
    }

    /// Emits code that tells whether two values are equal.
    pub(super) fn same(&mut self, a: &[Value], b: &[Value]) -> Value {
        if let ([a], [b]) = (a, b) {
            return self.compare(IntCC::Equal, *a, *b);
        }
        let mut difference = self.iconst(0);
        for (a, b) in a.iter().zip(b) {
            let here = self.b.ins().bxor(*a, *b);
            difference = self.b.ins().bor(difference, here);
        }
        self.compare_const(IntCC::Equal, difference, 0)
    }

    /// Emits code that tells whether `a < b`.
    pub(super) fn less_than(&mut self, a: &[Value], b: &[Value], width: u32, signed: bool) -> Value {
        if a.is_empty() {
            return self.b.ins().iconst(I8, 0);
        }
        let (a, b) = if signed {
            (self.sign_extend(a, width).0, self.sign_extend(b, width).0)
        } else {
            (a.to_vec(), b.to_vec())
        };
        let mut less: Option<Value> = None;
        for (i, (a, b)) in a.iter().zip(&b).enumerate() {
            let top = i + 1 == word_count(width);
            let how = if top && signed { IntCC::SignedLessThan } else { IntCC::UnsignedLessThan };
            let here = self.compare(how, *a, *b);
            less = Some(match less {
                None => here,
                Some(below) => {
                    let same = self.compare(IntCC::Equal, *a, *b);
                    let decided = self.b.ins().band(same, below);
                    self.b.ins().bor(here, decided)
                }
            });
        }
        less.unwrap_or(a[0])
    }

    /// Emits a call of the runtime function for an operator. `widths` are the widths of the
    /// operands.
    pub(super) fn compute_by_runtime(
        &mut self,
        op: BinaryOp,
        a: &[Value],
        b: &[Value],
        widths: (u32, u32),
        signed: bool,
    ) -> Vec<Value> {
        let code = runtime::OPERATORS.iter().position(|known| *known == op).unwrap_or(0) as u64;
        let spec = code | u64::from(signed) << 8 | u64::from(widths.0) << 16 | u64::from(widths.1) << 32;
        let both: Vec<Value> = a.iter().chain(b).copied().collect();
        self.reserve(both.len() + a.len());
        let first = self.store_arguments(&both);
        let (second, result, spec) =
            (self.scratch_at(a.len()), self.scratch_at(both.len()), self.iconst(spec));
        self.call_runtime(runtime::binary as *const u8, &[result, first, second, spec]);
        (0..a.len())
            .map(|i| self.b.ins().load(I64, MemFlagsData::trusted(), result, word_offset(i)))
            .collect()
    }
}
