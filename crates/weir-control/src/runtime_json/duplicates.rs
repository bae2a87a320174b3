//! Finds parts of a document that set the same object. Otherwise, the last part would silently
//! replace the others.

use std::collections::hash_map::Entry as Slot;

use rustc_hash::FxHashMap;
use weir_ir::{ExternId, TableId, ValueSetId};
use weir_json::{Collector, Node};
use weir_switch::control::{EntryRef, Match, Update};

use super::Change;
use crate::Names;
use crate::matching::canonical;

/// The object that a change sets, to find two changes of one object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ChangeTarget {
    Entry(EntryKey),
    Default(TableId),
    Member(ExternId, u32),
    Group(ExternId, u32),
    Cell(ExternId, u64),
    Cells(ExternId),
    DirectCounter(EntryKey),
    DirectMeter(EntryKey),
    DirectMeters(TableId),
    ValueSet(ValueSetId),
    MulticastGroup(u16),
    CloneSession(u32),
}

/// The identity of an entry: its matches in canonical form and its priority, or its handle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum EntryKey {
    Default(TableId),
    Handle(TableId, u64),
    Matches(TableId, Vec<Match>, Option<u32>),
}

/// Adds a mistake for each change of an object that an earlier change already sets.
pub(super) fn report_duplicates(names: Names<'_>, changes: &[Change<'_>], mistakes: &mut Collector) {
    let mut seen: FxHashMap<ChangeTarget, Node<'_>> = FxHashMap::default();
    mistakes.read_each(changes, |Change { node, update }| {
        let Some(thing) = change_target(names, update) else { return Ok(()) };
        match seen.entry(thing) {
            Slot::Vacant(slot) => {
                slot.insert(*node);
                Ok(())
            }
            Slot::Occupied(slot) => {
                let description = names.describe_target(slot.key());
                let first = slot.get().error("").location().unwrap_or_default();
                Err(node.error(format!("{description} is here twice; the first is at {first}")))
            }
        }
    });
}

fn change_target(names: Names<'_>, update: &Update) -> Option<ChangeTarget> {
    let key = |table: TableId, matches: &[Match], priority: Option<u32>| {
        let keys = names.table_schema(table).keys.iter();
        let matches = matches.iter().zip(keys);
        let matches = matches.map(|(accepts, key)| canonical(accepts.clone(), key.width)).collect();
        EntryKey::Matches(table, matches, priority)
    };
    let entry = |table: TableId, entry: &EntryRef| match entry {
        EntryRef::Default => EntryKey::Default(table),
        EntryRef::Handle(handle) => EntryKey::Handle(table, *handle),
        EntryRef::Key { matches, priority } => key(table, matches, *priority),
    };
    Some(match update {
        Update::Insert { table, entry } => ChangeTarget::Entry(key(*table, &entry.matches, entry.priority)),
        Update::SetDefault { table, .. } => ChangeTarget::Default(*table),
        Update::InsertMember { profile, member, .. } => ChangeTarget::Member(*profile, (*member)?),
        Update::InsertGroup { profile, group, .. } => ChangeTarget::Group(*profile, (*group)?),
        Update::WriteCounter { counter: cells, index, .. }
        | Update::WriteRegister { register: cells, index, .. }
        | Update::WriteMeter { meter: cells, index, .. } => ChangeTarget::Cell(*cells, *index),
        Update::WriteMeterArray { meter, .. } => ChangeTarget::Cells(*meter),
        Update::WriteDirectCounter { table, entry: of, .. } => ChangeTarget::DirectCounter(entry(*table, of)),
        Update::WriteDirectMeter { table, entry: of, .. } => ChangeTarget::DirectMeter(entry(*table, of)),
        Update::WriteDirectMeterArray { table, .. } => ChangeTarget::DirectMeters(*table),
        Update::SetValueSet { set, .. } => ChangeTarget::ValueSet(*set),
        Update::SetMulticastGroup { group, .. } => ChangeTarget::MulticastGroup(*group),
        Update::SetCloneSession { session, .. } => ChangeTarget::CloneSession(*session),
        _ => return None,
    })
}

impl Names<'_> {
    /// Describes the object that a change sets.
    fn describe_target(self, thing: &ChangeTarget) -> String {
        let table = |id: &TableId| &self.table_schema(*id).name;
        let describe_entry = |key: &EntryKey| match key {
            EntryKey::Default(id) => format!("the default of table `{}`", table(id)),
            EntryKey::Handle(id, handle) => format!("entry {handle} of table `{}`", table(id)),
            EntryKey::Matches(id, ..) => format!("this entry of table `{}`", table(id)),
        };
        match thing {
            ChangeTarget::Entry(key) => describe_entry(key),
            ChangeTarget::Default(id) => format!("the default action of table `{}`", table(id)),
            ChangeTarget::Member(profile, member) => {
                format!("member {member} of `{}`", self.extern_name(*profile))
            }
            ChangeTarget::Group(profile, group) => {
                format!("group {group} of `{}`", self.extern_name(*profile))
            }
            ChangeTarget::Cell(cells, index) => format!("cell {index} of `{}`", self.extern_name(*cells)),
            ChangeTarget::Cells(cells) => format!("`{}` as a whole", self.extern_name(*cells)),
            ChangeTarget::DirectCounter(key) => format!("the counter of {}", describe_entry(key)),
            ChangeTarget::DirectMeter(key) => format!("the meter of {}", describe_entry(key)),
            ChangeTarget::DirectMeters(id) => format!("the meter of table `{}` as a whole", table(id)),
            ChangeTarget::ValueSet(set) => format!("value set `{}`", self.value_set_schema(*set).name),
            ChangeTarget::MulticastGroup(group) => format!("multicast group {group}"),
            ChangeTarget::CloneSession(session) => format!("clone session {session}"),
        }
    }
}
