//! From ids to names.

use weir_ir::TableId;
use weir_switch::control as ids;

use super::request::{ActionSet, Call, Entry, EntryState, Target, WeightedCall};
use crate::Names;

impl Names<'_> {
    /// A call in names.
    pub fn call_out(self, call: ids::Call) -> Call {
        let schema = self.action_schema(call.action);
        let args = schema.params.iter().map(|param| param.name.clone()).zip(call.args);
        Call { action: schema.name.clone(), args: args.collect() }
    }

    /// A target in names.
    pub fn target_out(self, target: ids::Target) -> Target {
        match target {
            ids::Target::Action(call) => Target::Action(self.call_out(call)),
            ids::Target::Member(member) => Target::Member(member),
            ids::Target::Group(group) => Target::Group(group),
            ids::Target::OneOf(set) => Target::OneOf(ActionSet {
                actions: self.calls_out(set.actions),
                at_random: set.at_random,
                group_action: set.group_action.map(|call| self.call_out(call)),
            }),
        }
    }

    fn calls_out(self, calls: Vec<ids::WeightedCall>) -> Vec<WeightedCall> {
        let one = |one: ids::WeightedCall| WeightedCall {
            action: self.call_out(one.action),
            weight: one.weight,
            watch: one.watch,
        };
        calls.into_iter().map(one).collect()
    }

    /// An entry in names.
    pub fn entry_out(self, table: TableId, entry: ids::Entry) -> Entry {
        let keys = self.table_schema(table).keys.iter().map(|key| key.name.clone());
        Entry {
            matches: keys.zip(entry.matches).collect(),
            priority: entry.priority,
            action: self.target_out(entry.action),
            idle_timeout: entry.idle_timeout,
        }
    }

    /// An entry as read back, in names.
    pub fn state_out(self, table: TableId, state: ids::EntryState) -> EntryState {
        let ids::EntryState { handle, entry, is_const, hits, last_hit } = state;
        EntryState { handle, entry: self.entry_out(table, entry), is_const, hits, last_hit }
    }
}
