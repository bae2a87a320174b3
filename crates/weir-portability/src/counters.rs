//! Counters that count only packets or only bytes.

use std::collections::BTreeSet;

use weir_compiler::hir::walk::Visitor;
use weir_compiler::hir::{Call, Callee, Constructor, ExprKind, InstanceId, Program};
use weir_compiler::{Value, evaluate};

use crate::code::Code;
use crate::names::{method, value};
use crate::report::Report;
use crate::rules::COUNTER_TYPE;
use crate::tables::property;

/// Checks the counters of the program.
pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    let program = code.program;
    let mut counters = Counters { program, found: BTreeSet::new() };
    code.visit(&mut counters);
    let mut found = counters.found;
    found.extend(code.tables().into_iter().filter_map(|id| property(&program.tables[id], "counters")));
    for id in found {
        if let Some(unit @ ("packets" | "bytes")) = unit(program, id) {
            report.add(&COUNTER_TYPE, program.instances[id].name.span, format!("counts {unit}"));
        }
    }
}

/// Returns the member of `CounterType` that a counter's constructor gets.
fn unit(program: &Program, counter: InstanceId) -> Option<&str> {
    let construct = &program.instances[counter].construct;
    let Constructor::Extern { decl, .. } = construct.constructor else { return None };
    if !["counter", "direct_counter"].contains(&program.externs[decl].name.text.as_str()) {
        return None;
    }
    let Value::Member(decl, member) = evaluate(program, value(construct.args.last()?)?)? else {
        return None;
    };
    Some(&program.enums[decl].members[member].name.text)
}

/// Finds the counters that the code calls.
struct Counters<'a> {
    program: &'a Program,
    found: BTreeSet<InstanceId>,
}

impl Visitor for Counters<'_> {
    fn call(&mut self, call: &Call) {
        if let Callee::Method { object, .. } = &call.callee
            && let ExprKind::Instance(id) = object.kind
            && method(self.program, call) == Some(("counter", "count"))
        {
            self.found.insert(id);
        }
    }
}
