//! The sums of `InternetChecksum` objects, and of TNA's `Checksum` objects, in pipelines: their
//! variables, and the calls that machine code can replace.

use std::collections::BTreeMap;

use weir_exec::{ExternSemantics, SumStep, can_be_summed, has_result};
use weir_ir::visit::extern_calls;
use weir_ir::{ArgValue, ExternCall, ExternId, ExternInstance, Leaf, Program, Type, Var, VarId, VarRole};

use super::CallSite;
use crate::path::ResolvedCall;

/// The end of the names of variables that hold sums in pipelines.
const SUM: &str = ".$sum$";

/// Returns the step that a call of an architecture makes in the computation of a sum; `None` if
/// machine code cannot replace the call.
pub(in crate::arch) type Steps = fn(&Program, &ExternCall) -> Option<SumStep>;

/// Adds a variable for the sum of each object whose calls machine code can replace, unless it is
/// there.
pub(in crate::arch) fn add_sums(program: &mut Program, steps: Steps) {
    let mut objects: BTreeMap<ExternId, bool> = BTreeMap::new();
    for (call, _) in extern_calls(program) {
        if let Some(object) = call.instance {
            *objects.entry(object).or_insert(true) &= steps(program, call).is_some();
        }
    }
    objects.retain(|object, all| *all && sum(program, *object).is_none());
    for object in objects.into_keys() {
        let ExternInstance { name, loc, .. } = &program.externs[object];
        let (name, loc) = (format!("{name}{SUM}"), *loc);
        program.vars.push(Var {
            name,
            ty: Type::bit(16),
            role: VarRole::Plain,
            annotations: Vec::new(),
            loc,
        });
    }
}

/// Lets machine code replace a call, if [`add_sums`] added a variable for its object.
pub(in crate::arch) fn replaceable<A>(
    resolved: ResolvedCall,
    site: &CallSite<'_, A>,
    object: ExternId,
    steps: Steps,
) -> ResolvedCall {
    let sum = sum(site.program, object);
    match sum.zip(steps(site.program, site.call)) {
        Some((sum, step)) => resolved.with_semantics(ExternSemantics::Sum { sum, step }),
        None => resolved,
    }
}

/// Returns the variable that [`add_sums`] added for an object.
fn sum(program: &Program, object: ExternId) -> Option<VarId> {
    let name = &program.externs[object].name;
    let mut vars = program.vars.iter();
    vars.find_map(|(id, var)| (var.name.strip_suffix(SUM)? == name).then_some(id))
}

/// Returns the name of the method that a call calls.
pub(in crate::arch) fn method(call: &ExternCall) -> &str {
    call.callee.rsplit('.').next().unwrap_or_default()
}

/// Returns the step that a call of an `InternetChecksum` makes.
pub(in crate::arch) fn internet_steps(program: &Program, call: &ExternCall) -> Option<SumStep> {
    if !call.callee.starts_with("InternetChecksum.") {
        return None;
    }
    let leaves = match call.args.first().map(|arg| &arg.value) {
        Some(ArgValue::Leaves(leaves)) => leaves.as_slice(),
        _ => &[],
    };
    let sixteen = |ty: Type| matches!(ty, Type::Bits { width: 16, .. });
    let result = has_result(program, call, 16);
    match method(call) {
        "clear" => Some(SumStep::Clear),
        "add" if !leaves.is_empty() && can_be_summed(program, leaves) => Some(SumStep::Add(0)),
        "set_state" if matches!(leaves, [Leaf::Value(value)] if sixteen(value.ty)) => Some(SumStep::Set(0)),
        "get" if result => Some(SumStep::Get { complement: true }),
        "get_state" if result => Some(SumStep::Get { complement: false }),
        // Subtracting words one by one may make a sum 0 or 0xffff, which are the same number.
        _ => None,
    }
}
