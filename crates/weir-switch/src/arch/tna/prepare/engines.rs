//! Separates a deparser's requests to the chip (to mirror or resubmit the packet, to send digests)
//! from the headers that the deparser emits.
//!
//! A control of its own makes these requests before the deparser runs. The path reads them in
//! variables. A packet without requests therefore stays on the fast path.

use std::collections::BTreeSet;

use weir_ir::passes::rewrite_block;
use weir_ir::{
    ArgValue, BinaryOp, Block, ControlId, Expr, ExternCall, HeaderId, Leaf, ProcedureId, Program, Stmt,
    StmtKind, Type, VarId,
};

use super::super::build::{
    add_control, add_header, assign, binary, cast, concat, emit, equals, not, number, set_valid, stmt, value,
};
use super::super::chip::Chip;
use super::super::hidden::Hidden;
use super::mentioned::{calls, mentioned, written};

/// The names and variables of a gress.
pub(super) struct Gress {
    /// The control that makes the requests.
    pub engines: &'static str,
    /// The control that emits the headers of mirrored packets.
    pub mirrored: &'static str,
    /// Whether the packet is mirrored, and the session.
    pub mirror: (VarId, VarId),
}

fn is_request(callee: &str) -> bool {
    matches!(callee, "Mirror.emit" | "Resubmit.emit" | "Digest.pack")
}

/// Moves the requests of a deparser to a control of its own, if there are any.
pub(super) fn separate(
    program: &mut Program,
    deparser: ControlId,
    gress: &Gress,
    hidden: &Hidden,
    chip: Chip,
) {
    let body = program.controls[deparser].body.clone();
    if !body.0.iter().any(|stmt| calls(program, stmt, &is_request)) {
        return;
    }
    let requests = needed_for_requests(program, &body, &mut BTreeSet::new());
    let (mut headers, mut copied) = (Vec::new(), BTreeSet::new());
    let requests = code_of(program, requests, &mut copied, &mut |program, stmt| match &stmt.kind {
        StmtKind::Emit(_) => Vec::new(),
        StmtKind::Extern(call) => {
            request(program, call, gress, hidden, chip, &mut headers).unwrap_or_else(|| vec![stmt.clone()])
        }
        _ => vec![stmt],
    });
    let emits = code_of(program, body, &mut copied, &mut |_, stmt| match &stmt.kind {
        StmtKind::Extern(call) if is_request(&call.callee) => Vec::new(),
        StmtKind::If { then, otherwise, .. } if then.0.is_empty() && otherwise.0.is_empty() => Vec::new(),
        _ => vec![stmt],
    });
    program.controls[deparser].body = emits;
    // Nothing runs the originals any more.
    copied.into_iter().for_each(|of| program.procedures[of].body = Block::default());
    add_control(program, gress.engines, requests.0);
    if !headers.is_empty() {
        add_control(program, gress.mirrored, headers.into_iter().map(emit).collect());
    }
}

/// Returns the statements of a block that make requests, and the statements on which these, or the
/// variables in `needed`, depend.
fn needed_for_requests(program: &Program, block: &Block, needed: &mut BTreeSet<VarId>) -> Block {
    let mut kept = Vec::new();
    for stmt in block.0.iter().rev() {
        let requests = calls(program, stmt, &is_request);
        match &stmt.kind {
            StmtKind::If { condition, then, otherwise } if requests => {
                let mut in_then = needed.clone();
                let then = needed_for_requests(program, then, &mut in_then);
                let otherwise = needed_for_requests(program, otherwise, needed);
                needed.extend(in_then);
                let kind = StmtKind::If { condition: condition.clone(), then, otherwise };
                let stmt = Stmt { kind, loc: stmt.loc };
                let read = StmtKind::If {
                    condition: condition.clone(),
                    then: Block::default(),
                    otherwise: Block::default(),
                };
                needed.extend(mentioned(program, &Stmt { kind: read, loc: stmt.loc }));
                kept.push(stmt);
            }
            StmtKind::Emit(_) if !requests => {}
            _ if requests || !written(program, stmt).is_disjoint(needed) => {
                needed.extend(mentioned(program, stmt));
                kept.push(stmt.clone());
            }
            _ => {}
        }
    }
    kept.reverse();
    Block(kept)
}

/// Copies a block. Each statement is replaced, and calls run copies of procedures that make
/// requests. Adds these procedures to `copied`.
fn code_of(
    program: &mut Program,
    block: Block,
    copied: &mut BTreeSet<ProcedureId>,
    replace: &mut dyn FnMut(&mut Program, Stmt) -> Vec<Stmt>,
) -> Block {
    rewrite_block(program, block, &mut |program, stmt| {
        let StmtKind::Call(procedure) = stmt.kind else { return replace(program, stmt) };
        if !calls(program, &stmt, &is_request) {
            return vec![stmt];
        }
        let mut copy = program.procedures[procedure].clone();
        copy.name = format!("{}$copy{}", copy.name, program.procedures.len());
        copy.body = code_of(program, copy.body, copied, replace);
        copied.insert(procedure);
        let copy = program.procedures.push(copy);
        vec![Stmt { kind: StmtKind::Call(copy), loc: stmt.loc }]
    })
}

/// Returns the statements for a request; `None` if the call stays. Digests are messages, and other
/// calls are not requests.
fn request(
    program: &mut Program,
    call: &ExternCall,
    gress: &Gress,
    hidden: &Hidden,
    chip: Chip,
    headers: &mut Vec<HeaderId>,
) -> Option<Vec<Stmt>> {
    match call.callee.as_str() {
        "Mirror.emit" => {
            let [session] = values(program, call, 0)?.try_into().ok()?;
            let one = number(Type::bit(1), 1);
            let (mirror, of_session) = gress.mirror;
            let mut stmts = vec![assign(program, mirror, one), assign(program, of_session, session)];
            if call.args.len() > 1 {
                let data = values(program, call, 1)?;
                let header =
                    mirrored_header(program, &data, &format!("{}.{}", gress.mirrored, headers.len()));
                stmts.push(set_valid(header));
                for (position, value) in data.into_iter().enumerate() {
                    let field = program.headers[header].fields[position];
                    stmts.push(assign(program, field, value));
                }
                headers.push(header);
            }
            Some(stmts)
        }
        "Resubmit.emit" => {
            let width = chip.port_data().0;
            let data = if call.args.is_empty() { Vec::new() } else { values(program, call, 0)? };
            let bits: u32 = data.iter().map(|value| value.ty.width()).sum();
            if bits > width {
                return None;
            }
            let padding = (bits < width).then(|| number(Type::bit(width - bits), 0));
            let all = data.into_iter().map(unsigned).chain(padding).reduce(concat)?;
            let one = number(Type::bit(1), 1);
            let again = Block(vec![assign(program, hidden.resubmit_again, one.clone())]);
            let first = Block(vec![
                assign(program, hidden.resubmit, one.clone()),
                assign(program, hidden.resubmitted, one),
                assign(program, hidden.port_data, all),
            ]);
            let condition = equals(value(program, hidden.resubmitted), 1);
            Some(vec![stmt(StmtKind::If { condition, then: again, otherwise: first })])
        }
        _ => None,
    }
}

/// Returns the values of an argument, in order; `None` if one of them is neither a number nor a
/// boolean.
fn values(program: &Program, call: &ExternCall, position: usize) -> Option<Vec<Expr>> {
    let ArgValue::Leaves(leaves) = &call.args.get(position)?.value else { return None };
    let mut found = Vec::new();
    for leaf in leaves {
        match leaf {
            Leaf::Value(value) => found.push(value.clone()),
            Leaf::Header(id) => {
                found.extend(program.headers[*id].fields.iter().map(|field| value(program, *field)));
            }
        }
    }
    found.iter().all(|value| matches!(value.ty, Type::Bits { .. } | Type::Bool)).then_some(found)
}

/// Adds a header for the values that come before a mirrored packet, in whole bytes.
fn mirrored_header(program: &mut Program, data: &[Expr], name: &str) -> HeaderId {
    let bits: u32 = data.iter().map(|value| value.ty.width()).sum();
    let padding = bits.next_multiple_of(8) - bits;
    let widths = data.iter().map(|value| value.ty.width()).chain((padding > 0).then_some(padding));
    let fields: Vec<_> =
        widths.enumerate().map(|(position, width)| (position.to_string(), Type::bit(width))).collect();
    add_header(program, name, &fields)
}

/// Converts a value to an unsigned number of the same width.
fn unsigned(value: Expr) -> Expr {
    let ty = Type::bit(value.ty.width());
    cast(value, ty)
}

/// Builds the statement that sets a request's variable to 0 if a condition holds.
pub(super) fn suppress(program: &Program, request: VarId, condition: Expr) -> Stmt {
    let allowed = cast(not(condition), Type::bit(1));
    let both = binary(BinaryOp::BitAnd, value(program, request), allowed, Type::bit(1));
    assign(program, request, both)
}
