//! Values: trees with pure expressions at the leaves.

use num_bigint::BigInt;
use weir_ir as ir;
use weir_ir::{Expr, HeaderRef, Type};

use super::fold;
use super::object::Object;

/// What an expression of any type yields.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// One value.
    Scalar(Expr),
    /// Members of a struct, tuple, or list.
    Group(Vec<Value>),
    /// A header; `from` names it where it is a header's state as a whole.
    Header { valid: Expr, members: Vec<Value>, from: Option<HeaderRef> },
    /// A header union's headers.
    Union(Vec<Value>),
    /// Elements of a stack (with its counter) or array.
    Array { elements: Vec<Value>, next: Option<Expr> },
    /// An `int`, at compile time.
    Int(BigInt),
    /// A string, at compile time.
    Text(String),
    /// A block or extern object.
    Object(Object),
    /// Nothing: `void`, packets.
    Nothing,
}

impl Value {
    /// Calls `visit` with every expression.
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

    /// Whether the value is the same whatever happens before it is used.
    pub(super) fn is_constant(&self) -> bool {
        let mut constant = true;
        self.walk(&mut |expr| constant &= fold::as_const(expr).is_some());
        constant
    }

    /// The number of scalars.
    pub(super) fn leaves(&self) -> usize {
        let mut count = 0;
        self.walk(&mut |_| count += 1);
        count
    }

    /// The variables whose values it depends on.
    pub(super) fn reads(&self) -> Vec<ir::VarId> {
        let mut vars = Vec::new();
        self.walk(&mut |expr| collect_vars(expr, &mut vars));
        vars
    }

    /// The values one level down.
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

/// The `index`-th of `vars`.
pub(super) fn indexed(vars: Vec<ir::VarId>, index: Expr, ty: Type) -> Expr {
    Expr { kind: ir::ExprKind::Indexed { vars, index: Box::new(index) }, ty }
}

/// `base[low+:width]`: bits past the base's width read as 0.
pub(super) fn indexed_slice(base: Expr, low: Expr, width: u32) -> Expr {
    let unsigned = Type::bit(base.ty.width());
    let base = fold::cast(base, unsigned);
    fold::cast(fold::binary(ir::BinaryOp::Shr, base, low, unsigned), Type::bit(width))
}
