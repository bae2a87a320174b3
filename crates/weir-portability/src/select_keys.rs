//! The keys of `select`: their types, and the kinds of cases that each has.

use num_traits::{Signed, Zero};
use weir_compiler::hir::{
    BinaryOp, Expr, ExprKind, KeysetElement, Program, SelectCase, Stmt, StmtKind, Transition, Type,
};

use crate::code::Code;
use crate::names::{bits, number, same_place};
use crate::report::Report;
use crate::rules::{LAST_INDEX_KEY, NEGATIVE_MASK, SELECT_TYPE, SIGNED_RANGE};

/// Checks the keys of `select`.
pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    let program = code.program;
    let states = code.blocks.iter().flat_map(|block| block.states.iter());
    for &state in states {
        let Transition::Select { subjects, cases } = &program.states[state].transition else { continue };
        for (position, subject) in subjects.iter().enumerate() {
            match program.types[subject.ty] {
                Type::Error => report.add(&SELECT_TYPE, subject.span, "an error"),
                Type::Newtype(_) => report.add(&SELECT_TYPE, subject.span, "a value of a `type`"),
                _ => {}
            }
            if is_last_index(program, subject)
                || was_last_index(program, &program.states[state].stmts, subject)
            {
                report.add(&LAST_INDEX_KEY, subject.span, "");
            }
            if bits(program, subject.ty).is_some_and(|(signed, _)| signed) {
                check_signed_numbers(program, cases, position, report);
            }
        }
    }
}

/// Returns whether an expression is `lastIndex`, also after p4c has folded an addition of 0.
fn is_last_index(program: &Program, expr: &Expr) -> bool {
    let is_zero = |expr: &Expr| number(program, expr).is_some_and(|number| number.is_zero());
    match &expr.kind {
        ExprKind::StackLastIndex(_) => true,
        ExprKind::Binary(BinaryOp::Add, left, right) => {
            is_zero(right) && is_last_index(program, left) || is_zero(left) && is_last_index(program, right)
        }
        _ => false,
    }
}

/// Returns whether the last statement that assigns to a key assigns `lastIndex`, with which p4c
/// replaces the key.
fn was_last_index(program: &Program, stmts: &[Stmt], key: &Expr) -> bool {
    let assigned = stmts.iter().rev().find_map(|stmt| match &stmt.kind {
        StmtKind::Assign { target, value } if same_place(target, key) => Some(value),
        StmtKind::Declare { var, init, .. } if matches!(key.kind, ExprKind::Var(read) if read == *var) => {
            init.as_ref()
        }
        _ => None,
    });
    assigned.is_some_and(|value| is_last_index(program, value))
}

/// Checks keys that have both ranges and numbers. p4c turns ranges into masks of unsigned numbers,
/// and converts the key to an unsigned number.
fn check_signed_numbers(program: &Program, cases: &[SelectCase], position: usize, report: &mut Report<'_>) {
    let elements = || cases.iter().filter_map(|case| Some((case, case.keyset.elements.get(position)?)));
    let is_range = |element: &KeysetElement| matches!(element, KeysetElement::Range { .. });
    for (case, element) in elements() {
        if let KeysetElement::Mask { value, .. } = element
            && number(program, value).is_some_and(|value| value.is_negative())
        {
            report.add(&NEGATIVE_MASK, case.keyset.span, "");
        }
    }
    let plain = elements()
        .find(|(_, element)| matches!(element, KeysetElement::Value(_) | KeysetElement::Mask { .. }));
    if let Some((case, _)) = plain.filter(|_| elements().any(|(_, element)| is_range(element))) {
        report.add(&SIGNED_RANGE, case.keyset.span, "a number next to ranges");
    }
}
