//! Rules with masks, ranges and priorities: tuple space search (V. Srinivasan, S. Suri, G. Varghese, "Packet classification using tuple
//! space search", SIGCOMM 1999), tuples shared by rules of nearly the same masks (J. Daly et al., "TupleMerge", IEEE/ACM
//! Transactions on Networking, 2019).
//!
//! A tuple is a mask. It holds rules whose own masks have all its bits (a range counts as the bits that all its numbers share), found by
//! the hash of what the mask leaves of a key. Those of one value form a chain, best first; in it rules are compared in full. A
//! look-up goes through the tuples in the order of their best priorities and ends when no better rule can come. Chains are
//! kept short by opening tuples with more bits; rules that nothing tells apart but ranges and bits under no mask share a chain whatever
//! its length.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use smallvec::SmallVec;

use crate::cow::{Pen, Space};
use crate::hash::{HashIndex, hash};
use crate::key::{FieldKind, KeyLayout, prefix_mask};
use crate::pack::{Packing, RangeField, Rule, common_prefix};
use crate::pattern::Pattern;
use crate::slots::Slots;

/// A chain as long as this makes its tuple unfit for more rules like these, if there are other tuples.
const LONG: usize = 4;

/// Percent of the heads' cells that may be taken. Most tuples have no rule for a key, and with few cells taken one look tells.
const FILL: usize = 30;

/// How a rule lies in its slot: values, masks, then [`LINKS`]. See [`Rule`].
pub(crate) const LINKS: usize = 1;

/// All tuples and chains.
#[derive(Clone, Debug)]
pub(crate) struct TupleSpace {
    /// Words of a packed key.
    words: usize,
    /// For each tuple, best first: its best priority above and its number below in one word, then its mask.
    order: Arc<Vec<u64>>,
    /// The heads of chains.
    heads: HashIndex,
    /// Which bits are compared under masks: all but those of range fields.
    masked: Arc<[u64]>,
    ranges: Arc<[RangeField]>,
}

/// What changing it needs.
#[derive(Debug, Default)]
pub(crate) struct TupleWriter {
    tuples: Vec<Tuple>,
    free: Vec<u32>,
    by_mask: BTreeMap<Vec<u64>, u32>,
    /// By slot: its tuple.
    tuple_of: Vec<u32>,
}

#[derive(Debug)]
struct Tuple {
    mask: Vec<u64>,
    bits: u32,
    /// How many rules have each priority.
    priorities: BTreeMap<u32, u32>,
}

impl TupleWriter {
    pub(crate) fn bytes(&self) -> usize {
        let tuple = |tuple: &Tuple| 100 + tuple.mask.len() * 16 + tuple.priorities.len() * 12;
        self.tuples.iter().map(tuple).sum::<usize>() + self.tuple_of.capacity() * 4
    }
}

/// A rule as it lies in its slot.
#[derive(Clone, Copy)]
struct Stored<'a>(&'a [AtomicU64], usize);

impl Stored<'_> {
    fn value(&self, word: usize) -> u64 {
        self.0[word].load(Relaxed)
    }

    fn mask(&self, word: usize) -> u64 {
        self.0[self.1 + word].load(Relaxed)
    }

    fn links(&self) -> u64 {
        self.0[2 * self.1].load(Relaxed)
    }

    fn priority(&self) -> u32 {
        (self.links() >> 32) as u32
    }

    fn next(&self) -> Option<u32> {
        (self.links() as u32).checked_sub(1)
    }

    fn handle(&self) -> u64 {
        crate::view::handle_of(self.0[2 * self.1 + LINKS].load(Relaxed))
    }

    /// Larger is better.
    fn precedence(&self) -> (u32, Reverse<u64>) {
        (self.priority(), Reverse(self.handle()))
    }
}

/// The word beside a rule: its priority above, the next of its chain plus one below.
pub(crate) fn links(priority: u32, next: Option<u32>) -> u64 {
    u64::from(priority) << 32 | next.map_or(0, |next| u64::from(next) + 1)
}

/// The hash of what a tuple's mask leaves of a key. Words of which it leaves nothing are passed over: most tuples look at few of many fields.
#[inline]
fn masked_hash(key: &[u64], mask: &[u64], tuple: u64) -> u64 {
    hash(key.iter().zip(mask).filter(|(_, mask)| **mask != 0).map(|(key, mask)| key & mask), tuple)
}

impl TupleSpace {
    /// Puts what it has into pages.
    pub(crate) fn share(&mut self, pen: &mut Pen) {
        self.heads.share(pen);
    }

    pub(crate) fn new(layout: &KeyLayout, packing: &Packing) -> Self {
        let ranges = RangeField::all(layout, packing);
        let mut masked = vec![0; packing.words];
        for (index, field) in layout.fields().iter().enumerate() {
            if field.kind != FieldKind::Range {
                packing.put(index, &field.ones(), &mut masked);
            }
        }
        Self {
            words: packing.words,
            order: Arc::default(),
            heads: HashIndex::new(FILL),
            masked: masked.into(),
            ranges: ranges.into(),
        }
    }

    fn rule<'a>(&self, space: &'a Space, entries: &'a Slots, slot: u32) -> Stored<'a> {
        Stored(entries.get(space, slot), self.words)
    }

    /// The best rule for a packed key.
    #[inline]
    pub(crate) fn find(&self, space: &Space, entries: &Slots, key: &[u64]) -> Option<u32> {
        let mut best: Option<(u32, Stored<'_>)> = None;
        for tuple in self.order.chunks_exact(1 + self.words) {
            let (head, mask) = (tuple[0], &tuple[1..]);
            if best.is_some_and(|(_, rule)| u64::from(rule.priority()) > head >> 32) {
                break;
            }
            let hash = masked_hash(key, mask, head & 0xffff_ffff);
            self.heads.find(space, hash, |first| {
                let mut at = Some(first);
                while let Some(slot) = at {
                    let rule = self.rule(space, entries, slot);
                    if best.is_some_and(|(_, best)| best.precedence() > rule.precedence()) {
                        break;
                    }
                    if self.accepts(rule, key) {
                        best = Some((slot, rule));
                        break;
                    }
                    at = rule.next();
                }
                // Another chain may have the same bits of the hash.
                false
            });
        }
        best.map(|(slot, _)| slot)
    }

    #[inline]
    fn accepts(&self, rule: Stored<'_>, key: &[u64]) -> bool {
        let words = || key.iter().zip(self.masked.iter()).enumerate();
        words().all(|(word, (key, masked))| (rule.value(word) ^ key) & rule.mask(word) & masked == 0)
            && self.ranges.iter().all(|range| range.holds(rule.0, key, &rule.0[self.words..]))
    }

    /// Brings what the best tuples read first near.
    pub(crate) fn prefetch(&self, space: &Space, key: &[u64]) {
        for tuple in self.order.chunks_exact(1 + self.words).take(4) {
            self.heads.prefetch(space, masked_hash(key, &tuple[1..], tuple[0] & 0xffff_ffff));
        }
    }

    /// The slot of just this rule with this priority.
    pub(crate) fn get(
        &self,
        space: &Space,
        writer: &TupleWriter,
        entries: &Slots,
        (rule, priority): (&Rule, u32),
        bits: &[u64],
    ) -> Option<u32> {
        let fitting = writer.by_mask.iter().filter(|(mask, _)| within(mask, bits));
        fitting
            .filter(|(_, tuple)| writer.tuples[**tuple as usize].priorities.contains_key(&priority))
            .find_map(|(_, tuple)| {
                let same = |slot: &u32| {
                    let stored = self.rule(space, entries, *slot);
                    stored.priority() == priority
                        && (0..self.words).all(|word| {
                            stored.value(word) == rule.value[word] && stored.mask(word) == rule.mask[word]
                        })
                };
                self.chain(space, entries, self.head(space, writer, entries, *tuple, &rule.value)).find(same)
            })
    }

    fn hash_of(&self, space: &Space, writer: &TupleWriter, entries: &Slots, slot: u32) -> u64 {
        let tuple = writer.tuple_of[slot as usize];
        let mask = &writer.tuples[tuple as usize].mask;
        let rule = self.rule(space, entries, slot);
        let value: SmallVec<[u64; 8]> = (0..self.words).map(|word| rule.value(word)).collect();
        masked_hash(&value, mask, u64::from(tuple))
    }

    /// The first of the chain of those rules in the tuple that are of this value.
    fn head(
        &self,
        space: &Space,
        writer: &TupleWriter,
        entries: &Slots,
        tuple: u32,
        value: &[u64],
    ) -> Option<u32> {
        let mask = &writer.tuples[tuple as usize].mask;
        let hash = masked_hash(value, mask, u64::from(tuple));
        self.heads.find(space, hash, |slot| {
            let rule = self.rule(space, entries, slot);
            writer.tuple_of[slot as usize] == tuple
                && (0..self.words).all(|word| (rule.value(word) ^ value[word]) & mask[word] == 0)
        })
    }

    fn chain(&self, space: &Space, entries: &Slots, head: Option<u32>) -> impl Iterator<Item = u32> {
        std::iter::successors(head, move |slot| self.rule(space, entries, *slot).next())
    }

    /// Puts a rule, which lies in its slot already, into a tuple. `bits` and `coarse` are those of [`index_masks`].
    pub(crate) fn insert(
        &mut self,
        pen: &mut Pen,
        writer: &mut TupleWriter,
        entries: &mut Slots,
        slot: u32,
        (bits, coarse): (&[u64], &[u64]),
    ) {
        let value: Vec<u64> = {
            let rule = self.rule(pen.space, entries, slot);
            (0..self.words).map(|word| rule.value(word)).collect()
        };
        let tuple = self.choose(pen.space, writer, entries, &value, bits, coarse);
        if writer.tuple_of.len() <= slot as usize {
            writer.tuple_of.resize(slot as usize + 1, 0);
        }
        let head = self.head(pen.space, writer, entries, tuple, &value);
        writer.tuple_of[slot as usize] = tuple;
        let precedence = self.rule(pen.space, entries, slot).precedence();
        let before = self
            .chain(pen.space, entries, head)
            .take_while(|other| self.rule(pen.space, entries, *other).precedence() > precedence)
            .last();
        match (before, head) {
            (Some(before), _) => {
                let next = self.rule(pen.space, entries, before).next();
                self.link(pen, entries, slot, next);
                self.link(pen, entries, before, Some(slot));
            }
            (None, Some(head)) => {
                self.link(pen, entries, slot, Some(head));
                let hash = self.hash_of(pen.space, writer, entries, slot);
                self.heads.replace(pen, hash, head, slot);
            }
            (None, None) => {
                let hash = self.hash_of(pen.space, writer, entries, slot);
                let mut heads = std::mem::replace(&mut self.heads, HashIndex::new(FILL));
                heads.insert(pen, hash, slot, |space, slot| self.hash_of(space, writer, entries, slot));
                self.heads = heads;
            }
        }
        let priorities = &mut writer.tuples[tuple as usize].priorities;
        let better = priorities.last_key_value().is_none_or(|(best, _)| *best < precedence.0);
        *priorities.entry(precedence.0).or_default() += 1;
        if better {
            self.reorder(writer);
        }
    }

    fn link(&self, pen: &mut Pen, entries: &mut Slots, slot: u32, next: Option<u32>) {
        let priority = self.rule(pen.space, entries, slot).priority();
        entries.set(pen, slot, 2 * self.words, links(priority, next));
    }

    /// Takes a rule out, which still lies in its slot.
    pub(crate) fn remove(&mut self, pen: &mut Pen, writer: &mut TupleWriter, entries: &mut Slots, slot: u32) {
        let tuple = writer.tuple_of[slot as usize];
        let rule = self.rule(pen.space, entries, slot);
        let (priority, next) = (rule.priority(), rule.next());
        let value: Vec<u64> = (0..self.words).map(|word| rule.value(word)).collect();
        let head = self.head(pen.space, writer, entries, tuple, &value);
        let before = self
            .chain(pen.space, entries, head)
            .find(|other| self.rule(pen.space, entries, *other).next() == Some(slot));
        if let Some(before) = before {
            self.link(pen, entries, before, next);
        } else {
            let hash = self.hash_of(pen.space, writer, entries, slot);
            match next {
                Some(next) => self.heads.replace(pen, hash, slot, next),
                None => {
                    let mut heads = std::mem::replace(&mut self.heads, HashIndex::new(FILL));
                    heads.remove(pen, hash, slot, |space, slot| self.hash_of(space, writer, entries, slot));
                    self.heads = heads;
                }
            }
        }
        let Tuple { mask, priorities, .. } = &mut writer.tuples[tuple as usize];
        let best = priorities.last_key_value().map(|(best, _)| *best);
        if let Some(count) = priorities.get_mut(&priority) {
            *count -= 1;
            if *count == 0 {
                priorities.remove(&priority);
                if priorities.is_empty() {
                    writer.by_mask.remove(mask);
                    writer.free.push(tuple);
                }
                if best == Some(priority) {
                    self.reorder(writer);
                }
            }
        }
    }

    /// The tuple for a rule: the one of the most bits that has room, or a new one.
    fn choose(
        &self,
        space: &Space,
        writer: &mut TupleWriter,
        entries: &Slots,
        value: &[u64],
        bits: &[u64],
        coarse: &[u64],
    ) -> u32 {
        let fitting = writer.by_mask.iter().filter(|(mask, _)| within(mask, bits));
        let mut fitting: Vec<(u32, u32)> =
            fitting.map(|(_, tuple)| (writer.tuples[*tuple as usize].bits, *tuple)).collect();
        fitting.sort_unstable_by(|a, b| b.cmp(a));
        let has_room = |tuple: u32| {
            let head = self.head(space, writer, entries, tuple, value);
            self.chain(space, entries, head).take(LONG).count() < LONG
        };
        if let Some((_, tuple)) = fitting.iter().find(|(_, tuple)| has_room(*tuple)) {
            return *tuple;
        }
        let mask = if writer.by_mask.contains_key(coarse) { bits } else { coarse };
        if let Some(tuple) = writer.by_mask.get(mask) {
            return *tuple;
        }
        let new = Tuple {
            mask: mask.to_vec(),
            bits: mask.iter().map(|word| word.count_ones()).sum(),
            priorities: BTreeMap::new(),
        };
        let tuple = match writer.free.pop() {
            Some(tuple) => {
                writer.tuples[tuple as usize] = new;
                tuple
            }
            None => {
                writer.tuples.push(new);
                writer.tuples.len() as u32 - 1
            }
        };
        writer.by_mask.insert(mask.to_vec(), tuple);
        tuple
    }

    fn reorder(&mut self, writer: &TupleWriter) {
        let mut tuples: Vec<(u64, &[u64])> = writer
            .by_mask
            .iter()
            .filter_map(|(mask, tuple)| {
                let (best, _) = writer.tuples[*tuple as usize].priorities.last_key_value()?;
                Some((u64::from(*best) << 32 | u64::from(*tuple), mask.as_slice()))
            })
            .collect();
        tuples.sort_unstable_by_key(|(head, _)| Reverse(*head));
        self.order = Arc::new(
            tuples
                .into_iter()
                .flat_map(|(head, mask)| std::iter::once(head).chain(mask.iter().copied()))
                .collect(),
        );
    }

    /// Tuples that a look-up may have to go through.
    pub(crate) fn tuples(&self) -> usize {
        self.order.len() / (1 + self.words)
    }

    /// Bytes of the list of tuples.
    pub(crate) fn bytes(&self) -> usize {
        self.order.capacity() * 8
    }
}

/// Whether `mask` has no bit that `bits` has not.
fn within(mask: &[u64], bits: &[u64]) -> bool {
    mask.iter().zip(bits).all(|(mask, bits)| mask & !bits == 0)
}

/// The bits that all keys share which normalised patterns accept, and a coarser choice of them that more rules have in common: prefixes
/// are cut to quarters of their fields.
pub(crate) fn index_masks(
    layout: &KeyLayout,
    packing: &Packing,
    patterns: &[Pattern],
) -> (Vec<u64>, Vec<u64>) {
    let (mut bits, mut coarse) = (vec![0; packing.words], vec![0; packing.words]);
    for (index, (pattern, field)) in patterns.iter().zip(layout.fields()).enumerate() {
        let mask = match pattern {
            Pattern::Range(low, high) => prefix_mask(field.width, common_prefix(low, high, field.width)),
            _ => pattern.mask(*field),
        };
        let len = mask.iter().map(|byte| byte.count_ones()).sum::<u32>();
        let is_prefix = prefix_mask(field.width, len) == mask;
        packing.put(index, &mask, &mut bits);
        if is_prefix && len < field.width {
            packing.put(index, &prefix_mask(field.width, len - len % (field.width / 4).max(1)), &mut coarse);
        } else {
            packing.put(index, &mask, &mut coarse);
        }
    }
    (bits, coarse)
}
