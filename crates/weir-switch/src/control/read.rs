//! Reading.

use weir_ir::Bits;

use super::{
    CloneSession, Control, ControlError, CounterValue, CrcParameters, Digest, EntryRef, EntryState,
    IdleNotice, LogLine, MeterConfig, Replica, Schema, TableState, Target,
};
use crate::externs::ExternState;
use crate::externs::counter::in_unit;
use crate::idle::Notice;

impl Control<'_> {
    /// What the program offers.
    pub fn schema(&self) -> &Schema {
        self.schema
    }

    /// A table's entries in the order in which they were inserted.
    pub fn entries(&self, table: &str) -> Result<Vec<EntryState>, ControlError> {
        let id = self.table_id(table)?;
        Ok(self.table_ref(id).entries.iter().map(|entry| self.entry_state(id, entry)).collect())
    }

    /// One entry.
    pub fn entry(&self, table: &str, entry: &EntryRef) -> Result<EntryState, ControlError> {
        let id = self.table_id(table)?;
        let handle = self.handle(id, entry)?;
        let missing = || ControlError::NoSuchEntry { table: table.to_owned(), handle: Some(handle) };
        Ok(self.entry_state(id, self.table_ref(id).entries.get(handle).ok_or_else(missing)?))
    }

    fn entry_state(
        &self,
        table: weir_ir::TableId,
        entry: &weir_tables::Entry<crate::tables::Stored>,
    ) -> EntryState {
        EntryState {
            handle: entry.handle,
            entry: self.named_entry(table, entry),
            is_const: entry.value.is_const,
            hits: entry.value.hits,
            last_hit: entry.value.last_hit,
        }
    }

    /// How full a table is and how it was met.
    pub fn table_state(&self, table: &str) -> Result<TableState, ControlError> {
        let table = self.table_ref(self.table_id(table)?);
        Ok(TableState { entries: table.entries.len(), hits: table.hits, misses: table.misses })
    }

    /// A table's default action as it is now.
    pub fn default_action(&self, table: &str) -> Result<Target, ControlError> {
        Ok(self.named_target(&self.table_ref(self.table_id(table)?).default))
    }

    /// A counter's cell.
    pub fn counter(&self, counter: &str, index: u64) -> Result<CounterValue, ControlError> {
        let id = self.object("counter", counter)?;
        match &self.runtime.externs[id.index()] {
            ExternState::Counter(cells) => {
                cells.get(index).ok_or_else(|| self.no_index("counter", id, index, cells.size()))
            }
            _ => unreachable!("objects of type counter are counters"),
        }
    }

    /// What a table's direct counter shows for an entry.
    pub fn direct_counter(&self, table: &str, entry: &EntryRef) -> Result<CounterValue, ControlError> {
        let id = self.table_id(table)?;
        let unit = self.direct_unit(id)?;
        Ok(in_unit(self.entry(table, entry)?.hits, unit))
    }

    /// A register's cell.
    pub fn register(&self, register: &str, index: u64) -> Result<Bits, ControlError> {
        let id = self.object("register", register)?;
        match &self.runtime.externs[id.index()] {
            ExternState::Register(cells) => {
                cells.get(index).ok_or_else(|| self.no_index("register", id, index, cells.size()))
            }
            _ => unreachable!("objects of type register are registers"),
        }
    }

    /// The rates of a meter's cell, if it has been given any.
    pub fn meter(&self, meter: &str, index: u64) -> Result<Option<MeterConfig>, ControlError> {
        let id = self.object("meter", meter)?;
        match &self.runtime.externs[id.index()] {
            ExternState::Meter(meter) => {
                let cell = usize::try_from(index).ok().and_then(|index| meter.cells.get(index));
                let cell = cell.ok_or_else(|| self.no_index("meter", id, index, meter.cells.len()))?;
                Ok(cell.as_ref().map(|meter| meter.config))
            }
            _ => unreachable!("objects of type meter are meters"),
        }
    }

    /// The rates of an entry's cell of its table's direct meter, if it has been given any.
    pub fn direct_meter(&self, table: &str, entry: &EntryRef) -> Result<Option<MeterConfig>, ControlError> {
        let id = self.table_id(table)?;
        self.needs_direct_meter(id)?;
        let handle = self.handle(id, entry)?;
        let entry = self.table_ref(id).entries.get(handle);
        Ok(entry.and_then(|entry| entry.value.meter.as_ref()).map(|meter| meter.config))
    }

    pub(super) fn needs_direct_meter(&self, table: weir_ir::TableId) -> Result<(), ControlError> {
        match self.table_ref(table).meter {
            Some(_) => Ok(()),
            None => Err(ControlError::NoDirectMeter { table: self.table_schema(table).name.clone() }),
        }
    }

    /// A multicast group's members, if it is configured.
    pub fn multicast_group(&self, group: u16) -> Option<&[Replica]> {
        self.runtime.groups.get(&group).map(Vec::as_slice)
    }

    /// A clone session, if it is configured.
    pub fn clone_session(&self, session: u32) -> Option<CloneSession> {
        self.runtime.sessions.get(&session).copied()
    }

    /// Takes the digests that came since the last call; the newest 4096 are kept.
    pub fn take_digests(&mut self) -> Vec<Digest> {
        self.runtime.digests.drain(..).collect()
    }

    /// Takes the notices of idle entries that came since the last call; the newest 4096 are kept.
    pub fn take_idle_notices(&mut self) -> Vec<IdleNotice> {
        let notices: Vec<_> = self.runtime.idle.notices.drain(..).collect();
        let named = |notice: Notice| IdleNotice {
            time: notice.time,
            table: self.table_schema(notice.table).name.clone(),
            handle: notice.entry.handle,
            entry: self.named_entry(notice.table, &notice.entry),
        };
        notices.into_iter().map(named).collect()
    }

    /// What `crc16_custom` or `crc32_custom` computes.
    pub fn crc(&self, algorithm: &str) -> Result<CrcParameters, ControlError> {
        match algorithm {
            "crc16_custom" => Ok(self.runtime.hashes.crc16_custom.parameters),
            "crc32_custom" => Ok(self.runtime.hashes.crc32_custom.parameters),
            _ => Err(ControlError::NoCrc { algorithm: algorithm.to_owned() }),
        }
    }

    /// Takes the lines that `log_msg` wrote since the last call; the newest 4096 are kept.
    pub fn take_log(&mut self) -> Vec<LogLine> {
        self.runtime.log.drain(..).collect()
    }

    pub(super) fn no_index(
        &self,
        what: &'static str,
        id: weir_ir::ExternId,
        index: u64,
        size: usize,
    ) -> ControlError {
        ControlError::NoSuchIndex {
            what,
            name: self.program.externs[id].name.clone(),
            index,
            size: size as u64,
        }
    }

    pub(super) fn direct_unit(&self, table: weir_ir::TableId) -> Result<super::CounterUnit, ControlError> {
        self.program.tables[table]
            .attached
            .iter()
            .find_map(|(_, object)| match &self.runtime.externs[object.index()] {
                ExternState::DirectCounter(unit) => Some(*unit),
                _ => None,
            })
            .ok_or_else(|| ControlError::NoDirectCounter { table: self.table_schema(table).name.clone() })
    }
}
