//! Properties of parts of the typed tree, computed by walking it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::hir::{self, ArgValue, Callee, Expr, ExprKind, Local, Stmt, StmtKind};

/// Returns whether evaluating `expr` may change a variable, that is, whether it contains a call.
pub(super) fn has_effects(expr: &Expr) -> bool {
    let mut has_effect = false;
    expressions(expr, &mut |expr| {
        has_effect |= matches!(expr.kind, ExprKind::Call(_) | ExprKind::Apply { .. });
    });
    has_effect
}

/// Calls `visit` with `expr` and all its subexpressions.
pub(super) fn expressions(expr: &Expr, visit: &mut impl FnMut(&Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Call(call) => call_expressions(call, visit),
        _ => expr.operands(|operand| expressions(operand, visit)),
    }
}

fn call_expressions(call: &hir::Call, visit: &mut impl FnMut(&Expr)) {
    match &call.callee {
        Callee::Method { object, .. } => expressions(object, visit),
        Callee::ApplyParser(object) | Callee::ApplyControl(object) => expressions(object, visit),
        Callee::SetValid(place) | Callee::SetInvalid(place) => expressions(place, visit),
        Callee::PushFront { stack, .. } | Callee::PopFront { stack, .. } => expressions(stack, visit),
        Callee::Function(_) | Callee::Action(_) | Callee::ExternFunction(_) => {}
    }
    for arg in &call.args {
        if let ArgValue::Expr(expr) = &arg.value {
            expressions(expr, visit);
        }
    }
}

/// A node that `statements` visits.
pub(super) enum Node<'a> {
    Stmt(&'a Stmt),
    Call(&'a hir::Call),
    /// An application of a table in an expression.
    Apply(hir::TableId),
}

/// Calls `visit` with every statement, every call and every application of a table in an expression
/// in `stmts`, including nested ones.
pub(super) fn statements<'a>(stmts: &'a [Stmt], visit: &mut impl FnMut(Node<'a>)) {
    for stmt in stmts {
        visit(Node::Stmt(stmt));
        match &stmt.kind {
            StmtKind::Declare { init: Some(expr), .. } | StmtKind::Return(Some(expr)) => {
                visit_calls(expr, visit);
            }
            StmtKind::Assign { target, value } => {
                visit_calls(target, visit);
                visit_calls(value, visit);
            }
            StmtKind::Call(call) => find_call(call, visit),
            StmtKind::If { links, otherwise } => {
                for link in links {
                    visit_calls(&link.condition, visit);
                    statements(&link.then.stmts, visit);
                }
                otherwise.iter().for_each(|block| statements(&block.stmts, visit));
            }
            StmtKind::SwitchAction { cases, default, .. } => {
                cases.iter().for_each(|case| statements(&case.body.stmts, visit));
                default.iter().for_each(|block| statements(&block.stmts, visit));
            }
            StmtKind::SwitchValue { subject, cases, default } => {
                visit_calls(subject, visit);
                cases.iter().for_each(|case| statements(&case.body.stmts, visit));
                default.iter().for_each(|block| statements(&block.stmts, visit));
            }
            StmtKind::For { init, condition, update, body } => {
                statements(init, visit);
                visit_calls(condition, visit);
                statements(update, visit);
                statements(&body.stmts, visit);
            }
            StmtKind::ForRange { low, high, body, .. } => {
                visit_calls(low, visit);
                visit_calls(high, visit);
                statements(&body.stmts, visit);
            }
            StmtKind::ForEach { collection, body, .. } => {
                visit_calls(collection, visit);
                statements(&body.stmts, visit);
            }
            StmtKind::Block(block) => statements(&block.stmts, visit),
            _ => {}
        }
    }
}

fn find_call<'a>(call: &'a hir::Call, visit: &mut impl FnMut(Node<'a>)) {
    visit(Node::Call(call));
    for arg in &call.args {
        if let ArgValue::Expr(expr) = &arg.value {
            visit_calls(expr, visit);
        }
    }
}

fn visit_calls<'a>(expr: &'a Expr, visit: &mut impl FnMut(Node<'a>)) {
    match &expr.kind {
        ExprKind::Call(call) => find_call(call, visit),
        ExprKind::Apply { table, .. } => visit(Node::Apply(*table)),
        _ => expr.operands(|operand| visit_calls(operand, visit)),
    }
}

/// Counts how many times the statements apply each instance.
pub(super) fn applications(stmts: &[Stmt], counts: &mut FxHashMap<hir::InstanceId, usize>) {
    statements(stmts, &mut |node| {
        if let Node::Call(call) = node
            && let Callee::ApplyControl(object) | Callee::ApplyParser(object) = &call.callee
            && let ExprKind::Instance(instance) = object.kind
        {
            *counts.entry(instance).or_default() += 1;
        }
    });
}

/// Collects the actions that are called directly anywhere in the program.
pub(super) fn called_actions(program: &hir::Program) -> FxHashSet<hir::ActionId> {
    let mut called = FxHashSet::default();
    let mut bodies: Vec<&[Stmt]> =
        program.actions.iter().map(|(_, action)| action.body.stmts.as_slice()).collect();
    bodies.extend(program.controls.iter().map(|(_, control)| control.body.stmts.as_slice()));
    for stmts in bodies {
        statements(stmts, &mut |node| {
            if let Node::Call(call) = node
                && let Callee::Action(action) = call.callee
            {
                called.insert(action);
            }
        });
    }
    called
}

/// Collects the controls that can execute an `exit`, themselves or in anything they declare or
/// apply.
pub(super) fn exiting_controls(program: &hir::Program) -> FxHashSet<hir::ControlId> {
    // Actions outside controls are rare, so if one of them has an `exit`, every control is assumed
    // to have one.
    let outside = program.declarations.iter().any(|declaration| match declaration {
        hir::Declaration::Action(action) => exits(&program.actions[*action].body.stmts),
        _ => false,
    });
    let mut exiting = FxHashSet::default();
    // A control is declared before the controls that instantiate it.
    for (id, control) in program.controls.iter() {
        let applies_unknown = control.constructor_params.iter().any(|param| {
            matches!(
                program.types[program.vars[param.var].ty],
                hir::Type::BlockType { .. } | hir::Type::Control { .. }
            )
        });
        let is_exiting = |local: &Local| match local {
            Local::Action(action) => exits(&program.actions[*action].body.stmts),
            Local::Instance(instance) => match program.instances[*instance].construct.constructor {
                hir::Constructor::Control(inner) => exiting.contains(&inner),
                _ => false,
            },
            _ => false,
        };
        if outside || applies_unknown || exits(&control.body.stmts) || control.locals.iter().any(is_exiting) {
            exiting.insert(id);
        }
    }
    exiting
}

/// Returns whether the statements contain `exit`.
fn exits(stmts: &[Stmt]) -> bool {
    let mut has_exit = false;
    statements(stmts, &mut |node| has_exit |= matches!(node, Node::Stmt(Stmt { kind: StmtKind::Exit, .. })));
    has_exit
}

/// Returns whether the statements of a state contain a `break` or `continue` of the enclosing loop.
pub(super) fn leaves_loop(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::If { links, otherwise } => {
            let mut bodies = links.iter().map(|link| &link.then).chain(otherwise);
            bodies.any(|body| leaves_loop(&body.stmts))
        }
        StmtKind::Block(block) => leaves_loop(&block.stmts),
        _ => false,
    })
}

/// Returns whether the statements apply a parser.
pub(super) fn applies_parser(stmts: &[Stmt]) -> bool {
    let mut has_application = false;
    statements(stmts, &mut |node| {
        has_application |= matches!(node, Node::Call(call) if matches!(call.callee, Callee::ApplyParser(_)));
    });
    has_application
}
