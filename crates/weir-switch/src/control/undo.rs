//! Undoing updates.

use std::ops::Range;
use std::sync::Arc;

use weir_ir::{ActionCall, Bits, ExternId, TableId, ValueSetId};
use weir_tables::Table;

use super::{CellsOf, CloneSession, Control, CounterValue, GroupMember, MeterCounts, Replication};
use crate::externs::ExternState;
use crate::externs::hash::Hashes;
use crate::externs::meter::Meter;
use crate::externs::profile::Outcome;
use crate::generators::Generators;
use crate::state::{ControlState, Group};
use crate::tables::{IdleTimeout, OldRow, RemovedEntry};
use crate::traffic_manager::QueueSettings;

/// The operation that undoes an update.
pub(super) enum Undo {
    /// Removes entries that were inserted one after the other.
    Remove(TableId, Range<u64>),
    Restore(TableId, Vec<RemovedEntry>),
    Row(TableId, u64, OldRow),
    Idle(TableId, u64, Option<IdleTimeout>),
    Member(ExternId, u32, Option<Arc<ActionCall>>),
    SelectorGroup(ExternId, u32, Option<Vec<GroupMember>>),
    Crc(Arc<Hashes>),
    /// Restores the hit counts of the entries with these handles, or of the default.
    Hits(TableId, Vec<(Option<u64>, CounterValue)>),
    DirectMeters(TableId, Vec<(Option<u64>, Option<Meter>)>),
    Cells(ExternId, Box<ExternState>),
    State(Box<ControlState>),
    Default(TableId, Outcome),
    Counter(ExternId, u64, CounterValue),
    Register(ExternId, u64, Bits),
    DirectRegister(TableId, Option<u64>, Bits),
    Meter(ExternId, u64, Option<Meter>),
    Meters(ExternId, Vec<Option<Box<Meter>>>),
    MeterAdjustment(CellsOf, i32),
    MeterCounts(ExternId, u64, Box<MeterCounts>),
    DirectMeterCounts(TableId, Option<u64>, Box<MeterCounts>),
    ValueSet(ValueSetId, Arc<Table>),
    Group(u16, Option<Group>),
    Replication(Arc<Replication>),
    Session(u32, Option<CloneSession>),
    Generators(Box<Generators>),
    Queues(Box<QueueSettings>),
}

impl Undo {
    /// Returns the handle of the entry, or the number of the member or group, that the update
    /// inserted.
    pub(super) fn inserted(&self) -> Option<u64> {
        match self {
            Self::Remove(_, entries) => Some(entries.start),
            Self::Member(_, id, None) | Self::SelectorGroup(_, id, None) => Some(u64::from(*id)),
            _ => None,
        }
    }
}

impl Control<'_> {
    /// Undoes an update; the last update must be undone first.
    pub(super) fn take_back(&mut self, undo: Undo) {
        match undo {
            Undo::Remove(table, entries) => {
                for handle in entries.rev() {
                    self.table_mut(table).remove(handle);
                }
            }
            Undo::Restore(table, entries) => {
                for entry in entries {
                    let restored = self.table_mut(table).restore(entry);
                    debug_assert!(restored, "what was there before fits again");
                }
            }
            Undo::Row(table, handle, old) => {
                let restored = self.table_mut(table).restore_row(handle, old);
                debug_assert!(restored, "what was there before fits again");
            }
            Undo::Idle(table, handle, idle) => {
                let runtime = self.table_mut(table);
                let place = runtime.entries.slot(handle).and_then(|slot| runtime.entry_data.idle_mut(slot));
                if let Some(place) = place {
                    *place = idle;
                }
            }
            Undo::Member(id, member, Some(old)) => drop(self.profile_mut(id).members.insert(member, old)),
            Undo::Member(id, member, None) => drop(self.profile_mut(id).members.remove(&member)),
            Undo::SelectorGroup(id, group, Some(old)) => drop(self.profile_mut(id).groups.insert(group, old)),
            Undo::SelectorGroup(id, group, None) => drop(self.profile_mut(id).groups.remove(&group)),
            Undo::Crc(old) => self.state.settings.hashes = old,
            Undo::Hits(table, old) => {
                for (handle, hits) in old {
                    let runtime = self.table_mut(table);
                    if let Some(slot) = runtime.slot_of(handle) {
                        runtime.entry_data.set_count(slot, hits);
                    }
                }
            }
            Undo::DirectMeters(table, old) => {
                for (handle, meter) in old {
                    let runtime = self.table_mut(table);
                    if let Some(slot) = runtime.slot_of(handle) {
                        runtime.entry_data.replace_meter(slot, meter);
                    }
                }
            }
            Undo::Cells(id, cells) => *self.state.extern_mut(id) = *cells,
            Undo::State(state) => drop(self.state.replace(*state)),
            Undo::Default(table, outcome) => drop(self.table_mut(table).set_default(outcome)),
            Undo::Counter(id, index, value) => {
                if let ExternState::Counter(cells) = self.state.extern_mut(id) {
                    cells.set(index, value);
                }
            }
            Undo::Register(id, index, value) => drop(self.state.replace_cell(id, index, &value)),
            Undo::DirectRegister(table, handle, value) => {
                let runtime = self.table_mut(table);
                if let Some(slot) = runtime.slot_of(handle) {
                    runtime.entry_data.replace_register(slot, &value);
                }
            }
            Undo::Meter(id, index, old) => {
                if let ExternState::Meter(meter) = self.state.extern_mut(id) {
                    meter.replace(index, old);
                }
            }
            Undo::MeterAdjustment(meter, old) => {
                self.put_meter_adjustment(meter, old);
            }
            Undo::Meters(id, old) => {
                if let ExternState::Meter(meter) = self.state.extern_mut(id) {
                    for (index, old) in (0..).zip(old) {
                        meter.replace(index, old.map(|old| *old));
                    }
                }
            }
            Undo::MeterCounts(id, index, old) => {
                if let ExternState::Meter(meter) = self.state.extern_mut(id) {
                    meter.set_counts(index, *old);
                }
            }
            Undo::DirectMeterCounts(table, handle, old) => {
                let runtime = self.table_mut(table);
                if let Some(slot) = runtime.slot_of(handle) {
                    runtime.entry_data.set_meter_counts(slot, *old);
                }
            }
            Undo::ValueSet(id, members) => self.state.settings.value_sets[id.index()] = members,
            Undo::Group(group, Some(old)) => {
                Arc::make_mut(&mut self.state.settings.groups).insert(group, old);
            }
            Undo::Group(group, None) => drop(Arc::make_mut(&mut self.state.settings.groups).remove(&group)),
            Undo::Replication(old) => self.state.settings.replication = old,
            Undo::Generators(generators) => self.state.generators = *generators,
            Undo::Queues(settings) => self.queues.settings = *settings,
            Undo::Session(session, Some(old)) => {
                Arc::make_mut(&mut self.state.settings.sessions).insert(session, old);
            }
            Undo::Session(session, None) => {
                Arc::make_mut(&mut self.state.settings.sessions).remove(&session);
            }
        }
    }
}
