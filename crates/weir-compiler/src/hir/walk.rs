//! Visits every statement and expression of a program once.

use super::{
    self as hir, Arg, ArgValue, Block, Call, Callee, Expr, ExprKind, Local, Program, State, Stmt, StmtKind,
    Table, Transition,
};

/// Receives the visited nodes. The default methods do nothing.
pub trait Visitor {
    /// Visits an expression, before its parts.
    fn expr(&mut self, _expr: &Expr) {}
    /// Visits a call, before its arguments.
    fn call(&mut self, _call: &Call) {}
    /// Visits a statement, before its parts.
    fn stmt(&mut self, _stmt: &Stmt) {}
    /// Visits a table that is applied, by a statement or in an expression.
    fn table(&mut self, _table: hir::TableId) {}
}

/// Visits all bodies, initializers, keys and transitions of `program`.
pub fn program(program: &Program, visitor: &mut impl Visitor) {
    for (_, function) in program.functions.iter() {
        block(&function.body, visitor);
    }
    for (_, action) in program.actions.iter() {
        block(&action.body, visitor);
    }
    for (_, control) in program.controls.iter() {
        locals(&control.locals, visitor);
        block(&control.body, visitor);
    }
    for (_, parser) in program.parsers.iter() {
        locals(&parser.locals, visitor);
    }
    for (_, one) in program.states.iter() {
        state(one, visitor);
    }
    for (_, one) in program.tables.iter() {
        table(one, visitor);
    }
    for (_, constant) in program.consts.iter() {
        expr(&constant.init, visitor);
    }
    for (_, instance) in program.instances.iter() {
        args(&instance.construct.args, visitor);
    }
}

/// Counts the statements in `program`; each `else if` counts.
pub fn statements(program: &Program) -> usize {
    /// Counts statements.
    struct Count(usize);
    impl Visitor for Count {
        fn stmt(&mut self, stmt: &Stmt) {
            self.0 += match &stmt.kind {
                StmtKind::If { links, .. } => links.len(),
                _ => 1,
            };
        }
    }
    let mut count = Count(0);
    self::program(program, &mut count);
    count.0
}

/// Visits the statements and the transition of a parser's state.
pub fn state(state: &State, visitor: &mut impl Visitor) {
    stmts(&state.stmts, visitor);
    if let Transition::Select { subjects, .. } = &state.transition {
        subjects.iter().for_each(|subject| expr(subject, visitor));
    }
}

/// Visits the keys of a table and the arguments that its list binds to actions.
pub fn table(table: &Table, visitor: &mut impl Visitor) {
    table.keys.iter().for_each(|key| expr(&key.expr, visitor));
    table.actions.iter().for_each(|action| args(&action.bound_args, visitor));
}

/// Visits the initializers of local variables.
pub fn locals(locals: &[Local], visitor: &mut impl Visitor) {
    for local in locals {
        if let Local::Var { init: Some(init), .. } = local {
            expr(init, visitor);
        }
    }
}

/// Visits the statements of a block.
pub fn block(block: &Block, visitor: &mut impl Visitor) {
    stmts(&block.stmts, visitor);
}

/// Walks through statements.
fn stmts(stmts: &[Stmt], visitor: &mut impl Visitor) {
    for stmt in stmts {
        self::stmt(stmt, visitor);
    }
}

/// Visits a statement with its parts.
pub fn stmt(stmt: &Stmt, visitor: &mut impl Visitor) {
    visitor.stmt(stmt);
    match &stmt.kind {
        StmtKind::Declare { init, .. } => init.iter().for_each(|init| expr(init, visitor)),
        StmtKind::Assign { target, value } => {
            expr(target, visitor);
            expr(value, visitor);
        }
        StmtKind::Call(called) => call(called, visitor),
        StmtKind::ApplyTable(table) => visitor.table(*table),
        StmtKind::If { links, otherwise } => {
            for link in links {
                expr(&link.condition, visitor);
                block(&link.then, visitor);
            }
            otherwise.iter().for_each(|otherwise| block(otherwise, visitor));
        }
        StmtKind::SwitchAction { table, cases, default } => {
            visitor.table(*table);
            cases.iter().for_each(|case| block(&case.body, visitor));
            default.iter().for_each(|default| block(default, visitor));
        }
        StmtKind::SwitchValue { subject, cases, default } => {
            expr(subject, visitor);
            cases.iter().for_each(|case| block(&case.body, visitor));
            default.iter().for_each(|default| block(default, visitor));
        }
        StmtKind::For { init, condition, update, body } => {
            stmts(init, visitor);
            expr(condition, visitor);
            stmts(update, visitor);
            block(body, visitor);
        }
        StmtKind::ForRange { low, high, body, .. } => {
            expr(low, visitor);
            expr(high, visitor);
            block(body, visitor);
        }
        StmtKind::ForEach { collection, body, .. } => {
            expr(collection, visitor);
            block(body, visitor);
        }
        StmtKind::Return(value) => value.iter().for_each(|value| expr(value, visitor)),
        StmtKind::Block(inner) => block(inner, visitor),
        StmtKind::Break | StmtKind::Continue | StmtKind::Exit => {}
    }
}

/// Walks through the expressions among arguments.
fn args(args: &[Arg], visitor: &mut impl Visitor) {
    for arg in args {
        if let ArgValue::Expr(value) = &arg.value {
            expr(value, visitor);
        }
    }
}

/// Walks through the object and the arguments of a call.
fn call(called: &Call, visitor: &mut impl Visitor) {
    visitor.call(called);
    match &called.callee {
        Callee::Method { object, .. } | Callee::ApplyParser(object) | Callee::ApplyControl(object) => {
            expr(object, visitor);
        }
        Callee::SetValid(place) | Callee::SetInvalid(place) => expr(place, visitor),
        Callee::PushFront { stack, .. } | Callee::PopFront { stack, .. } => expr(stack, visitor),
        Callee::Function(_) | Callee::Action(_) | Callee::ExternFunction(_) => {}
    }
    args(&called.args, visitor);
}

/// Visits an expression with its parts.
pub fn expr(expression: &Expr, visitor: &mut impl Visitor) {
    visitor.expr(expression);
    match &expression.kind {
        ExprKind::Unary(_, operand) | ExprKind::Cast { operand, .. } => expr(operand, visitor),
        ExprKind::Binary(_, left, right) => {
            expr(left, visitor);
            expr(right, visitor);
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            expr(condition, visitor);
            expr(then, visitor);
            expr(otherwise, visitor);
        }
        ExprKind::Slice { base, .. }
        | ExprKind::Field { base, .. }
        | ExprKind::TupleElement { base, .. }
        | ExprKind::StackNext(base)
        | ExprKind::StackLast(base)
        | ExprKind::StackLastIndex(base)
        | ExprKind::IsValid(base) => expr(base, visitor),
        ExprKind::IndexedSlice { base, low, .. } => {
            expr(base, visitor);
            expr(low, visitor);
        }
        ExprKind::Index { base, index } => {
            expr(base, visitor);
            expr(index, visitor);
        }
        ExprKind::Aggregate(items) => items.iter().for_each(|item| expr(item, visitor)),
        ExprKind::Call(called) => call(called, visitor),
        ExprKind::Apply { table, .. } => visitor.table(*table),
        ExprKind::Construct(construct) => args(&construct.args, visitor),
        _ => {}
    }
}
