//! Unary, binary and ternary operators.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use weir_ir as ir;
use weir_ir::{Block, StmtKind, Type};

use super::fold;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{BinaryOp, Expr, Types, UnaryOp};

impl Lowerer<'_> {
    /// Lowers an operation on one operand.
    pub(super) fn unary(&mut self, op: UnaryOp, operand: &Expr) -> Lowered<Value> {
        let operand = self.scalar(operand)?;
        Ok(Value::Scalar(match op {
            UnaryOp::Not => fold::not(operand),
            UnaryOp::Complement => fold::unary(ir::UnaryOp::BitNot, operand),
            UnaryOp::Negate => fold::unary(ir::UnaryOp::Neg, operand),
            UnaryOp::Plus => operand,
        }))
    }

    /// Lowers an operation on two operands.
    pub(super) fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, whole: &Expr) -> Lowered<Value> {
        match op {
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr => return self.logical(op, left, right),
            BinaryOp::Shl | BinaryOp::Shr => return self.shift(op, left, right),
            _ => {}
        }
        let values = self.values(&[left, right])?;
        let [left_value, right_value] =
            <[Value; 2]>::try_from(values).unwrap_or([Value::Nothing, Value::Nothing]);
        let (a, b) = match (left_value, right_value) {
            (Value::Int(a), Value::Int(b)) => return self.compare_ints(op, &a, &b, whole),
            (Value::Text(a), Value::Text(b)) if op == BinaryOp::Concat => return Ok(Value::Text(a + &b)),
            (a, b) if matches!(op, BinaryOp::Eq | BinaryOp::Ne) => {
                let Some(equal) = equality(&a, &b) else {
                    return self.unsupported(whole.span, "comparing values of this type");
                };
                return Ok(Value::Scalar(if op == BinaryOp::Eq { equal } else { fold::not(equal) }));
            }
            (Value::Scalar(a), Value::Scalar(b)) => (a, b),
            _ => return self.unsupported(whole.span, "this operator on operands of these types"),
        };
        if op == BinaryOp::Concat {
            let bits = |expr: ir::Expr| {
                let width = expr.ty.width();
                fold::cast(expr, Type::bit(width))
            };
            let width = a.ty.width() + b.ty.width();
            let ty = Type::Bits { width, signed: a.ty.is_signed() };
            return Ok(Value::Scalar(fold::cast(
                fold::binary(ir::BinaryOp::Concat, bits(a), bits(b), Type::bit(width)),
                ty,
            )));
        }
        let (op, ty) = match op {
            BinaryOp::Add => (ir::BinaryOp::Add, a.ty),
            BinaryOp::Sub => (ir::BinaryOp::Sub, a.ty),
            BinaryOp::Mul => (ir::BinaryOp::Mul, a.ty),
            BinaryOp::Div => (ir::BinaryOp::Div, a.ty),
            BinaryOp::Mod => (ir::BinaryOp::Mod, a.ty),
            BinaryOp::SatAdd => (ir::BinaryOp::SatAdd, a.ty),
            BinaryOp::SatSub => (ir::BinaryOp::SatSub, a.ty),
            BinaryOp::And => (ir::BinaryOp::BitAnd, a.ty),
            BinaryOp::Or => (ir::BinaryOp::BitOr, a.ty),
            BinaryOp::Xor => (ir::BinaryOp::BitXor, a.ty),
            BinaryOp::Lt => (ir::BinaryOp::Lt, Type::Bool),
            BinaryOp::Le => (ir::BinaryOp::Le, Type::Bool),
            BinaryOp::Gt => (ir::BinaryOp::Gt, Type::Bool),
            BinaryOp::Ge => (ir::BinaryOp::Ge, Type::Bool),
            _ => return self.unsupported(whole.span, "this operator on numbers that are not constant"),
        };
        Ok(Value::Scalar(fold::binary(op, a, b, ty)))
    }

    fn compare_ints(&mut self, op: BinaryOp, a: &BigInt, b: &BigInt, whole: &Expr) -> Lowered<Value> {
        let result = match op {
            BinaryOp::Eq => a == b,
            BinaryOp::Ne => a != b,
            BinaryOp::Lt => a < b,
            BinaryOp::Le => a <= b,
            BinaryOp::Gt => a > b,
            BinaryOp::Ge => a >= b,
            _ => return self.int(whole).map(Value::Int),
        };
        Ok(Value::Scalar(fold::boolean(result)))
    }

    fn shift(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Lowered<Value> {
        let op = if op == BinaryOp::Shl { ir::BinaryOp::Shl } else { ir::BinaryOp::Shr };
        let values = self.values(&[left, right])?;
        let [Value::Scalar(left_value), amount] =
            <[Value; 2]>::try_from(values).unwrap_or([Value::Nothing, Value::Nothing])
        else {
            return self.unsupported(left.span, "shifting a value of this type");
        };
        let amount = match amount {
            // Every value that can be shifted is narrower than 2^32 bits.
            Value::Int(amount) => fold::u32_const(amount.to_u32().unwrap_or(u32::MAX)),
            Value::Scalar(amount) => {
                let width = amount.ty.width();
                fold::cast(amount, Type::bit(width))
            }
            _ => return self.unsupported(right.span, "shifting by a value of this type"),
        };
        let ty = left_value.ty;
        Ok(Value::Scalar(fold::binary(op, left_value, amount, ty)))
    }

    /// Lowers `&&` and `||`. The right operand runs only if the left one does not determine the
    /// result.
    fn logical(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Lowered<Value> {
        let left = self.scalar(left)?;
        let decides = op == BinaryOp::LogicalOr;
        if fold::as_bool(&left) == Some(decides) {
            return Ok(Value::Scalar(left));
        }
        let (right, stmts) = self.collect(|this| this.scalar(right))?;
        if stmts.is_empty() {
            return Ok(Value::Scalar(if decides { fold::or(left, right) } else { fold::and(left, right) }));
        }
        if fold::as_bool(&left).is_some() {
            self.cx.output.extend(stmts);
            return Ok(Value::Scalar(right));
        }
        let result = self.temporary_var(Type::Bool);
        let value = fold::var(result, Type::Bool);
        self.emit(StmtKind::Assign(ir::Place::Var(result), left));
        let ((), rest) = self.collect(|this| {
            this.cx.output.extend(stmts);
            this.emit(StmtKind::Assign(ir::Place::Var(result), right));
            Ok(())
        })?;
        let condition = if decides { fold::not(value.clone()) } else { value.clone() };
        self.emit(StmtKind::If { condition, then: Block(rest), otherwise: Block::default() });
        Ok(Value::Scalar(value))
    }

    /// Lowers `condition ? then : otherwise`. Only the selected branch runs.
    pub(super) fn conditional(
        &mut self,
        condition: &Expr,
        then: &Expr,
        otherwise: &Expr,
        whole: &Expr,
    ) -> Lowered<Value> {
        let condition = self.scalar(condition)?;
        match fold::as_bool(&condition) {
            Some(true) => return self.value(then),
            Some(false) => return self.value(otherwise),
            None => {}
        }
        let (then, mut then_stmts) = self.collect(|this| this.value(then))?;
        let (otherwise, mut otherwise_stmts) = self.collect(|this| this.value(otherwise))?;
        if then_stmts.is_empty() && otherwise_stmts.is_empty() {
            return match conditional_value(&condition, &then, &otherwise) {
                Some(value) => Ok(value),
                None => self.unsupported(whole.span, "choosing between values of this type at run time"),
            };
        }
        let result = self.temporary(whole.ty)?;
        let ((), stmts) = self.collect(|this| this.store(&result, then))?;
        then_stmts.extend(stmts);
        let ((), stmts) = self.collect(|this| this.store(&result, otherwise))?;
        otherwise_stmts.extend(stmts);
        self.emit(StmtKind::If { condition, then: Block(then_stmts), otherwise: Block(otherwise_stmts) });
        Ok(self.load(&result))
    }

    /// Evaluates operands from left to right. Operands that a later one could change are saved
    /// first.
    pub(super) fn values(&mut self, exprs: &[&Expr]) -> Lowered<Vec<Value>> {
        let mut values = Vec::with_capacity(exprs.len());
        for (position, expr) in exprs.iter().enumerate() {
            let value = self.value(expr)?;
            let disturbed = exprs[position + 1..].iter().any(|later| super::scan::has_effects(later));
            values.push(if disturbed && self.ty(expr.ty) != Types::INT {
                self.save(value, expr.ty)?
            } else {
                value
            });
        }
        Ok(values)
    }
}

/// Builds `a == b` member by member. Headers are equal if both are invalid, or both are valid and
/// all their fields are equal (P4_16 spec, section 8.17).
pub(super) fn equality(a: &Value, b: &Value) -> Option<ir::Expr> {
    let all_equal = |left: &[Value], right: &[Value]| {
        left.iter()
            .zip(right)
            .try_fold(fold::boolean(true), |so_far, (a, b)| Some(fold::and(so_far, equality(a, b)?)))
    };
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => Some(fold::equal(a.clone(), b.clone())),
        (Value::Group(a), Value::Group(b))
        | (Value::Union(a), Value::Union(b))
        | (Value::Array { elements: a, .. }, Value::Array { elements: b, .. }) => all_equal(a, b),
        (Value::Header { valid: va, members: a, .. }, Value::Header { valid: vb, members: b, .. }) => {
            let fields = fold::or(fold::not(va.clone()), all_equal(a, b)?);
            Some(fold::and(fold::equal(va.clone(), vb.clone()), fields))
        }
        (Value::Int(a), Value::Int(b)) => Some(fold::boolean(a == b)),
        (Value::Text(a), Value::Text(b)) => Some(fold::boolean(a == b)),
        (Value::Nothing, Value::Nothing) => Some(fold::boolean(true)),
        _ => None,
    }
}

/// Builds `condition ? a : b` member by member, as pure expressions.
fn conditional_value(condition: &ir::Expr, a: &Value, b: &Value) -> Option<Value> {
    let choose_each = |left: &[Value], right: &[Value]| -> Option<Vec<Value>> {
        left.iter().zip(right).map(|(a, b)| conditional_value(condition, a, b)).collect()
    };
    let pick = |a: &ir::Expr, b: &ir::Expr| fold::conditional_expr(condition.clone(), a.clone(), b.clone());
    Some(match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => Value::Scalar(pick(a, b)),
        (Value::Group(a), Value::Group(b)) => Value::Group(choose_each(a, b)?),
        (Value::Union(a), Value::Union(b)) => Value::Union(choose_each(a, b)?),
        (Value::Header { valid: va, members: a, .. }, Value::Header { valid: vb, members: b, .. }) => {
            Value::Header { valid: pick(va, vb), members: choose_each(a, b)?, from: None }
        }
        (Value::Array { elements: a, next: na }, Value::Array { elements: b, next: nb }) => Value::Array {
            elements: choose_each(a, b)?,
            next: na.as_ref().zip(nb.as_ref()).map(|(a, b)| pick(a, b)),
        },
        (Value::Int(x), Value::Int(y)) if x == y => a.clone(),
        (Value::Text(x), Value::Text(y)) if x == y => a.clone(),
        (Value::Nothing, Value::Nothing) => Value::Nothing,
        _ => return None,
    })
}
