//! Drops unused parts: procedures and actions that never run, and variables, headers and stacks
//! that nothing refers to.
//!
//! Tables, externs and value sets are kept, because the control plane accesses them. All storage of
//! parameters is kept, because the architecture accesses it. Headers, stacks and unions are kept or
//! dropped as a whole.

use crate::arena::Id;
use crate::program::{ActionId, HeaderId, ProcedureId, Program, StackId, VarId, VarRole};
use crate::visit::{self, Visitor, mutable};

use super::remap::{Remap, compact};

/// Drops unused parts and renumbers the handles.
pub(super) fn sweep(program: &mut Program) {
    let mut used = UsedParts {
        vars: vec![false; program.vars.len()],
        headers: vec![false; program.headers.len()],
        stacks: vec![false; program.stacks.len()],
        unions: vec![false; program.unions.len()],
        actions: vec![false; program.actions.len()],
        procedures: vec![false; program.procedures.len()],
        bodies: Vec::new(),
    };
    used.mark_from_code(program);
    used.mark_from_storage(program);

    let mut remap = Remap {
        vars: compact(&mut program.vars, &used.vars),
        headers: compact(&mut program.headers, &used.headers),
        stacks: compact(&mut program.stacks, &used.stacks),
        unions: compact(&mut program.unions, &used.unions),
        actions: compact(&mut program.actions, &used.actions),
        procedures: compact(&mut program.procedures, &used.procedures),
    };
    mutable::walk_program(&mut remap, program);
}

/// A body that is used and has not been searched yet.
enum Body {
    Action(ActionId),
    Procedure(ProcedureId),
}

/// The parts to which used parts refer.
struct UsedParts {
    vars: Vec<bool>,
    headers: Vec<bool>,
    stacks: Vec<bool>,
    unions: Vec<bool>,
    actions: Vec<bool>,
    procedures: Vec<bool>,
    bodies: Vec<Body>,
}

fn mark_used<T>(used: &mut [bool], id: Id<T>) -> bool {
    !std::mem::replace(&mut used[id.index()], true)
}

impl Visitor for UsedParts {
    fn var(&mut self, id: &VarId) {
        mark_used(&mut self.vars, *id);
    }
    fn header(&mut self, id: &HeaderId) {
        mark_used(&mut self.headers, *id);
    }
    fn stack(&mut self, id: &StackId) {
        mark_used(&mut self.stacks, *id);
    }
    fn action(&mut self, id: &ActionId) {
        if mark_used(&mut self.actions, *id) {
            self.bodies.push(Body::Action(*id));
        }
    }
    fn procedure(&mut self, id: &ProcedureId) {
        if mark_used(&mut self.procedures, *id) {
            self.bodies.push(Body::Procedure(*id));
        }
    }
}

impl UsedParts {
    /// Marks the parts to which parsers, controls and tables refer, and the bodies that they run.
    fn mark_from_code(&mut self, program: &mut Program) {
        let roots = Program {
            vars: std::mem::take(&mut program.vars),
            headers: std::mem::take(&mut program.headers),
            stacks: std::mem::take(&mut program.stacks),
            unions: std::mem::take(&mut program.unions),
            actions: std::mem::take(&mut program.actions),
            procedures: std::mem::take(&mut program.procedures),
            ..Program::default()
        };
        visit::walk_program(self, program);
        while let Some(body) = self.bodies.pop() {
            match body {
                Body::Action(id) => {
                    let action = &roots.actions[id];
                    action.params.iter().for_each(|param| self.var(&param.var));
                    self.block(&action.body);
                }
                Body::Procedure(id) => self.block(&roots.procedures[id].body),
            }
        }
        program.vars = roots.vars;
        program.headers = roots.headers;
        program.stacks = roots.stacks;
        program.unions = roots.unions;
        program.actions = roots.actions;
        program.procedures = roots.procedures;
    }

    /// Marks the parts that belong to a used part: the header or stack of a variable, the elements
    /// of a stack, the union of a header and its other members, the variables of a header.
    fn mark_from_storage(&mut self, program: &Program) {
        for (id, var) in program.vars.iter() {
            if !self.vars[id.index()] {
                continue;
            }
            match var.role {
                VarRole::Plain => {}
                VarRole::Field(header) | VarRole::Validity(header) => {
                    mark_used(&mut self.headers, header);
                }
                VarRole::NextIndex(stack) => {
                    mark_used(&mut self.stacks, stack);
                }
            }
        }
        // An element without its stack is an ordinary header, so a stack may be dropped if nothing
        // refers to it.
        for (id, stack) in program.stacks.iter() {
            if self.stacks[id.index()] {
                stack.elements.iter().for_each(|header| {
                    mark_used(&mut self.headers, *header);
                });
                mark_used(&mut self.vars, stack.next_index);
            }
        }
        // A union that binding has replaced lists the headers of its successor, but these headers
        // do not refer to it.
        let used = program.headers.iter().filter(|(id, _)| self.headers[id.index()]);
        let unions: Vec<_> = used.filter_map(|(_, header)| header.union).collect();
        for id in unions.into_iter().filter(|id| mark_used(&mut self.unions, *id)).collect::<Vec<_>>() {
            program.unions[id].members.iter().for_each(|header| {
                mark_used(&mut self.headers, *header);
            });
        }
        for (id, header) in program.headers.iter() {
            if self.headers[id.index()] {
                header.fields.iter().chain([&header.valid]).for_each(|var| {
                    mark_used(&mut self.vars, *var);
                });
            }
        }
    }
}
