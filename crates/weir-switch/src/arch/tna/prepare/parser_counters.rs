//! Replaces the counters of parsers by variables. A counter has 8 bits in two's complement, and in
//! T2NA a stack of four earlier values.

use weir_ir::passes::rewrite;
use weir_ir::{ArgValue, BinaryOp, Expr, ExprKind, ExternCall, Leaf, Program, Stmt, StmtKind, Type, VarId};

use super::super::build::{add_var, assign, binary, cast, concat, equals, number, stmt, value};

/// The counter, and the values under it on the stack.
const DEPTH: usize = 5;

/// Replaces the calls of counters. The priority of a parser has no effect, so its calls are
/// removed.
pub(super) fn replace(program: &mut Program) {
    rewrite(program, &mut |program, stmt| {
        let StmtKind::Extern(call) = &stmt.kind else { return vec![stmt] };
        let made = match call.callee.split_once('.') {
            Some(("ParserCounter", method)) => counter(program, call, method),
            Some(("ParserPriority", "set")) => Some(Vec::new()),
            _ => None,
        };
        let loc = stmt.loc;
        let made = made.map(|made| made.into_iter().map(|made| Stmt { loc, ..made }).collect());
        made.unwrap_or_else(|| vec![stmt])
    });
}

fn counter(program: &mut Program, call: &ExternCall, method: &str) -> Option<Vec<Stmt>> {
    let name = program.externs[call.instance?].name.clone();
    let stack: Vec<VarId> =
        (0..DEPTH).map(|at| add_var(program, &format!("{name}.$value{at}"), Type::bit(8))).collect();
    let (top, byte) = (stack[0], Type::bit(8));
    let current = value(program, top);
    let add = |op, by: Expr| binary(op, current.clone(), cast(by, byte), byte);
    Some(match method {
        "set" => load(program, call, top)?,
        "increment" => vec![assign(program, top, add(BinaryOp::Add, argument(call, "value")?))],
        "decrement" => vec![assign(program, top, add(BinaryOp::Sub, argument(call, "value")?))],
        "is_zero" => result(program, call, equals(current, 0)),
        "is_negative" => {
            let kind = ExprKind::Slice { operand: Box::new(current), high: 7, low: 7 };
            result(program, call, equals(Expr { kind, ty: Type::bit(1) }, 1))
        }
        "push" => {
            let moved = (1..DEPTH).rev().map(|at| assign(program, stack[at], value(program, stack[at - 1])));
            let moved: Vec<_> = moved.collect();
            moved.into_iter().chain(load(program, call, top)?).collect()
        }
        "pop" => {
            let moved = (1..DEPTH).map(|at| assign(program, stack[at - 1], value(program, stack[at])));
            moved.collect()
        }
        _ => return None,
    })
}

/// Returns the statements that set a counter: to a value, or to a part of a field. A field above
/// `max` is an error of the parser.
fn load(program: &Program, call: &ExternCall, top: VarId) -> Option<Vec<Stmt>> {
    if let Some(new) = argument(call, "value") {
        return Some(vec![assign(program, top, new)]);
    }
    let byte = Type::bit(8);
    let field = cast(argument(call, "field")?, byte);
    let (max, add) = (argument(call, "max")?, argument(call, "add")?);
    let (rotate, mask) = (constant(call, "rotate")? % 8, argument(call, "mask")?);
    let mask = match mask {
        // In TNA, the number of bits less 1.
        Expr { ty: Type::Bits { width: 3, .. }, kind: ExprKind::Const(bits) } => {
            number(byte, (2 << bits.low_u64()) - 1)
        }
        Expr { ty: Type::Bits { width: 3, .. }, .. } => return None,
        mask => mask,
    };
    let condition = binary(BinaryOp::Le, field.clone(), max, Type::Bool);
    let range = program.errors.iter().position(|name| name == "CounterRange")?;
    let error = Expr { kind: ExprKind::Const(weir_ir::Bits::new(32, range as u128)), ty: Type::Error };
    let rotated = if rotate == 0 {
        field
    } else {
        let part = |high, low| {
            let kind = ExprKind::Slice { operand: Box::new(field.clone()), high, low };
            Expr { kind, ty: Type::bit(high - low + 1) }
        };
        concat(part(rotate - 1, 0), part(7, rotate))
    };
    let masked = binary(BinaryOp::BitAnd, rotated, mask, byte);
    Some(vec![
        stmt(StmtKind::Verify { condition, error }),
        assign(program, top, binary(BinaryOp::Add, masked, add, byte)),
    ])
}

/// Returns the argument with this name, if it is a single value.
fn argument(call: &ExternCall, name: &str) -> Option<Expr> {
    match &call.args.iter().find(|arg| arg.name == name)?.value {
        ArgValue::Leaves(leaves) => match leaves.as_slice() {
            [Leaf::Value(value)] => Some(value.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn constant(call: &ExternCall, name: &str) -> Option<u32> {
    match argument(call, name)?.kind {
        ExprKind::Const(bits) => u32::try_from(bits.to_u64()?).ok(),
        _ => None,
    }
}

/// Returns the statements that assign the result of a call.
fn result(program: &Program, call: &ExternCall, value: Expr) -> Vec<Stmt> {
    call.result.first().map(|result| assign(program, *result, value)).into_iter().collect()
}
