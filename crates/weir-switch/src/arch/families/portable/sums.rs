//! The sums of `InternetChecksum` objects in pipelines: their variables, and the calls that machine
//! code can replace.

use std::collections::BTreeMap;

use weir_exec::SumStep;
use weir_ir::visit::extern_calls;
use weir_ir::{ArgValue, ExternCall, ExternId, ExternInstance, Leaf, Program, Type, Var, VarId, VarRole};

/// The end of the names of variables that hold sums in pipelines.
const SUM: &str = ".$sum$";

/// Adds a variable for the sum of each object whose calls machine code can replace, unless it is
/// there.
pub(in crate::arch) fn add_sums(program: &mut Program) {
    let mut steps: BTreeMap<ExternId, bool> = BTreeMap::new();
    for (call, _) in extern_calls(program) {
        if let Some(object) = call.instance {
            *steps.entry(object).or_insert(true) &= step(program, call).is_some();
        }
    }
    steps.retain(|object, all| *all && sum(program, *object).is_none());
    for object in steps.into_keys() {
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

/// Returns the variable that [`add_sums`] added for an object.
pub(super) fn sum(program: &Program, object: ExternId) -> Option<VarId> {
    let name = &program.externs[object].name;
    let mut vars = program.vars.iter();
    vars.find_map(|(id, var)| (var.name.strip_suffix(SUM)? == name).then_some(id))
}

/// Returns the name of the method that a call calls.
pub(super) fn method(call: &ExternCall) -> &str {
    call.callee.rsplit('.').next().unwrap_or_default()
}

/// Returns the step that a call makes in the computation of a sum; `None` if machine code cannot
/// replace the call.
pub(super) fn step(program: &Program, call: &ExternCall) -> Option<SumStep> {
    if !call.callee.starts_with("InternetChecksum.") {
        return None;
    }
    let leaves = match call.args.first().map(|arg| &arg.value) {
        Some(ArgValue::Leaves(leaves)) => leaves.as_slice(),
        _ => &[],
    };
    let is_fixed =
        |leaf: &Leaf| matches!(leaf, Leaf::Value(value) if !matches!(value.ty, Type::Varbit { .. }));
    let sixteen = |ty: Type| matches!(ty, Type::Bits { width: 16, .. });
    let result = call.result.iter().all(|var| {
        let var = &program.vars[*var];
        sixteen(var.ty) && matches!(var.role, VarRole::Plain | VarRole::Field(_))
    });
    match method(call) {
        "clear" => Some(SumStep::Clear),
        "add" if !leaves.is_empty() && leaves.iter().all(is_fixed) => Some(SumStep::Add(0)),
        "set_state" if matches!(leaves, [Leaf::Value(value)] if sixteen(value.ty)) => Some(SumStep::Set(0)),
        "get" if result => Some(SumStep::Get { complement: true }),
        "get_state" if result => Some(SumStep::Get { complement: false }),
        // Subtracting words one by one may make a sum 0 or 0xffff, which are the same number.
        _ => None,
    }
}
