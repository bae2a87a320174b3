//! The extern calls of a program.

use crate::loc::Loc;
use crate::program::{Block, ExternCall, Program, StmtKind};

/// All extern calls of a program, with their places in the source.
pub fn extern_calls(program: &Program) -> Vec<(&ExternCall, Loc)> {
    let parsers = program.parsers.values().flat_map(|parser| {
        [&parser.locals].into_iter().chain(parser.states.values().map(|state| &state.body))
    });
    let blocks = parsers
        .chain(program.controls.values().map(|control| &control.body))
        .chain(program.procedures.values().map(|procedure| &procedure.body))
        .chain(program.actions.values().map(|action| &action.body));
    let mut calls = Vec::new();
    let mut pending: Vec<&Block> = blocks.collect();
    pending.reverse();
    while let Some(block) = pending.pop() {
        for stmt in &block.0 {
            match &stmt.kind {
                StmtKind::Extern(call) => calls.push((call, stmt.loc)),
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
    calls
}
