//! The composed actions of a table, see [`weir_ir::passes::compose`].

use rustc_hash::FxHashMap;
use weir_ir::{ActionCall, ActionId, Table};

/// The composed actions, by the two actions that they run.
#[derive(Debug)]
pub(crate) struct Composed(FxHashMap<(ActionId, ActionId), ActionId>);

impl Composed {
    pub(crate) fn new(table: &Table) -> Self {
        let composed = table.actions.iter().filter_map(|listed| Some((listed.composed?, listed.action)));
        Self(composed.map(|(pair, action)| ((pair.first, pair.second), action)).collect())
    }

    /// Makes the call that runs `first` and then `second`.
    ///
    /// # Panics
    /// If the table does not list `first` for action sets, or does not list `second`.
    pub(crate) fn call(&self, first: &ActionCall, second: &ActionCall) -> ActionCall {
        let action = self.0[&(first.action, second.action)];
        ActionCall { action, args: first.args.iter().chain(&second.args).cloned().collect() }
    }
}
