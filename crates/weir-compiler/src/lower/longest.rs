//! How many statements one run of a block can execute, without the repetitions of loops and parser
//! states.
//!
//! Calls of functions and actions are not expanded, so a short program in which each function calls
//! the next one twice would run for years. Such programs are refused.

use weir_ir::{ActionId, Block, ProcedureId, Program, StmtKind};

/// The most statements that a block of the package can execute on one way through its code.
pub(super) fn longest_run(program: &Program) -> u64 {
    let mut longest = Longest {
        program,
        procedures: vec![None; program.procedures.len()],
        actions: vec![None; program.actions.len()],
    };
    let controls = program.controls.values().map(|control| &control.body);
    let states = program.parsers.values().flat_map(|parser| {
        parser.states.values().map(|state| &state.body).chain(std::iter::once(&parser.locals))
    });
    controls.chain(states).map(|block| longest.block(block)).max().unwrap_or(0)
}

/// The lengths of bodies, each computed once.
struct Longest<'p> {
    program: &'p Program,
    procedures: Vec<Option<u64>>,
    actions: Vec<Option<u64>>,
}

impl Longest<'_> {
    fn block(&mut self, block: &Block) -> u64 {
        block.0.iter().map(|stmt| self.stmt(&stmt.kind)).fold(0, u64::saturating_add)
    }

    fn stmt(&mut self, stmt: &StmtKind) -> u64 {
        let program = self.program;
        let within = match stmt {
            StmtKind::If { then, otherwise, .. } => self.block(then).max(self.block(otherwise)),
            StmtKind::Switch { cases, default, .. } => {
                let cases = cases.iter().map(|(_, block)| self.block(block)).max().unwrap_or(0);
                cases.max(self.block(default))
            }
            StmtKind::Loop { body, step, .. } => self.block(body).saturating_add(self.block(step)),
            StmtKind::Call(id) => self.procedure(*id),
            StmtKind::CallAction(id) => self.action(*id),
            StmtKind::Apply { table, .. } => {
                let actions = program.tables[*table].actions.iter();
                actions.map(|listed| self.action(listed.action)).max().unwrap_or(0)
            }
            _ => 0,
        };
        within.saturating_add(1)
    }

    fn procedure(&mut self, id: ProcedureId) -> u64 {
        if let Some(known) = self.procedures[id.index()] {
            return known;
        }
        let length = self.block(&self.program.procedures[id].body);
        self.procedures[id.index()] = Some(length);
        length
    }

    fn action(&mut self, id: ActionId) -> u64 {
        if let Some(known) = self.actions[id.index()] {
            return known;
        }
        let length = self.block(&self.program.actions[id].body);
        self.actions[id.index()] = Some(length);
        length
    }
}
