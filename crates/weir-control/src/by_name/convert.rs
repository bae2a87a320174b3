//! From names to ids, and back.

use weir_ir::TableId;
use weir_switch::control::{self as ids, Match};

use super::request::{Call, Entry, EntryRef, EntryState, Target, WeightedCall};
use crate::{Error, Names};

impl Names<'_> {
    /// Matches in the order of the table's keys.
    pub fn matches(self, table: TableId, matches: &[(String, Match)]) -> Result<Vec<Match>, Error> {
        let given = matches.iter().map(|(name, accepts)| Ok((self.key(table, name)?, accepts.clone())));
        self.all_matches(table, given)
    }

    /// A call in ids.
    pub fn call(self, table: TableId, call: &Call) -> Result<ids::Call, Error> {
        let action = self.action(table, &call.action)?;
        let given = call.args.iter().map(|(name, value)| Ok((self.parameter(action, name)?, value.clone())));
        self.all_parameters(action, given)
    }

    /// A target in ids.
    pub fn target(self, table: TableId, target: &Target) -> Result<ids::Target, Error> {
        Ok(match target {
            Target::Action(call) => ids::Target::Action(self.call(table, call)?),
            Target::Member(member) => ids::Target::Member(*member),
            Target::Group(group) => ids::Target::Group(*group),
            Target::OneOf(calls) => {
                let one = |one: &WeightedCall| {
                    Ok(ids::WeightedCall { action: self.call(table, &one.action)?, weight: one.weight })
                };
                ids::Target::OneOf(calls.iter().map(one).collect::<Result<_, Error>>()?)
            }
        })
    }

    /// An entry in ids.
    pub fn entry(self, table: TableId, entry: &Entry) -> Result<ids::Entry, Error> {
        Ok(ids::Entry {
            matches: self.matches(table, &entry.matches)?,
            priority: entry.priority,
            action: self.target(table, &entry.action)?,
            idle_timeout: entry.idle_timeout,
        })
    }

    /// A reference to an entry in ids.
    pub fn entry_ref(self, table: TableId, entry: &EntryRef) -> Result<ids::EntryRef, Error> {
        Ok(match entry {
            EntryRef::Handle(handle) => ids::EntryRef::Handle(*handle),
            EntryRef::Key { matches, priority } => {
                ids::EntryRef::Key { matches: self.matches(table, matches)?, priority: *priority }
            }
        })
    }

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
            ids::Target::OneOf(calls) => {
                let one = |one: ids::WeightedCall| WeightedCall {
                    action: self.call_out(one.action),
                    weight: one.weight,
                };
                Target::OneOf(calls.into_iter().map(one).collect())
            }
        }
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
