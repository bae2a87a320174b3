//! Calls of v1model's functions and objects.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use weir_compiler::hir::walk::Visitor;
use weir_compiler::hir::{
    Call, Callee, Constructor, Expr, ExprKind, InstanceId, Program, RecordKind, Type, TypeId,
};

use crate::code::{Block, Code, Role};
use crate::names::{
    argument, bits, function, is_union, members, method, number, record_kind, value, variable,
};
use crate::report::Report;
use crate::rules::{
    ASSERT, CELL_INDEX, CHECKSUM_IN_PIPELINE, CLONE_SESSION, DIGEST_BLOCK, DIGEST_DATA, DIGEST_MEMBER,
    DIGEST_METADATA, EGRESS_CLONE, HASH_DATA, HASH_MEMBER, LOG_DATA, OLD_FORM, PACKET_LENGTH_METHOD,
    RANDOM_BOUNDS, RECIRCULATE_IN_INGRESS, REGISTER_RESULT,
};

/// The largest number of a clone session that `simple_switch` keeps.
const LAST_CLONE_SESSION: u32 = (1 << 15) - 1;

/// Checks the calls of extern functions and methods.
pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    let sizes = sizes(code.program);
    let metadata = code.metadata();
    for block in &code.blocks {
        block.visit(&mut Calls { block, metadata, sizes: &sizes, report });
    }
}

/// Returns the numbers of cells of counters, meters and registers.
fn sizes(program: &Program) -> BTreeMap<InstanceId, BigInt> {
    let sizes = program.instances.iter().filter_map(|(id, instance)| {
        let Constructor::Extern { decl, .. } = instance.construct.constructor else { return None };
        if !["counter", "meter", "register"].contains(&program.externs[decl].name.text.as_str()) {
            return None;
        }
        Some((id, number(program, value(instance.construct.args.first()?)?)?))
    });
    sizes.collect()
}

/// The state of checking extern calls.
struct Calls<'a, 'b> {
    block: &'a Block<'a>,
    metadata: Option<TypeId>,
    sizes: &'a BTreeMap<InstanceId, BigInt>,
    report: &'a mut Report<'b>,
}

impl Visitor for Calls<'_, '_> {
    fn call(&mut self, call: &Call) {
        let program = self.block.program;
        if let Some(name) = function(program, call) {
            self.function(name, call);
        }
        match (method(program, call), &call.callee) {
            (Some(("packet_in", "length")), _) => self.report.add(&PACKET_LENGTH_METHOD, call.span, ""),
            (Some(("Checksum16", _)), _) if self.in_pipeline() => {
                self.report.add(&CHECKSUM_IN_PIPELINE, call.span, "");
            }
            (Some((object_type, name)), Callee::Method { object, .. }) => {
                if (object_type, name) == ("register", "read")
                    && argument(call, 0).is_some_and(|to| is_part(program, to))
                {
                    self.report.add(&REGISTER_RESULT, call.span, "");
                }
                let position = usize::from(name == "read");
                if let Some(index) = argument(call, position) {
                    self.check_cell(object, index);
                }
            }
            _ => {}
        }
    }
}

impl Calls<'_, '_> {
    fn in_pipeline(&self) -> bool {
        matches!(self.block.role, Role::Ingress | Role::Egress)
    }

    /// Checks a call of an extern function.
    fn function(&mut self, name: &str, call: &Call) {
        let program = self.block.program;
        let role = self.block.role;
        if matches!(name, "clone" | "clone_preserving_field_list" | "clone3")
            && let Some(session) = argument(call, 1)
            && number(program, session).is_some_and(|session| session > LAST_CLONE_SESSION.into())
        {
            self.report.add(&CLONE_SESSION, session.span, "");
        }
        let rule = match name {
            "mark_to_drop" if call.args.is_empty() => &OLD_FORM,
            "clone3" | "resubmit" | "recirculate" => &OLD_FORM,
            "verify_checksum"
            | "verify_checksum_with_payload"
            | "update_checksum"
            | "update_checksum_with_payload"
                if self.in_pipeline() =>
            {
                &CHECKSUM_IN_PIPELINE
            }
            "recirculate_preserving_field_list" if role == Role::Ingress => &RECIRCULATE_IN_INGRESS,
            "assert" | "assume" => &ASSERT,
            "digest" => {
                if let Some(data) = argument(call, 1) {
                    let of_headers = [Some(RecordKind::Header), Some(RecordKind::Union)];
                    let is_error = matches!(program.types[data.ty], Type::Error);
                    if is_error || of_headers.contains(&record_kind(program, data.ty)) {
                        self.report.add(&DIGEST_DATA, call.span, "");
                    } else if contains(program, data.ty, &is_group) {
                        self.report.add(&DIGEST_MEMBER, call.span, "");
                    } else if Some(data.ty) == self.metadata && variable(data).is_some() {
                        self.report.add(&DIGEST_METADATA, call.span, "");
                    }
                }
                if matches!(role, Role::Ingress | Role::Parser | Role::Verify) {
                    return;
                }
                &DIGEST_BLOCK
            }
            "hash" if argument(call, 3).is_some_and(|data| members(program, data.ty).is_none()) => &HASH_DATA,
            "hash"
                if argument(call, 3).is_some_and(|data| {
                    let is_bool = |ty| matches!(program.types[ty], Type::Bool);
                    contains(program, data.ty, &|program, ty| is_bool(ty) || is_group(program, ty))
                }) =>
            {
                &HASH_MEMBER
            }
            "log_msg" if argument(call, 1).is_some_and(|data| !can_log(program, data)) => &LOG_DATA,
            "random" if self.bounds_are_wrong(call) => &RANDOM_BOUNDS,
            "clone" | "clone_preserving_field_list" if role == Role::Egress => &EGRESS_CLONE,
            _ => return,
        };
        self.report.add(rule, call.span, "");
    }

    fn bounds_are_wrong(&self, call: &Call) -> bool {
        let bound = |position| number(self.block.program, argument(call, position)?);
        bound(1).zip(bound(2)).is_some_and(|(low, high)| low > high)
    }

    fn check_cell(&mut self, object: &Expr, index: &Expr) {
        let ExprKind::Instance(instance) = &object.kind else { return };
        let Some(size) = self.sizes.get(instance) else { return };
        if number(self.block.program, index).is_some_and(|index| index >= *size) {
            self.report.add(&CELL_INDEX, index.span, format!("the array has {size} cells"));
        }
    }
}

/// Returns whether p4c writes a result to a temporary variable in place of this expression. It does
/// so for slices that do not have all bits, and for parts of stacks whose index is not a constant.
fn is_part(program: &Program, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Index { base, index } => number(program, index).is_none() || is_part(program, base),
        ExprKind::Field { base, .. } => is_part(program, base),
        ExprKind::Slice { base, high, low } => {
            bits(program, base.ty).is_none_or(|(_, width)| high - low + 1 < width)
        }
        ExprKind::IndexedSlice { .. } => true,
        _ => false,
    }
}

/// Returns whether a type is a header stack or a header union.
fn is_group(program: &Program, ty: TypeId) -> bool {
    matches!(program.types[ty], Type::Stack { .. }) || is_union(program, ty)
}

/// Returns whether a list or struct has a member of a type that `wanted` names, outside its
/// headers.
fn contains(program: &Program, ty: TypeId, wanted: &dyn Fn(&Program, TypeId) -> bool) -> bool {
    if wanted(program, ty) {
        return true;
    }
    let is_header = record_kind(program, ty) == Some(RecordKind::Header);
    let members = members(program, ty).filter(|_| !is_header).unwrap_or_default();
    members.into_iter().any(|member| contains(program, member, wanted))
}

/// Returns whether `log_msg` can print all members of its data.
fn can_log(program: &Program, data: &Expr) -> bool {
    let can_log_type = |ty: &TypeId| {
        matches!(
            program.types[*ty],
            Type::Bits { .. } | Type::Bool | Type::Error | Type::Enum(_) | Type::Newtype(_)
        )
    };
    let members_of = |ty: TypeId| members(program, ty).filter(|members| members.iter().all(can_log_type));
    // p4c splits a header or a union into its fields if the list has no other member.
    let only_header = |members: &[TypeId]| match members {
        [ty] if record_kind(program, *ty) == Some(RecordKind::Header) => members_of(*ty).is_some(),
        [ty] => is_union(program, *ty),
        _ => false,
    };
    members_of(data.ty).is_some() || members(program, data.ty).is_some_and(|members| only_header(&members))
}
