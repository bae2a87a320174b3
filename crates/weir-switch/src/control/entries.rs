//! Adding entries, and what may be changed of them.

use weir_device::Nanos;
use weir_ir::TableId;
use weir_tables::InsertError;

use super::batch::Batch;
use super::{Control, ControlError, Entry, EntryRef, Target};
use crate::state::ControlState;
use crate::tables::IdleTimeout;

impl Control<'_> {
    /// Adds an entry to the table of this name.
    pub(super) fn insert_entry(
        &mut self,
        table: &str,
        entry: &Entry,
        batch: &mut Batch,
    ) -> Result<(TableId, u64), ControlError> {
        let Batch { names, pattern, row } = batch;
        let names = names.table(self.schema, table)?;
        let table = names.id;
        self.not_const(table)?;
        self.read_matches(names, &entry.matches, pattern)?;
        let priority = self.priority(table, entry.priority)?;
        let outcome = match &entry.action {
            Target::Action(call) if self.table_ref(table).shape.profile.is_none() => {
                self.read_call(names, call, false, row)?;
                None
            }
            target => Some(self.outcome(table, target, false)?),
        };
        let idle = self.idle(table, entry.idle_timeout)?;
        let name = || self.schema.tables[table.index()].name.clone();
        let entries = &self.table_ref(table).entries;
        if let Some(size) = self.table_schema(table).size
            && entries.len() as u64 >= size
            && let Ok(None) = entries.find_slot(pattern.words(), priority)
        {
            return Err(ControlError::TableFull { table: name(), size });
        }
        let size = entries.len() as u64;
        let runtime = &mut self.state.tables[table.index()];
        if let Some(outcome) = outcome {
            runtime.write_outcome(&outcome, row);
        }
        let inserted = runtime.insert(pattern.words(), priority, row, idle);
        let handle = inserted.map_err(|error| match error {
            InsertError::Duplicate(handle) => ControlError::Duplicate { table: name(), handle },
            InsertError::Full => ControlError::TableFull { table: name(), size },
            InsertError::Count | InsertError::Pattern(..) | InsertError::Data => {
                unreachable!("patterns and data were made for the table")
            }
        })?;
        if idle.is_some() {
            self.arm(table, handle);
        }
        Ok((table, handle))
    }

    /// A time-out that begins now.
    pub(super) fn idle(
        &self,
        table: TableId,
        timeout: Option<Nanos>,
    ) -> Result<Option<IdleTimeout>, ControlError> {
        match timeout {
            None => Ok(None),
            Some(_) if !self.table_ref(table).entry_data.has_timeouts() => {
                Err(ControlError::NoIdleTimeout { table: self.table_schema(table).name.clone() })
            }
            Some(0) => Err(ControlError::IdleTimeoutZero),
            Some(timeout) => Ok(Some(IdleTimeout { timeout, since: self.now, timer: None })),
        }
    }

    pub(super) fn arm(&mut self, table: TableId, handle: u64) {
        let ControlState { tables, idle, .. } = &mut *self.state;
        let runtime = &mut tables[table.index()];
        if !runtime.entry_data.has_timeouts() {
            return;
        }
        let slot = runtime.entries.slot(handle);
        if let Some(Some(timer)) = slot.and_then(|slot| runtime.entry_data.idle_mut(slot)) {
            idle.arm(table, handle, timer);
        }
    }

    /// The slot of an entry.
    pub(super) fn slot(&self, table: TableId, handle: u64) -> Result<u32, ControlError> {
        let name = || self.table_schema(table).name.clone();
        let missing = || ControlError::NoSuchEntry { table: name(), handle: Some(handle) };
        self.table_ref(table).entries.slot(handle).ok_or_else(missing)
    }

    /// The slot of an entry that may be changed, and its table.
    pub(super) fn changeable(
        &self,
        table: &str,
        entry: &EntryRef,
        batch: &mut Batch,
    ) -> Result<(TableId, u32), ControlError> {
        let names = batch.names.table(self.schema, table)?;
        let id = names.id;
        self.not_const(id)?;
        let slot = self.find(names, entry, &mut batch.pattern)?;
        let table = self.table_ref(id);
        if table.has_const() && table.is_const(table.entries.handle(slot)) {
            let handle = table.entries.handle(slot);
            return Err(ControlError::ConstEntry { table: self.table_schema(id).name.clone(), handle });
        }
        Ok((id, slot))
    }

    pub(super) fn not_const(&self, table: TableId) -> Result<(), ControlError> {
        let schema = self.table_schema(table);
        if schema.const_entries {
            Err(ControlError::ConstEntries { table: schema.name.clone() })
        } else {
            Ok(())
        }
    }

    pub(super) fn not_const_default(&self, table: TableId) -> Result<(), ControlError> {
        let schema = self.table_schema(table);
        if schema.const_default {
            Err(ControlError::ConstDefault { table: schema.name.clone() })
        } else {
            Ok(())
        }
    }
}
