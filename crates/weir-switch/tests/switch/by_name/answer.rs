//! Converts ids to names in answers.

use weir_control::Names;
use weir_ir::TableId;
use weir_switch::control as ids;

use super::request::{ActionSet, Call, Entry, EntryState, Target, WeightedCall};

/// Returns a call by names.
pub(super) fn call(names: Names<'_>, call: ids::Call) -> Call {
    let schema = names.action_schema(call.action);
    let args = schema.params.iter().map(|param| param.name.clone()).zip(call.args);
    Call { action: schema.name.clone(), args: args.collect() }
}

/// Returns a target by names.
pub(super) fn target(names: Names<'_>, target: ids::Target) -> Target {
    let weighted = |one: ids::WeightedCall| WeightedCall {
        action: call(names, one.action),
        weight: one.weight,
        watch: one.watch,
    };
    match target {
        ids::Target::Action(action) => Target::Action(call(names, action)),
        ids::Target::Member(member) => Target::Member(member),
        ids::Target::Group(group) => Target::Group(group),
        ids::Target::OneOf(set) => Target::OneOf(ActionSet {
            actions: set.actions.into_iter().map(weighted).collect(),
            at_random: set.at_random,
            group_action: set.group_action.map(|action| call(names, action)),
        }),
    }
}

/// Returns an entry by names.
pub(super) fn entry(names: Names<'_>, table: TableId, entry: ids::Entry) -> Entry {
    let keys = names.table_schema(table).keys.iter().map(|key| key.name.clone());
    Entry {
        matches: keys.zip(entry.matches).collect(),
        priority: entry.priority,
        action: target(names, entry.action),
        idle_timeout: entry.idle_timeout,
    }
}

/// Returns an entry as read back, by names.
pub(super) fn state(names: Names<'_>, table: TableId, state: ids::EntryState) -> EntryState {
    let ids::EntryState { handle, entry: read, is_const, hits, last_hit } = state;
    EntryState { handle, entry: entry(names, table, read), is_const, hits, last_hit }
}
