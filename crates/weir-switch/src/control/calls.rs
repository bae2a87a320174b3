//! Checks requests and converts them to the words of tables, and back.

use std::sync::Arc;

use weir_device::Nanos;
use weir_ir::{ActionCall, TableId};

use super::Control;
use super::error::{ControlError, Field};
use super::request::{Call, Entry, EntryRef};
use super::scratch::PatternWords;
use super::table_schema::{ActionUse, TableSchema};
use super::words::{write_field, write_match};
use crate::tables::{Match, OwnedTable, match_from_pattern};

/// Returns the number of words that a number of this width takes.
fn word_count(width: u32) -> usize {
    width.div_ceil(64) as usize
}

impl Control<'_> {
    /// Checks that the program has the table.
    pub(super) fn known_table(&self, table: TableId) -> Result<(), ControlError> {
        if table.index() < self.schema.tables.len() { Ok(()) } else { Err(ControlError::NoSuchTable(table)) }
    }

    pub(super) fn table_schema(&self, table: TableId) -> &TableSchema {
        &self.schema.tables[table.index()]
    }

    pub(super) fn table_ref(&self, table: TableId) -> &OwnedTable {
        &self.state.tables[table.index()]
    }

    pub(super) fn table_mut(&mut self, table: TableId) -> &mut OwnedTable {
        &mut self.state.tables[table.index()]
    }

    /// Converts and checks the matches of all keys.
    pub(super) fn read_matches(
        &self,
        table: TableId,
        matches: &[Match],
        pattern: &mut PatternWords,
    ) -> Result<(), ControlError> {
        let schema = self.table_schema(table);
        if schema.keys.is_empty() {
            return Err(ControlError::NoKey(table));
        }
        if matches.len() != schema.keys.len() {
            return Err(ControlError::KeyCount { table, given: matches.len() });
        }
        let PatternWords { value, mask } = pattern;
        let total = schema.keys.iter().map(|key| word_count(key.width)).sum();
        value.resize(total, 0);
        mask.resize(total, 0);
        let mut start = 0;
        for (index, (key, given)) in schema.keys.iter().zip(matches).enumerate() {
            let range = start..start + word_count(key.width);
            start = range.end;
            write_match(Field::Key(table, index), key, given, &mut value[range.clone()], &mut mask[range])?;
        }
        Ok(())
    }

    /// Checks that an entry has a priority if its table needs one, and none otherwise; returns 0
    /// for none.
    pub(super) fn priority(&self, table: TableId, priority: Option<u32>) -> Result<u32, ControlError> {
        match (self.table_schema(table).needs_priority(), priority) {
            (true, Some(priority)) => Ok(priority),
            (false, None) => Ok(0),
            (true, None) => Err(ControlError::PriorityMissing(table)),
            (false, Some(_)) => Err(ControlError::PriorityNotAllowed(table)),
        }
    }

    /// Converts and checks an action of the table with its arguments, in words.
    pub(super) fn read_call(
        &self,
        table: TableId,
        call: &Call,
        wanted: ActionUse,
        row: &mut Vec<u64>,
    ) -> Result<(), ControlError> {
        let action = call.action;
        let listed = self.table_schema(table).actions.iter().find(|listed| listed.id == action);
        let Some(listed) = listed else { return Err(ControlError::ActionNotInTable { table, action }) };
        if let Some(error) = listed.refuses(table, wanted) {
            return Err(error);
        }
        let params = &self.schema.actions[action.index()].params;
        if call.args.len() != params.len() {
            return Err(ControlError::ArgumentCount { action, given: call.args.len() });
        }
        row.clear();
        row.push(action.index() as u64);
        for (index, (param, value)) in params.iter().zip(&call.args).enumerate() {
            let start = row.len();
            row.resize(start + word_count(param.width), 0);
            write_field(Field::Parameter(action, index), value, param.width, &mut row[start..])?;
        }
        Ok(())
    }

    /// Converts and checks an action of the table with its arguments, as a call.
    pub(super) fn call(
        &self,
        table: TableId,
        call: &Call,
        wanted: ActionUse,
    ) -> Result<Arc<ActionCall>, ControlError> {
        let mut row = Vec::new();
        self.read_call(table, call, wanted, &mut row)?;
        Ok(Arc::new(self.table_ref(table).call_of(&row)))
    }

    /// Returns the slot of an entry. Returns an error if the table or the entry does not exist.
    pub(super) fn find_slot(
        &self,
        table: TableId,
        entry: &EntryRef,
        pattern: &mut PatternWords,
    ) -> Result<u32, ControlError> {
        self.known_table(table)?;
        match entry {
            EntryRef::Default => Err(ControlError::NoSuchEntry { table, handle: None }),
            EntryRef::Handle(handle) => self.slot_of_handle(table, *handle),
            EntryRef::Key { matches, priority } => {
                self.read_matches(table, matches, pattern)?;
                let priority = self.priority(table, *priority)?;
                let slot = self.table_ref(table).entries.find_slot(pattern.words(), priority);
                slot.ok().flatten().ok_or(ControlError::NoSuchEntry { table, handle: None })
            }
        }
    }

    /// Returns the slot of an entry; `None` for the default entry. Returns an error if the entry
    /// does not exist.
    pub(super) fn find_cell(&self, table: TableId, entry: &EntryRef) -> Result<Option<u32>, ControlError> {
        match entry {
            EntryRef::Default => self.known_table(table).map(|()| None),
            entry => self.find_slot(table, entry, &mut Default::default()).map(Some),
        }
    }

    /// Converts an entry to the form in which it is read back.
    pub(super) fn to_entry(
        &self,
        table: TableId,
        entry: &weir_tables::Entry,
        action: super::Target,
        idle_timeout: Option<Nanos>,
    ) -> Entry {
        let schema = self.table_schema(table);
        let matches = schema
            .keys
            .iter()
            .zip(&entry.patterns)
            .map(|(key, pattern)| match_from_pattern(key.width, pattern));
        let priority = schema.needs_priority().then_some(entry.priority);
        Entry { matches: matches.collect(), priority, action, idle_timeout }
    }
}

/// Converts an action call to the form of requests.
pub(super) fn to_call(call: &ActionCall) -> Call {
    Call { action: call.action, args: call.args.to_vec() }
}
