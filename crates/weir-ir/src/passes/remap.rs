//! Replaces handles everywhere in a program.

use crate::arena::{Arena, Id};
use crate::program::{
    Action, ActionId, Header, HeaderId, Procedure, ProcedureId, Stack, StackId, Union, UnionId, Var, VarId,
};
use crate::visit::mutable::VisitorMut;

/// The new handle for each position; handles past the end do not change.
pub(super) struct Remap {
    pub(super) vars: Vec<VarId>,
    pub(super) headers: Vec<HeaderId>,
    pub(super) stacks: Vec<StackId>,
    pub(super) unions: Vec<UnionId>,
    pub(super) actions: Vec<ActionId>,
    pub(super) procedures: Vec<ProcedureId>,
}

impl Remap {
    /// Returns the identity map, which keeps all handles.
    pub(super) fn identity(vars: &Arena<Var>, headers: &Arena<Header>, stacks: &Arena<Stack>) -> Self {
        Self {
            vars: vars.iter().map(|(id, _)| id).collect(),
            headers: headers.iter().map(|(id, _)| id).collect(),
            stacks: stacks.iter().map(|(id, _)| id).collect(),
            unions: Vec::new(),
            actions: Vec::new(),
            procedures: Vec::new(),
        }
    }
}

/// Replaces a handle by the handle that it is mapped to.
fn apply<T>(map: &[Id<T>], id: &mut Id<T>) {
    if let Some(new) = map.get(id.index()) {
        *id = *new;
    }
}

impl VisitorMut for Remap {
    fn var(&mut self, id: &mut Id<Var>) {
        apply(&self.vars, id);
    }
    fn header(&mut self, id: &mut Id<Header>) {
        apply(&self.headers, id);
    }
    fn stack(&mut self, id: &mut Id<Stack>) {
        apply(&self.stacks, id);
    }
    fn union(&mut self, id: &mut Id<Union>) {
        apply(&self.unions, id);
    }
    fn action(&mut self, id: &mut Id<Action>) {
        apply(&self.actions, id);
    }
    fn procedure(&mut self, id: &mut Id<Procedure>) {
        apply(&self.procedures, id);
    }
}

/// Keeps the values that `is_kept` marks, in order. Returns the new handle for each old position.
/// The handles for removed values have no meaning, because nothing refers to these values.
pub(super) fn compact<T>(arena: &mut Arena<T>, is_kept: &[bool]) -> Vec<Id<T>> {
    let mut moved = Vec::with_capacity(is_kept.len());
    let mut compacted = Arena::new();
    for (value, is_kept) in std::mem::take(arena).into_values().zip(is_kept) {
        moved.push(Id::new(compacted.len()));
        if *is_kept {
            compacted.push(value);
        }
    }
    *arena = compacted;
    moved
}
