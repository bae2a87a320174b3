//! Finds checksums of the IPv4 header. They are the only use of differing fields with the same
//! result for each segment.

use std::collections::BTreeSet;
use std::ops::Range;

use weir_exec::ExternSemantics;
use weir_ir::{ArgValue, Expr, ExprKind, ExternCall, HeaderId, Leaf, VarId, VarRole};

use super::Frames;
use super::calls::Calls;

/// A call that computes the checksum of the IPv4 header, or verifies it.
pub(super) struct Sum {
    /// Whether the call writes the checksum.
    pub updates: bool,
    /// Whether the call is made for all frames whose IPv4 header the parser has extracted.
    pub always: bool,
}

/// Returns the checksum that a call computes, if it always covers the frame's whole IPv4 header.
/// `bits` returns the position of a variable in the frame. `paths` contains the headers of each
/// parser path that extracts bytes of IPv4.
pub(super) fn sum(
    frames: &Frames<'_>,
    calls: &Calls<'_>,
    call: &ExternCall,
    bits: &dyn Fn(VarId) -> Option<Range<usize>>,
    paths: &[BTreeSet<HeaderId>],
) -> Option<Sum> {
    if frames.layout.v6 {
        return None;
    }
    let (condition, data, field, updates) = match calls.semantics(call)? {
        ExternSemantics::UpdateChecksum { condition, data, field } => (*condition, *data, *field, true),
        ExternSemantics::VerifyChecksum { condition, data, given, .. } => (*condition, *data, *given, false),
        _ => return None,
    };
    let leaves = |position: usize| match &call.args.get(position)?.value {
        ArgValue::Leaves(leaves) => Some(&leaves[..]),
        _ => None,
    };
    let field = match &call.args.get(field)?.value {
        ArgValue::Vars { vars, .. } => *vars.first()?,
        _ => variable(leaves(field)?.first()?)?,
    };
    let checksum = frames.layout.ipv4_checksum_bits();
    if bits(field)? != checksum {
        return None;
    }
    // The data are the bits of the header in order, with the checksum omitted or replaced by zeros.
    let mut at = frames.layout.network() * 8;
    for leaf in leaves(data)? {
        if at == checksum.start {
            at = checksum.end;
            if let Leaf::Value(Expr { kind: ExprKind::Const(zero), ty }) = leaf
                && zero.is_zero()
                && ty.width() == 16
            {
                continue;
            }
        }
        let place = match leaf {
            Leaf::Value(_) => bits(variable(leaf)?)?,
            Leaf::Header(_) => return None,
        };
        if place.start != at {
            return None;
        }
        at = place.end;
    }
    if at != frames.layout.transport() * 8 {
        return None;
    }
    // Fields of headers that a parser path has not extracted are not fields of the frame.
    let header = |var: VarId| match frames.program.vars[var].role {
        VarRole::Field(header) => Some(header),
        _ => None,
    };
    let summed: BTreeSet<_> =
        leaves(data)?.iter().filter_map(variable).chain([field]).filter_map(header).collect();
    let condition = leaves(condition)?.first()?;
    let (is_certain, guard) = match condition {
        Leaf::Value(Expr { kind: ExprKind::Const(constant), .. }) => (constant.is_true(), None),
        leaf => match frames.program.vars[variable(leaf)?].role {
            VarRole::Validity(header) => (true, Some(header)),
            _ => (false, None),
        },
    };
    let is_guarded = |path: &&BTreeSet<_>| guard.is_none_or(|guard| path.contains(&guard));
    let always = is_certain && paths.iter().all(|path| is_guarded(&path));
    paths.iter().filter(is_guarded).all(|path| summed.is_subset(path)).then_some(Sum { updates, always })
}

fn variable(leaf: &Leaf) -> Option<VarId> {
    match leaf {
        Leaf::Value(Expr { kind: ExprKind::Var(var), .. }) => Some(*var),
        _ => None,
    }
}
