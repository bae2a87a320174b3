//! Values with some known bits, and expressions over them.

use weir_ir::{BinaryOp, Bits, Expr, ExprKind, Keyset, VarId, eval};

/// The knowledge of the analysis about a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bit {
    Known(bool),
    /// The bit is unknown, but the same in a frame and in all its segments.
    Same,
    /// The bit differs between a frame and its segments, or between a partial and a complete
    /// checksum.
    Differs,
}

/// A value's bits, the most significant first.
pub(super) type Value = Vec<Bit>;

/// Returns whether any bit differs.
pub(super) fn any_differs(value: &[Bit]) -> bool {
    value.contains(&Bit::Differs)
}

pub(super) fn of_bits(bits: &Bits) -> Value {
    (0..bits.width()).rev().map(|index| Bit::Known(bits.bit(index))).collect()
}

/// Returns the value if all its bits are known.
pub(super) fn known_value(value: &[Bit]) -> Option<Bits> {
    let mut bytes = vec![0_u8; value.len().div_ceil(8)];
    let padding = bytes.len() * 8 - value.len();
    for (index, bit) in value.iter().enumerate() {
        let Bit::Known(bit) = bit else { return None };
        let position = padding + index;
        bytes[position / 8] |= u8::from(*bit) << (7 - position % 8);
    }
    Some(Bits::from_be_bytes(value.len() as u32, &bytes))
}

/// Returns a value of `width` unknown bits. All bits differ if `any_differs` is set.
fn unknown(width: u32, any_differs: bool) -> Value {
    vec![if any_differs { Bit::Differs } else { Bit::Same }; width as usize]
}

/// Evaluates an expression, given the values of variables. `length` is a bit of the packet length.
pub(super) fn evaluate(expr: &Expr, length: Bit, var: &mut dyn FnMut(VarId) -> Value) -> Value {
    let width = expr.ty.width();
    match &expr.kind {
        ExprKind::Const(bits) => of_bits(bits),
        ExprKind::Var(id) => var(*id),
        ExprKind::PacketLength => vec![length; width as usize],
        ExprKind::Indexed { vars, index } => {
            let index = evaluate(index, length, var);
            match known_value(&index).and_then(|index| vars.get(index.to_u64()? as usize)) {
                Some(chosen) => var(*chosen),
                None => unknown(width, any_differs(&index) || vars.iter().any(|id| any_differs(&var(*id)))),
            }
        }
        ExprKind::Slice { operand, high, low } => {
            let operand = evaluate(operand, length, var);
            let end = operand.len() - *low as usize;
            operand[end - (high - low + 1) as usize..end].to_vec()
        }
        ExprKind::Binary(BinaryOp::Concat, left, right) => {
            let mut value = evaluate(left, length, var);
            value.extend(evaluate(right, length, var));
            value
        }
        ExprKind::Cast(operand) => {
            let value = evaluate(operand, length, var);
            if let Some(bits) = known_value(&value) {
                return of_bits(&eval::cast(&bits, operand.ty, expr.ty));
            }
            let width = width as usize;
            if value.len() >= width {
                return value[value.len() - width..].to_vec();
            }
            let sign = value.first().copied().filter(|_| operand.ty.is_signed());
            let fill = sign.unwrap_or(Bit::Known(false));
            let mut wide = vec![fill; width - value.len()];
            wide.extend(value);
            wide
        }
        ExprKind::Unary(op, operand) => {
            let value = evaluate(operand, length, var);
            known_value(&value)
                .map_or_else(|| unknown(width, any_differs(&value)), |bits| of_bits(&op.apply(&bits)))
        }
        ExprKind::Binary(op, left, right) => {
            let (a, b) = (evaluate(left, length, var), evaluate(right, length, var));
            match (op, known_value(&a), known_value(&b)) {
                (_, Some(known_a), Some(known_b)) => {
                    of_bits(&op.apply(&known_a, &known_b, left.ty.is_signed()))
                }
                (BinaryOp::BitAnd | BinaryOp::And, _, _) => a.iter().zip(&b).map(and).collect(),
                _ => unknown(width, any_differs(&a) || any_differs(&b)),
            }
        }
        ExprKind::Mux(condition, then, otherwise) => {
            let condition = evaluate(condition, length, var);
            let (a, b) = (evaluate(then, length, var), evaluate(otherwise, length, var));
            match condition[0] {
                Bit::Known(true) => a,
                Bit::Known(false) => b,
                bit => unknown(width, bit == Bit::Differs || any_differs(&a) || any_differs(&b)),
            }
        }
    }
}

/// Combines the knowledge about two bits to the knowledge about their conjunction.
fn and((a, b): (&Bit, &Bit)) -> Bit {
    match (a, b) {
        (Bit::Known(false), _) | (_, Bit::Known(false)) => Bit::Known(false),
        (Bit::Known(true), other) | (other, Bit::Known(true)) => *other,
        (Bit::Differs, _) | (_, Bit::Differs) => Bit::Differs,
        (Bit::Same, Bit::Same) => Bit::Same,
    }
}

/// The answer to the question whether a keyset contains a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Matches {
    Yes,
    /// The result depends on bits that are the same in all segments.
    Maybe,
    /// The result depends on bits that differ.
    Differs,
    No,
}

impl Matches {
    /// Returns whether all of several keysets contain their values.
    pub(super) fn all(parts: impl Iterator<Item = Self>) -> Self {
        parts.max().unwrap_or(Self::Yes)
    }

    pub(super) fn compare(keyset: &Keyset, value: &[Bit], signed: bool) -> Self {
        let unknown = || if any_differs(value) { Self::Differs } else { Self::Maybe };
        match keyset {
            Keyset::Any => Self::Yes,
            Keyset::Value(wanted) => Self::bits(value, wanted, &Bits::ones(wanted.width())),
            Keyset::Mask(wanted, mask) => Self::bits(value, wanted, mask),
            Keyset::Range(low, high) => known_value(value).map_or_else(unknown, |bits| {
                let is_in = bits.compare(low, signed).is_ge() && bits.compare(high, signed).is_le();
                if is_in { Self::Yes } else { Self::No }
            }),
            Keyset::Set(_) => unknown(),
        }
    }

    fn bits(value: &[Bit], wanted: &Bits, mask: &Bits) -> Self {
        let width = value.len() as u32;
        Self::all(value.iter().enumerate().map(|(position, bit)| {
            let index = width - 1 - position as u32;
            match bit {
                _ if !mask.bit(index) => Self::Yes,
                Bit::Known(bit) if *bit == wanted.bit(index) => Self::Yes,
                Bit::Known(_) => Self::No,
                Bit::Same => Self::Maybe,
                Bit::Differs => Self::Differs,
            }
        }))
    }
}
