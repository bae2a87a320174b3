//! Values: trees with pure expressions as leaves.

use num_bigint::BigInt;
use weir_ir as ir;
use weir_ir::{Expr, HeaderRef, Type};

use super::fold;
use super::object::Object;

/// The value of an expression of any type, in its parts.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A single value.
    Scalar(Expr),
    /// The members of a struct, tuple or list.
    Group(Vec<Value>),
    /// A header. `from` refers to the header if the value is the whole state of an existing one.
    Header { valid: Expr, members: Vec<Value>, from: Option<HeaderRef> },
    /// The headers of a header union.
    Union(Vec<Value>),
    /// The elements of an array, or of a stack with its counter.
    Array { elements: Vec<Value>, next: Option<Expr> },
    /// An `int`, known at compile time.
    Int(BigInt),
    /// A string, known at compile time.
    Text(String),
    /// A block or extern object.
    Object(Object),
    /// A value of type `void`, or a packet.
    Nothing,
}

impl Value {
    /// Calls `visit` with every expression in the value.
    pub(super) fn walk(&self, visit: &mut impl FnMut(&Expr)) {
        match self {
            Value::Scalar(expr) => visit(expr),
            Value::Group(members) | Value::Union(members) => {
                members.iter().for_each(|member| member.walk(visit));
            }
            Value::Header { valid, members, from } => {
                visit(valid);
                members.iter().for_each(|member| member.walk(visit));
                if let Some(HeaderRef::Element(_, index)) = from {
                    visit(index);
                }
            }
            Value::Array { elements, next } => {
                elements.iter().for_each(|element| element.walk(visit));
                next.iter().for_each(visit);
            }
            Value::Int(_) | Value::Text(_) | Value::Object(_) | Value::Nothing => {}
        }
    }

    /// Returns whether the value is constant, so that no write can change it.
    pub(super) fn is_constant(&self) -> bool {
        let mut constant = true;
        self.walk(&mut |expr| constant &= fold::as_const(expr).is_some());
        constant
    }

    /// Returns the number of scalars in the value.
    pub(super) fn leaves(&self) -> usize {
        let mut count = 0;
        self.walk(&mut |_| count += 1);
        count
    }

    /// Returns the variables that the value depends on.
    pub(super) fn read_vars(&self) -> Vec<ir::VarId> {
        let mut vars = Vec::new();
        self.walk(&mut |expr| collect_vars(expr, &mut vars));
        vars
    }

    /// Returns the member of the value at `index`.
    pub(super) fn member(&self, index: usize) -> Option<&Value> {
        match self {
            Value::Group(members)
            | Value::Union(members)
            | Value::Header { members, .. }
            | Value::Array { elements: members, .. } => members.get(index),
            _ => None,
        }
    }
}

fn collect_vars(expr: &Expr, vars: &mut Vec<ir::VarId>) {
    use ir::ExprKind;
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::PacketLength => {}
        ExprKind::Var(var) => vars.push(*var),
        ExprKind::Indexed { vars: candidates, index } => {
            vars.extend(candidates);
            collect_vars(index, vars);
        }
        ExprKind::Unary(_, operand) | ExprKind::Slice { operand, .. } | ExprKind::Cast(operand) => {
            collect_vars(operand, vars);
        }
        ExprKind::Binary(_, left, right) => {
            collect_vars(left, vars);
            collect_vars(right, vars);
        }
        ExprKind::Mux(condition, then, otherwise) => {
            collect_vars(condition, vars);
            collect_vars(then, vars);
            collect_vars(otherwise, vars);
        }
    }
}

/// Builds an access to the variable at `index` in `vars`.
pub(super) fn indexed_access(vars: Vec<ir::VarId>, index: Expr, ty: Type) -> Expr {
    Expr { kind: ir::ExprKind::Indexed { vars, index: Box::new(index) }, ty }
}

/// Builds `base[low+:width]`. Bits beyond the width of the base read as 0.
pub(super) fn indexed_slice(base: Expr, low: Expr, width: u32) -> Expr {
    let unsigned = Type::bit(base.ty.width());
    let base = fold::cast(base, unsigned);
    fold::cast(fold::binary(ir::BinaryOp::Shr, base, low, unsigned), Type::bit(width))
}
