//! Finds members by name, in a time that does not depend on their number.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Checker;
use crate::hir::{EnumId, ExternId, Program, RecordId};

/// The maximum number of members for which a linear search is as fast as a table.
pub(super) const MAX_LINEAR_SEARCH: usize = 16;

/// A declaration with members, such as a struct or an enum, that is completely checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Owner {
    Record(RecordId),
    Enum(EnumId),
    /// An extern; its members are its methods.
    Extern(ExternId),
}

impl Owner {
    /// Returns the number of members.
    fn count(self, program: &Program) -> usize {
        match self {
            Owner::Record(id) => program.records[id].fields.len(),
            Owner::Enum(id) => program.enums[id].members.len(),
            Owner::Extern(id) => program.externs[id].methods.len(),
        }
    }

    /// Returns the name of the member at a position.
    fn name(self, program: &Program, position: usize) -> &str {
        match self {
            Owner::Record(id) => &program.records[id].fields[position].name.text,
            Owner::Enum(id) => &program.enums[id].members[position].name.text,
            Owner::Extern(id) => &program.externs[id].methods[position].name.text,
        }
    }
}

/// The positions of members by name, for owners with more than [`MAX_LINEAR_SEARCH`] members. Built
/// on first use.
#[derive(Debug, Default)]
pub(super) struct Members {
    tables: FxHashMap<Owner, FxHashMap<String, Rc<Vec<usize>>>>,
}

impl Checker<'_> {
    /// Returns the positions of all members called `name`, in order. Only overloaded methods have
    /// several.
    pub(super) fn members_named(&mut self, owner: Owner, name: &str) -> Rc<Vec<usize>> {
        let program = &self.program;
        let count = owner.count(program);
        if count <= MAX_LINEAR_SEARCH {
            return Rc::new((0..count).filter(|&position| owner.name(program, position) == name).collect());
        }
        let table = self.members.tables.entry(owner).or_insert_with(|| {
            let mut table: FxHashMap<String, Rc<Vec<usize>>> = FxHashMap::default();
            for position in 0..count {
                let named = table.entry(owner.name(program, position).to_owned()).or_default();
                Rc::make_mut(named).push(position);
            }
            table
        });
        table.get(name).cloned().unwrap_or_default()
    }

    /// Returns the position of the member called `name`.
    pub(super) fn member_named(&mut self, owner: Owner, name: &str) -> Option<usize> {
        let program = &self.program;
        let count = owner.count(program);
        if count <= MAX_LINEAR_SEARCH {
            return (0..count).find(|&position| owner.name(program, position) == name);
        }
        self.members_named(owner, name).first().copied()
    }
}
