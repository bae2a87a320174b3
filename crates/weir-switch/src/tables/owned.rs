//! The owner's table, which control requests read and change.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use weir_device::Nanos;
use weir_ir::ActionCall;
use weir_tables::{Entry, Handle, InsertError, MemoryUsage, Table};

use super::entry_data::{EntryData, RemovedData};
use super::rows::{self, FIRST_OF_PROFILE, Lists};
use super::{AtEnd, IdleNotice, IdleTimeout, IdleTimers, TableShape};
use crate::externs::UseAt;
use crate::externs::profile::{List, Outcome};

/// A table's entries, its default action, and the counts of its lookups.
#[derive(Debug)]
pub(crate) struct OwnedTable {
    pub shape: Arc<TableShape>,
    pub entries: Table,
    /// The data that is kept for each entry.
    pub entry_data: EntryData,
    /// The current default action.
    pub(super) default: Arc<DefaultAction>,
    pub hits: u64,
    pub misses: u64,
    /// The constant entries of the program, in order.
    pub(super) constant: Vec<Handle>,
    pub(super) lists: Lists,
}

/// A default action.
#[derive(Debug)]
pub(super) struct DefaultAction {
    pub outcome: Outcome,
    /// The action in words, as a row.
    pub row: Vec<AtomicU64>,
}

/// An entry that was removed.
#[derive(Debug)]
pub(crate) struct RemovedEntry {
    entry: Entry,
    /// The list of actions that the entry's row names.
    list: Option<List>,
    data: Option<Box<RemovedData>>,
}

/// The previous row of an entry.
#[derive(Debug)]
pub(crate) struct OldRow {
    action: u32,
    data: Vec<u64>,
    /// The list of actions that the row named.
    list: Option<List>,
}

impl OwnedTable {
    /// Creates a table without entries and with the program's default action.
    pub(super) fn without_entries(shape: TableShape, entries: Table, entry_data: EntryData) -> Self {
        let default = Outcome::Call(Arc::clone(&shape.own_default));
        let mut table = Self {
            shape: Arc::new(shape),
            entries,
            entry_data,
            default: Arc::new(DefaultAction { outcome: default.clone(), row: Vec::new() }),
            hits: 0,
            misses: 0,
            constant: Vec::new(),
            lists: Lists::default(),
        };
        table.set_default(default);
        table
    }

    /// Adds an entry at the time `now`. The pattern is in words (see [`Table::insert_words`]). The
    /// row contains an action's number and arguments, or an outcome that
    /// [`OwnedTable::write_outcome`] has written.
    pub(crate) fn insert(
        &mut self,
        pattern: (&[u64], &[u64]),
        priority: u32,
        row: &[u64],
        time: (Nanos, Option<IdleTimeout>),
    ) -> Result<Handle, InsertError> {
        self.insert_slot(pattern, priority, row, time).map(|slot| self.entries.handle(slot))
    }

    /// Adds an entry like [`OwnedTable::insert`], and returns its slot.
    pub(super) fn insert_slot(
        &mut self,
        pattern: (&[u64], &[u64]),
        priority: u32,
        row: &[u64],
        (now, idle): (Nanos, Option<IdleTimeout>),
    ) -> Result<u32, InsertError> {
        let (action, data) = (row[0] as u32, &row[1..]);
        let inserted = self.entries.insert_slot(pattern, priority, action, data);
        match inserted {
            Ok(slot) => self.add_entry_data(slot, now, idle),
            Err(_) => drop(self.lists.release(action, data)),
        }
        inserted
    }

    /// Creates the data of an entry that is inserted at `now`.
    pub(super) fn add_entry_data(&mut self, slot: u32, now: Nanos, idle: Option<IdleTimeout>) {
        if !self.entry_data.is_empty() {
            self.entry_data.add(slot, now, idle);
        }
    }

    /// Writes an outcome in words. A list of actions is stored until the entry with this row is
    /// removed, or until its insertion fails.
    pub(crate) fn write_outcome(&mut self, outcome: &Outcome, row: &mut Vec<u64>) {
        self.lists.write(outcome, row);
    }

    /// Decodes the call in a row of words.
    pub(crate) fn call_of(&self, row: &[u64]) -> ActionCall {
        self.shape.actions.call(row.iter().copied())
    }

    /// Removes an entry.
    pub(crate) fn remove(&mut self, handle: Handle) -> Option<RemovedEntry> {
        self.entries.slot(handle).map(|slot| self.remove_at(slot))
    }

    /// Removes the entry in a slot.
    pub(crate) fn remove_at(&mut self, slot: u32) -> RemovedEntry {
        let entry = self.entries.remove_at(slot);
        let list = self.lists.release(entry.action, &entry.data);
        RemovedEntry { list, data: self.entry_data.remove(slot), entry }
    }

    /// Deletes the entry in a slot, which cannot be put back.
    fn delete_at(&mut self, slot: u32) {
        let row = self.entries.view().match_at(slot).row;
        if row.action() >= FIRST_OF_PROFILE {
            self.lists.release(row.action(), &row.to_vec());
        }
        self.entries.delete_at(slot);
        self.entry_data.forget(slot);
    }

    /// Puts back an entry that has just been removed.
    pub(crate) fn restore(&mut self, removed: RemovedEntry) -> bool {
        let RemovedEntry { mut entry, list, data } = removed;
        if let Some(list) = list {
            let mut row = Vec::new();
            self.lists.write(&Outcome::OneOf(list), &mut row);
            entry.data[0] = row[1];
        }
        let restored = self.entries.restore(&entry);
        if let (true, Some(data), Some(slot)) = (restored, data, self.entries.slot(entry.handle)) {
            self.entry_data.put(slot, *data);
        }
        restored
    }

    /// Replaces the row of the entry in a slot, with a row as for [`OwnedTable::insert`]. Returns
    /// the previous row.
    pub(crate) fn set_row(&mut self, slot: u32, row: &[u64]) -> Result<OldRow, InsertError> {
        let old = self.entries.view().match_at(slot).row;
        let (old_action, old_data) = (old.action(), old.to_vec());
        let (action, data) = (row[0] as u32, &row[1..]);
        if let Err(error) = self.entries.modify_at(slot, action, data) {
            self.lists.release(action, data);
            return Err(error);
        }
        let list = self.lists.release(old_action, &old_data);
        Ok(OldRow { action: old_action, data: old_data, list })
    }

    /// Restores a previous row of an entry.
    pub(crate) fn restore_row(&mut self, handle: Handle, old: OldRow) -> bool {
        let Some(slot) = self.entries.slot(handle) else { return false };
        let mut row = vec![u64::from(old.action)];
        row.extend(old.data);
        if let Some(list) = old.list {
            self.lists.write(&Outcome::OneOf(list), &mut row);
        }
        self.set_row(slot, &row).is_ok()
    }

    /// Returns the slot of an entry if the entry still exists. For the default entry, which has no
    /// handle, the inner option is `None`.
    pub(crate) fn slot_of(&self, handle: Option<Handle>) -> Option<Option<u32>> {
        handle.map_or(Some(None), |handle| self.entries.slot(handle).map(Some))
    }

    /// Returns the outcome of the entry in a slot.
    pub(crate) fn outcome_at(&self, slot: u32) -> Outcome {
        let row = self.entries.view().match_at(slot).row.words();
        rows::row_outcome(&self.lists.lists, &self.shape.actions, row)
    }

    /// Returns whether the table has constant entries of the program.
    pub(crate) fn has_const(&self) -> bool {
        !self.constant.is_empty()
    }

    /// Returns whether an entry is a constant entry of the program.
    pub(crate) fn is_const(&self, handle: Handle) -> bool {
        self.constant.binary_search(&handle).is_ok()
    }

    /// Returns the outcome of a miss.
    pub(crate) fn default(&self) -> &Outcome {
        &self.default.outcome
    }

    /// Sets the outcome of a miss, and returns the previous one.
    pub(crate) fn set_default(&mut self, outcome: Outcome) -> Outcome {
        let old = self.default.row.iter().map(|word| word.load(Relaxed)).collect::<Vec<_>>();
        if let Some((action, data)) = old.split_first() {
            self.lists.release(*action as u32, data);
        }
        let mut row = Vec::new();
        self.lists.write(&outcome, &mut row);
        let row = row.into_iter().map(AtomicU64::new).collect();
        let old = std::mem::replace(&mut self.default, Arc::new(DefaultAction { outcome, row }));
        old.outcome.clone()
    }

    /// Records that packets hit no entry before `now`, so that idle times start at `now`.
    pub(crate) fn set_start_time(&mut self, now: Nanos) {
        self.entry_data.set_start_time(now);
    }

    /// Records the time of a hit, if the entry still exists.
    pub(crate) fn record_hit(&mut self, handle: Handle, time: Nanos, timers: &mut IdleTimers) {
        if let Some(slot) = self.entries.slot(handle) {
            let restarts = self.shape.aging.is_some_and(|aging| aging.restarts_at == UseAt::Lookup);
            self.entry_data.record_hit(self.shape.id, (slot, handle), (time, restarts), timers);
        }
    }

    /// Handles a timer of an entry. If the entry has been idle for long enough, sends a notice or
    /// deletes the entry; otherwise, sets the timer again. Returns whether the entry was deleted.
    pub(crate) fn handle_timer(&mut self, handle: Handle, time: Nanos, timers: &mut IdleTimers) -> bool {
        let Some(slot) = self.entries.slot(handle) else { return false };
        let Some(idle) = self.entry_data.idle_mut(slot).and_then(Option::as_mut) else { return false };
        if idle.timer != Some(time) {
            return false;
        }
        idle.timer = None;
        let table = self.shape.id;
        if idle.end() > time {
            timers.set_timer(table, handle, idle);
            return false;
        }
        let timeout = idle.timeout;
        if self.shape.aging.is_some_and(|aging| aging.at_end == AtEnd::Delete) {
            self.delete_at(slot);
            return true;
        }
        let (entry, outcome) = (self.entries.entry(slot), self.outcome_at(slot));
        let notice = IdleNotice { time, table, entry, outcome, timeout };
        if let Some(Some(idle)) = self.entry_data.idle_mut(slot) {
            timers.add_notice(notice, idle);
        }
        false
    }

    /// Returns whether the timer of an entry is set to this time.
    pub(crate) fn has_timer(&self, handle: Handle, time: Nanos) -> bool {
        let idle = self.entries.slot(handle).and_then(|slot| self.entry_data.idle_timeout(slot));
        idle.is_some_and(|idle| idle.timer == Some(time))
    }

    /// Sets the timer of an entry again after its notice was taken at `now`, if the entry still
    /// exists.
    pub(crate) fn repeat_notice(&mut self, now: Nanos, handle: Handle, timers: &mut IdleTimers) {
        let Some(slot) = self.entries.slot(handle) else { return };
        if let Some(Some(idle)) = self.entry_data.idle_mut(slot)
            && idle.is_reported
        {
            timers.repeat(now, self.shape.id, handle, idle);
        }
    }

    /// Returns whether a notice of an entry waits for its reader.
    pub(crate) fn is_reported(&self, handle: Handle) -> bool {
        let idle = self.entries.slot(handle).and_then(|slot| self.entry_data.idle_timeout(slot));
        idle.is_some_and(|idle| idle.is_reported)
    }

    /// Returns the memory of the entries and of the data that is kept for them.
    pub(crate) fn memory(&self) -> MemoryUsage {
        let memory = self.entries.memory();
        MemoryUsage { bytes: memory.bytes + self.entry_data.bytes(), ..memory }
    }
}
