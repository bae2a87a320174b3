//! Finds the statements of blocks, their extern calls, and all statements that a block of the
//! package can reach.

use std::collections::BTreeSet;

use crate::loc::Loc;
use crate::program::{
    ActionId, Block, ExternCall, PackageArg, ProcedureId, Program, Stmt, StmtKind, TableId,
};

/// Collects the statements of these blocks, including nested statements.
pub fn statements<'p>(blocks: impl IntoIterator<Item = &'p Block>) -> Vec<&'p Stmt> {
    let mut found = Vec::new();
    let mut pending: Vec<&Block> = blocks.into_iter().collect();
    pending.reverse();
    while let Some(block) = pending.pop() {
        for stmt in &block.0 {
            found.push(stmt);
            match &stmt.kind {
                StmtKind::If { then, otherwise, .. } => pending.extend([otherwise, then]),
                StmtKind::Switch { cases, default, .. } => {
                    pending.push(default);
                    pending.extend(cases.iter().rev().map(|(_, block)| block));
                }
                StmtKind::Loop { body, step, .. } => pending.extend([step, body]),
                _ => {}
            }
        }
    }
    found
}

/// Collects all extern calls of a program, with their places in the source.
pub fn extern_calls(program: &Program) -> Vec<(&ExternCall, Loc)> {
    let parsers = program.parsers.values().flat_map(|parser| {
        [&parser.locals].into_iter().chain(parser.states.values().map(|state| &state.body))
    });
    let blocks = parsers
        .chain(program.controls.values().map(|control| &control.body))
        .chain(program.procedures.values().map(|procedure| &procedure.body))
        .chain(program.actions.values().map(|action| &action.body));
    statements(blocks).into_iter().filter_map(call).collect()
}

fn call(stmt: &Stmt) -> Option<(&ExternCall, Loc)> {
    match &stmt.kind {
        StmtKind::Extern(call) => Some((call, stmt.loc)),
        _ => None,
    }
}

/// Returns the statements that can run in a block of the package: the statements of the block
/// itself, of the functions, sub-controls, actions and tables that it uses, and of the methods that
/// the program implements for the extern objects that it calls. Each statement is returned once.
pub fn reached_statements<'p>(program: &'p Program, block: &PackageArg) -> Vec<&'p Stmt> {
    let roots = match block {
        PackageArg::Parser(id) => {
            let parser = &program.parsers[*id];
            [&parser.locals].into_iter().chain(parser.states.values().map(|state| &state.body)).collect()
        }
        PackageArg::Control(id) => vec![&program.controls[*id].body],
        PackageArg::Package(_) | PackageArg::Const(_) => Vec::new(),
    };
    let (procedures, actions, tables) = Default::default();
    Reach { program, pending: roots, procedures, actions, tables }.run()
}

/// Returns the statements that can run in these actions and in the code that they call. Each
/// statement is returned once.
pub fn reached_from_actions(program: &Program, actions: impl IntoIterator<Item = ActionId>) -> Vec<&Stmt> {
    let (pending, procedures, reached, tables) = Default::default();
    let mut reach = Reach { program, pending, procedures, actions: reached, tables };
    actions.into_iter().for_each(|action| reach.action(action));
    reach.run()
}

/// A search that has yet to visit the blocks `pending`.
struct Reach<'p> {
    program: &'p Program,
    pending: Vec<&'p Block>,
    procedures: BTreeSet<ProcedureId>,
    actions: BTreeSet<ActionId>,
    tables: BTreeSet<TableId>,
}

impl<'p> Reach<'p> {
    /// Follows all calls and returns the statements that can be reached.
    fn run(mut self) -> Vec<&'p Stmt> {
        let mut reached = Vec::new();
        while !self.pending.is_empty() {
            let stmts = statements(std::mem::take(&mut self.pending));
            stmts.iter().for_each(|stmt| self.add_uses(stmt));
            reached.extend(stmts);
        }
        reached
    }

    fn add_uses(&mut self, stmt: &'p Stmt) {
        let program = self.program;
        match &stmt.kind {
            StmtKind::Call(id) => self.procedure(*id),
            StmtKind::CallAction(id) => self.action(*id),
            StmtKind::Apply { table, .. } if self.tables.insert(*table) => {
                let table = &program.tables[*table];
                table.actions.iter().for_each(|listed| self.action(listed.action));
                self.action(table.default_action.action);
            }
            StmtKind::Extern(call) => {
                let methods = call.instance.iter().flat_map(|id| &program.externs[*id].methods);
                methods.for_each(|method| self.procedure(method.procedure));
            }
            _ => {}
        }
    }

    /// Adds a procedure whose statements can be reached.
    fn procedure(&mut self, id: ProcedureId) {
        if self.procedures.insert(id) {
            self.pending.push(&self.program.procedures[id].body);
        }
    }

    /// Adds an action whose statements can be reached.
    fn action(&mut self, id: ActionId) {
        if self.actions.insert(id) {
            self.pending.push(&self.program.actions[id].body);
        }
    }
}
