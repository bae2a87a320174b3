//! Numbers for entries: the control interface names entries by handles, the protocol by what they
//! match.

use std::collections::BTreeMap;

use prost::Message;
use weir_ir::TableId;

use crate::proto::v1::TableEntry;

/// The handles of the entries that this client inserted or read.
#[derive(Debug, Default)]
pub(super) struct Handles {
    by_handle: BTreeMap<u64, (TableId, TableEntry)>,
    by_key: BTreeMap<Vec<u8>, u64>,
    next: u64,
}

impl Handles {
    /// The handle of the entry with this key: table, matches, priority.
    pub fn of(&mut self, table: TableId, key: &TableEntry) -> u64 {
        let bytes = key.encode_to_vec();
        if let Some(handle) = self.by_key.get(&bytes) {
            return *handle;
        }
        let handle = self.next;
        self.next += 1;
        self.by_key.insert(bytes, handle);
        self.by_handle.insert(handle, (table, key.clone()));
        handle
    }

    /// The key of the entry with this handle.
    pub fn key(&self, table: TableId, handle: u64) -> Option<&TableEntry> {
        self.by_handle.get(&handle).filter(|(of, _)| *of == table).map(|(_, key)| key)
    }

    /// Forgets a handle.
    pub fn remove(&mut self, key: &TableEntry) {
        if let Some(handle) = self.by_key.remove(&key.encode_to_vec()) {
            self.by_handle.remove(&handle);
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
