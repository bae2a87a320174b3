//! Looking up many keys together, so that the memory of one is loaded while others are processed.

use super::find::{compare, join_words};
use super::{Index, Match, TableView};
use crate::bucket_index::{BucketIndex, BucketPositions};
use crate::hash_index::hash;
use crate::hit::Hit;
use crate::lpm::BATCH_KEYS;
use crate::pages::ReadWords;
use crate::records::RecordAccess;

/// Rows are prefetched if all rows together take more words than this. Fewer words stay in the
/// cache without prefetching.
const ROW_PREFETCH_WORDS: usize = 1 << 13;

impl TableView {
    /// Prefetches the memory that lookups of many keys read first. A key begins every `stride`
    /// words of `keys`.
    pub fn prefetch_batch(&self, keys: &[u64], stride: usize) {
        let keys = keys.chunks_exact(stride.max(1));
        match (&self.index, &self.one_word) {
            (Index::Lpm(index), Some(one)) => {
                index.prefetch_batch(&self.pages, keys.map(|key| one.pack(key)));
            }
            _ => keys.for_each(|key| self.prefetch(key)),
        }
    }

    /// Looks up many adjacent keys, each as [`TableView::find`] does.
    ///
    /// # Panics
    /// If the number of keys differs from the length of `found`.
    pub fn find_batch<'a>(&'a self, keys: &[u64], found: &mut [Option<Match<'a>>]) {
        let stride = self.shape.key_words;
        for (keys, found) in self.batches((keys, stride), found) {
            let mut hits = [None; BATCH_KEYS];
            let hits = &mut hits[..found.len()];
            self.find_lanes((keys, stride), hits);
            for hit in hits.iter().flatten() {
                self.entries.prefetch(&self.pages, hit.slot());
            }
            for (found, hit) in found.iter_mut().zip(hits) {
                *found = hit.map(|hit| self.match_of_hit(hit));
            }
        }
    }

    /// Looks up many keys, each as [`TableView::find_hit`] does, and prefetches the rows of the
    /// entries that were found. A key begins every `stride` words of `keys`.
    ///
    /// # Panics
    /// If the number of keys differs from the length of `hits`.
    pub fn find_hits(&self, keys: &[u64], stride: usize, hits: &mut [Option<Hit>]) {
        for (keys, hits) in self.batches((keys, stride), hits) {
            self.find_lanes((keys, stride), hits);
        }
    }

    /// Returns the keys and the places for their results, in groups of at most [`BATCH_KEYS`].
    #[inline(always)]
    fn batches<'k, T>(
        &self,
        (keys, stride): (&'k [u64], usize),
        results: &'k mut [T],
    ) -> impl Iterator<Item = (&'k [u64], &'k mut [T])> {
        assert!(stride >= self.shape.key_words, "the stride is at least a key's length");
        assert_eq!(keys.len(), stride * results.len(), "there are as many keys as results");
        let chunks = results.chunks_mut(BATCH_KEYS).enumerate();
        chunks
            .map(move |(at, results)| (&keys[at * stride * BATCH_KEYS..][..stride * results.len()], results))
    }

    /// Looks up at most [`BATCH_KEYS`] keys and prefetches the rows that were found.
    fn find_lanes(&self, (keys, stride): (&[u64], usize), hits: &mut [Option<Hit>]) {
        let packing = &self.shape.packing;
        let keys = keys.chunks_exact(stride.max(1)).map(|key| &key[..self.shape.key_words]);
        match (&self.index, packing.words) {
            _ if self.shape.key_words == 0 => hits.fill(self.find_hit(&[])),
            (Index::Lpm(index), 1) => {
                let mut strings = [0u64; BATCH_KEYS];
                match &self.one_word {
                    Some(one) => {
                        keys.zip(&mut strings).for_each(|(key, string)| *string = one.pack(key));
                    }
                    None => keys
                        .zip(&mut strings)
                        .for_each(|(key, string)| packing.pack(key, std::slice::from_mut(string))),
                }
                index.find_batch(&self.pages, &mut strings, hits, Hit::from_word);
            }
            (Index::Lpm(index), 2) => {
                let mut strings = [0u128; BATCH_KEYS];
                if packing.is_pair() {
                    for (key, string) in keys.zip(&mut strings) {
                        *string = join_words(&[key[1], key[0]]);
                    }
                } else {
                    for (key, string) in keys.zip(&mut strings) {
                        let mut packed = [0; 2];
                        packing.pack(key, &mut packed);
                        *string = join_words(&packed);
                    }
                }
                index.find_batch(&self.pages, &mut strings, hits, Hit::from_word);
            }
            (Index::Exact(index), 1) => self.find_exact_lanes::<2>(index, keys, hits),
            (Index::Exact(index), 2) => self.find_exact_lanes::<3>(index, keys, hits),
            (Index::Exact(index), 3) => self.find_exact_lanes::<4>(index, keys, hits),
            (Index::Exact(index), 4) => self.find_exact_lanes::<5>(index, keys, hits),
            _ => keys.zip(&mut *hits).for_each(|(key, hit)| *hit = self.find_hit(key)),
        }
        if self.rows.capacity(&self.pages) > ROW_PREFETCH_WORDS {
            for hit in hits.iter().flatten() {
                self.rows.prefetch(&self.pages, hit.row());
            }
        }
    }

    /// Looks up at most [`BATCH_KEYS`] keys in a table of exact fields whose entries have `ENTRY`
    /// words.
    fn find_exact_lanes<'k, const ENTRY: usize>(
        &self,
        index: &BucketIndex,
        keys: impl Iterator<Item = &'k [u64]>,
        hits: &mut [Option<Hit>],
    ) {
        if index.is_empty() {
            return hits.fill(None);
        }
        let packing = &self.shape.packing;
        let mut packed = [[0; ENTRY]; BATCH_KEYS];
        match &self.one_word {
            Some(one) => keys.zip(&mut packed).for_each(|(key, packed)| packed[0] = one.pack(key)),
            None => {
                keys.zip(&mut packed).for_each(|(key, packed)| packing.pack(key, &mut packed[..ENTRY - 1]));
            }
        }
        match (index.flat_positions(), self.entries.flat(ENTRY)) {
            (Some(positions), Some(entries)) => {
                self.find_packed_lanes(index, positions, entries, &packed, hits);
            }
            _ => {
                let (positions, entries) = (index.positions(&self.pages), self.entries.any_form(&self.pages));
                self.find_packed_lanes(index, positions, entries, &packed, hits);
            }
        }
    }

    #[inline(never)]
    fn find_packed_lanes<'a, const ENTRY: usize>(
        &'a self,
        index: &'a BucketIndex,
        positions: BucketPositions<impl ReadWords<'a>>,
        entries: impl RecordAccess<'a>,
        keys: &[[u64; ENTRY]; BATCH_KEYS],
        hits: &mut [Option<Hit>],
    ) {
        let count = hits.len().min(BATCH_KEYS);
        let (mut hashes, mut likely) = ([0; BATCH_KEYS], [0; BATCH_KEYS]);
        for lane in 0..count {
            hashes[lane] = hash(keys[lane][..ENTRY - 1].iter().copied(), 0);
            positions.prefetch(hashes[lane]);
        }
        for lane in 0..count {
            likely[lane] = positions.likely_slot(hashes[lane]);
            entries.prefetch::<ENTRY>(likely[lane]);
        }
        for lane in 0..count {
            let hit = compare(entries, likely[lane], &keys[lane]);
            hits[lane] = match hit {
                None => self.find_after_first_slot(index, &keys[lane], hashes[lane]),
                hit => hit,
            };
        }
    }

    /// Looks up a key that was not in its most likely slot.
    #[inline(never)]
    fn find_after_first_slot<const ENTRY: usize>(
        &self,
        index: &BucketIndex,
        key: &[u64; ENTRY],
        hash: u64,
    ) -> Option<Hit> {
        self.find_hashed(index, key, hash)
    }
}
