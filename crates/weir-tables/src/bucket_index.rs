//! A hash index in buckets of one cache line: from hashes to slots. The caller compares keys, which
//! it keeps by slot.
//!
//! A bucket has twelve cells. It holds one byte of the hash for each, the cell's tag, and all
//! twelve tags are compared at once. If the bucket to which a slot belongs, its home, is full, the
//! slot is stored in the next bucket with a free cell, and is marked as displaced there. Removal
//! needs no tombstones, because it moves a displaced slot, whose search passes the gap, into the
//! gap.

use crate::sync::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::pages::{AnyWords, Flat, PageEditor, Pages, ReadWords, WordArray};

/// The number of words in a bucket. The first word has eight tags, the second one has four tags and
/// above them twelve displaced marks, and the other six words have two slots each.
const BUCKET_WORDS: usize = 8;

/// A bucket of the index in memory.
type Bucket = [AtomicU64; BUCKET_WORDS];
/// The number of cells of a bucket.
const BUCKET_CELLS: usize = 12;
/// The maximum load of the index in percent.
const MAX_LOAD_PERCENT: usize = 80;

const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
/// The part of a bucket's second word that holds tags.
const TAGS_IN_SECOND_WORD: u64 = 0xffff_ffff;

/// An index that finds slots by hash, in buckets.
#[derive(Clone, Debug, Default)]
pub(crate) struct BucketIndex {
    words: WordArray,
    /// The number of buckets.
    count: usize,
    len: usize,
}

/// Sets the highest bit of each byte that is 0.
#[inline(always)]
fn mark_zero_bytes(bytes: u64) -> u64 {
    !(((bytes & !HIGH_BITS) + !HIGH_BITS) | bytes | !HIGH_BITS)
}

/// A set of cells of a bucket as bits: the first eight at the highest bit of each byte, the others
/// four bits lower.
#[derive(Clone, Copy)]
struct Places(u64);

impl Places {
    /// Finds the cells with this tag.
    #[inline(always)]
    fn with_tag(bucket: &Bucket, tag: u64) -> Self {
        let tags = tag * LOW_BITS;
        let (first, second) = (bucket[0].load(Relaxed), bucket[1].load(Relaxed));
        Self(mark_zero_bytes(first ^ tags) | (mark_zero_bytes(second ^ tags) & TAGS_IN_SECOND_WORD) >> 4)
    }

    /// Returns the first of the cells.
    #[inline(always)]
    fn first(self) -> usize {
        let bit = self.0.trailing_zeros() as usize;
        bit / 8 + (!bit & 4) * 2
    }
}

impl Iterator for Places {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let place = (self.0 != 0).then(|| self.first());
        self.0 &= self.0.wrapping_sub(1);
        place
    }
}

/// Returns the byte of a hash that is stored in a bucket. Never 0, which marks an empty cell.
#[inline(always)]
fn tag(hash: u64) -> u64 {
    (hash & 0xff).max(1)
}

#[inline(always)]
fn slot_of_cell(bucket: &Bucket, place: usize) -> u32 {
    (bucket[(2 + place / 2) % BUCKET_WORDS].load(Relaxed) >> (place % 2 * 32)) as u32
}

#[inline(always)]
fn home_bucket(hash: u64, count: usize) -> usize {
    ((u128::from(hash) * count as u128) >> 64) as usize
}

/// Read access to the home buckets of hashes.
#[derive(Clone, Copy)]
pub(crate) struct BucketPositions<W> {
    words: W,
    count: usize,
}

impl<'a, W: ReadWords<'a>> BucketPositions<W> {
    /// Prefetches the home bucket of a hash.
    #[inline(always)]
    pub(crate) fn prefetch(self, hash: u64) {
        self.words.prefetch(home_bucket(hash, self.count) * BUCKET_WORDS);
    }

    /// Returns the slot to which a hash most likely belongs, according to its home bucket alone;
    /// [`u32::MAX`] if that bucket does not have the hash's tag. The index must have buckets.
    #[inline(always)]
    pub(crate) fn likely_slot(self, hash: u64) -> u32 {
        let bucket = self.words.block(home_bucket(hash, self.count));
        let places = Places::with_tag(bucket, tag(hash));
        let slot = slot_of_cell(bucket, places.first());
        if places.0 == 0 { u32::MAX } else { slot }
    }
}

impl BucketIndex {
    /// Moves the index to pages.
    pub(crate) fn move_to_pages(&mut self, editor: &mut PageEditor) {
        editor.move_to_pages(&mut self.words);
    }

    /// Returns whether there are no buckets.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    #[inline(always)]
    fn home_bucket(&self, hash: u64) -> usize {
        home_bucket(hash, self.count)
    }

    /// Returns the bucket at a position.
    #[inline(always)]
    fn bucket<'a>(&'a self, pages: &'a Pages, at: usize) -> &'a Bucket {
        self.words.words(pages).block(at)
    }

    /// Returns read access to home buckets in either form.
    #[inline(always)]
    pub(crate) fn positions<'a>(&'a self, pages: &'a Pages) -> BucketPositions<AnyWords<'a>> {
        BucketPositions { words: self.words.words(pages), count: self.count }
    }

    /// Returns read access to home buckets, if the index is in contiguous memory.
    #[inline(always)]
    pub(crate) fn flat_positions(&self) -> Option<BucketPositions<Flat<'_>>> {
        self.words.is_flat().then(|| BucketPositions { words: self.words.as_flat(), count: self.count })
    }

    /// Returns the place after another; the first follows the last.
    #[inline]
    fn next(&self, at: usize) -> usize {
        if at + 1 == self.count { 0 } else { at + 1 }
    }

    /// Returns the number of steps from one bucket to another.
    fn distance(&self, from: usize, to: usize) -> usize {
        if to >= from { to - from } else { to + self.count - from }
    }

    fn is_full(bucket: &Bucket) -> bool {
        Places::with_tag(bucket, 0).0 == 0
    }

    /// Finds the first slot with this hash for which `found` returns true.
    #[inline(always)]
    pub(crate) fn find(&self, pages: &Pages, hash: u64, mut found: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        let mut number = self.home_bucket(hash);
        loop {
            let bucket = self.bucket(pages, number);
            for place in Places::with_tag(bucket, tag(hash)) {
                let slot = slot_of_cell(bucket, place);
                if found(slot) {
                    return Some(slot);
                }
            }
            if !Self::is_full(bucket) {
                return None;
            }
            number = self.next(number);
        }
    }

    /// Adds a slot. `hash_of` returns the hash of a slot in the index, in case slots have to move.
    pub(crate) fn insert(
        &mut self,
        editor: &mut PageEditor,
        hash: u64,
        slot: u32,
        hash_of: impl Fn(&Pages, u32) -> u64,
    ) {
        if (self.len + 1) * 100 > self.count * BUCKET_CELLS * MAX_LOAD_PERCENT {
            self.rebuild(editor, hash_of);
        }
        self.len += 1;
        self.insert_slot(editor, hash, slot);
    }

    fn insert_slot(&mut self, editor: &mut PageEditor, hash: u64, slot: u32) {
        let home = self.home_bucket(hash);
        let mut at = home;
        loop {
            let free = Places::with_tag(self.bucket(editor.pages, at), 0).next();
            if let Some(free) = free {
                return self.write(editor, (at, free), tag(hash), slot, at != home);
            }
            at = self.next(at);
        }
    }

    /// Fills a cell, or empties it if the tag is 0.
    fn write(
        &mut self,
        editor: &mut PageEditor,
        (at, place): (usize, usize),
        tag: u64,
        slot: u32,
        is_stranger: bool,
    ) {
        let at = at * BUCKET_WORDS;
        let (word, shift) = (at + place / 8, place % 8 * 8);
        let tags = self.words.get(editor.pages, word) & !(0xff << shift) | tag << shift;
        editor.set(&mut self.words, word, tags);
        let marks = self.words.get(editor.pages, at + 1);
        let marked = marks & !(1 << (32 + place)) | u64::from(is_stranger) << (32 + place);
        if marked != marks {
            editor.set(&mut self.words, at + 1, marked);
        }
        editor.set32(&mut self.words, 2 * (at + 2) + place, slot);
    }

    /// Grows the index by half.
    fn rebuild(&mut self, editor: &mut PageEditor, hash_of: impl Fn(&Pages, u32) -> u64) {
        let count = (self.count + self.count / 2).max(self.count + 1);
        let old = std::mem::replace(self, Self { words: WordArray::default(), count, len: self.len });
        editor.grow(&mut self.words, count * BUCKET_WORDS);
        // Moves several slots at a time, so that their buckets are loaded together.
        let mut moving: Vec<(u64, u32)> = Vec::with_capacity(4 * BUCKET_CELLS);
        for at in 0..old.count {
            let bucket = old.bucket(editor.pages, at);
            for place in 0..BUCKET_CELLS {
                if bucket[place / 8].load(Relaxed) >> (place % 8 * 8) & 0xff != 0 {
                    let slot = slot_of_cell(bucket, place);
                    moving.push((hash_of(editor.pages, slot), slot));
                }
            }
            if moving.len() > 3 * BUCKET_CELLS || at + 1 == old.count {
                moving.iter().for_each(|(hash, _)| self.positions(editor.pages).prefetch(*hash));
                moving.drain(..).for_each(|(hash, slot)| self.insert_slot(editor, hash, slot));
            }
        }
        let mut words = old.words;
        editor.allocator.release(&mut words);
    }

    /// Returns the bucket and cell of a slot.
    fn position(&self, pages: &Pages, hash: u64, slot: u32) -> Option<(usize, usize)> {
        if self.count == 0 {
            return None;
        }
        let mut number = self.home_bucket(hash);
        loop {
            let bucket = self.bucket(pages, number);
            let place =
                Places::with_tag(bucket, tag(hash)).find(|place| slot_of_cell(bucket, *place) == slot);
            match place {
                Some(place) => return Some((number, place)),
                None if !Self::is_full(bucket) => return None,
                None => number = self.next(number),
            }
        }
    }

    /// Removes a slot. `hash_of` is as in [`BucketIndex::insert`].
    pub(crate) fn remove(
        &mut self,
        editor: &mut PageEditor,
        hash: u64,
        slot: u32,
        hash_of: impl Fn(&Pages, u32) -> u64,
    ) {
        let Some(mut gap) = self.position(editor.pages, hash, slot) else { return };
        let mut number = gap.0;
        // Slots whose search passes the gap are in later buckets, and all buckets between the gap
        // and these slots are full.
        while Self::is_full(self.bucket(editor.pages, number)) {
            let before = number;
            number = self.next(number);
            let is_last = !Self::is_full(self.bucket(editor.pages, number));
            let marks = self.bucket(editor.pages, number)[1].load(Relaxed) >> 32;
            let strangers = (0..BUCKET_CELLS).filter(|place| marks >> place & 1 == 1);
            let moves = strangers.map(|place| {
                let slot = slot_of_cell(self.bucket(editor.pages, number), place);
                let hash = hash_of(editor.pages, slot);
                (place, slot, hash, self.home_bucket(hash))
            });
            let moves = moves
                .into_iter()
                .find(|(.., home)| self.distance(*home, number) >= self.distance(gap.0, number));
            debug_assert!(before != number, "one bucket at least is not full");
            if let Some((place, slot, hash, home)) = moves {
                self.write(editor, gap, tag(hash), slot, home != gap.0);
                gap = (number, place);
            }
            if is_last {
                break;
            }
        }
        self.write(editor, gap, 0, 0, false);
        self.len -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::pages::PageAllocator;
    use crate::workload::Numbers;

    /// The index is compared with a map. There are few different hashes, so that buckets overflow
    /// far, and around the end.
    #[test]
    fn only_inserted_keys_are_found() {
        for (seed, spread) in [(1, 4), (2, 40), (3, 400), (4, u64::MAX)] {
            let mut numbers = Numbers::new(seed);
            let (mut allocator, mut pages) = PageAllocator::new(1);
            let mut buckets = BucketIndex::default();
            let mut hashes_by_slot: BTreeMap<u32, u64> = BTreeMap::new();
            for round in 0..6000u32 {
                let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
                if round == 4000 {
                    buckets.move_to_pages(&mut editor);
                }
                let hashes = hashes_by_slot.clone();
                let hash_of = |_: &Pages, slot: u32| hashes[&slot];
                let grows = hashes_by_slot.len() < 100 || (round / 500) % 2 == 0;
                let old = hashes_by_slot
                    .keys()
                    .nth(numbers.below(hashes_by_slot.len().max(1) as u64) as usize)
                    .copied();
                match old {
                    Some(slot) if numbers.below(10) < if grows { 3 } else { 7 } => {
                        buckets.remove(&mut editor, hashes_by_slot[&slot], slot, hash_of);
                        hashes_by_slot.remove(&slot);
                    }
                    _ => {
                        // Hashes close to the largest one, with tags that several of them have.
                        let hash =
                            u64::MAX - numbers.below(spread).wrapping_mul(u64::MAX / 5000 / spread.min(5000));
                        hashes_by_slot.insert(round, hash);
                        buckets.insert(&mut editor, hash, round, |_, slot| hashes_by_slot[&slot]);
                    }
                }
                if round % 37 == 0 {
                    for (slot, hash) in &hashes_by_slot {
                        assert_eq!(buckets.find(&pages, *hash, |found| found == *slot), Some(*slot));
                    }
                    assert_eq!(buckets.find(&pages, numbers.draw(), |_| false), None);
                    assert_eq!(buckets.len, hashes_by_slot.len());
                }
            }
            for (slot, hash) in hashes_by_slot.clone() {
                let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
                buckets.remove(&mut editor, hash, slot, |_, slot| hashes_by_slot[&slot]);
                assert_eq!(buckets.find(&pages, hash, |found| found == slot), None);
            }
            let left = (0..buckets.count * BUCKET_WORDS).map(|at| buckets.words.get(&pages, at));
            assert_eq!(left.fold(0, |all, word| all | word), 0, "nothing is left");
        }
    }

    /// Tests keys that occur in practice: consecutive keys, keys in strides, and keys with high
    /// bits set.
    #[test]
    fn regular_keys_spread_as_random_ones_do() {
        let strangers = |key: &dyn Fn(u64) -> u64| {
            let (mut allocator, mut pages) = PageAllocator::new(1);
            let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
            let mut buckets = BucketIndex::default();
            let hash = |slot: u32| crate::hash_index::hash([key(u64::from(slot))], 0);
            (0..20_000).for_each(|slot| buckets.insert(&mut editor, hash(slot), slot, |_, slot| hash(slot)));
            assert!(buckets.count * BUCKET_CELLS < 2 * 20_000, "{} buckets", buckets.count);
            let marks = (0..buckets.count).map(|at| buckets.bucket(&pages, at)[1].load(Relaxed) >> 32);
            let alike = (0..20_000).map(hash).fold([0u32; 256], |mut tags, hash| {
                tags[tag(hash) as usize] += 1;
                tags
            });
            (marks.map(u64::count_ones).sum::<u32>(), alike.into_iter().max())
        };
        let mut numbers = Numbers::new(5);
        let random: Vec<u64> = (0..20_000).map(|_| numbers.draw()).collect();
        let (chance, _) = strangers(&|index| random[index as usize]);
        for shift in (0..31).step_by(5) {
            for stride in [1, 3, 256, 1000] {
                let (many, alike) = strangers(&|index| (index * stride) << shift | 0x0200_0000_0000_0000);
                assert!(many < chance * 2 + 200, "{many} with {stride} << {shift}, {chance} by chance");
                assert!(alike < Some(400), "{alike:?} of 20 000 with {stride} << {shift}");
            }
        }
    }
}
