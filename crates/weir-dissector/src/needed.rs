//! Finds the variables that decide what a parser does.

use std::collections::{BTreeMap, BTreeSet};

use weir_ir::VarId;

/// The variables on which the parser's path depends, and the variables from which their values
/// come.
#[derive(Default)]
pub(crate) struct Needed {
    /// Variables that conditions, selects, lengths and indexes read.
    roots: BTreeSet<VarId>,
    /// For each variable that a statement writes, the variables from which its value comes.
    sources: BTreeMap<VarId, BTreeSet<VarId>>,
}

impl Needed {
    /// Records variables that decide what the parser does.
    pub(crate) fn decide(&mut self, vars: impl IntoIterator<Item = VarId>) {
        self.roots.extend(vars);
    }

    /// Records that the values of `from` reach `to`.
    pub(crate) fn flow(&mut self, to: VarId, from: impl IntoIterator<Item = VarId>) {
        self.sources.entry(to).or_default().extend(from);
    }

    /// Returns all variables whose values can decide what the parser does.
    pub(crate) fn all(&self) -> BTreeSet<VarId> {
        let mut needed = BTreeSet::new();
        let mut pending: Vec<VarId> = self.roots.iter().copied().collect();
        while let Some(var) = pending.pop() {
            if needed.insert(var) {
                pending.extend(self.sources.get(&var).into_iter().flatten());
            }
        }
        needed
    }
}
