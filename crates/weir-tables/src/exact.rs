//! All fields exact: one hash look-up.

use rustc_hash::FxHashMap;

/// Keys to slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExactIndex {
    slots: FxHashMap<Box<[u8]>, usize>,
}

impl ExactIndex {
    pub(crate) fn find(&self, key: &[u8]) -> Option<usize> {
        self.slots.get(key).copied()
    }

    pub(crate) fn insert(&mut self, key: Box<[u8]>, slot: usize) {
        self.slots.insert(key, slot);
    }

    pub(crate) fn remove(&mut self, key: &[u8]) {
        self.slots.remove(key);
    }
}
