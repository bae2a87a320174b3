//! Converts names to ids in entries and their actions.

use weir_control::{Error, Names};
use weir_ir::TableId;
use weir_switch::control::{self as ids, Match};

use super::request::{Call, Entry, EntryRef, Target, WeightedCall};

/// A table of the program.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    pub names: Names<'a>,
    pub id: TableId,
}

impl<'a> Table<'a> {
    pub(super) fn new(names: Names<'a>, name: &str) -> Result<Self, Error> {
        Ok(Self { names, id: names.table(name)? })
    }

    fn matches(self, matches: &[(String, Match)]) -> Result<Vec<Match>, Error> {
        let one = |(key, accepts): &(String, Match)| Ok((self.names.key(self.id, key)?, accepts.clone()));
        self.names.all_matches(self.id, matches.iter().map(one))
    }

    pub(super) fn call(self, call: &Call) -> Result<ids::Call, Error> {
        let action = self.names.action(self.id, &call.action)?;
        let args = call.args.iter();
        let args = args.map(|(name, value)| Ok((self.names.parameter(action, name)?, value.clone())));
        self.names.all_parameters(action, args)
    }

    pub(super) fn target(self, target: &Target) -> Result<ids::Target, Error> {
        Ok(match target {
            Target::Action(call) => ids::Target::Action(self.call(call)?),
            Target::Member(member) => ids::Target::Member(*member),
            Target::Group(group) => ids::Target::Group(*group),
            Target::OneOf(set) => {
                let one = |one: &WeightedCall| {
                    let action = self.call(&one.action)?;
                    Ok(ids::WeightedCall { action, weight: one.weight, watch: one.watch })
                };
                let actions = set.actions.iter().map(one).collect::<Result<_, Error>>()?;
                let group_action = set.group_action.as_ref().map(|call| self.call(call)).transpose()?;
                ids::Target::OneOf(ids::ActionSet { actions, at_random: set.at_random, group_action })
            }
        })
    }

    pub(super) fn entry(self, entry: &Entry) -> Result<ids::Entry, Error> {
        Ok(ids::Entry {
            matches: self.matches(&entry.matches)?,
            priority: entry.priority,
            action: self.target(&entry.action)?,
            idle_timeout: entry.idle_timeout,
        })
    }

    pub(super) fn entry_ref(self, entry: &EntryRef) -> Result<ids::EntryRef, Error> {
        Ok(match entry {
            EntryRef::Handle(handle) => ids::EntryRef::Handle(*handle),
            EntryRef::Key { matches, priority } => {
                ids::EntryRef::Key { matches: self.matches(matches)?, priority: *priority }
            }
        })
    }
}
