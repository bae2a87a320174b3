//! Replaces statements of a program by others.

use crate::program::{
    ActionId, Block, ControlId, ParserId, ParserStateId, ProcedureId, Program, Stmt, StmtKind,
};

/// Replaces each statement of the program by the statements that `replace` returns for it. Nested
/// statements are replaced first. `replace` may add variables and blocks to the program. It does
/// not see the blocks that it adds.
pub fn rewrite(program: &mut Program, replace: &mut dyn FnMut(&mut Program, Stmt) -> Vec<Stmt>) {
    let (actions, procedures) = (program.actions.len(), program.procedures.len());
    let (parsers, controls) = (program.parsers.len(), program.controls.len());
    for id in (0..actions).map(ActionId::new) {
        let body = std::mem::take(&mut program.actions[id].body);
        program.actions[id].body = rewrite_block(program, body, replace);
    }
    for id in (0..procedures).map(ProcedureId::new) {
        let body = std::mem::take(&mut program.procedures[id].body);
        program.procedures[id].body = rewrite_block(program, body, replace);
    }
    for id in (0..controls).map(ControlId::new) {
        let body = std::mem::take(&mut program.controls[id].body);
        program.controls[id].body = rewrite_block(program, body, replace);
    }
    for id in (0..parsers).map(ParserId::new) {
        rewrite_parser(program, id, replace);
    }
}

/// Replaces the statements of a parser, as in [`rewrite`].
pub fn rewrite_parser(
    program: &mut Program,
    id: ParserId,
    replace: &mut dyn FnMut(&mut Program, Stmt) -> Vec<Stmt>,
) {
    let locals = std::mem::take(&mut program.parsers[id].locals);
    program.parsers[id].locals = rewrite_block(program, locals, replace);
    for state in (0..program.parsers[id].states.len()).map(ParserStateId::new) {
        let body = std::mem::take(&mut program.parsers[id].states[state].body);
        program.parsers[id].states[state].body = rewrite_block(program, body, replace);
    }
}

/// Replaces the statements of a block, as in [`rewrite`].
pub fn rewrite_block(
    program: &mut Program,
    block: Block,
    replace: &mut dyn FnMut(&mut Program, Stmt) -> Vec<Stmt>,
) -> Block {
    let mut rewritten = Vec::with_capacity(block.0.len());
    for mut stmt in block.0 {
        let mut inner = |block: &mut Block| {
            *block = rewrite_block(program, std::mem::take(block), replace);
        };
        match &mut stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                inner(then);
                inner(otherwise);
            }
            StmtKind::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, block)| inner(block));
                inner(default);
            }
            StmtKind::Loop { body, step, .. } => {
                inner(body);
                inner(step);
            }
            _ => {}
        }
        rewritten.append(&mut replace(program, stmt));
    }
    Block(rewritten)
}
