//! Expressions.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I8;
use cranelift_codegen::ir::{InstBuilder, Value};
use weir_ir::{BinaryOp, Bits, Expr, ExprKind, Type, UnaryOp};

use super::Emit;
use super::words::word_count;
use crate::abi::Registers;
use crate::options::InjectedBug;
use crate::runtime;

impl Emit<'_, '_, '_> {
    /// Emits code for the value of an expression of at most 64 bits.
    pub(super) fn eval_word(&mut self, expr: &Expr) -> Value {
        match self.eval(expr).first() {
            Some(word) => *word,
            None => self.iconst(0),
        }
    }

    /// Emits the words of a constant.
    pub(super) fn constant(&mut self, value: &Bits) -> Vec<Value> {
        let mut words = vec![0; word_count(value.width())];
        value.write_words(&mut words);
        words.into_iter().map(|word| self.iconst(word)).collect()
    }

    /// Returns the words of an expression's value. The expression must not be a varbit.
    pub(super) fn eval(&mut self, expr: &Expr) -> Vec<Value> {
        let width = expr.ty.width();
        match &expr.kind {
            ExprKind::Const(value) => self.constant(value),
            ExprKind::Var(var) => self.read(*var),
            ExprKind::Indexed { vars, index } => {
                let index = self.eval_word(index);
                if let Some(words) = self.field_of_last(vars, index) {
                    return words;
                }
                self.read_indexed(vars, index)
            }
            ExprKind::Unary(op, operand) => match op {
                UnaryOp::Not => {
                    let truth = self.eval_bool(expr);
                    vec![self.word(truth)]
                }
                UnaryOp::BitNot => {
                    let words = self.eval(operand);
                    let mut out: Vec<_> = words.into_iter().map(|word| self.b.ins().bnot(word)).collect();
                    self.mask(&mut out, width);
                    out
                }
                UnaryOp::Neg => {
                    let words = self.eval(operand);
                    let zero = self.iconst(0);
                    self.sub(&vec![zero; words.len()], &words, width)
                }
            },
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr),
            ExprKind::Slice { operand, high, low } => {
                let words = self.eval(operand);
                let zero = self.iconst(0);
                self.slice_words(&words, zero, *low, high + 1 - low)
            }
            ExprKind::Cast(operand) => {
                let words = self.eval(operand);
                self.resize(&words, operand.ty.width(), operand.ty.is_signed(), width)
            }
            ExprKind::Mux(condition, then, otherwise) => {
                let condition = self.eval_bool(condition);
                let (then, otherwise) = (self.eval(then), self.eval(otherwise));
                let both = then.into_iter().zip(otherwise);
                both.map(|(then, otherwise)| self.select(condition, then, otherwise)).collect()
            }
            ExprKind::PacketLength => {
                let bytes = match self.packet {
                    Some(packet) => packet.bytes,
                    None => self.load_context(Registers::PACKET_BYTES),
                };
                let mut words = vec![bytes];
                self.mask(&mut words, 32);
                words
            }
        }
    }

    /// Emits code for the truth value of an expression, in any integer type.
    pub(super) fn eval_bool(&mut self, expr: &Expr) -> Value {
        use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let truth = self.truth_bit(operand);
                self.not(truth)
            }
            ExprKind::Binary(And, left, right) => {
                let left = self.truth_bit(left);
                if self.as_const(left) == Some(0) {
                    return left;
                }
                let right = self.truth_bit(right);
                self.and(left, right)
            }
            ExprKind::Binary(Or, left, right) => {
                let left = self.truth_bit(left);
                if self.as_const(left) == Some(1) {
                    return left;
                }
                let right = self.truth_bit(right);
                self.or(left, right)
            }
            ExprKind::Binary(op @ (Eq | Ne), left, right) => {
                let same = if matches!(left.ty, Type::Varbit { .. }) {
                    let max = self.iconst(u64::from(left.ty.width()));
                    let (left, right) = (self.varbit(left), self.varbit(right));
                    let same =
                        self.call_runtime_for_word(runtime::same_varbit as *const u8, &[left, right, max]);
                    self.compare_const(IntCC::NotEqual, same, 0)
                } else {
                    let (left, right) = (self.eval(left), self.eval(right));
                    self.same(&left, &right)
                };
                if *op == Eq { same } else { self.not(same) }
            }
            ExprKind::Binary(op @ (Lt | Le | Gt | Ge), left, right) => {
                let signed = left.ty.is_signed() && !self.has_bug(InjectedBug::UnsignedComparison);
                let width = left.ty.width();
                let (left, right) = (self.eval(left), self.eval(right));
                match op {
                    Lt => self.less_than(&left, &right, width, signed),
                    Gt => self.less_than(&right, &left, width, signed),
                    Le => {
                        let more = self.less_than(&right, &left, width, signed);
                        self.not(more)
                    }
                    _ => {
                        let less = self.less_than(&left, &right, width, signed);
                        self.not(less)
                    }
                }
            }
            _ => self.eval_word(expr),
        }
    }

    fn truth_bit(&mut self, expr: &Expr) -> Value {
        let truth = self.eval_bool(expr);
        if self.b.func.dfg.value_type(truth) == I8 {
            return truth;
        }
        match self.as_const(truth) {
            Some(truth) => self.bool_const(truth != 0),
            None => self.b.ins().ireduce(I8, truth),
        }
    }

    /// Emits code for an operation on two operands, of any width.
    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, whole: &Expr) -> Vec<Value> {
        use BinaryOp::{
            Add, And, BitAnd, BitOr, BitXor, Concat, Div, Eq, Ge, Gt, Le, Lt, Mod, Mul, Ne, Or, SatAdd,
            SatSub, Shl, Shr, Sub,
        };
        if matches!(op, Eq | Ne | Lt | Le | Gt | Ge | And | Or) {
            let truth = self.eval_bool(whole);
            return vec![self.word(truth)];
        }
        let (width, signed) = (left.ty.width(), left.ty.is_signed());
        if let (Shl | Shr, ExprKind::Const(by)) = (op, &right.kind) {
            let by = by.to_u64().map_or(width, |by| by.min(u64::from(width)) as u32);
            let words = self.eval(left);
            return self.shift_by_constant(op, &words, by, width, signed);
        }
        let (a, b) = (self.eval(left), self.eval(right));
        match op {
            Add => self.add(&a, &b, width),
            Sub => self.sub(&a, &b, width),
            Mul => self.mul(&a, &b, width),
            BitAnd | BitOr | BitXor => a
                .into_iter()
                .zip(b)
                .map(|(a, b)| match op {
                    BitAnd => self.b.ins().band(a, b),
                    BitOr => self.b.ins().bor(a, b),
                    _ => self.b.ins().bxor(a, b),
                })
                .collect(),
            Concat => {
                let low = right.ty.width();
                let total = width + low;
                let mut shifted = self.shift_up(&a, low, total);
                for (shifted, b) in shifted.iter_mut().zip(b) {
                    *shifted = self.b.ins().bor(*shifted, b);
                }
                shifted
            }
            Shl | Shr if a.len() == 1 => {
                let by = self.shift_amount(&b);
                vec![self.shift_word(op, a[0], by, width, signed)]
            }
            Div | Mod | SatAdd | SatSub if a.len() == 1 => {
                vec![self.binary_word(op, a[0], b[0], width, signed)]
            }
            _ if a.is_empty() => a,
            _ => self.compute_by_runtime(op, &a, &b, (width, right.ty.width()), signed),
        }
    }

    fn shift_by_constant(
        &mut self,
        op: BinaryOp,
        words: &[Value],
        by: u32,
        width: u32,
        signed: bool,
    ) -> Vec<Value> {
        if op == BinaryOp::Shl {
            return self.shift_up(words, by, width);
        }
        let (words, fill) =
            if signed { self.sign_extend(words, width) } else { (words.to_vec(), self.iconst(0)) };
        // The fill consists of sign bits, so copies of the sign are shifted in from above.
        self.slice_words(&words, fill, by, width)
    }

    /// Emits code for the amount of a shift as one word: all ones if it does not fit.
    fn shift_amount(&mut self, words: &[Value]) -> Value {
        let Some((low, high)) = words.split_first() else { return self.iconst(0) };
        if high.is_empty() {
            return *low;
        }
        let mut more = high[0];
        for word in &high[1..] {
            more = self.b.ins().bor(more, *word);
        }
        let most = self.iconst(u64::MAX);
        self.b.ins().select(more, most, *low)
    }

    /// Emits code for a shift of one word.
    fn shift_word(&mut self, op: BinaryOp, a: Value, by: Value, width: u32, signed: bool) -> Value {
        if op == BinaryOp::Shr && signed {
            let a = self.sign_extend(&[a], width).0[0];
            let most = self.iconst(63);
            let by = self.b.ins().umin(by, most);
            let mut out = [self.b.ins().sshr(a, by)];
            self.mask(&mut out, width);
            return out[0];
        }
        let mut out = [if op == BinaryOp::Shl { self.b.ins().ishl(a, by) } else { self.b.ins().ushr(a, by) }];
        self.mask(&mut out, width);
        let within = self.compare_const(IntCC::UnsignedLessThan, by, u64::from(width));
        let zero = self.iconst(0);
        self.b.ins().select(within, out[0], zero)
    }

    /// Emits code for division and saturating operators of one word.
    fn binary_word(&mut self, op: BinaryOp, a: Value, b: Value, width: u32, signed: bool) -> Value {
        let zero = self.iconst(0);
        if matches!(op, BinaryOp::Div | BinaryOp::Mod) {
            let one = self.iconst(1);
            let divisor = self.b.ins().select(b, b, one);
            let value = if op == BinaryOp::Div {
                self.b.ins().udiv(a, divisor)
            } else {
                self.b.ins().urem(a, divisor)
            };
            return self.b.ins().select(b, value, zero);
        }
        let adds = op == BinaryOp::SatAdd;
        if !signed {
            let max = self.iconst(u64::MAX >> (64 - width));
            if !adds {
                let rest = self.b.ins().isub(a, b);
                let under = self.compare(IntCC::UnsignedLessThan, a, b);
                return self.b.ins().select(under, zero, rest);
            }
            let sum = self.b.ins().iadd(a, b);
            let over = if width == 64 {
                self.compare(IntCC::UnsignedLessThan, sum, a)
            } else {
                self.compare(IntCC::UnsignedGreaterThan, sum, max)
            };
            return self.b.ins().select(over, max, sum);
        }
        let (a, b) = (self.sign_extend(&[a], width).0[0], self.sign_extend(&[b], width).0[0]);
        let sum = if adds { self.b.ins().iadd(a, b) } else { self.b.ins().isub(a, b) };
        let mut out = [if width == 64 {
            // The sum overflows if its sign contradicts the operands' signs.
            let (x, y) = (
                self.b.ins().bxor(a, sum),
                self.b.ins().bxor(if adds { b } else { a }, if adds { sum } else { b }),
            );
            let both = self.b.ins().band(x, y);
            let over = self.compare(IntCC::SignedLessThan, both, zero);
            let (all, most) = (self.iconst(63), self.iconst(i64::MAX as u64));
            let sign = self.b.ins().sshr(a, all);
            let limit = self.b.ins().bxor(sign, most);
            self.b.ins().select(over, limit, sum)
        } else {
            let most = self.iconst((1 << (width - 1)) - 1);
            let least = self.b.ins().bnot(most);
            let sum = self.b.ins().smin(sum, most);
            self.b.ins().smax(sum, least)
        }];
        self.mask(&mut out, width);
        out[0]
    }

    /// Emits code for the address of a varbit expression's value.
    pub(super) fn varbit(&mut self, expr: &Expr) -> Value {
        match &expr.kind {
            ExprKind::Var(var) => self.varbit_address(*var),
            ExprKind::Const(value) => {
                let mut words = vec![0; 1 + word_count(expr.ty.width())];
                words[0] = u64::from(value.width());
                value.write_words(&mut words[1..]);
                self.constant_address(words)
            }
            ExprKind::Indexed { vars, index } => {
                let index = self.eval_word(index);
                let empty = self.constant_address(vec![0; 1 + word_count(expr.ty.width())]);
                if let Some(stride) = self.row_stride(vars) {
                    let (within, index) = self.clamp_index(index, vars.len());
                    let address =
                        self.with_displaced(&vars[..1], (index, stride), |emit| emit.varbit_address(vars[0]));
                    return self.select(within, address, empty);
                }
                let mut picked = empty;
                for (i, var) in vars.iter().enumerate() {
                    let here = self.compare_const(IntCC::Equal, index, i as u64);
                    let address = self.varbit_address(*var);
                    picked = self.b.ins().select(here, address, picked);
                }
                picked
            }
            ExprKind::Mux(condition, then, otherwise) => {
                let condition = self.eval_bool(condition);
                let (then, otherwise) = (self.varbit(then), self.varbit(otherwise));
                self.b.ins().select(condition, then, otherwise)
            }
            // Other expressions are not varbits.
            _ => self.constant_address(vec![0; 1 + word_count(expr.ty.width())]),
        }
    }

    /// Emits code for the address of constant words, which live as long as the code.
    pub(super) fn constant_address(&mut self, words: Vec<u64>) -> Value {
        let address = self.output.constant(words.into_boxed_slice());
        self.iconst(address)
    }
}
