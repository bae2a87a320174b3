//! Looking up.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::bits::Long;
use crate::buckets::{Buckets, Homes};
use crate::cow::{Space, Words};
use crate::hash::hash;
use crate::key::KeyLayout;
use crate::lpm::{LANES, Lpm};
use crate::pack::{OneWord, Packing};
use crate::slots::{Elements, Many, Slots};
use crate::table::Handle;
use crate::tuples::TupleSpace;

/// Bits of an entry's last word that name its row; above them stands its handle.
pub(crate) const ROW_BITS: u32 = 24;
/// The row of an entry that has been taken out.
pub(crate) const NO_ROW: u32 = (1 << ROW_BITS) - 1;

pub(crate) fn handle_of(word: u64) -> Handle {
    word >> ROW_BITS
}

pub(crate) fn row_of(word: u64) -> u32 {
    word as u32 & NO_ROW
}

/// Words of rows from which on they are fetched ahead of their use: fewer are near by themselves.
const MANY_ROW_WORDS: usize = 1 << 13;

/// A table's entries at one moment, to look up in. From the table itself it is what the table holds now; a
/// [`Table::snapshot`](crate::Table::snapshot) stays as it is, on any thread, and is cheap to clone.
#[derive(Clone, Debug)]
pub struct View {
    pub(crate) space: Space,
    pub(crate) entries: Slots,
    pub(crate) rows: Slots,
    pub(crate) index: Index,
    pub(crate) shape: Arc<Shape>,
    /// How keys are packed, if they are of one word.
    pub(crate) one_word: Option<OneWord>,
    pub(crate) len: usize,
    /// While it lives the writer leaves the pages of this view alone.
    #[expect(dead_code, reason = "it only has to live")]
    pub(crate) token: Option<Arc<()>>,
}

/// What does not change.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) layout: KeyLayout,
    pub(crate) packing: Packing,
    /// Words of a key.
    pub(crate) key_words: usize,
    /// Bits of all fields.
    pub(crate) width: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Index {
    Exact(Buckets),
    Lpm(Lpm),
    Tuples(TupleSpace),
}

/// What a key met, in one word: the numbers of an entry's slot and of its row. Half of what a look-up may read is spared those who ask for no
/// more: an entry's handle, for one, lies with the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(NonZeroU64);

impl Place {
    pub(crate) fn word(slot: u32, row: u32) -> u64 {
        (u64::from(slot) + 1) << ROW_BITS | u64::from(row)
    }

    pub(crate) fn from_word(word: u64) -> Option<Self> {
        NonZeroU64::new(word).map(Self)
    }

    fn new(slot: u32, row: u32) -> Option<Self> {
        Self::from_word(Self::word(slot, row))
    }

    /// See [`Found::slot`].
    #[inline]
    pub fn slot(self) -> u32 {
        ((self.0.get() >> ROW_BITS) - 1) as u32
    }

    /// See [`Found::row`]; [`View::row`] takes it.
    #[inline]
    pub fn row(self) -> u32 {
        row_of(self.0.get())
    }
}

/// The rows of a view, to read many of them.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a>(Many<'a>);

impl<'a> Rows<'a> {
    /// As [`View::row`].
    #[inline(always)]
    pub fn row(self, row: u32) -> Row<'a> {
        Row(self.0.get(row))
    }
}

/// An entry that a key met.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The entry's dense number, for state that the caller keeps beside it: no two entries have the same at one time. It is used again after
    /// the entry is gone from the table and from all snapshots that live.
    pub slot: u32,
    /// The row's dense number. Entries of equal rows share one.
    pub row: u32,
    /// The entry's name.
    pub handle: Handle,
    /// What to do.
    pub words: Row<'a>,
}

/// What an entry says: the position of an action and the words of its data, one after the other in memory.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a>(&'a [AtomicU64]);

impl<'a> Row<'a> {
    /// The position of the action.
    #[inline]
    pub fn action(self) -> u32 {
        self.0[0].load(Relaxed) as u32
    }

    /// Word `index` of the data.
    #[inline]
    pub fn data(self, index: usize) -> u64 {
        self.0[1 + index].load(Relaxed)
    }

    /// The action's position and the data behind it, as they lie in memory. They do not change while the view lives, so that code that
    /// keeps the view may read them as plain words.
    #[inline]
    pub fn words(self) -> &'a [AtomicU64] {
        self.0
    }

    /// A copy of the data.
    pub fn to_vec(self) -> Vec<u64> {
        self.0[1..].iter().map(|word| word.load(Relaxed)).collect()
    }
}

/// Calls with the packed key, which lies on the stack unless it is very long.
macro_rules! packed {
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

fn wide(packed: &[u64]) -> u128 {
    u128::from(packed[0]) << 64 | u128::from(packed[1])
}

/// The place of an exact entry, if its key is this one: all words but the last.
#[inline(always)]
fn met<'a, const ENTRY: usize>(entries: impl Elements<'a>, slot: u32, key: &[u64; ENTRY]) -> Option<Place> {
    let entry: &[AtomicU64; ENTRY] = entries.element(slot)?;
    let words = key[..ENTRY - 1].iter().zip(entry);
    let other = words.fold(0, |other, (key, stored)| other | (key ^ stored.load(Relaxed)));
    if other == 0 { Place::new(slot, row_of(entry[ENTRY - 1].load(Relaxed))) } else { None }
}

impl View {
    /// The key's fields.
    pub fn layout(&self) -> &KeyLayout {
        &self.shape.layout
    }

    /// Entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The entry that a key meets: see [`Table`](crate::Table) for which. The key is as long as [`KeyLayout::words`] says: each field in whole words, least
    /// significant first, one field after the other. Spare high bits do not count.
    ///
    /// # Panics
    /// If the key is too short.
    #[inline]
    pub fn find(&self, key: &[u64]) -> Option<Found<'_>> {
        self.find_place(key).map(|place| self.at_place(place))
    }

    /// Where the entry is that a key meets: [`View::find`] for those who need no more than its row, or its slot.
    ///
    /// # Panics
    /// If the key is too short.
    #[inline(always)]
    pub fn find_place(&self, key: &[u64]) -> Option<Place> {
        match (&self.one_word, &self.index) {
            (Some(one), Index::Lpm(index)) => Place::from_word(index.find(&self.space, one.pack(key))),
            (Some(one), Index::Exact(index)) => self.find_exact(index, [one.pack(key), 0]),
            _ => self.find_long(key),
        }
    }

    /// Looks an exact key up that has one word less than an entry, so `ENTRY - 1`.
    #[inline(always)]
    fn find_exact<const ENTRY: usize>(&self, index: &Buckets, key: [u64; ENTRY]) -> Option<Place> {
        let hash = hash(key[..ENTRY - 1].iter().copied(), 0);
        self.find_hashed(index, &key, hash)
    }

    #[inline(always)]
    fn find_hashed<const ENTRY: usize>(
        &self,
        index: &Buckets,
        key: &[u64; ENTRY],
        hash: u64,
    ) -> Option<Place> {
        let entries = self.entries.any_way(&self.space);
        let mut place = None;
        index.find(&self.space, hash, |slot| {
            place = met(entries, slot, key);
            place.is_some()
        })?;
        place
    }

    /// The same of a key of any length.
    fn find_exact_long(&self, index: &Buckets, packed: &[u64]) -> Option<Place> {
        let slot =
            index.find(&self.space, hash(packed.iter().copied(), 0), |slot| self.has_key(slot, packed))?;
        Place::new(slot, row_of(self.last_word(slot)))
    }

    /// Keys of more words, or with priorities.
    fn find_long(&self, key: &[u64]) -> Option<Place> {
        if self.len == 0 {
            return None;
        }
        if let Index::Tuples(index) = &self.index {
            return self.find_rule(index, key);
        }
        packed!(self, key, |packed| match &self.index {
            Index::Exact(index) => match packed {
                [one, two] => self.find_exact(index, [*one, *two, 0]),
                _ => self.find_exact_long(index, packed),
            },
            Index::Lpm(index) => Place::from_word(match packed.len() {
                1 => index.find(&self.space, packed[0]),
                2 => index.find(&self.space, wide(packed)),
                _ => index.find(&self.space, Long::new(packed)),
            }),
            Index::Tuples(_) => None,
        })
    }

    #[inline]
    fn find_rule(&self, index: &TupleSpace, key: &[u64]) -> Option<Place> {
        let slot = match index.find_unpacked(key) {
            Some(slot) => slot?,
            None => packed!(self, key, |packed| index.find(&self.space, &self.entries, key, packed))?,
        };
        Place::new(slot, row_of(self.last_word(slot)))
    }

    /// Brings near what [`View::find`] with this key will read first.
    ///
    /// # Panics
    /// If the key is too short.
    pub fn prefetch(&self, key: &[u64]) {
        packed!(self, key, |packed| match &self.index {
            Index::Exact(index) => index.homes(&self.space).prefetch(hash(packed.iter().copied(), 0)),
            Index::Lpm(index) => index.prefetch(&self.space, packed.first().copied().unwrap_or(0)),
            Index::Tuples(index) => index.prefetch(&self.space, packed),
        });
    }

    /// The same of many keys, of which one begins every `each` words of `keys`.
    pub fn prefetch_all(&self, keys: &[u64], each: usize) {
        let keys = keys.chunks_exact(each.max(1));
        match (&self.index, &self.one_word) {
            (Index::Lpm(index), Some(one)) => {
                index.prefetch_all(&self.space, keys.map(|key| one.pack(key)));
            }
            _ => keys.for_each(|key| self.prefetch(key)),
        }
    }

    /// Looks many keys up, one after the other in `keys`, each into its place of `found`. Memory for one is fetched while others are
    /// looked up.
    ///
    /// # Panics
    /// If there are not as many keys as places.
    pub fn find_batch<'a>(&'a self, keys: &[u64], found: &mut [Option<Found<'a>>]) {
        let each = self.shape.key_words;
        for (keys, found) in self.batches((keys, each), found) {
            let mut places = [None; LANES];
            let places = &mut places[..found.len()];
            self.places((keys, each), places);
            for place in places.iter().flatten() {
                self.entries.prefetch(&self.space, place.slot());
            }
            for (found, place) in found.iter_mut().zip(places) {
                *found = place.map(|place| self.at_place(place));
            }
        }
    }

    /// Looks many keys up, of which one begins every `each` words of `keys`, each into its place of `places`, as [`View::find_place`] does. Memory for one is
    /// fetched while others are looked up, and that of their rows.
    ///
    /// # Panics
    /// If there are not as many keys as places.
    pub fn find_places(&self, keys: &[u64], each: usize, places: &mut [Option<Place>]) {
        for (keys, places) in self.batches((keys, each), places) {
            self.places((keys, each), places);
        }
    }

    /// Keys and their places, so many at a time as go together.
    #[inline(always)]
    fn batches<'k, T>(
        &self,
        (keys, each): (&'k [u64], usize),
        into: &'k mut [T],
    ) -> impl Iterator<Item = (&'k [u64], &'k mut [T])> {
        assert!(each >= self.shape.key_words, "there are whole keys");
        assert_eq!(keys.len(), each * into.len(), "as many keys as places for what is found");
        let chunks = into.chunks_mut(LANES).enumerate();
        chunks.map(move |(at, into)| (&keys[at * each * LANES..][..each * into.len()], into))
    }

    /// The entry of a slot that [`View::find`] told of this view, or of the table as it is now.
    #[inline]
    pub fn at(&self, slot: u32) -> Found<'_> {
        self.found(slot)
    }

    /// The entry at a place that this view told.
    #[inline]
    pub fn at_place(&self, place: Place) -> Found<'_> {
        let (slot, row) = (place.slot(), place.row());
        Found { slot, row, handle: self.handle(slot), words: self.row(row) }
    }

    /// The handle of the entry of a slot, as for [`View::at`].
    #[inline]
    pub fn handle(&self, slot: u32) -> Handle {
        handle_of(self.last_word(slot))
    }

    /// The places that up to [`LANES`] keys meet. Brings their rows near.
    fn places(&self, (keys, each): (&[u64], usize), places: &mut [Option<Place>]) {
        let packing = &self.shape.packing;
        let keys = keys.chunks_exact(each.max(1)).map(|key| &key[..self.shape.key_words]);
        match (&self.index, packing.words) {
            _ if self.shape.key_words == 0 => places.fill(self.find_place(&[])),
            (Index::Lpm(index), 1) => {
                let mut strings = [0u64; LANES];
                match &self.one_word {
                    Some(one) => {
                        keys.zip(&mut strings).for_each(|(key, string)| *string = one.pack(key));
                    }
                    None => keys
                        .zip(&mut strings)
                        .for_each(|(key, string)| packing.pack(key, std::slice::from_mut(string))),
                }
                index.find_batch(&self.space, &mut strings, places, Place::from_word);
            }
            (Index::Lpm(index), 2) => {
                let mut strings = [0u128; LANES];
                if packing.is_pair() {
                    for (key, string) in keys.zip(&mut strings) {
                        *string = wide(&[key[1], key[0]]);
                    }
                } else {
                    for (key, string) in keys.zip(&mut strings) {
                        let mut packed = [0; 2];
                        packing.pack(key, &mut packed);
                        *string = wide(&packed);
                    }
                }
                index.find_batch(&self.space, &mut strings, places, Place::from_word);
            }
            (Index::Exact(index), 1) => self.exact_places::<2>(index, keys, places),
            (Index::Exact(index), 2) => self.exact_places::<3>(index, keys, places),
            (Index::Exact(index), 3) => self.exact_places::<4>(index, keys, places),
            (Index::Exact(index), 4) => self.exact_places::<5>(index, keys, places),
            _ => keys.zip(&mut *places).for_each(|(key, place)| *place = self.find_place(key)),
        }
        if self.rows.capacity(&self.space) > MANY_ROW_WORDS {
            for place in places.iter().flatten() {
                self.rows.prefetch(&self.space, place.row());
            }
        }
    }

    /// The same of exact keys, of entries of so many words.
    fn exact_places<'k, const ENTRY: usize>(
        &self,
        index: &Buckets,
        keys: impl Iterator<Item = &'k [u64]>,
        places: &mut [Option<Place>],
    ) {
        if index.is_empty() {
            return places.fill(None);
        }
        let packing = &self.shape.packing;
        let mut packed = [[0; ENTRY]; LANES];
        match &self.one_word {
            Some(one) => keys.zip(&mut packed).for_each(|(key, packed)| packed[0] = one.pack(key)),
            None => {
                keys.zip(&mut packed).for_each(|(key, packed)| packing.pack(key, &mut packed[..ENTRY - 1]));
            }
        }
        match (index.flat_homes(), self.entries.in_row(ENTRY)) {
            (Some(homes), Some(entries)) => self.exact_batch(index, homes, entries, &packed, places),
            _ => {
                let (homes, entries) = (index.homes(&self.space), self.entries.any_way(&self.space));
                self.exact_batch(index, homes, entries, &packed, places);
            }
        }
    }

    #[inline(never)]
    fn exact_batch<'a, const ENTRY: usize>(
        &'a self,
        index: &'a Buckets,
        homes: Homes<impl Words<'a>>,
        entries: impl Elements<'a>,
        keys: &[[u64; ENTRY]; LANES],
        places: &mut [Option<Place>],
    ) {
        let count = places.len().min(LANES);
        let (mut hashes, mut likely) = ([0; LANES], [0; LANES]);
        for lane in 0..count {
            hashes[lane] = hash(keys[lane][..ENTRY - 1].iter().copied(), 0);
            homes.prefetch(hashes[lane]);
        }
        for lane in 0..count {
            likely[lane] = homes.likely(hashes[lane]);
            entries.prefetch::<ENTRY>(likely[lane]);
        }
        for lane in 0..count {
            let place = met(entries, likely[lane], &keys[lane]);
            places[lane] = match place {
                None => self.find_again(index, &keys[lane], hashes[lane]),
                place => place,
            };
        }
    }

    /// What was not where it is most likely.
    #[inline(never)]
    fn find_again<const ENTRY: usize>(
        &self,
        index: &Buckets,
        key: &[u64; ENTRY],
        hash: u64,
    ) -> Option<Place> {
        self.find_hashed(index, key, hash)
    }

    #[inline]
    pub(crate) fn has_key(&self, slot: u32, packed: &[u64]) -> bool {
        let entry = self.entries.get(&self.space, slot);
        packed.iter().zip(entry).all(|(word, stored)| *word == stored.load(Relaxed))
    }

    /// The last word of an entry.
    #[inline]
    pub(crate) fn last_word(&self, slot: u32) -> u64 {
        self.entries.get(&self.space, slot)[self.entries.stride() - 1].load(Relaxed)
    }

    #[inline]
    fn found(&self, slot: u32) -> Found<'_> {
        let word = self.last_word(slot);
        let row = row_of(word);
        Found { slot, row, handle: handle_of(word), words: self.row(row) }
    }

    /// To read many rows, if they lie one after the other, as they do until the first [`snapshot`](crate::Table::snapshot).
    #[inline]
    pub fn rows(&self) -> Option<Rows<'_>> {
        self.rows.many().map(Rows)
    }

    /// A row by its number.
    #[inline]
    pub fn row(&self, row: u32) -> Row<'_> {
        Row(self.rows.get(&self.space, row))
    }
}
