//! The updates of a batch so far. Some of the protocol's updates contain more of an object than
//! those of the control interface; the values that they must repeat are in earlier updates of the
//! batch, or otherwise in the switch.

use prost::Message;
use rustc_hash::FxHashMap;
use weir_control::Error;

use super::handles::key_of;
use super::numbers::{next_free_number, number_of};
use crate::proto::v1::{self, entity::Entity, update::Type};

/// The updates of a batch under construction.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// The updates, in order.
    pub updates: Vec<v1::Update>,
    /// The number of updates that are in the maps below.
    seen: usize,
    /// The changes of entries, by the keys of the entries.
    entries: FxHashMap<Vec<u8>, EntryChange>,
    /// The changes of meters, by meter and cell; no cell means all cells.
    meters: FxHashMap<(u32, Option<i64>), (usize, Option<v1::MeterConfig>)>,
    /// The largest number of each profile's new members and groups.
    inserted: FxHashMap<(u32, Kind), u32>,
    /// The first number that is free in the switch, for the profiles that were queried.
    free: FxHashMap<(u32, Kind), u32>,
}

/// The kinds of objects that a profile numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Member,
    Group,
}

/// A batch's changes to an entry.
#[derive(Clone, Debug, Default)]
struct EntryChange {
    /// The entry, if the batch has written it.
    entry: Option<v1::TableEntry>,
    /// The rates, if they were written after the entry.
    rates: Option<Option<v1::MeterConfig>>,
}

/// Encodes an entry's key as bytes, which identify the entry.
fn bytes(entry: &v1::TableEntry) -> Vec<u8> {
    v1::TableEntry { is_default_action: entry.is_default_action, ..key_of(entry) }.encode_to_vec()
}

impl Pending {
    /// Returns the entry with this key after the batch; `read` reads it from the switch.
    pub fn entry<E>(
        &mut self,
        key: &v1::TableEntry,
        read: impl FnOnce() -> Result<v1::TableEntry, E>,
    ) -> Result<v1::TableEntry, E> {
        let change = self.entry_change(key);
        let mut entry = change.entry.map_or_else(read, Ok)?;
        if let Some(rates) = change.rates {
            entry.meter_config = rates;
        }
        Ok(entry)
    }

    /// Returns the rates of an entry's meter after the batch, if the batch changes them.
    pub fn entry_rates(&mut self, key: &v1::TableEntry) -> Option<Option<v1::MeterConfig>> {
        let EntryChange { entry, rates } = self.entry_change(key);
        rates.or_else(|| entry.map(|entry| entry.meter_config))
    }

    /// Returns the rates of a cell after the batch, if the batch changes them.
    pub fn cell_rates(&mut self, meter: u32, index: i64) -> Option<Option<v1::MeterConfig>> {
        self.catch_up();
        let (one, all) = (self.meters.get(&(meter, Some(index))), self.meters.get(&(meter, None)));
        one.into_iter().chain(all).max_by_key(|(at, _)| *at).map(|(_, rates)| *rates)
    }

    /// Returns a number for a new member or group of a profile, given a function that queries the
    /// switch for its first free number.
    pub fn next_number(
        &mut self,
        object: (u32, Kind),
        ask: impl FnOnce() -> Result<u32, Error>,
    ) -> Result<u32, Error> {
        self.catch_up();
        let first = match self.free.get(&object) {
            Some(first) => *first,
            None => *self.free.entry(object).or_insert(ask()?),
        };
        next_free_number(first, self.inserted.get(&object).copied().into_iter())
    }

    fn entry_change(&mut self, key: &v1::TableEntry) -> EntryChange {
        self.catch_up();
        self.entries.get(&bytes(key)).cloned().unwrap_or_default()
    }

    /// Brings the maps up to date.
    fn catch_up(&mut self) {
        for (at, update) in self.updates.iter().enumerate().skip(self.seen) {
            let is_deleted = update.r#type() == Type::Delete;
            match update.entity.as_ref().and_then(|entity| entity.entity.as_ref()) {
                Some(Entity::TableEntry(entry)) if is_deleted => {
                    self.entries.remove(&bytes(entry));
                }
                Some(Entity::TableEntry(entry)) => {
                    let change = EntryChange { entry: Some(entry.clone()), rates: None };
                    self.entries.insert(bytes(entry), change);
                }
                Some(Entity::DirectMeterEntry(cell)) => {
                    let key = cell.table_entry.as_ref().map(bytes).unwrap_or_default();
                    self.entries.entry(key).or_default().rates = Some(cell.config);
                }
                Some(Entity::MeterEntry(cell)) => {
                    let index = cell.index.map(|index| index.index);
                    self.meters.insert((cell.meter_id, index), (at, cell.config));
                }
                Some(Entity::ActionProfileMember(member)) if update.r#type() == Type::Insert => {
                    let object = (member.action_profile_id, Kind::Member);
                    let largest = self.inserted.entry(object).or_default();
                    *largest = number_of(member.member_id).max(*largest);
                }
                Some(Entity::ActionProfileGroup(group)) if update.r#type() == Type::Insert => {
                    let object = (group.action_profile_id, Kind::Group);
                    let largest = self.inserted.entry(object).or_default();
                    *largest = number_of(group.group_id).max(*largest);
                }
                _ => {}
            }
        }
        self.seen = self.updates.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modify(entity: Entity) -> v1::Update {
        super::super::encode::update(Type::Modify, entity)
    }

    fn rates(cir: i64) -> Option<v1::MeterConfig> {
        Some(v1::MeterConfig { cir, ..v1::MeterConfig::default() })
    }

    #[test]
    fn the_last_change_of_a_cell_counts() {
        let mut pending = Pending::default();
        let cell = |index: Option<i64>, config| {
            let index = index.map(|index| v1::Index { index });
            modify(Entity::MeterEntry(v1::MeterEntry { meter_id: 7, index, config, counter_data: None }))
        };
        assert_eq!(pending.cell_rates(7, 1), None);
        pending.updates.push(cell(Some(1), rates(5)));
        assert_eq!((pending.cell_rates(7, 1), pending.cell_rates(7, 2)), (Some(rates(5)), None));
        pending.updates.push(cell(None, rates(6)));
        assert_eq!((pending.cell_rates(7, 1), pending.cell_rates(7, 2)), (Some(rates(6)), Some(rates(6))));
        pending.updates.push(cell(Some(2), None));
        assert_eq!((pending.cell_rates(7, 1), pending.cell_rates(7, 2)), (Some(rates(6)), Some(None)));
    }

    #[test]
    fn an_entry_is_as_the_batch_leaves_it() {
        let mut pending = Pending::default();
        let key = v1::TableEntry { table_id: 3, priority: 4, ..v1::TableEntry::default() };
        let none = || Err::<v1::TableEntry, _>("not there");
        assert_eq!(pending.entry(&key, none), Err("not there"));
        let written = v1::TableEntry { idle_timeout_ns: 9, meter_config: rates(1), ..key.clone() };
        pending.updates.push(modify(Entity::TableEntry(written.clone())));
        assert_eq!(pending.entry(&key, none), Ok(written.clone()));
        let cell =
            v1::DirectMeterEntry { table_entry: Some(key.clone()), config: rates(2), counter_data: None };
        pending.updates.push(modify(Entity::DirectMeterEntry(cell)));
        assert_eq!(pending.entry_rates(&key), Some(rates(2)));
        assert_eq!(pending.entry(&key, none), Ok(v1::TableEntry { meter_config: rates(2), ..written }));
        pending.updates.push(super::super::encode::update(Type::Delete, Entity::TableEntry(key.clone())));
        assert_eq!((pending.entry(&key, none), pending.entry_rates(&key)), (Err("not there"), None));
    }

    #[test]
    fn new_members_and_groups_are_numbered_one_after_the_other() {
        let mut pending = Pending::default();
        let mut number = |kind| {
            let number = pending.next_number((7, kind), || Ok(3)).unwrap();
            let (action_profile_id, id) = (7, super::super::numbers::id_of(number));
            let entity = match kind {
                Kind::Member => Entity::ActionProfileMember(v1::ActionProfileMember {
                    action_profile_id,
                    member_id: id,
                    action: None,
                }),
                Kind::Group => Entity::ActionProfileGroup(v1::ActionProfileGroup {
                    action_profile_id,
                    group_id: id,
                    ..Default::default()
                }),
            };
            pending.updates.push(super::super::encode::update(Type::Insert, entity));
            number
        };
        let kinds = [Kind::Member, Kind::Member, Kind::Group, Kind::Member, Kind::Group];
        assert_eq!(kinds.map(&mut number), [3, 4, 3, 5, 4]);
        let other = pending.next_number((8, Kind::Member), || Ok(0));
        assert_eq!(other.unwrap(), 0);
    }
}
