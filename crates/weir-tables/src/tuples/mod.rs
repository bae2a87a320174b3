//! Rules with masks, ranges and priorities: tuple pages search (V. Srinivasan, S. Suri, G. Varghese, "Packet classification using tuple
//! pages search", SIGCOMM 1999) with few tuples of many rules each, as in J. Daly et al., "TupleMerge" (IEEE/ACM Transactions on Networking, 2019),
//! and bit vectors where tuples end.
//!
//! A tuple is a mask. It holds rules whose own masks have all its bits (a range counts as the bits that all its numbers move_to_pages), found by
//! the hash of what the mask leaves of a key. Those of one value lie in a [`Block`], which tells what rules a key may meet; these are compared in full. Rules that fit no tuple lie in
//! a block by themselves, the *rest*; in a small table all do. A look-up goes through the tuples and the rest in the order of their best priorities and ends when no better rule can come.
//! Masks are chosen anew whenever there are twice as many rules as the last time.

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

/// A block of as many rules makes its tuple unfit for more rules like these, if they fit elsewhere.
const TARGET_BLOCK_LEN: usize = 64;

/// As many tuples are enough: rules that fit none of them move_to_pages one of no bits, in blocks by themselves.
const MAX_TUPLES: usize = 24;

/// Percent of the blocks' cells that may be taken. DynFlatRecords tuples have no rule for a key, and with few cells taken one look tells.
const MAX_LOAD_PERCENT: usize = 30;

/// How a rule lies in its slot: values, masks, then [`PRIORITY_WORDS`]. See [`Rule`].
pub(crate) const PRIORITY_WORDS: usize = 1;

/// Instead of a tuple or a block: the rest.
const REST: u32 = u32::MAX;

/// All tuples and blocks.
#[derive(Clone, Debug)]
pub(crate) struct TupleSpace {
    /// WordVec of a packed key.
    words: usize,
    /// For each tuple, best first: its best priority above and its number below in one word, then its mask. The rest is among them.
    order: Arc<Vec<u64>>,
    /// Rules of no tuple.
    rest: Arc<Block>,
    /// Whether there are no others.
    only_rest: bool,
    blocks: Arc<Vec<Arc<Block>>>,
    /// Blocks by the hashes of their tuples' bits.
    block_index: HashIndex,
    /// Which bits are compared under masks: all but those of range fields.
    masked: Arc<[u64]>,
    ranges: Arc<[RangeField]>,
}
/// A rule as it lies in its slot.
#[derive(Clone, Copy)]
struct StoredRule<'a>(&'a [AtomicU64], usize);

impl<'a> StoredRule<'a> {
    #[inline]
    fn values(&self) -> &'a [AtomicU64] {
        &self.0[..self.1]
    }

    #[inline]
    fn masks(&self) -> &'a [AtomicU64] {
        &self.0[self.1..2 * self.1]
    }

    fn value(&self) -> WordVec {
        self.values().iter().map(|word| word.load(Relaxed)).collect()
    }

    #[inline]
    fn handle(&self) -> u64 {
        crate::hit::handle_of(self.0[2 * self.1 + PRIORITY_WORDS].load(Relaxed))
    }
}

/// The word beside a rule: its priority in the upper half.
pub(crate) fn priority_word(priority: u32) -> u64 {
    u64::from(priority) << 32
}

impl TupleSpace {
    /// Puts what it has into pages.
    pub(crate) fn move_to_pages(&mut self, editor: &mut PageEditor) {
        self.block_index.move_to_pages(editor);
    }

    pub(crate) fn new(layout: &KeyLayout, packing: &Packing) -> Self {
        let mut masked = vec![0; packing.words];
        for (index, field) in layout.fields().iter().enumerate() {
            if field.kind != FieldKind::Range {
                packing.put(index, &field.ones(), &mut masked);
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

    /// The best rule for a key that is not packed; none if it takes the packed key to tell.
    #[inline]
    pub(crate) fn find_unpacked(&self, key: &[u64]) -> Option<Option<u32>> {
        if !self.only_rest || !self.rest.is_certain() {
            return None;
        }
        let mut first = None;
        self.rest.each(key, |_, slot| {
            first = Some(slot);
            true
        });
        Some(first)
    }

    /// The best rule for a key, which is also here as it is packed.
    #[inline]
    pub(crate) fn find(&self, pages: &Pages, entries: &Records, key: &[u64], packed: &[u64]) -> Option<u32> {
        let mut best: Option<(u32, u32)> = None;
        let look = |block: &Block, best: &mut Option<(u32, u32)>| {
            if best.is_some_and(|(priority, _)| block.best().is_none_or(|here| here < priority)) {
                return;
            }
            block.each(key, |priority, slot| {
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
            if head as u32 == REST {
                look(&self.rest, &mut best);
                continue;
            }
            self.block_index.find(pages, masked_hash(packed, mask, head & 0xffff_ffff), |block| {
                look(&self.blocks[block as usize], &mut best);
                // Another block may have the same bits of the hash.
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

    /// Brings what the best tuples read first near.
    pub(crate) fn prefetch(&self, pages: &Pages, packed: &[u64]) {
        for tuple in self.order.chunks_exact(1 + self.words).take(4) {
            if tuple[0] as u32 != REST {
                self.block_index.prefetch(pages, masked_hash(packed, &tuple[1..], tuple[0] & 0xffff_ffff));
            }
        }
    }

    /// Tuples that a look-up may have to go through, the rest included.
    pub(crate) fn tuples(&self) -> usize {
        self.order.len() / (1 + self.words)
    }

    /// Bytes of the list of tuples and of all blocks.
    pub(crate) fn bytes(&self) -> usize {
        let blocks = self.blocks.iter().map(|block| block.bytes() + 8 + 16).sum::<usize>();
        self.order.capacity() * 8 + self.rest.bytes() + blocks
    }
}
