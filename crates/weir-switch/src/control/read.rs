//! Reading tables and CRC parameters, and taking messages.

use weir_ir::TableId;

use super::{
    Control, ControlError, Digest, EntryRef, EntryState, IdleNotice, LogLine, Schema, TableState, Target,
};
use crate::tables::IdleNotice as Notice;

impl<'a> Control<'a> {
    /// Returns the program's objects.
    pub fn schema(&self) -> &'a Schema {
        self.schema
    }
}

impl Control<'_> {
    /// Returns a table's entries in the order in which they were inserted.
    pub fn entries(&self, table: TableId) -> Result<Vec<EntryState>, ControlError> {
        self.known_table(table)?;
        Ok(self.table_ref(table).entries.slots().map(|slot| self.entry_state(table, slot)).collect())
    }

    /// Reads one entry.
    pub fn entry(&self, table: TableId, entry: &EntryRef) -> Result<EntryState, ControlError> {
        let slot = self.find_slot(table, entry, &mut Default::default())?;
        Ok(self.entry_state(table, slot))
    }

    pub(super) fn entry_state(&self, id: TableId, slot: u32) -> EntryState {
        let table = self.table_ref(id);
        let entry = table.entries.entry(slot);
        let timeout = table.entry_data.idle_timeout(slot).map(|idle| idle.timeout);
        EntryState {
            handle: entry.handle,
            entry: self.to_entry(id, &entry, self.to_target(&table.outcome_at(slot)), timeout),
            is_const: table.is_const(entry.handle),
            hits: table.entry_data.count(Some(slot)),
            last_hit: table.entry_data.last_hit(slot),
        }
    }

    /// Returns how many entries, hits and misses a table has.
    pub fn table_state(&self, table: TableId) -> Result<TableState, ControlError> {
        self.known_table(table)?;
        let table = self.table_ref(table);
        Ok(TableState {
            entries: table.entries.len(),
            hits: table.hits,
            misses: table.misses,
            memory: table.memory().bytes,
        })
    }

    /// Returns a table's current default action.
    pub fn default_action(&self, table: TableId) -> Result<Target, ControlError> {
        self.known_table(table)?;
        Ok(self.to_target(self.table_ref(table).default()))
    }

    /// Takes the digests since the last call, at most the newest 4096.
    pub fn take_digests(&mut self) -> Vec<Digest> {
        self.state.messages.digests.drain(..).collect()
    }

    /// Takes the notices of idle entries since the last call, at most the newest 4096. Notices of
    /// entries that stay idle repeat from now on, see [`IdleNotice`](super::IdleNotice);
    /// [`Device::next_deadline`](weir_device::Device::next_deadline) may come earlier afterwards.
    pub fn take_idle_notices(&mut self) -> Vec<IdleNotice> {
        let notices = self.state.take_idle_notices(self.now);
        let to_idle_notice = |notice: Notice| {
            let action = self.to_target(&notice.outcome);
            IdleNotice {
                time: notice.time,
                table: notice.table,
                handle: notice.entry.handle,
                entry: self.to_entry(notice.table, &notice.entry, action, Some(notice.timeout)),
            }
        };
        notices.into_iter().map(to_idle_notice).collect()
    }

    /// Takes the lines of `log_msg` since the last call, at most the newest 4096.
    pub fn take_log(&mut self) -> Vec<LogLine> {
        self.state.messages.log.drain(..).collect()
    }
}
