//! Adds entries, and checks which entries may be changed.

use weir_device::Nanos;
use weir_ir::TableId;
use weir_tables::InsertError;

use super::scratch::{PatternWords, Scratch};
use super::{ActionUse, Control, ControlError, Entry, EntryRef, Target};
use crate::state::ControlState;
use crate::tables::IdleTimeout;

impl Control<'_> {
    /// Adds an entry and returns its handle.
    pub(super) fn insert_entry(
        &mut self,
        table: TableId,
        entry: &Entry,
        scratch: &mut Scratch,
    ) -> Result<u64, ControlError> {
        let Scratch { pattern, row } = scratch;
        self.check_entries_can_change(table)?;
        self.read_matches(table, &entry.matches, pattern)?;
        let priority = self.priority(table, entry.priority)?;
        let outcome = match &entry.action {
            Target::Action(call) if self.table_ref(table).shape.profile.is_none() => {
                self.read_call(table, call, ActionUse::Entry, row)?;
                None
            }
            target => Some(self.to_outcome(table, target, ActionUse::Entry)?),
        };
        let idle = self.new_timeout(table, entry.idle_timeout)?;
        let entries = &self.table_ref(table).entries;
        if let Some(size) = self.table_schema(table).size
            && entries.len() as u64 >= size
            && let Ok(None) = entries.find_slot(pattern.words(), priority)
        {
            return Err(ControlError::TableFull { table, size });
        }
        let size = entries.len() as u64;
        let runtime = &mut self.state.tables[table.index()];
        if let Some(outcome) = outcome {
            runtime.write_outcome(&outcome, row);
        }
        let inserted = runtime.insert(pattern.words(), priority, row, (self.now, idle));
        let handle = inserted.map_err(|error| match error {
            InsertError::Duplicate(handle) => ControlError::Duplicate { table, handle },
            InsertError::Full => ControlError::TableFull { table, size },
            InsertError::Count | InsertError::Pattern(..) | InsertError::Data => {
                unreachable!("patterns and data were made for the table")
            }
        })?;
        if idle.is_some() {
            self.start_idle_timer(table, handle);
        }
        Ok(handle)
    }

    /// Creates a time-out that starts now.
    pub(super) fn new_timeout(
        &self,
        table: TableId,
        timeout: Option<Nanos>,
    ) -> Result<Option<IdleTimeout>, ControlError> {
        match timeout {
            None => Ok(None),
            Some(_) if !self.table_ref(table).entry_data.has_timeouts() => {
                Err(ControlError::NoIdleTimeout(table))
            }
            Some(0) => Err(ControlError::IdleTimeoutZero),
            Some(timeout) => {
                Ok(Some(IdleTimeout { timeout, since: self.now, timer: None, is_reported: false }))
            }
        }
    }

    /// Starts the timer of an entry's time-out.
    pub(super) fn start_idle_timer(&mut self, table: TableId, handle: u64) {
        let ControlState { tables, idle, .. } = &mut *self.state;
        let runtime = &mut tables[table.index()];
        if !runtime.entry_data.has_timeouts() {
            return;
        }
        let slot = runtime.entries.slot(handle);
        if let Some(Some(timer)) = slot.and_then(|slot| runtime.entry_data.idle_mut(slot)) {
            idle.set_timer(table, handle, timer);
        }
    }

    /// Returns the slot of the entry with this handle.
    pub(super) fn slot_of_handle(&self, table: TableId, handle: u64) -> Result<u32, ControlError> {
        let missing = ControlError::NoSuchEntry { table, handle: Some(handle) };
        self.table_ref(table).entries.slot(handle).ok_or(missing)
    }

    /// Returns the slot of an entry that may be changed.
    pub(super) fn changeable_slot(
        &self,
        table: TableId,
        entry: &EntryRef,
        pattern: &mut PatternWords,
    ) -> Result<u32, ControlError> {
        self.check_entries_can_change(table)?;
        let slot = self.find_slot(table, entry, pattern)?;
        let runtime = self.table_ref(table);
        if runtime.has_const() {
            let handle = runtime.entries.handle(slot);
            if runtime.is_const(handle) {
                return Err(ControlError::ConstEntry { table, handle });
            }
        }
        Ok(slot)
    }

    /// Checks that the table exists and its entries may be changed.
    pub(super) fn check_entries_can_change(&self, table: TableId) -> Result<(), ControlError> {
        self.known_table(table)?;
        if self.table_schema(table).const_entries { Err(ControlError::ConstEntries(table)) } else { Ok(()) }
    }

    /// Checks that the table exists and its default may be changed.
    pub(super) fn check_default_can_change(&self, table: TableId) -> Result<(), ControlError> {
        self.known_table(table)?;
        if self.table_schema(table).const_default { Err(ControlError::ConstDefault(table)) } else { Ok(()) }
    }
}
