//! The controls that compute the decisions of the path, which rules read one variable at a time.

use std::collections::BTreeSet;

use weir_ir::visit::reached_statements;
use weir_ir::{BinaryOp, Expr, PackageArg, Program, Stmt, Type, VarId};

use super::super::build::{add_control, assign, binary, cast, choose, equals, has_bit, not, number, value};
use super::super::chip::Chip;
use super::super::hidden::{EGRESS_BEGIN, EGRESS_DECISION, EGRESS_PARSED, Hidden, INGRESS_DECISION, PARSED};
use super::super::{Blocks, DPRSR, EG, IG, NO_PORT, PRSR, TM};
use super::engines::suppress;
use super::mentioned::reads;

/// Bits of `parser_err`.
const NO_MATCH: u128 = 1;
const PARTIAL_HEADER: u128 = 2;
const COUNTER_RANGE: u128 = 4;
const OUT_OF_BOUNDS: u128 = 0x40;

pub(super) fn add(program: &mut Program, blocks: &Blocks<'_>, hidden: &Hidden, chip: Chip) {
    let parsed = parsed(program, blocks, hidden);
    add_control(program, PARSED, parsed);
    let decision = ingress(program, blocks, hidden);
    let control = add_control(program, INGRESS_DECISION, decision);
    program.controls[control].params = vec![hidden.param(program)];
    let begin = egress_begin(program, hidden, chip);
    add_control(program, EGRESS_BEGIN, begin);
    let error = hidden.egress_parser_error;
    let to = blocks.find_field(program, (EG, PRSR), "parser_err");
    let stmts = to.map(|to| assign(program, to, error_bits(program, error)));
    add_control(program, EGRESS_PARSED, stmts.into_iter().collect());
    let decision = egress(program, blocks, hidden);
    add_control(program, EGRESS_DECISION, decision);
}

/// Builds the test whether a parser's error is the one with this name.
fn is_error(program: &Program, error: VarId, name: &str) -> Option<Expr> {
    let position = program.errors.iter().position(|known| known == name)?;
    Some(equals(value(program, error), position as u128))
}

/// Builds the value of `parser_err` for a parser's error.
fn error_bits(program: &Program, error: VarId) -> Expr {
    let ty = Type::bit(16);
    let known = [
        ("NoMatch", NO_MATCH),
        ("PacketTooShort", PARTIAL_HEADER),
        ("CounterRange", COUNTER_RANGE),
        ("StackOutOfBounds", OUT_OF_BOUNDS),
    ];
    known.into_iter().fold(number(ty, 0), |otherwise, (name, bits)| match is_error(program, error, name) {
        Some(condition) => choose(condition, number(ty, bits), otherwise),
        None => otherwise,
    })
}

/// Decides what an error of the ingress parser does. It drops the packet. If ingress reads
/// `parser_err`, only `NoMatch` does.
fn parsed(program: &Program, blocks: &Blocks<'_>, hidden: &Hidden) -> Vec<Stmt> {
    let bits = blocks.find_field(program, (IG, PRSR), "parser_err");
    let stmts = reached_statements(program, &PackageArg::Control(blocks.control(IG)));
    let is_read = bits.is_some_and(|bits| reads(program, &stmts, &BTreeSet::from([bits])));
    let drops = match is_error(program, hidden.parser_error, "NoMatch") {
        Some(no_match) if is_read => no_match,
        _ => not(equals(error_bits(program, hidden.parser_error), 0)),
    };
    let mut made = vec![assign(program, hidden.parser_drop, drops)];
    made.extend(bits.map(|bits| assign(program, bits, error_bits(program, hidden.parser_error))));
    made
}

/// Decides, at the end of ingress, which copies the traffic manager makes.
fn ingress(program: &Program, blocks: &Blocks<'_>, hidden: &Hidden) -> Vec<Stmt> {
    let bit = Type::bit(1);
    let drop_ctl = blocks.find_field(program, (IG, DPRSR), "drop_ctl");
    let drop_ctl = drop_ctl.map_or(number(Type::bit(3), 0), |field| value(program, field));
    let tm = |name: &str, width| {
        let field = blocks.find_field(program, (IG, TM), name);
        field.map_or(number(Type::bit(width), 0), |field| value(program, field))
    };
    let no_copies = has_bit(drop_ctl.clone(), 0);
    let port = blocks.find_field(program, (IG, TM), "ucast_egress_port").unwrap_or(hidden.port);
    let no_unicast = binary(
        BinaryOp::Or,
        no_copies.clone(),
        equals(value(program, port), u128::from(NO_PORT)),
        Type::Bool,
    );
    let to_cpu =
        binary(BinaryOp::And, equals(tm("copy_to_cpu", 1), 1), not(has_bit(drop_ctl, 1)), Type::Bool);
    let group = |name| choose(no_copies.clone(), number(Type::bit(16), 0), tm(name, 16));
    vec![
        assign(program, hidden.drop, cast(no_unicast, bit)),
        assign(program, hidden.copy_to_cpu, cast(to_cpu, bit)),
        assign(program, hidden.group_a, group("mcast_grp_a")),
        assign(program, hidden.group_b, group("mcast_grp_b")),
        assign(program, hidden.bypass, tm("bypass_egress", 1)),
    ]
}

/// Decides, before egress, whether the packet is recirculated, and whether it skips egress.
fn egress_begin(program: &Program, hidden: &Hidden, chip: Chip) -> Vec<Stmt> {
    let port = value(program, hidden.egress_port);
    let local = |low, high| {
        let operand = Box::new(port.clone());
        let kind = weir_ir::ExprKind::Slice { operand, high, low };
        Expr { kind, ty: Type::bit(high - low + 1) }
    };
    let recirculates = match chip {
        // Locals 68 to 71 of each pipe.
        Chip::Tofino1 => equals(local(2, 6), 68 >> 2),
        // Locals 1, 6 and 7 of pipe 0, and 0 to 7 of the others.
        Chip::Tofino2 => {
            let is_first = equals(local(7, 8), 0);
            let or = |left, right| binary(BinaryOp::Or, left, right, Type::Bool);
            let of_first = or(equals(local(0, 6), 1), equals(local(1, 6), 3));
            choose(is_first, of_first, equals(local(3, 6), 0))
        }
    };
    let both = binary(
        BinaryOp::BitAnd,
        value(program, hidden.recirculates),
        value(program, hidden.bypass),
        Type::bit(1),
    );
    vec![
        assign(program, hidden.recirculates, cast(recirculates, Type::bit(1))),
        assign(program, hidden.bypass_recirculates, both),
    ]
}

/// Decides, at the end of egress, whether the packet is dropped and whether it is mirrored.
fn egress(program: &Program, blocks: &Blocks<'_>, hidden: &Hidden) -> Vec<Stmt> {
    let Some(drop_ctl) = blocks.find_field(program, (EG, DPRSR), "drop_ctl") else { return Vec::new() };
    let drop_ctl = value(program, drop_ctl);
    vec![
        assign(program, hidden.egress_drop, cast(has_bit(drop_ctl.clone(), 0), Type::bit(1))),
        suppress(program, hidden.egress_mirror, has_bit(drop_ctl, 2)),
    ]
}
