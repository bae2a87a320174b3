//! Reading tables, and taking messages.

use weir_ir::TableId;

use super::{
    Control, ControlError, CrcParameters, Digest, EntryRef, EntryState, IdleNotice, LogLine, Schema,
    TableState, Target,
};
use crate::tables::IdleNotice as Notice;

impl Control<'_> {
    /// What the program offers.
    pub fn schema(&self) -> &Schema {
        self.schema
    }

    /// A table's entries in the order in which they were inserted.
    pub fn entries(&self, table: &str) -> Result<Vec<EntryState>, ControlError> {
        let id = self.table_id(table)?;
        Ok(self.table_ref(id).entries.slots().map(|slot| self.entry_state(id, slot)).collect())
    }

    /// One entry.
    pub fn entry(&self, table: &str, entry: &EntryRef) -> Result<EntryState, ControlError> {
        let id = self.table_id(table)?;
        let handle = self.handle(id, entry)?;
        Ok(self.entry_state(id, self.slot(id, handle)?))
    }

    fn entry_state(&self, id: TableId, slot: u32) -> EntryState {
        let table = self.table_ref(id);
        let entry = table.entries.entry(slot);
        let timeout = table.entry_data.idle(slot).map(|idle| idle.timeout);
        EntryState {
            handle: entry.handle,
            entry: self.named_entry(id, &entry, &table.outcome_at(slot), timeout),
            is_const: table.is_const(entry.handle),
            hits: table.entry_data.count(slot),
            last_hit: table.entry_data.last_hit(slot),
        }
    }

    /// How full a table is and how it was met.
    pub fn table_state(&self, table: &str) -> Result<TableState, ControlError> {
        let table = self.table_ref(self.table_id(table)?);
        Ok(TableState {
            entries: table.entries.len(),
            hits: table.hits,
            misses: table.misses,
            memory: table.memory().bytes,
        })
    }

    /// A table's default action as it is now.
    pub fn default_action(&self, table: &str) -> Result<Target, ControlError> {
        Ok(self.named_target(self.table_ref(self.table_id(table)?).default()))
    }

    /// Takes the digests that came since the last call; the newest 4096 are kept.
    pub fn take_digests(&mut self) -> Vec<Digest> {
        self.state.messages.digests.drain(..).collect()
    }

    /// Takes the notices of idle entries that came since the last call; the newest 4096 are kept.
    pub fn take_idle_notices(&mut self) -> Vec<IdleNotice> {
        let notices: Vec<_> = self.state.idle.notices.drain(..).collect();
        let named = |notice: Notice| IdleNotice {
            time: notice.time,
            table: self.table_schema(notice.table).name.clone(),
            handle: notice.entry.handle,
            entry: self.named_entry(notice.table, &notice.entry, &notice.outcome, Some(notice.timeout)),
        };
        notices.into_iter().map(named).collect()
    }

    /// What `crc16_custom` or `crc32_custom` computes.
    pub fn crc(&self, algorithm: &str) -> Result<CrcParameters, ControlError> {
        match algorithm {
            "crc16_custom" => Ok(self.state.settings.hashes.crc16_custom.parameters),
            "crc32_custom" => Ok(self.state.settings.hashes.crc32_custom.parameters),
            _ => Err(ControlError::NoCrc { algorithm: algorithm.to_owned() }),
        }
    }

    /// Takes the lines that `log_msg` wrote since the last call; the newest 4096 are kept.
    pub fn take_log(&mut self) -> Vec<LogLine> {
        self.state.messages.log.drain(..).collect()
    }
}
