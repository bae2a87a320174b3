//! The controls that emit headers.

use weir_ir::{Block, ControlId, Program, StmtKind};

/// Returns whether a control emits headers, either itself or in code that it calls.
pub fn emits(program: &Program, control: ControlId) -> bool {
    let mut search = Search {
        program,
        procedures: vec![false; program.procedures.len()],
        actions: vec![false; program.actions.len()],
    };
    search.block(&program.controls[control].body)
}

/// A search that visits each body once.
struct Search<'a> {
    program: &'a Program,
    procedures: Vec<bool>,
    actions: Vec<bool>,
}

impl Search<'_> {
    fn block(&mut self, block: &Block) -> bool {
        block.0.iter().any(|stmt| self.stmt(&stmt.kind))
    }

    fn stmt(&mut self, stmt: &StmtKind) -> bool {
        let program = self.program;
        match stmt {
            StmtKind::Emit(_) => true,
            StmtKind::If { then, otherwise, .. } => self.block(then) || self.block(otherwise),
            StmtKind::Switch { cases, default, .. } => {
                cases.iter().any(|(_, block)| self.block(block)) || self.block(default)
            }
            StmtKind::Loop { body, step, .. } => self.block(body) || self.block(step),
            StmtKind::Call(id) => {
                !std::mem::replace(&mut self.procedures[id.index()], true)
                    && self.block(&program.procedures[*id].body)
            }
            StmtKind::CallAction(id) => self.action(id.index()),
            StmtKind::Apply { table, .. } => {
                program.tables[*table].actions.iter().any(|listed| self.action(listed.action.index()))
            }
            _ => false,
        }
    }

    fn action(&mut self, action: usize) -> bool {
        !std::mem::replace(&mut self.actions[action], true)
            && self.block(&self.program.actions[weir_ir::ActionId::new(action)].body)
    }
}
