//! The variables that statements mention, and those that they write.

use std::collections::BTreeSet;

use weir_ir::visit::{Visitor, walk_stmt};
use weir_ir::{ArgValue, Block, Expr, HeaderId, HeaderRef, Place, Program, Stmt, StmtKind, VarId};

/// Returns whether a statement, or code that it calls, makes an extern call of this kind.
pub(super) fn calls(program: &Program, stmt: &Stmt, wanted: &dyn Fn(&str) -> bool) -> bool {
    let any = |block: &Block| block.0.iter().any(|stmt| calls(program, stmt, wanted));
    match &stmt.kind {
        StmtKind::Extern(call) => wanted(&call.callee),
        StmtKind::If { then, otherwise, .. } => any(then) || any(otherwise),
        StmtKind::Switch { cases, default, .. } => cases.iter().any(|(_, block)| any(block)) || any(default),
        StmtKind::Loop { body, step, .. } => any(body) || any(step),
        StmtKind::Call(id) => any(&program.procedures[*id].body),
        StmtKind::CallAction(id) => any(&program.actions[*id].body),
        StmtKind::Apply { table, .. } => {
            let table = &program.tables[*table];
            let actions = table.actions.iter().map(|listed| listed.action);
            actions.chain([table.default_action.action]).any(|id| any(&program.actions[id].body))
        }
        _ => false,
    }
}

/// Returns all variables in a statement and in the code that it calls.
pub(super) fn mentioned(program: &Program, stmt: &Stmt) -> BTreeSet<VarId> {
    let mut found = Mentioned { program, found: BTreeSet::new() };
    found.stmt(stmt);
    found.found
}

/// Returns the variables that a statement and the code that it calls may write.
pub(super) fn written(program: &Program, stmt: &Stmt) -> BTreeSet<VarId> {
    let of_blocks = |blocks: Vec<&Block>| {
        blocks.into_iter().flat_map(|block| &block.0).flat_map(|stmt| written(program, stmt)).collect()
    };
    match &stmt.kind {
        StmtKind::Assign(Place::Var(var), _) => BTreeSet::from([*var]),
        StmtKind::Assign(Place::Indexed(vars, _), _) => vars.iter().copied().collect(),
        StmtKind::Copy { to: HeaderRef::Header(header), .. }
        | StmtKind::SetValid(HeaderRef::Header(header))
        | StmtKind::SetInvalid(HeaderRef::Header(header)) => of_header(program, *header).collect(),
        StmtKind::Extern(call) => {
            let args = call.args.iter().filter_map(|arg| match &arg.value {
                ArgValue::Vars { vars, .. } => Some(vars),
                _ => None,
            });
            args.flatten().chain(&call.result).copied().collect()
        }
        StmtKind::If { then, otherwise, .. } => of_blocks(vec![then, otherwise]),
        StmtKind::Switch { cases, default, .. } => {
            of_blocks(cases.iter().map(|(_, block)| block).chain([default]).collect())
        }
        StmtKind::Emit(_) => BTreeSet::new(),
        _ => mentioned(program, stmt),
    }
}

/// Returns the variables of a header.
fn of_header(program: &Program, header: HeaderId) -> impl Iterator<Item = VarId> {
    let header = &program.headers[header];
    header.fields.iter().copied().chain([header.valid])
}

struct Mentioned<'p> {
    program: &'p Program,
    found: BTreeSet<VarId>,
}

impl Mentioned<'_> {
    fn all(&mut self, block: &Block) {
        block.0.iter().for_each(|stmt| self.stmt(stmt));
    }
}

impl Visitor for Mentioned<'_> {
    fn var(&mut self, id: &VarId) {
        self.found.insert(*id);
    }

    fn header(&mut self, id: &HeaderId) {
        self.found.extend(of_header(self.program, *id));
    }

    fn stack(&mut self, id: &weir_ir::StackId) {
        let program = self.program;
        let stack = &program.stacks[*id];
        self.found.insert(stack.next_index);
        stack.elements.iter().for_each(|header| self.found.extend(of_header(program, *header)));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        walk_stmt(self, stmt);
        let program = self.program;
        match &stmt.kind {
            StmtKind::Call(id) => self.all(&program.procedures[*id].body),
            StmtKind::CallAction(id) => self.all(&program.actions[*id].body),
            StmtKind::Apply { table, .. } => {
                let table = &program.tables[*table];
                table.keys.iter().for_each(|key| self.expr(&key.expr));
                let actions = table.actions.iter().map(|listed| listed.action);
                for action in actions.chain([table.default_action.action]) {
                    self.all(&program.actions[action].body);
                }
            }
            _ => {}
        }
    }
}

/// Returns whether an expression reads one of these variables.
pub(super) fn reads_expr(expr: &Expr, wanted: &BTreeSet<VarId>) -> bool {
    struct Reads<'a>(&'a BTreeSet<VarId>, bool);
    impl Visitor for Reads<'_> {
        fn var(&mut self, id: &VarId) {
            self.1 |= self.0.contains(id);
        }
    }
    let mut reads = Reads(wanted, false);
    reads.expr(expr);
    reads.1
}

/// Returns whether code reads one of these variables.
pub(super) fn reads(program: &Program, stmts: &[&Stmt], wanted: &BTreeSet<VarId>) -> bool {
    struct Reads<'a> {
        wanted: &'a BTreeSet<VarId>,
        program: &'a Program,
        found: bool,
    }
    impl Visitor for Reads<'_> {
        fn var(&mut self, id: &VarId) {
            self.found |= self.wanted.contains(id);
        }

        fn header(&mut self, id: &HeaderId) {
            self.found |= of_header(self.program, *id).any(|var| self.wanted.contains(&var));
        }

        fn stmt(&mut self, stmt: &Stmt) {
            match &stmt.kind {
                StmtKind::Assign(Place::Var(_), value) => self.expr(value),
                // An extraction fills the fields.
                StmtKind::Extract { .. } | StmtKind::SetValid(_) | StmtKind::SetInvalid(_) => {}
                StmtKind::Apply { table, .. } => {
                    let keys = &self.program.tables[*table].keys;
                    keys.iter().for_each(|key| self.expr(&key.expr));
                }
                _ => walk_stmt(self, stmt),
            }
        }
    }
    let mut reads = Reads { wanted, program, found: false };
    stmts.iter().for_each(|stmt| reads.stmt(stmt));
    reads.found
}
