//! Checks statements in blocks that allow only few kinds of statements, and loops.

use weir_compiler::evaluate;
use weir_compiler::hir::walk::{self, Visitor};
use weir_compiler::hir::{
    Call, Callee, Expr, ExprKind, Local, Program, RecordKind, Stmt, StmtKind, Type, VarKind,
};

use crate::code::{Block, Code, Role};
use crate::names::{argument, function, method, record_kind, variable};
use crate::report::Report;
use crate::rules::{
    DEPARSER_STATEMENT, FOR, FOR_IN, PARSER_CALL, Rule, SWITCH_IN_ACTION, UPDATE_STATEMENT, VERIFY_STATEMENT,
};

/// Checks which kinds of statements the blocks contain.
pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    for block in &code.blocks {
        let program = block.program;
        match block.role {
            Role::Verify => check_few_kinds(block, &VERIFY_STATEMENT, report),
            Role::Update => check_few_kinds(block, &UPDATE_STATEMENT, report),
            Role::Deparser => check_few_kinds(block, &DEPARSER_STATEMENT, report),
            Role::Parser => block.visit(&mut ParserCode { program, report }),
            Role::Ingress | Role::Egress => {}
        }
    }
    code.blocks.iter().for_each(|block| loops(block, report));
    for id in code.actions() {
        walk::block(&code.program.actions[id].body, &mut ActionCode { report });
    }
}

/// Checks the statements of a block that allows few kinds of them.
fn check_few_kinds(block: &Block<'_>, rule: &'static Rule, report: &mut Report<'_>) {
    let program = block.program;
    for &control in &block.controls {
        for local in &program.controls[control].locals {
            if let Local::Var { init: Some(init), .. } = local
                && !(is_copied(program, init) || is_condition(block.role, program, init))
            {
                report.add(rule, init.span, "computed");
            }
        }
    }
    block.visit(&mut StatementCheck { program, role: block.role, rule, report });
}

struct StatementCheck<'a, 'b> {
    program: &'a Program,
    role: Role,
    rule: &'static Rule,
    report: &'a mut Report<'b>,
}

impl Visitor for StatementCheck<'_, '_> {
    fn stmt(&mut self, stmt: &Stmt) {
        let program = self.program;
        let taken = match &stmt.kind {
            StmtKind::Block(_) | StmtKind::Return(_) | StmtKind::Exit => true,
            StmtKind::Declare { init, .. } => init.as_ref().is_none_or(|init| self.is_moved(init)),
            // p4c replaces local variables with the values that were copied into them.
            StmtKind::Assign { target, value } => {
                let local = variable(target).is_some_and(|var| program.vars[var].kind == VarKind::Local);
                local && self.is_moved(value)
            }
            StmtKind::Call(call) => self.takes_moved_value(call),
            _ => false,
        };
        if !taken {
            self.report.add(self.rule, stmt.span, "");
        }
    }
}

impl StatementCheck<'_, '_> {
    /// Returns whether p4c moves a value from a variable to its uses.
    fn is_moved(&self, value: &Expr) -> bool {
        is_copied(self.program, value) || is_condition(self.role, self.program, value)
    }

    fn takes_moved_value(&self, call: &Call) -> bool {
        if matches!(call.callee, Callee::ApplyControl(_) | Callee::Function(_)) {
            return true;
        }
        match (self.role, function(self.program, call)) {
            (Role::Verify, Some(name)) => name.starts_with("verify_checksum"),
            (Role::Update, Some(name)) => name.starts_with("update_checksum"),
            (_, Some(name)) => {
                let taken =
                    ["digest", "hash", "random", "truncate", "log_msg", "assert", "assume", "static_assert"];
                taken.contains(&name)
            }
            (Role::Deparser, None) => {
                let emits = method(self.program, call) == Some(("packet_out", "emit"));
                emits && argument(call, 0).is_some_and(|emitted| is_copied(self.program, emitted))
            }
            _ => false,
        }
    }
}

/// Returns whether a value is a computed condition of a checksum, which p4c moves into the call.
fn is_condition(role: Role, program: &Program, value: &Expr) -> bool {
    /// Whether a statement contains a call.
    #[derive(Default)]
    struct Calls(bool);
    impl Visitor for Calls {
        fn call(&mut self, _: &Call) {
            self.0 = true;
        }
    }
    let mut calls = Calls::default();
    walk::expr(value, &mut calls);
    let of_checksums = matches!(role, Role::Verify | Role::Update);
    of_checksums && matches!(program.types[value.ty], Type::Bool) && !calls.0
}

/// Returns whether p4c propagates a value to its uses: a constant, or a variable or field. A list
/// for a header is not such a value: p4c turns it into statements that make the header valid.
fn is_copied(program: &Program, value: &Expr) -> bool {
    let place = match &value.kind {
        ExprKind::Cast { operand, implicit: true } => operand,
        _ => value,
    };
    let kind = &place.kind;
    if matches!(kind, ExprKind::Slice { .. } | ExprKind::IndexedSlice { .. }) {
        return evaluate(program, value).is_some();
    }
    let is_computed = evaluate(program, value).is_some() || matches!(kind, ExprKind::Aggregate(_));
    let is_header = record_kind(program, value.ty) == Some(RecordKind::Header);
    place.is_place() || matches!(kind, ExprKind::Default | ExprKind::Invalid) || (is_computed && !is_header)
}

/// Checks the calls and statements in parsers.
struct ParserCode<'a, 'b> {
    program: &'a Program,
    report: &'a mut Report<'b>,
}

impl Visitor for ParserCode<'_, '_> {
    fn call(&mut self, call: &Call) {
        let refused = match (function(self.program, call), method(self.program, call)) {
            (Some(name), _) => !["verify", "log_msg", "static_assert"].contains(&name),
            (_, Some((object, _))) => object != "packet_in",
            _ => matches!(call.callee, Callee::Action(_)),
        };
        if refused {
            self.report.add(&PARSER_CALL, call.span, "");
        }
    }
}

/// Reports loops. In actions, p4c keeps the loops that do not iterate over a range or a list.
fn loops(block: &Block<'_>, report: &mut Report<'_>) {
    let program = block.program;
    for &action in &block.actions {
        walk::block(&program.actions[action].body, &mut Loops { kept: true, report });
    }
    let mut dropped = Loops { kept: false, report };
    block.controls.iter().for_each(|&control| walk::block(&program.controls[control].body, &mut dropped));
    block.functions.iter().for_each(|&function| walk::block(&program.functions[function].body, &mut dropped));
    block.states.iter().for_each(|&state| walk::state(&program.states[state], &mut dropped));
}

/// The state of checking loops.
struct Loops<'a, 'b> {
    /// Whether p4c keeps `for (…; …; …)` loops.
    kept: bool,
    report: &'a mut Report<'b>,
}

impl Visitor for Loops<'_, '_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match stmt.kind {
            StmtKind::For { .. } if !self.kept => self.report.add(&FOR, stmt.span, ""),
            StmtKind::ForRange { .. } | StmtKind::ForEach { .. } => self.report.add(&FOR_IN, stmt.span, ""),
            _ => {}
        }
    }
}

struct ActionCode<'a, 'b> {
    report: &'a mut Report<'b>,
}

impl Visitor for ActionCode<'_, '_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if matches!(stmt.kind, StmtKind::SwitchValue { .. }) {
            self.report.add(&SWITCH_IN_ACTION, stmt.span, "");
        }
    }
}
