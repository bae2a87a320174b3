//! Replaces calls of functions by expressions.

use weir_ir::passes::rewrite;
use weir_ir::{
    ArgValue, BinaryOp, Block, Expr, ExprKind, ExternCall, HeaderRef, Leaf, Program, Stmt, StmtKind, Type,
    VarId, VarRole,
};

use super::super::build::{add_var, assign, binary, cast, choose, concat, equals, not, number, stmt, value};
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
            callee => match callee.rsplit_once('.') {
                Some((of, method)) if of.contains("RegisterAction") => register_method(program, call, method),
                _ => None,
            },
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

/// Returns the statements that assign the result of a call.
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

/// Returns the statements for a method that only code on cells may call.
fn register_method(program: &mut Program, call: &ExternCall, method: &str) -> Option<Vec<Stmt>> {
    match method {
        "predicate" => Some(predicate(program, call)),
        "min8" => smallest_or_largest(program, call, 8, BinaryOp::Lt),
        "max8" => smallest_or_largest(program, call, 8, BinaryOp::Gt),
        "min16" => smallest_or_largest(program, call, 16, BinaryOp::Lt),
        "max16" => smallest_or_largest(program, call, 16, BinaryOp::Gt),
        _ => None,
    }
}

/// Builds a number with a single 1. The bits of the conditions, the first one in the lowest bit,
/// are the position of the 1.
fn predicate(program: &Program, call: &ExternCall) -> Vec<Stmt> {
    let ty = Type::bit(16);
    let position = |name: &str| match name {
        "cmplo" | "cmp0" => Some(0),
        "cmphi" | "cmp1" => Some(1),
        "cmp2" => Some(2),
        "cmp3" => Some(3),
        _ => None,
    };
    let mut one = number(ty, 1);
    for (at, arg) in call.args.iter().enumerate() {
        let (Some(bit), Some(condition)) = (position(&arg.name), argument(call, at)) else { continue };
        let shifted = binary(BinaryOp::Shl, one.clone(), number(Type::bit(8), 1 << bit), ty);
        one = choose(condition, shifted, one);
    }
    result(program, call, one)
}

/// Builds the search for the smallest or largest byte or pair of bytes among those that a mask
/// selects, with its position. Position 0 has the lowest bits. Of equal parts, the one at the
/// lowest position counts.
fn smallest_or_largest(
    program: &mut Program,
    call: &ExternCall,
    width: u32,
    better: BinaryOp,
) -> Option<Vec<Stmt>> {
    let ArgValue::Leaves(leaves) = &call.args.first()?.value else { return None };
    let parts = leaves.iter().map(|leaf| match leaf {
        Leaf::Value(value) if matches!(value.ty, Type::Bits { .. }) => {
            Some(cast(value.clone(), Type::bit(value.ty.width())))
        }
        _ => None,
    });
    let all = parts.collect::<Option<Vec<_>>>()?.into_iter().reduce(concat)?;
    let (mask, ty) = (argument(call, 1)?, Type::bit(width));
    let var = |program: &mut Program, name: &str, ty| add_var(program, &format!("$extreme.{name}"), ty);
    let (kept, chosen) = (
        var(program, &format!("all{}", all.ty.width()), all.ty),
        var(program, &format!("mask{}", mask.ty.width()), mask.ty),
    );
    let (best, at) = (var(program, &format!("best{width}"), ty), var(program, "at", Type::bit(4)));
    let first = if better == BinaryOp::Lt { (1 << width) - 1 } else { 0 };
    let mut stmts = vec![
        assign(program, kept, all),
        assign(program, chosen, mask),
        assign(program, best, number(ty, first)),
        assign(program, at, number(Type::bit(4), 0)),
    ];
    let slice = |of: Expr, low: u32, width: u32| {
        let kind = ExprKind::Slice { operand: Box::new(of), high: low + width - 1, low };
        Expr { kind, ty: Type::bit(width) }
    };
    let (all, mask) = (value(program, kept), value(program, chosen));
    for position in 0..(all.ty.width() / width).min(mask.ty.width()) {
        let part = slice(all.clone(), position * width, width);
        let is_better = binary(better, part.clone(), value(program, best), Type::Bool);
        let is_chosen = equals(slice(mask.clone(), position, 1), 1);
        let condition = binary(BinaryOp::And, is_chosen, is_better, Type::Bool);
        let found = [assign(program, best, part), assign(program, at, number(Type::bit(4), position.into()))];
        let (then, otherwise) = (Block(found.into()), Block::default());
        stmts.push(stmt(StmtKind::If { condition, then, otherwise }));
    }
    if let Some(ArgValue::Vars { vars, .. }) = call.args.get(2).map(|arg| &arg.value) {
        let index = vars.iter().map(|to| assign(program, *to, value(program, at)));
        stmts.extend(index);
    }
    stmts.extend(result(program, call, value(program, best)));
    Some(stmts)
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
