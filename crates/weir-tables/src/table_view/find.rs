//! Looking up one key.

use std::sync::atomic::Ordering::Relaxed;

use super::{Index, Match, TableView};
use crate::bit_string::LongBits;
use crate::bucket_index::BucketIndex;
use crate::hash_index::hash;
use crate::hit::{Hit, row_of};
use crate::records::RecordAccess;
use crate::sync::AtomicU64;
use crate::tuples::TupleSpace;

/// Evaluates an expression with the packed key, which is on the stack unless it is very long.
macro_rules! with_packed_key {
    ($view:expr, $key:expr, |$packed:ident| $body:expr) => {{
        let shape = &*$view.shape;
        macro_rules! with {
            ($words:expr) => {{
                let mut words = [0; $words];
                let $packed = &mut words[..shape.packing.words];
                shape.packing.pack($key, $packed);
                let $packed = &*$packed;
                $body
            }};
        }
        match shape.packing.words {
            0..=2 => with!(2),
            3..=8 => with!(8),
            9..=128 => with!(128),
            words => {
                let mut words = vec![0; words];
                shape.packing.pack($key, &mut words);
                let $packed = words.as_slice();
                $body
            }
        }
    }};
}

/// Joins two packed words, the most significant first, to one number.
pub(super) fn join_words(packed: &[u64]) -> u128 {
    u128::from(packed[0]) << 64 | u128::from(packed[1])
}

/// Returns the hit of an exact entry, if all its words but the last are those of the key.
#[inline(always)]
pub(super) fn compare<'a, const ENTRY: usize>(
    entries: impl RecordAccess<'a>,
    slot: u32,
    key: &[u64; ENTRY],
) -> Option<Hit> {
    let entry: &[AtomicU64; ENTRY] = entries.record(slot)?;
    let words = key[..ENTRY - 1].iter().zip(entry);
    let differing = words.fold(0, |differing, (key, stored)| differing | (key ^ stored.load(Relaxed)));
    if differing == 0 { Hit::new(slot, row_of(entry[ENTRY - 1].load(Relaxed))) } else { None }
}

impl TableView {
    /// Returns the entry that a key matches; [`Table`](crate::Table) describes which entry wins.
    /// The key has [`KeyLayout::words`](crate::KeyLayout::words) words: each field in whole words,
    /// least significant first, one field after the other. Bits above a field's width are ignored.
    ///
    /// # Panics
    /// If the key is too short.
    #[inline]
    pub fn find(&self, key: &[u64]) -> Option<Match<'_>> {
        self.find_hit(key).map(|hit| self.match_of_hit(hit))
    }

    /// Like [`TableView::find`], for callers who need only the slot or the row of the entry.
    ///
    /// # Panics
    /// If the key is too short.
    #[inline(always)]
    pub fn find_hit(&self, key: &[u64]) -> Option<Hit> {
        match (&self.one_word, &self.index) {
            (Some(one), Index::Lpm(index)) => Hit::from_word(index.find(&self.pages, one.pack(key))),
            (Some(one), Index::Exact(index)) => self.find_exact(index, [one.pack(key), 0]),
            _ => self.find_general(key),
        }
    }

    /// Looks up a packed key in a table of exact fields whose entries have `ENTRY` words. The last
    /// word of `key` is ignored.
    #[inline(always)]
    fn find_exact<const ENTRY: usize>(&self, index: &BucketIndex, key: [u64; ENTRY]) -> Option<Hit> {
        let hash = hash(key[..ENTRY - 1].iter().copied(), 0);
        self.find_hashed(index, &key, hash)
    }

    #[inline(always)]
    pub(super) fn find_hashed<const ENTRY: usize>(
        &self,
        index: &BucketIndex,
        key: &[u64; ENTRY],
        hash: u64,
    ) -> Option<Hit> {
        let entries = self.entries.any_form(&self.pages);
        let mut hit = None;
        index.find(&self.pages, hash, |slot| {
            hit = compare(entries, slot, key);
            hit.is_some()
        })?;
        hit
    }

    /// Looks up a packed key of any length in a table of exact fields.
    fn find_exact_long(&self, index: &BucketIndex, packed: &[u64]) -> Option<Hit> {
        let slot =
            index.find(&self.pages, hash(packed.iter().copied(), 0), |slot| self.has_key(slot, packed))?;
        Hit::new(slot, row_of(self.last_word(slot)))
    }

    /// Looks up a key of several words, or in a table with priorities.
    fn find_general(&self, key: &[u64]) -> Option<Hit> {
        if self.len == 0 {
            return None;
        }
        if let Index::Tuples(index) = &self.index {
            return self.find_rule(index, key);
        }
        with_packed_key!(self, key, |packed| match &self.index {
            Index::Exact(index) => match packed {
                [one, two] => self.find_exact(index, [*one, *two, 0]),
                _ => self.find_exact_long(index, packed),
            },
            Index::Lpm(index) => Hit::from_word(match packed.len() {
                1 => index.find(&self.pages, packed[0]),
                2 => index.find(&self.pages, join_words(packed)),
                _ => index.find(&self.pages, LongBits::new(packed)),
            }),
            Index::Tuples(_) => None,
        })
    }

    #[inline]
    fn find_rule(&self, index: &TupleSpace, key: &[u64]) -> Option<Hit> {
        let slot = match index.find_unpacked(key) {
            Some(slot) => slot?,
            None => {
                with_packed_key!(self, key, |packed| index.find(&self.pages, &self.entries, key, packed))?
            }
        };
        Hit::new(slot, row_of(self.last_word(slot)))
    }

    /// Prefetches the memory that [`TableView::find`] with this key reads first.
    ///
    /// # Panics
    /// If the key is too short.
    pub fn prefetch(&self, key: &[u64]) {
        with_packed_key!(self, key, |packed| match &self.index {
            Index::Exact(index) => index.positions(&self.pages).prefetch(hash(packed.iter().copied(), 0)),
            Index::Lpm(index) => index.prefetch(&self.pages, packed.first().copied().unwrap_or(0)),
            Index::Tuples(index) => index.prefetch(&self.pages, packed),
        });
    }
}
