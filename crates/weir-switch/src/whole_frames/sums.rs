//! Sums over the IPv4 header: the one use of fields that differ which gives the same in each segment.

use std::ops::Range;

use weir_exec::ExternSemantics;
use weir_ir::{ArgValue, Expr, ExprKind, ExternCall, HeaderId, Leaf, VarId, VarRole};

use super::Frames;
use super::calls::Calls;

/// A call that computes the checksum of the IPv4 header, or verifies it.
pub(super) struct Sum {
    /// Whether it writes the checksum.
    pub updates: bool,
    /// Whether it does so for all valid headers.
    pub always: bool,
}

/// The sum that a call computes, if it is one over the frame's whole IPv4 header. `bits` says where a
/// variable is in the frame, `is_kept` whether a header has bytes of IP.
pub(super) fn sum(
    frames: &Frames<'_>,
    calls: &Calls<'_>,
    call: &ExternCall,
    bits: &dyn Fn(VarId) -> Option<Range<usize>>,
    is_kept: &dyn Fn(HeaderId) -> bool,
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
    // The header's bits in their order; the checksum is left out, or zeros stand in its place.
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
    let always = match leaves(condition)?.first()? {
        Leaf::Value(Expr { kind: ExprKind::Const(constant), .. }) => constant.is_true(),
        leaf => match frames.program.vars[variable(leaf)?].role {
            VarRole::Validity(header) => is_kept(header),
            _ => false,
        },
    };
    (at == frames.layout.transport() * 8).then_some(Sum { updates, always })
}

fn variable(leaf: &Leaf) -> Option<VarId> {
    match leaf {
        Leaf::Value(Expr { kind: ExprKind::Var(var), .. }) => Some(*var),
        _ => None,
    }
}
