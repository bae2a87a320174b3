//! Evaluates expressions whose values are known to the checker ("local compile-time known", P4_16
//! section 18.1).

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::hir::{self, BinaryOp, Expr, ExprKind, Program, Type, TypeId, UnaryOp};

/// The value of a constant expression.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A value of any integer type, within the type's bounds.
    Int(BigInt),
    /// The content of a string.
    String(String),
    /// A member of `error`.
    Error(hir::ErrorId),
    /// A member of `match_kind`.
    MatchKind(hir::MatchKindId),
    /// An enum member by position. A serializable enum's value that matches no member is an `Int`.
    Member(hir::EnumId, usize),
    /// The values of all members.
    Aggregate(Vec<Value>),
    /// The value of an invalid header.
    Invalid,
}

fn power_of_two(exponent: u32) -> BigInt {
    BigInt::one() << exponent
}

/// Returns `value` modulo `2^width`, interpreted as a signed or unsigned number.
pub(super) fn wrap(value: &BigInt, signed: bool, width: u32) -> BigInt {
    let modulus = power_of_two(width);
    let mut wrapped: BigInt = value % &modulus;
    if wrapped.is_negative() {
        wrapped += &modulus;
    }
    if signed && width > 0 && wrapped >= power_of_two(width - 1) {
        wrapped -= modulus;
    }
    wrapped
}

/// Returns whether `value` is within the type's bounds.
pub fn fits_type(value: &BigInt, signed: bool, width: u32) -> bool {
    wrap(value, signed, width) == *value
}

/// Returns the smallest and largest value of the type.
fn bounds(signed: bool, width: u32) -> (BigInt, BigInt) {
    match (signed, width) {
        (_, 0) => (BigInt::zero(), BigInt::zero()),
        (true, width) => (-power_of_two(width - 1), power_of_two(width - 1) - 1),
        (false, width) => (BigInt::zero(), power_of_two(width) - 1),
    }
}

/// Returns the signedness and width of an integer type, or `None` for other types. The signedness
/// and width of an enum or newtype are those of its underlying type.
pub fn representation(program: &Program, ty: TypeId) -> Option<(bool, u32)> {
    match program.types[ty] {
        Type::Bits { signed, width } => Some((signed, width)),
        Type::Enum(decl) => representation(program, program.enums[decl].underlying?),
        Type::Newtype(decl) => representation(program, program.newtypes[decl].underlying),
        _ => None,
    }
}

/// Wraps a number to the width of its type.
fn normalize(program: &Program, value: BigInt, ty: TypeId) -> BigInt {
    match program.types[ty] {
        Type::Bits { signed, width } => wrap(&value, signed, width),
        _ => value,
    }
}

/// The maximum left shift evaluated on unbounded integers. The results of longer shifts are treated
/// as unknown.
const MAX_SHIFT: u32 = 1 << 16;

/// The maximum length of a computed unbounded integer, in bits. Longer results are treated as
/// unknown.
pub(super) const MAX_BITS: u64 = 1 << 20;

/// Returns the value of `expr`, or `None` if it depends on something unknown to the checker or is
/// poisoned.
pub fn evaluate(program: &Program, expr: &Expr) -> Option<Value> {
    let eval = |expr: &Expr| evaluate(program, expr);
    Some(match &expr.kind {
        ExprKind::Bool(value) => Value::Bool(*value),
        ExprKind::Int(value) => Value::Int(value.clone()),
        ExprKind::String(text) => Value::String(text.clone()),
        ExprKind::Error(id) => Value::Error(*id),
        ExprKind::MatchKind(id) => Value::MatchKind(*id),
        ExprKind::EnumMember { decl, member } => Value::Member(*decl, *member),
        ExprKind::Const(id) => eval(&program.consts[*id].init)?,
        ExprKind::Unary(op, operand) => match (op, eval(operand)?) {
            (UnaryOp::Not, Value::Bool(value)) => Value::Bool(!value),
            (UnaryOp::Complement, Value::Int(value)) => Value::Int(normalize(program, !value, expr.ty)),
            (UnaryOp::Negate, Value::Int(value)) => Value::Int(normalize(program, -value, expr.ty)),
            (UnaryOp::Plus, value) => value,
            _ => return None,
        },
        ExprKind::Binary(op, left, right) => {
            return binary(program, *op, expr.ty, (left, eval(left)?), (right, eval(right)?));
        }
        ExprKind::Conditional { condition, then, otherwise } => match eval(condition)? {
            Value::Bool(true) => eval(then)?,
            Value::Bool(false) => eval(otherwise)?,
            _ => return None,
        },
        ExprKind::Cast { operand, .. } => cast(program, eval(operand)?, expr.ty)?,
        ExprKind::Slice { base, high, low } => {
            let Value::Int(value) = eval(base)? else { return None };
            Value::Int(wrap(&(value >> *low), false, high - low + 1))
        }
        ExprKind::Field { base, field } => match eval(base)? {
            Value::Aggregate(items) => items.into_iter().nth(*field)?,
            _ => return None,
        },
        ExprKind::TupleElement { base, index } => match eval(base)? {
            Value::Aggregate(items) => items.into_iter().nth(*index)?,
            _ => return None,
        },
        ExprKind::Index { base, index } => match (eval(base)?, eval(index)?) {
            (Value::Aggregate(items), Value::Int(index)) => items.into_iter().nth(index.to_usize()?)?,
            _ => return None,
        },
        ExprKind::Aggregate(items) => Value::Aggregate(items.iter().map(eval).collect::<Option<_>>()?),
        ExprKind::Invalid => Value::Invalid,
        ExprKind::Call(call) => return static_assert(program, call),
        _ => return None,
    })
}

/// Evaluates `static_assert`, which returns its condition.
fn static_assert(program: &Program, call: &hir::Call) -> Option<Value> {
    let hir::Callee::ExternFunction(id) = call.callee else { return None };
    if program.extern_functions[id].0.name.text != "static_assert" {
        return None;
    }
    match &call.args.first()?.value {
        hir::ArgValue::Expr(condition) => evaluate(program, condition),
        _ => None,
    }
}

/// Replaces `expr` by a literal of its value, member by member.
pub(super) fn literal(program: &Program, value: Value, expr: Expr) -> Expr {
    let number = matches!(program.types[expr.ty], Type::Bits { .. } | Type::Int);
    let kind = match (value, expr.kind) {
        (Value::Bool(value), _) if expr.ty == hir::Types::BOOL => ExprKind::Bool(value),
        (Value::Int(value), _) if number => ExprKind::Int(value),
        (Value::String(text), _) => ExprKind::String(text),
        (Value::Error(id), _) => ExprKind::Error(id),
        (Value::MatchKind(id), _) => ExprKind::MatchKind(id),
        (Value::Member(decl, member), _) => ExprKind::EnumMember { decl, member },
        (Value::Aggregate(values), ExprKind::Aggregate(items)) => {
            let members = values.into_iter().zip(items);
            ExprKind::Aggregate(members.map(|(value, item)| literal(program, value, item)).collect())
        }
        // Newtypes and enums keep the cast from their underlying type.
        (value, ExprKind::Cast { operand, implicit }) => {
            ExprKind::Cast { operand: Box::new(literal(program, value, *operand)), implicit }
        }
        (_, ExprKind::Const(id)) => program.consts[id].init.kind.clone(),
        (_, kind) => kind,
    };
    Expr { kind, ..expr }
}

/// Evaluates an operator whose two operands are constant.
fn binary(
    program: &Program,
    op: BinaryOp,
    ty: TypeId,
    (left_expr, left): (&Expr, Value),
    (right_expr, right): (&Expr, Value),
) -> Option<Value> {
    Some(match (left, right) {
        (Value::Bool(a), Value::Bool(b)) => Value::Bool(match op {
            BinaryOp::Eq => a == b,
            BinaryOp::Ne => a != b,
            BinaryOp::LogicalAnd => a && b,
            BinaryOp::LogicalOr => a || b,
            _ => return None,
        }),
        (Value::Int(a), Value::Int(b)) => match op {
            BinaryOp::Eq => Value::Bool(a == b),
            BinaryOp::Ne => Value::Bool(a != b),
            BinaryOp::Lt => Value::Bool(a < b),
            BinaryOp::Le => Value::Bool(a <= b),
            BinaryOp::Gt => Value::Bool(a > b),
            BinaryOp::Ge => Value::Bool(a >= b),
            BinaryOp::Concat => {
                let (_, right_width) = representation(program, right_expr.ty)?;
                representation(program, left_expr.ty)?;
                Value::Int(normalize(program, (a << right_width) | wrap(&b, false, right_width), ty))
            }
            _ => Value::Int(arithmetic(program, op, ty, &a, &b)?),
        },
        (a, b) => match op {
            BinaryOp::Eq => Value::Bool(a == b),
            BinaryOp::Ne => Value::Bool(a != b),
            _ => return None,
        },
    })
}

/// Evaluates an arithmetic operator on two numbers, modulo the width of the type; `None` if the
/// result is not defined.
fn arithmetic(program: &Program, op: BinaryOp, ty: TypeId, a: &BigInt, b: &BigInt) -> Option<BigInt> {
    let exact = match op {
        BinaryOp::Add | BinaryOp::SatAdd => a + b,
        BinaryOp::Sub | BinaryOp::SatSub => a - b,
        BinaryOp::Mul if a.bits() + b.bits() <= MAX_BITS => a * b,
        BinaryOp::Div if b.is_positive() => a / b,
        BinaryOp::Mod if b.is_positive() => a % b,
        BinaryOp::Shl => {
            let amount = b.to_u32();
            match (&program.types[ty], amount) {
                (Type::Bits { width, .. }, Some(amount)) if amount < *width => a << amount,
                (Type::Bits { .. }, _) if !b.is_negative() => BigInt::zero(),
                (_, Some(amount)) if amount <= MAX_SHIFT && a.bits() <= MAX_BITS => a << amount,
                _ => return None,
            }
        }
        BinaryOp::Shr => match b.to_u32() {
            Some(amount) => a >> amount,
            None if b.is_negative() => return None,
            None if a.is_negative() => -BigInt::one(),
            None => BigInt::zero(),
        },
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        _ => return None,
    };
    Some(match (op, &program.types[ty]) {
        (BinaryOp::SatAdd | BinaryOp::SatSub, Type::Bits { signed, width }) => {
            let (least, most) = bounds(*signed, *width);
            exact.clamp(least, most)
        }
        _ => normalize(program, exact, ty),
    })
}

/// Evaluates a cast of a constant.
fn cast(program: &Program, value: Value, ty: TypeId) -> Option<Value> {
    Some(match (&program.types[ty], value) {
        (Type::Bool, Value::Int(value)) => Value::Bool(!value.is_zero()),
        (Type::Bits { .. }, Value::Bool(value)) => Value::Int(BigInt::from(u8::from(value))),
        (Type::Bits { signed, width }, Value::Int(value)) => Value::Int(wrap(&value, *signed, *width)),
        (Type::Bits { signed, width }, Value::Member(decl, member)) => {
            Value::Int(wrap(program.enums[decl].members[member].value.as_ref()?, *signed, *width))
        }
        (Type::Int, Value::Member(decl, member)) => {
            Value::Int(program.enums[decl].members[member].value.clone()?)
        }
        (Type::Enum(decl), Value::Int(value)) => {
            let named = program.enums[*decl].members.iter().position(|m| m.value.as_ref() == Some(&value));
            named.map_or(Value::Int(value), |member| Value::Member(*decl, member))
        }
        (_, value) => value,
    })
}

/// Returns whether `expr` is known when the constructor parameters are known. This is required for
/// constructor arguments, table sizes and similar values.
pub(super) fn is_compile_time(program: &Program, expr: &Expr) -> bool {
    is_known(program, expr, &|kind| kind == hir::VarKind::ConstructorParam)
}

/// Returns whether `expr` is known at each call of the enclosing declaration. This is required for
/// arguments of parameters without direction. As in p4c, action data is treated as known, because
/// PNA passes it to its externs.
pub(super) fn is_call_time(program: &Program, expr: &Expr) -> bool {
    is_known(program, expr, &|kind| {
        matches!(
            kind,
            hir::VarKind::ConstructorParam
                | hir::VarKind::ConstantParam
                | hir::VarKind::Param(hir::Direction::None)
        )
    })
}

fn is_known(program: &Program, expr: &Expr, known_var: &dyn Fn(hir::VarKind) -> bool) -> bool {
    let is_known_operand = |expr: &Expr| is_known(program, expr, known_var);
    match &expr.kind {
        ExprKind::Var(var) => known_var(program.vars[*var].kind),
        ExprKind::Poison
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::String(_)
        | ExprKind::Error(_)
        | ExprKind::MatchKind(_)
        | ExprKind::EnumMember { .. }
        | ExprKind::Const(_)
        | ExprKind::Instance(_)
        | ExprKind::Construct(_)
        | ExprKind::SizeOf { .. }
        | ExprKind::Invalid
        | ExprKind::This
        | ExprKind::Default => true,
        ExprKind::Unary(_, operand)
        | ExprKind::Cast { operand, .. }
        | ExprKind::Slice { base: operand, .. }
        | ExprKind::Field { base: operand, .. }
        | ExprKind::TupleElement { base: operand, .. } => is_known_operand(operand),
        ExprKind::Binary(_, left, right)
        | ExprKind::Index { base: left, index: right }
        | ExprKind::IndexedSlice { base: left, low: right, .. } => {
            is_known_operand(left) && is_known_operand(right)
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            is_known_operand(condition) && is_known_operand(then) && is_known_operand(otherwise)
        }
        ExprKind::Aggregate(items) => items.iter().all(is_known_operand),
        // An extern function that returns an object creates it at compile time.
        ExprKind::Call(call) => {
            matches!(program.types[expr.ty], Type::Extern { .. }) || static_assert(program, call).is_some()
        }
        ExprKind::StackNext(_)
        | ExprKind::StackLast(_)
        | ExprKind::StackLastIndex(_)
        | ExprKind::IsValid(_)
        | ExprKind::Apply { .. } => false,
    }
}
