//! Header stacks in parsers.

use std::collections::BTreeSet;

use weir_compiler::hir::walk::{self, Visitor};
use weir_compiler::hir::{
    Call, Callee, Expr, ExprKind, ParserId, Program, StateId, Stmt, StmtKind, Target, Transition, Type,
};
use weir_syntax::Span;

use crate::code::{Code, Role};
use crate::names::{argument, method, same_place};
use crate::report::Report;
use crate::rules::{EMPTY_LAST, STACK_IN_PARSER};

/// Checks the use of header stacks in the parser.
pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    let program = code.program;
    for block in code.blocks.iter().filter(|block| block.role == Role::Parser) {
        block.visit(&mut StackMoves { report });
        for &parser in &block.parsers {
            check_empty_stacks(program, parser, report);
        }
    }
}

/// Finds calls that move the elements of stacks.
struct StackMoves<'a, 'b> {
    report: &'a mut Report<'b>,
}

impl Visitor for StackMoves<'_, '_> {
    fn call(&mut self, call: &Call) {
        if matches!(call.callee, Callee::PushFront { .. } | Callee::PopFront { .. }) {
            self.report.add(&STACK_IN_PARSER, call.span, "");
        }
    }
}

/// Reports uses of `last` that some path from `start` reaches before an element was extracted.
///
/// Only stacks that are empty at the start of the parser are checked: its local stacks, and those
/// of its `out` parameters.
fn check_empty_stacks(program: &Program, parser: ParserId, report: &mut Report<'_>) {
    let parser = &program.parsers[parser];
    let mut lasts = LastReads { found: Vec::new() };
    parser.states.iter().for_each(|&state| walk::state(&program.states[state], &mut lasts));
    for (stack, _) in &lasts.found {
        let mut seen: BTreeSet<StateId> = BTreeSet::new();
        let mut open = vec![parser.start];
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let state = &program.states[id];
            if fills_or_reports(program, &state.stmts, stack, report) {
                continue;
            }
            match &state.transition {
                Transition::Direct(Target::State(next)) => open.push(*next),
                Transition::Direct(_) => {}
                Transition::Select { subjects, cases } => {
                    let mut read = LastReads { found: Vec::new() };
                    subjects.iter().for_each(|subject| walk::expr(subject, &mut read));
                    read.report(stack, report);
                    open.extend(cases.iter().filter_map(|case| match case.target {
                        Target::State(next) => Some(next),
                        Target::Accept | Target::Reject => None,
                    }));
                }
            }
        }
    }
}

/// Reports `last` of the stack before the first statement that may fill the stack; returns whether
/// there is such a statement.
fn fills_or_reports(program: &Program, stmts: &[Stmt], stack: &Expr, report: &mut Report<'_>) -> bool {
    for stmt in stmts {
        let mut fills = StackFills { program, stack, found: false };
        walk::stmt(stmt, &mut fills);
        if fills.found {
            return true;
        }
        let mut read = LastReads { found: Vec::new() };
        walk::stmt(stmt, &mut read);
        read.report(stack, report);
    }
    false
}

/// Finds statements that may fill a stack: `extract` into its `next`, an assignment, and a call of
/// another parser.
struct StackFills<'a> {
    program: &'a Program,
    stack: &'a Expr,
    found: bool,
}

impl StackFills<'_> {
    /// Returns whether a place is the stack's `next`, or a member of it: elements may be header
    /// unions.
    fn is_next(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::StackNext(stack) => same_place(stack, self.stack),
            ExprKind::Field { base, .. } => self.is_next(base),
            _ => false,
        }
    }
}

impl Visitor for StackFills<'_> {
    fn call(&mut self, call: &Call) {
        let extracts = method(self.program, call) == Some(("packet_in", "extract"));
        let into_next = argument(call, 0).is_some_and(|target| self.is_next(target));
        self.found |= (extracts && into_next) || !extracts && matches!(call.callee, Callee::ApplyParser(_));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Assign { target, .. } = &stmt.kind {
            self.found |= matches!(self.program.types[target.ty], Type::Stack { .. });
        }
    }
}

/// The stacks whose `last` is read, with the places of the reads.
struct LastReads {
    found: Vec<(Expr, Span)>,
}

impl LastReads {
    /// Reports the uses of a stack that may be empty.
    fn report(&self, stack: &Expr, report: &mut Report<'_>) {
        for (_, span) in self.found.iter().filter(|(found, _)| same_place(found, stack)) {
            report.add(&EMPTY_LAST, *span, "nothing was extracted into the stack yet");
        }
    }
}

impl Visitor for LastReads {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::StackLast(stack) = &expr.kind {
            self.found.push(((**stack).clone(), expr.span));
        }
    }
}
