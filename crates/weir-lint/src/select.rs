//! Finds `select`s that do not cover all values. Packets with other values are rejected, which is
//! rarely intended.

use rustc_hash::FxHashSet;
use weir_syntax::{Diagnostic, Diagnostics};

use crate::check::constant::{Value, evaluate};
use crate::hir::{Expr, KeysetElement, Program, SelectCase, Transition, Type};

/// Reports `select` expressions that do not cover all values.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    for (_, state) in program.states.iter() {
        let Transition::Select { subjects, cases } = &state.transition else { continue };
        let accepts_all =
            |case: &SelectCase| case.keyset.elements.iter().all(|e| matches!(e, KeysetElement::Any));
        let Some(last) = cases.last() else { continue };
        if cases.iter().any(accepts_all) || all_values(program, subjects, cases) {
            continue;
        }
        let diagnostic = Diagnostic::warning(
            "select-without-default",
            "this `select` does not cover all values and has no `default`",
        )
        .primary(last.span, "no `default` after this case")
        .note("packets that match no case are rejected with `error.NoMatch`")
        .suggest("if this is intended, make it explicit", last.span.after(), " default: reject;");
        diagnostics.push(diagnostic);
    }
}

/// Returns whether there is a single subject and the cases list every value of its type.
fn all_values(program: &Program, subjects: &[Expr], cases: &[SelectCase]) -> bool {
    let [subject] = subjects else { return false };
    let values = match &program.types[subject.ty] {
        Type::Bool => 2,
        Type::Bits { width, .. } if *width <= 8 => 1 << width,
        Type::Enum(decl) if program.enums[*decl].underlying.is_none() => program.enums[*decl].members.len(),
        _ => return false,
    };
    let mut listed = FxHashSet::default();
    for case in cases {
        if let [KeysetElement::Value(value)] = case.keyset.elements.as_slice() {
            listed.extend(match evaluate(program, value) {
                Some(Value::Bool(value)) => Some(i64::from(value).to_string()),
                Some(Value::Int(value)) => Some(value.to_string()),
                Some(Value::Member(_, member)) => Some(member.to_string()),
                _ => None,
            });
        } else {
            // The coverage of ranges, masks and value sets is not computed.
            return true;
        }
    }
    listed.len() == values
}
