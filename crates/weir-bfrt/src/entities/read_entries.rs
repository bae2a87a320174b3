//! Reads entries and defaults of the program's tables.

use weir_grpc::Problem;
use weir_ir::TableId;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::entity::Entity;
use weir_switch::control::{CounterValue, EntryRef, EntryState, Match, Target};

use super::attributes::tells_idle;
use super::cells::{write_count, write_rates};
use super::filters;
use super::match_tables::{MILLISECOND, entry_ref};
use super::query::Query;
use super::read::Reader;
use crate::info::{Table, field};
use crate::matches::{self, place_of};
use crate::notes::count_key;
use crate::values::{write_text, write_uint};

impl Reader<'_> {
    /// Reads entries of a table of the program.
    pub(super) fn match_entries(
        &mut self,
        query: &Query<'_>,
        id: TableId,
        wanted: &bfrt::TableEntry,
    ) -> Result<(), Problem> {
        if wanted.is_default_entry {
            return self.default_entry(query, id, true);
        }
        if wanted.value.is_some() {
            let entry = entry_ref(self.control, query.table, id, wanted.value.as_ref())?;
            if entry == EntryRef::Default {
                // Clients drop defaults that they have not asked for as such.
                return self.default_entry(query, id, false);
            }
            self.look()?;
            let state = self.control.entry(id, &entry).map_err(|error| self.own(error))?;
            let place = if state.is_const { self.const_place(id, state.handle) } else { None };
            return match self.match_entry(query, id, &state, place) {
                Some(entry) => {
                    self.emit(entry);
                    Ok(())
                }
                None => Err(Problem::invalid("the entry has another action")),
            };
        }
        let control = self.control;
        let mut constants = 0;
        let mut entries: Box<dyn Iterator<Item = EntryState> + '_> =
            Box::new(control.each_entry(id).map_err(|error| self.own(error))?);
        if query.table.fixed_action.is_some() {
            // The entries of ports are in the order of the ports.
            let mut of_ports: Vec<_> = entries.collect();
            of_ports.sort_by_key(|state| match state.entry.matches.first() {
                Some(Match::Exact(port)) => port.low_u64(),
                _ => 0,
            });
            entries = Box::new(of_ports.into_iter());
        }
        for state in entries {
            self.look()?;
            let place = state.is_const.then_some(constants);
            constants += u32::from(state.is_const);
            if let Some(entry) = self.match_entry(query, id, &state, place) {
                self.emit(entry);
            }
        }
        self.default_entry(query, id, true)
    }

    /// Returns the number of a constant entry among the constant entries.
    fn const_place(&self, id: TableId, handle: u64) -> Option<u32> {
        let mut constants = self.control.each_entry(id).ok()?.filter(|entry| entry.is_const);
        constants.position(|entry| entry.handle == handle).and_then(|place| u32::try_from(place).ok())
    }

    /// Makes the entity of an entry. `place` is its place if it is constant.
    fn match_entry(
        &self,
        query: &Query<'_>,
        id: TableId,
        state: &EntryState,
        place: Option<u32>,
    ) -> Option<Entity> {
        let place = state.entry.priority.map(|priority| place.unwrap_or_else(|| place_of(priority)));
        let key = matches::write(query.table, &state.entry.matches, place);
        let (action, mut fields) = self.target(query.table, &state.entry.action);
        fields.extend(self.resources(query, id, &EntryRef::Handle(state.handle)));
        if self.control.schema().tables[id.index()].support_timeout {
            let ttl = state.entry.idle_timeout.unwrap_or(0);
            let is_active = self.is_active(query.table.id, state, ttl);
            let hit = if is_active { "ENTRY_ACTIVE" } else { "ENTRY_IDLE" };
            fields.push(write_text(field::ENTRY_HIT_STATE, hit));
            fields.push(write_uint(
                field::ENTRY_TTL,
                32,
                self.left(query.table.id, state, ttl) / MILLISECOND,
            ));
        }
        query.entry(Some(key), action, fields, false)
    }

    /// Returns the counts of a cell or entry at the last synchronization.
    pub(super) fn noted_count(&self, table: &Table, key: u64) -> CounterValue {
        self.notes.counts.get(&(table.id, key)).copied().unwrap_or_default()
    }

    /// Returns whether an entry was hit within its time-out, or without one since the last update
    /// of the hit states but one.
    fn is_active(&self, table: u32, state: &EntryState, ttl: u64) -> bool {
        match self.notes.set_states.get(&(table, state.handle)) {
            Some((true, _)) => return true,
            Some((false, time)) => return state.last_hit.is_some_and(|hit| hit > *time),
            None => {}
        }
        let since = match (ttl, self.notes.hit_states.get(&table)) {
            (0, Some((before_last, _))) => *before_last,
            (0, None) => 0,
            (ttl, _) => self.control.now().saturating_sub(ttl),
        };
        state.last_hit.is_some_and(|hit| hit >= since)
    }

    /// Returns the time until an entry with a time-out becomes idle: all of it if clients receive
    /// no messages about idle entries.
    fn left(&self, table: u32, state: &EntryState, ttl: u64) -> u64 {
        match self.notes.timed.get(&(table, state.handle)) {
            Some(since) if tells_idle(self.notes, table) => {
                let end = state.last_hit.map_or(*since, |hit| hit.max(*since)).saturating_add(ttl);
                end.saturating_sub(self.control.now())
            }
            _ => ttl,
        }
    }

    fn default_entry(&mut self, query: &Query<'_>, id: TableId, is_marked: bool) -> Result<(), Problem> {
        self.look()?;
        let action = self.control.default_action(id).map_err(|error| self.own(error))?;
        let (action, mut fields) = self.target(query.table, &action);
        fields.extend(self.resources(query, id, &EntryRef::Default));
        if let Some(entry) = query.entry(None, action, fields, is_marked) {
            self.emit(entry);
        }
        Ok(())
    }

    /// Returns the number and arguments of an entry's action, or its member or group.
    fn target(&self, table: &Table, target: &Target) -> (u32, Vec<bfrt::DataField>) {
        match target {
            Target::Action(call) => self.call(table, call),
            Target::Member(member) => (0, vec![write_uint(field::ACTION_MEMBER_ID, 32, u64::from(*member))]),
            Target::Group(group) => (0, vec![write_uint(field::SELECTOR_GROUP_ID, 32, u64::from(*group))]),
            // BfRt has no form for the action sets of P4Runtime.
            Target::OneOf(_) => (0, Vec::new()),
        }
    }

    /// Returns the counts, the rates, and the filter or register of an entry.
    fn resources(&self, query: &Query<'_>, id: TableId, entry: &EntryRef) -> Vec<bfrt::DataField> {
        let schema = &self.control.schema().tables[id.index()];
        let mut fields = Vec::new();
        if let (Some(unit), Ok(value)) = (schema.direct_counter_unit, self.control.direct_counter(id, entry))
        {
            let noted = || self.noted_count(query.table, count_key(entry));
            fields.extend(write_count(unit, if query.is_cached { noted() } else { value }));
        }
        if schema.direct_meter.is_some()
            && let Ok(config) = self.control.direct_meter(id, entry)
        {
            fields.extend(write_rates(schema.direct_meter_bytes, self.info.chip, config));
        }
        fields.extend(filters::write_entry(query.table, self.control, id, entry));
        fields
    }
}
