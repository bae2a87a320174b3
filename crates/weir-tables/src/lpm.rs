//! One prefix field, any number of exact ones: a hash table a prefix length, longest first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::exact::ExactIndex;
use crate::key::{KeyLayout, prefix_mask};

/// Keys with the bits past the prefix cleared, by prefix length.
#[derive(Clone, Debug)]
pub(crate) struct LpmIndex {
    /// Which field has the prefix.
    field: usize,
    lengths: BTreeMap<Reverse<u32>, Length>,
}

#[derive(Clone, Debug)]
struct Length {
    mask: Box<[u8]>,
    entries: usize,
    index: ExactIndex,
}

impl LpmIndex {
    pub(crate) fn new(field: usize) -> Self {
        Self { field, lengths: BTreeMap::new() }
    }

    pub(crate) fn field(&self) -> usize {
        self.field
    }

    pub(crate) fn find(&self, layout: &KeyLayout, key: &[u8]) -> Option<usize> {
        let range = layout.range(self.field);
        let mut masked = key.to_vec();
        // Lengths fall, so each mask only clears bits that the one before left.
        self.lengths.values().find_map(|length| {
            for (byte, mask) in masked[range.clone()].iter_mut().zip(&length.mask) {
                *byte &= mask;
            }
            length.index.find(&masked)
        })
    }

    pub(crate) fn insert(&mut self, layout: &KeyLayout, key: Box<[u8]>, len: u32, slot: usize) {
        let length = self.lengths.entry(Reverse(len)).or_insert_with(|| Length {
            mask: prefix_mask(layout.fields()[self.field].width, len),
            entries: 0,
            index: ExactIndex::default(),
        });
        length.entries += 1;
        length.index.insert(key, slot);
    }

    pub(crate) fn remove(&mut self, key: &[u8], len: u32) {
        if let Some(length) = self.lengths.get_mut(&Reverse(len)) {
            length.index.remove(key);
            length.entries -= 1;
            if length.entries == 0 {
                self.lengths.remove(&Reverse(len));
            }
        }
    }
}
