//! Replaces calls of functions by expressions.

use weir_ir::passes::rewrite;
use weir_ir::{
    ArgValue, BinaryOp, Expr, ExprKind, ExternCall, HeaderRef, Leaf, Program, Stmt, StmtKind, Type, VarId,
    VarRole,
};

use super::super::build::{assign, binary, choose, concat, equals, not, number, stmt, value};
use super::super::{Blocks, IG, NO_PORT, TM};

/// Replaces the functions whose results depend on their arguments alone.
pub(super) fn replace(program: &mut Program, blocks: &Blocks<'_>) {
    let port = blocks.find_field(program, (IG, TM), "ucast_egress_port");
    rewrite(program, &mut |program, stmt| {
        let StmtKind::Extern(call) = &stmt.kind else { return vec![stmt] };
        let made = match call.callee.as_str() {
            "max" | "min" => larger_or_smaller(program, call),
            "funnel_shift_right" => funnel_shift(program, call),
            "sizeInBits" | "sizeInBytes" => size(program, call),
            "invalidate" => invalidate(call, port, program),
            "is_validated" => is_validated(call, port, program),
            _ => None,
        };
        let loc = stmt.loc;
        let made = made.map(|made| made.into_iter().map(|made| Stmt { loc, ..made }).collect());
        made.unwrap_or_else(|| vec![stmt])
    });
}

/// Returns the argument at a position, if it is a single value.
fn argument(call: &ExternCall, position: usize) -> Option<Expr> {
    match &call.args.get(position)?.value {
        ArgValue::Leaves(leaves) => match leaves.as_slice() {
            [Leaf::Value(value)] => Some(value.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Statements that assign the result of a call.
fn result(program: &Program, call: &ExternCall, value: Expr) -> Vec<Stmt> {
    call.result.first().map(|result| assign(program, *result, value)).into_iter().collect()
}

fn larger_or_smaller(program: &Program, call: &ExternCall) -> Option<Vec<Stmt>> {
    let (first, second) = (argument(call, 0)?, argument(call, 1)?);
    let op = if call.callee == "max" { BinaryOp::Gt } else { BinaryOp::Lt };
    let condition = binary(op, first.clone(), second.clone(), Type::Bool);
    Some(result(program, call, choose(condition, first, second)))
}

/// Replaces `funnel_shift_right(dst, src1, src2, n)`: `dst` gets the low bits of `src1 ++ src2`,
/// shifted right by the constant `n`.
fn funnel_shift(program: &Program, call: &ExternCall) -> Option<Vec<Stmt>> {
    let ArgValue::Vars { vars, .. } = &call.args.first()?.value else { return None };
    let [to] = vars[..] else { return None };
    let (high, low) = (argument(call, 1)?, argument(call, 2)?);
    let ExprKind::Const(amount) = argument(call, 3)?.kind else { return None };
    let (amount, width) = (u32::try_from(amount.to_u64()?).ok()?, program.vars[to].ty.width());
    let both = concat(high, low);
    if amount + width > both.ty.width() {
        return None;
    }
    let slice = ExprKind::Slice { operand: Box::new(both), high: amount + width - 1, low: amount };
    Some(vec![assign(program, to, Expr { kind: slice, ty: Type::bit(width) })])
}

fn size(program: &Program, call: &ExternCall) -> Option<Vec<Stmt>> {
    let ArgValue::Leaves(leaves) = &call.args.first()?.value else { return None };
    let width = |leaf: &Leaf| match leaf {
        Leaf::Value(value) => value.ty.width(),
        Leaf::Header(id) => program.header_types[program.headers[*id].ty].fixed_width(),
    };
    let bits: u32 = leaves.iter().map(width).sum();
    let size = if call.callee == "sizeInBits" { bits } else { bits.div_ceil(8) };
    Some(result(program, call, number(Type::bit(32), u128::from(size))))
}

/// Makes the argument invalid: a port gets a number that no port of the switch has, and other
/// values become 0.
fn invalidate(call: &ExternCall, port: Option<VarId>, program: &Program) -> Option<Vec<Stmt>> {
    let ArgValue::Leaves(leaves) = &call.args.first()?.value else { return None };
    let made = leaves.iter().map(|leaf| match leaf {
        Leaf::Header(id) => Some(stmt(StmtKind::SetInvalid(HeaderRef::Header(*id)))),
        Leaf::Value(Expr { kind: ExprKind::Var(var), ty }) => {
            let unset = if Some(*var) == port { u128::from(NO_PORT) } else { 0 };
            Some(assign(program, *var, number(*ty, unset)))
        }
        Leaf::Value(_) => None,
    });
    made.collect()
}

fn is_validated(call: &ExternCall, port: Option<VarId>, program: &Program) -> Option<Vec<Stmt>> {
    let ArgValue::Leaves(leaves) = &call.args.first()?.value else { return None };
    let valid = match leaves.as_slice() {
        [Leaf::Header(id)] => value(program, program.headers[*id].valid),
        [Leaf::Value(Expr { kind: ExprKind::Var(var), ty })] => match program.vars[*var].role {
            VarRole::Field(header) => value(program, program.headers[header].valid),
            _ if Some(*var) == port => not(equals(value(program, *var), u128::from(NO_PORT))),
            _ if matches!(ty, Type::Bits { .. }) => not(equals(value(program, *var), 0)),
            _ => return None,
        },
        _ => return None,
    };
    Some(result(program, call, valid))
}
