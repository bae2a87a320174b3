//! Finds cases of `select` and labels of `switch` that can never match. Either an earlier case of a
//! `select` matches all their values, or the tested value cannot be one of them, or the other cases
//! match all values.

use num_bigint::BigInt;
use weir_syntax::{Diagnostic, Diagnostics, Span};

use super::covered::{Rows, Values, values};
use super::possible_values::{constant, possible};
use crate::hir::walk::{self, Visitor};
use crate::hir::{Block, Expr, Keyset, KeysetElement, Program, Stmt, StmtKind, Transition};

/// Reports cases and labels that can never match.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    for (_, state) in program.states.iter() {
        let Transition::Select { subjects, cases } = &state.transition else { continue };
        let keys: Vec<&Expr> = subjects.iter().collect();
        let mut rows = Rows::new(program, &keys, false);
        for case in cases {
            let keyset = &case.keyset;
            let takes_all = keyset.elements.iter().all(|element| matches!(element, KeysetElement::Any));
            if let Some((span, why)) = impossible(program, subjects, keyset) {
                diagnostics.push(warning("case", keyset.span).secondary(span, why));
            } else if takes_all && rows.accept_all(program, &keys) {
                diagnostics.push(warning("case", keyset.span).note("the cases before it match all values"));
            } else if keyset.elements.len() == keys.len() {
                let elements = keys.iter().zip(&keyset.elements);
                let accepted: Vec<Values> =
                    elements.map(|(key, element)| values(program, key, element)).collect();
                if let Some(first) = rows.add(&accepted, keyset.span) {
                    diagnostics.push(warning("case", keyset.span).secondary(first, "matches all its values"));
                }
            }
        }
    }
    walk::program(program, &mut Switches { program, diagnostics });
}

/// Makes the warning for a case that can never match.
fn warning(what: &str, place: Span) -> Diagnostic {
    Diagnostic::warning("unreachable-case", format!("this {what} can never match"))
        .primary(place, "no value gets here")
}

/// Returns a subject that a keyset can never match, and the possible values of the subject.
fn impossible(program: &Program, subjects: &[Expr], keyset: &Keyset) -> Option<(Span, String)> {
    subjects.iter().zip(&keyset.elements).find_map(|(subject, element)| match element {
        KeysetElement::Value(value) => possible_without(program, subject, &constant(program, value)?),
        // A mask compares bits, regardless of the sign of the number.
        KeysetElement::Mask { value, mask } => {
            let (value, mask) = (constant(program, value)?, constant(program, mask)?);
            let values = possible(program, subject)?;
            (!values.has_bits(&(value & mask))).then(|| reason(program, subject)).flatten()
        }
        KeysetElement::Range { low, high } => {
            let (low, high) = (constant(program, low)?, constant(program, high)?);
            let values = possible(program, subject)?;
            // Another check reports empty ranges.
            let misses = low > values.most || high < values.least;
            (low <= high && misses).then(|| reason(program, subject)).flatten()
        }
        KeysetElement::Any | KeysetElement::ValueSet(_) => None,
    })
}

/// Returns the possible values of a subject, if `value` is not one of them.
fn possible_without(program: &Program, subject: &Expr, value: &BigInt) -> Option<(Span, String)> {
    if possible(program, subject)?.contains(value) { None } else { reason(program, subject) }
}

/// Returns the possible values of a subject. `None` for a constant subject, which selects one case
/// on purpose.
fn reason(program: &Program, subject: &Expr) -> Option<(Span, String)> {
    if constant(program, subject).is_some() {
        return None;
    }
    Some((subject.span, format!("the value is {}", possible(program, subject)?.bounds())))
}

/// Reports cases of `switch` that can never match.
struct Switches<'a> {
    program: &'a Program,
    diagnostics: &'a mut Diagnostics,
}

impl Switches<'_> {
    /// Reports a `default` that never runs. A `default` without statements is not reported.
    fn default(&mut self, block: Option<&Block>, why: &'static str) {
        let first = block.and_then(|block| block.stmts.first());
        let warning = |first: &Stmt| {
            Diagnostic::warning("unreachable-case", "this `default` can never match")
                .primary(first.span, "no value gets here")
                .note(why)
        };
        self.diagnostics.extend(first.map(warning));
    }
}

impl Visitor for Switches<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        let (subject, cases, default) = match &stmt.kind {
            StmtKind::SwitchValue { subject, cases, default } => (subject, cases, default),
            StmtKind::SwitchAction { table, cases, default } => {
                let labels: Vec<_> = cases.iter().flat_map(|case| &case.actions).collect();
                let listed = &self.program.tables[*table].actions;
                if listed.iter().all(|item| labels.contains(&&item.action)) {
                    self.default(default.as_ref(), "the labels name all actions of the table");
                }
                return;
            }
            _ => return,
        };
        let labels = cases.iter().flat_map(|case| &case.values);
        let mut rows = Rows::new(self.program, &[subject], false);
        for label in labels.clone() {
            let element = KeysetElement::Value(label.clone());
            rows.add(&[values(self.program, subject, &element)], label.span);
        }
        if default.is_some() && rows.accept_all(self.program, &[subject]) {
            self.default(default.as_ref(), "the labels are all values");
        }
        for label in labels {
            let Some(value) = constant(self.program, label) else { continue };
            if let Some((span, why)) = possible_without(self.program, subject, &value) {
                self.diagnostics.push(warning("label", label.span).secondary(span, why));
            }
        }
    }
}
