//! The extern calls of a program.

use super::reach::statements;
use crate::loc::Loc;
use crate::program::{ExternCall, Program, Stmt, StmtKind};

/// All extern calls of a program, with their places in the source.
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
