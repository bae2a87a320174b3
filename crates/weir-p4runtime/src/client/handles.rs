//! Numbers for entries: the control interface names entries by handles, the protocol by what they
//! match.

use std::collections::BTreeMap;

use prost::Message;
use weir_ir::TableId;

use crate::proto::v1::TableEntry;

/// The handles of the entries that this client inserted or read: each table's count from 0.
#[derive(Debug, Default)]
pub(super) struct Handles {
    tables: BTreeMap<TableId, Numbered>,
}

/// The entries of a table.
#[derive(Debug, Default)]
struct Numbered {
    by_handle: BTreeMap<u64, TableEntry>,
    by_key: BTreeMap<Vec<u8>, u64>,
    next: u64,
}

impl Handles {
    /// The handle of the entry with this key: table, matches, priority.
    pub fn of(&mut self, table: TableId, key: &TableEntry) -> u64 {
        let Numbered { by_handle, by_key, next } = self.tables.entry(table).or_default();
        let bytes = key.encode_to_vec();
        if let Some(handle) = by_key.get(&bytes) {
            return *handle;
        }
        let handle = *next;
        *next += 1;
        by_key.insert(bytes, handle);
        by_handle.insert(handle, key.clone());
        handle
    }

    /// The key of the entry with this handle.
    pub fn key(&self, table: TableId, handle: u64) -> Option<&TableEntry> {
        self.tables.get(&table)?.by_handle.get(&handle)
    }

    /// Forgets a handle.
    pub fn remove(&mut self, table: TableId, key: &TableEntry) {
        let Some(Numbered { by_handle, by_key, .. }) = self.tables.get_mut(&table) else { return };
        if let Some(handle) = by_key.remove(&key.encode_to_vec()) {
            by_handle.remove(&handle);
        }
    }
}

/// The parts of an entry that name it.
pub(super) fn key_of(entry: &TableEntry) -> TableEntry {
    TableEntry {
        table_id: entry.table_id,
        r#match: entry.r#match.clone(),
        priority: entry.priority,
        ..TableEntry::default()
    }
}
