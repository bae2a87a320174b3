//! Results of table lookups.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use weir_ir::{ActionCall, ActionId};

/// The result of a lookup by values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Whether an entry matched.
    pub hit: bool,
    /// The action of the entry or the default action, with its data. It is shared with the table,
    /// so a lookup copies no data.
    pub call: Arc<ActionCall>,
    /// The entry's handle in the control interface, for traces.
    pub entry: Option<u64>,
}

/// The result of a lookup by words.
#[derive(Clone, Copy, Debug)]
pub struct LookupResult<'a> {
    /// Whether an entry matched.
    pub hit: bool,
    /// The row of the entry or of the default action: the position of the action in the program,
    /// then the action's arguments, each in ⌈width/64⌉ words, least significant first. Words after
    /// the action's arguments have no meaning.
    pub row: &'a [AtomicU64],
}

impl LookupResult<'_> {
    /// Returns the action of the entry, or the default action on a miss.
    #[inline]
    pub fn action(&self) -> ActionId {
        ActionId::new(self.row[0].load(Relaxed) as usize)
    }

    /// Returns the word of the action's data at position `index`.
    #[inline]
    pub fn word(&self, index: usize) -> u64 {
        self.row[1 + index].load(Relaxed)
    }
}

/// Keys of one table that are looked up together, with memory for the results.
///
/// The memory is divided into slots of equal size. A slot holds a key, then a word that says
/// whether an entry matched (0 or 1), then the row of that entry.
#[derive(Debug)]
pub struct LookupBatch<'a> {
    words: &'a mut [u64],
    slot_words: usize,
    key_words: usize,
    filled: usize,
}

impl<'a> LookupBatch<'a> {
    /// Creates a batch of `words.len() / slot_words` keys of `key_words` words each.
    ///
    /// # Panics
    /// If a slot has no room for a result.
    pub fn new(words: &'a mut [u64], slot_words: usize, key_words: usize) -> Self {
        assert!(key_words < slot_words, "a slot has room for a result");
        Self { words, slot_words, key_words, filled: 0 }
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.words.len() / self.slot_words
    }

    /// Returns whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns all slots, and the number of words in each.
    pub fn slots(&self) -> (&[u64], usize) {
        (self.words, self.slot_words)
    }

    /// Stores the results, the first one for the first key.
    #[inline]
    pub fn fill<'b>(&mut self, results: impl Iterator<Item = LookupResult<'b>>) {
        let Self { words, slot_words, key_words, filled } = self;
        let (total, slot_words, key_words) = (words.len(), *slot_words, *key_words);
        let mut left = &mut **words;
        for result in results {
            let Some((slot, rest)) = std::mem::take(&mut left).split_at_mut_checked(slot_words) else {
                break;
            };
            left = rest;
            if let Some([hit, row @ ..]) = slot.get_mut(key_words..) {
                *hit = u64::from(result.hit);
                copy_row(row, result.row);
            }
        }
        *filled = (total - left.len()) / slot_words;
    }

    /// Returns whether every key has a result.
    pub fn is_complete(&self) -> bool {
        self.filled == self.len()
    }
}

/// Copies as many words as both rows have. Most rows are short, and separate code for the common
/// lengths is faster than a general copy.
#[inline(always)]
fn copy_row(row: &mut [u64], from: &[AtomicU64]) {
    match (row, from) {
        ([action], [a, ..]) => *action = a.load(Relaxed),
        ([action, first], [a, b, ..]) => (*action, *first) = (a.load(Relaxed), b.load(Relaxed)),
        (row, from) => row.iter_mut().zip(from).for_each(|(to, from)| *to = from.load(Relaxed)),
    }
}
