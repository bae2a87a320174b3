//! Looks up keys before the packets that need them run. Many keys are looked up together, so that
//! memory is fetched for some keys while others are looked up.

use std::sync::Arc;

use weir_exec::MAX_BATCH;
use weir_tables::Hit;

use super::{TableShape, TableView};

/// The number of upcoming prefetched keys that are compared with a key.
const SEARCHED: usize = 8;

/// The keys of a table that were looked up before they were needed, with their results.
#[derive(Debug, Default)]
pub(crate) struct PrefetchedLookups {
    keys: Vec<u64>,
    words: usize,
    places: Vec<Option<Hit>>,
    /// The position of the first key with a result that has not been used.
    next: usize,
    /// The table that was looked up, and its version.
    table: Option<Arc<TableShape>>,
    version: u64,
}

impl PrefetchedLookups {
    /// Looks up keys, at most the first [`MAX_BATCH`].
    pub(super) fn look_up_keys(&mut self, table: TableView<'_>, keys: &[u64]) {
        let view = table.entries;
        self.words = view.layout().words();
        let count = keys.len().checked_div(self.words).unwrap_or(0).min(MAX_BATCH);
        self.keys.clear();
        self.keys.extend_from_slice(&keys[..count * self.words]);
        self.places.clear();
        self.places.resize(count, None);
        if count > 0 {
            view.find_hits(&self.keys, self.words, &mut self.places);
        }
        (self.next, self.version) = (0, table.version());
        if !self.belongs_to(table.shape) {
            self.table = Some(Arc::clone(table.shape));
        }
    }

    #[inline]
    fn belongs_to(&self, table: &Arc<TableShape>) -> bool {
        self.table.as_ref().is_some_and(|known| Arc::ptr_eq(known, table))
    }

    /// Takes the result for this key, if it is one of the next keys and the table has not changed.
    #[inline]
    pub(crate) fn take_result(&mut self, table: TableView<'_>, key: &[u64]) -> Option<Option<Hit>> {
        let place = *self.places.get(self.next)?;
        if self.version != table.version() || !self.belongs_to(table.shape) {
            return None;
        }
        // The key is nearly always the next one, and has one word.
        if self.words == 1 && self.keys.get(self.next) == key.first() {
            self.next += 1;
            return Some(place);
        }
        self.find_result(key)
    }

    #[inline(never)]
    fn find_result(&mut self, key: &[u64]) -> Option<Option<Hit>> {
        let next = self.next..self.places.len().min(self.next + SEARCHED);
        for at in next {
            if self.keys[at * self.words..][..self.words] == *key {
                self.next = at + 1;
                return Some(self.places[at]);
            }
        }
        None
    }
}
