//! Look-ups that are made before their packets run: many at once, so that the memory of one is fetched while others are looked up.

use weir_exec::MAX_BATCH;
use weir_tables::{Hit, TableView};

/// How many remembered keys are compared, from the first on that has not been asked for.
const NEAR: usize = 8;

/// A table's keys that were looked up before they were asked for, with the places that they met.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    keys: Vec<u64>,
    words: usize,
    places: Vec<Option<Hit>>,
    /// The first that has not been asked for.
    next: usize,
    /// The table's version when it was looked up in.
    version: u64,
}

impl Ahead {
    /// Looks keys up, the first [`MAX_BATCH`] of them.
    pub(crate) fn look(&mut self, view: &TableView, version: u64, keys: &[u64]) {
        self.words = view.layout().words();
        let count = keys.len().checked_div(self.words).unwrap_or(0).min(MAX_BATCH);
        self.keys.clear();
        self.keys.extend_from_slice(&keys[..count * self.words]);
        self.places.clear();
        self.places.resize(count, None);
        if count > 0 {
            view.find_hits(&self.keys, self.words, &mut self.places);
        }
        (self.next, self.version) = (0, version);
    }

    /// The place that this key meets (or that it meets none), if it is one of those that come next. The table must be as it was.
    #[inline]
    pub(crate) fn take(&mut self, version: u64, key: &[u64]) -> Option<Option<Hit>> {
        let place = *self.places.get(self.next)?;
        if self.version != version {
            return None;
        }
        // Nearly always it is the next one, and of one word.
        if self.words == 1 && self.keys.get(self.next) == key.first() {
            self.next += 1;
            return Some(place);
        }
        self.search(key)
    }

    #[inline(never)]
    fn search(&mut self, key: &[u64]) -> Option<Option<Hit>> {
        let near = self.next..self.places.len().min(self.next + NEAR);
        for at in near {
            if self.keys[at * self.words..][..self.words] == *key {
                self.next = at + 1;
                return Some(self.places[at]);
            }
        }
        None
    }
}
