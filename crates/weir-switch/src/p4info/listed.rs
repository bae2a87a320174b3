//! Finds the tables and actions that controllers see. As in p4c, these are the tables and actions
//! that packets can reach.

use rustc_hash::FxHashSet;
use weir_ir::visit::{Visitor, walk_program, walk_stmt};
use weir_ir::{ActionId, ProcedureId, Program, Stmt, StmtKind, TableId};

/// The tables that the program applies, and the actions that it runs.
#[derive(Default)]
pub(super) struct ListedObjects {
    tables: FxHashSet<TableId>,
    /// The names of the actions of applied tables.
    of_tables: FxHashSet<String>,
    /// The names of the actions that controls call.
    called: FxHashSet<String>,
}

/// The visibility of an action for controllers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ActionVisibility {
    /// The action is listed with its parameters, because a table has it.
    WithParams,
    /// The action is listed only by name, because controls call it with their own values.
    ByName,
    /// The action is not listed.
    Not,
}

impl ListedObjects {
    pub(super) fn new(program: &Program) -> Self {
        let mut calls = Calls::default();
        walk_program(&mut calls, program);
        let mut called = Calls::default();
        let controls = program.controls.values().map(|control| &control.body);
        let procedures = program.procedures.values().filter(|procedure| procedure.action.is_none());
        controls.chain(procedures.map(|procedure| &procedure.body)).for_each(|body| called.block(body));
        let name = |id: &ActionId| program.actions[*id].control_plane_name().to_owned();
        let directed = called.procedures.iter().filter_map(|id| program.procedures[*id].action.as_ref());
        let applied = calls.tables.iter().flat_map(|id| program.tables[*id].listed());
        Self {
            of_tables: applied.map(|item| name(&item.action)).collect(),
            called: (called.actions.iter().map(name))
                .chain(directed.map(|action| action.name.clone()))
                .collect(),
            tables: calls.tables,
        }
    }

    pub(super) fn table(&self, id: TableId) -> bool {
        self.tables.contains(&id)
    }

    pub(super) fn action(&self, name: &str) -> ActionVisibility {
        if self.of_tables.contains(name) {
            ActionVisibility::WithParams
        } else if self.called.contains(name) {
            ActionVisibility::ByName
        } else {
            ActionVisibility::Not
        }
    }
}

/// Collects the tables that statements apply, and the actions and procedures that they call.
#[derive(Default)]
struct Calls {
    tables: FxHashSet<TableId>,
    actions: FxHashSet<ActionId>,
    procedures: FxHashSet<ProcedureId>,
}

impl Visitor for Calls {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Apply { table, .. } => {
                self.tables.insert(*table);
            }
            StmtKind::CallAction(action) => {
                self.actions.insert(*action);
            }
            StmtKind::Call(procedure) => {
                self.procedures.insert(*procedure);
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }
}
