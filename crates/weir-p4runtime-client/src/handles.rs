//! Handles for entries. The control interface identifies entries by handles, and the protocol by
//! their matches.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message;

use crate::proto::v1::TableEntry;

/// The object that an update inserts.
pub(super) enum InsertedObject {
    /// An entry with this key. It has a handle once the switch has the entry.
    Entry(Box<TableEntry>),
    /// A member or group.
    Number(u32),
}

/// The handles of the entries that this client inserted or read, counted from 0 in each table. The
/// handle of a removed entry is forgotten when the client deletes the entry or reads the whole
/// table.
#[derive(Debug, Default)]
pub(super) struct Handles {
    /// The tables' handles, by the tables' numbers in the protocol.
    tables: BTreeMap<u32, TableHandles>,
}

/// The entries of a table by their handles and by their keys.
#[derive(Debug, Default)]
struct TableHandles {
    by_handle: BTreeMap<u64, TableEntry>,
    by_key: BTreeMap<Vec<u8>, u64>,
    next: u64,
}

impl Handles {
    /// Returns the handle of the entry with this key: table, matches, priority.
    pub fn handle_of(&mut self, key: &TableEntry) -> u64 {
        let TableHandles { by_handle, by_key, next } = self.tables.entry(key.table_id).or_default();
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

    /// Returns the key of the entry with this handle.
    pub fn key(&self, table: u32, handle: u64) -> Option<&TableEntry> {
        self.tables.get(&table)?.by_handle.get(&handle)
    }

    /// Forgets the handle of the entry with this key.
    pub fn remove(&mut self, key: &TableEntry) {
        let Some(TableHandles { by_handle, by_key, .. }) = self.tables.get_mut(&key.table_id) else { return };
        if let Some(handle) = by_key.remove(&key.encode_to_vec()) {
            by_handle.remove(&handle);
        }
    }

    /// Forgets the handles of a table, except those in `handles`.
    pub fn retain_handles(&mut self, table: u32, handles: &BTreeSet<u64>) {
        let Some(TableHandles { by_handle, by_key, .. }) = self.tables.get_mut(&table) else { return };
        by_handle.retain(|handle, _| handles.contains(handle));
        by_key.retain(|_, handle| handles.contains(handle));
    }
}

/// Returns the parts of an entry that name it.
pub(super) fn key_of(entry: &TableEntry) -> TableEntry {
    TableEntry {
        table_id: entry.table_id,
        r#match: entry.r#match.clone(),
        priority: entry.priority,
        ..TableEntry::default()
    }
}
