//! Rules with masks, ranges and priorities: tuple space search (V. Srinivasan, S. Suri, G.
//! Varghese, "Packet classification using tuple space search", SIGCOMM 1999) with few tuples of
//! many rules each, as in J. Daly et al., "TupleMerge" (IEEE/ACM Transactions on Networking, 2019),
//! and bit vectors within tuples.
//!
//! A tuple is a mask. It holds rules whose own masks have all of its bits (a range counts as the
//! leading bits that all its numbers share). The hash of a key under the mask finds the rules with
//! the key's value; these rules are in a [`Block`], which finds the rules that the key may match,
//! and these candidates are compared completely. Rules that fit no tuple are in a separate block,
//! the *rest*. In a small table, all rules are in the rest. A lookup searches the tuples and the
//! rest in the order of their best priorities, and ends when no better rule can follow. Masks are
//! chosen again whenever the number of rules has doubled.

mod block;
mod change;
mod masks;
mod nibbles;
mod partition;

use crate::sync::AtomicU64;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::hash_index::HashIndex;
use crate::key::{FieldKind, KeyLayout};
use crate::packing::{Packing, RangeField, WordVec};
use crate::pages::{PageEditor, Pages};
use crate::records::Records;
use block::Block;
pub(crate) use change::TupleWriter;
use masks::masked_hash;

/// A block with at least this number of rules gets no further rules if there is another place for
/// them.
const TARGET_BLOCK_LEN: usize = 64;

/// Maximum number of tuples. Further rules share a tuple whose mask has no bits, in several blocks.
const MAX_TUPLES: usize = 24;

/// Maximum load of the index of blocks, in percent. Many tuples have no rule for a key, and at a
/// low load one probe usually shows that.
const MAX_LOAD_PERCENT: usize = 30;

/// Number of words that hold the priority, after a rule's values and masks. See [`Rule`].
pub(crate) const PRIORITY_WORDS: usize = 1;

/// The number that marks the rest where a tuple or block has its number.
const REST_BLOCK: u32 = u32::MAX;

/// All tuples and blocks of a table with priorities.
#[derive(Clone, Debug)]
pub(crate) struct TupleSpace {
    /// The number of words of a packed key.
    words: usize,
    /// For each tuple, in the order of their best priorities: a word with its best priority in the
    /// upper half and its number below, then its mask. The rest also has a place in this order.
    order: Arc<Vec<u64>>,
    /// Rules that are in no tuple.
    rest: Arc<Block>,
    /// Whether all rules are in the rest.
    only_rest: bool,
    blocks: Arc<Vec<Arc<Block>>>,
    /// Blocks by the hashes of their rules' values.
    block_index: HashIndex,
    /// The bits that are compared under masks: all except the bits of range fields.
    masked: Arc<[u64]>,
    ranges: Arc<[RangeField]>,
}
/// The words of a rule in its slot.
#[derive(Clone, Copy)]
struct StoredRule<'a>(&'a [AtomicU64], usize);

impl<'a> StoredRule<'a> {
    /// Returns the packed values of the rule.
    #[inline]
    fn values(&self) -> &'a [AtomicU64] {
        &self.0[..self.1]
    }

    /// Returns the packed masks of the rule.
    #[inline]
    fn masks(&self) -> &'a [AtomicU64] {
        &self.0[self.1..2 * self.1]
    }

    /// Copies the packed values of the rule.
    fn value(&self) -> WordVec {
        self.values().iter().map(|word| word.load(Relaxed)).collect()
    }

    /// Returns the handle of the rule's entry.
    #[inline]
    fn handle(&self) -> u64 {
        crate::hit::handle_of(self.0[2 * self.1 + PRIORITY_WORDS].load(Relaxed))
    }
}

/// Returns the word that holds a rule's priority, in its upper half.
pub(crate) fn priority_word(priority: u32) -> u64 {
    u64::from(priority) << 32
}

/// Returns the priority in a word of [`priority_word`].
pub(crate) fn priority_of(word: u64) -> u32 {
    (word >> 32) as u32
}

impl TupleSpace {
    /// Moves all arrays to pages.
    pub(crate) fn move_to_pages(&mut self, editor: &mut PageEditor) {
        self.block_index.move_to_pages(editor);
    }

    pub(crate) fn new(layout: &KeyLayout, packing: &Packing) -> Self {
        let mut masked = vec![0; packing.words];
        for (index, field) in layout.fields().iter().enumerate() {
            if field.kind != FieldKind::Range {
                packing.write_field(index, &field.ones(), &mut masked);
            }
        }
        Self {
            words: packing.words,
            order: Arc::default(),
            rest: Arc::new(Block::new(true)),
            only_rest: true,
            blocks: Arc::default(),
            block_index: HashIndex::new(MAX_LOAD_PERCENT),
            masked: masked.into(),
            ranges: RangeField::all(layout, packing).into(),
        }
    }

    #[inline]
    fn rule<'a>(&self, pages: &'a Pages, entries: &'a Records, slot: u32) -> StoredRule<'a> {
        StoredRule(entries.get(pages, slot), self.words)
    }

    /// Returns the slot of the best rule for a key that is not packed. `None` if the packed key is
    /// needed for the decision.
    #[inline]
    pub(crate) fn find_unpacked(&self, key: &[u64]) -> Option<Option<u32>> {
        if !self.only_rest || !self.rest.is_exact() {
            return None;
        }
        let mut first = None;
        self.rest.for_each_candidate(key, |_, slot| {
            first = Some(slot);
            true
        });
        Some(first)
    }

    /// Finds the slot of the best rule for a key, which is passed both unpacked and packed.
    #[inline]
    pub(crate) fn find(&self, pages: &Pages, entries: &Records, key: &[u64], packed: &[u64]) -> Option<u32> {
        let mut best: Option<(u32, u32)> = None;
        let look = |block: &Block, best: &mut Option<(u32, u32)>| {
            if best.is_some_and(|(priority, _)| block.best().is_none_or(|here| here < priority)) {
                return;
            }
            block.for_each_candidate(key, |priority, slot| {
                let rule = self.rule(pages, entries, slot);
                let worse = best.is_some_and(|(than, other)| {
                    than > priority
                        || than == priority && self.rule(pages, entries, other).handle() < rule.handle()
                });
                if worse {
                    return true;
                }
                let accepts = self.accepts(rule, packed);
                if accepts {
                    *best = Some((priority, slot));
                }
                accepts
            });
        };
        for tuple in self.order.chunks_exact(1 + self.words) {
            let (head, mask) = (tuple[0], &tuple[1..]);
            if best.is_some_and(|(priority, _)| u64::from(priority) > head >> 32) {
                break;
            }
            if head as u32 == REST_BLOCK {
                look(&self.rest, &mut best);
                continue;
            }
            self.block_index.find(pages, masked_hash(packed, mask, head & 0xffff_ffff), |block| {
                look(&self.blocks[block as usize], &mut best);
                // The search continues, because another block may have the same bits of the hash.
                false
            });
        }
        best.map(|(_, slot)| slot)
    }

    #[inline]
    fn accepts(&self, rule: StoredRule<'_>, key: &[u64]) -> bool {
        let (values, masks) = (rule.values(), rule.masks());
        let words = key.iter().zip(self.masked.iter()).zip(values.iter().zip(masks));
        words.fold(0, |differing, ((key, masked), (value, mask))| {
            differing | (value.load(Relaxed) ^ key) & mask.load(Relaxed) & masked
        }) == 0
            && self.ranges.iter().all(|range| range.holds(values, key, masks))
    }

    /// Prefetches the memory that the lookup reads first in the best tuples.
    pub(crate) fn prefetch(&self, pages: &Pages, packed: &[u64]) {
        for tuple in self.order.chunks_exact(1 + self.words).take(4) {
            if tuple[0] as u32 != REST_BLOCK {
                self.block_index.prefetch(pages, masked_hash(packed, &tuple[1..], tuple[0] & 0xffff_ffff));
            }
        }
    }

    /// Returns the number of tuples that a lookup may have to search, including the rest.
    pub(crate) fn tuples(&self) -> usize {
        self.order.len() / (1 + self.words)
    }

    /// Returns the size in bytes of the list of tuples and of all blocks.
    pub(crate) fn bytes(&self) -> usize {
        let blocks = self.blocks.iter().map(|block| block.bytes() + 8 + 16).sum::<usize>();
        self.order.capacity() * 8 + self.rest.bytes() + blocks
    }
}
