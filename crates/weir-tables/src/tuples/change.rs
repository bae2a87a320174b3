//! Adding and removing rules.

use crate::sync::AtomicU64;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::block::{Block, MAX_RULES};
use super::masks::{is_subset, masked_hash};
use super::nibbles::{Nibbles, UnpackedRule};
use super::{MAX_TUPLES, REST_BLOCK, StoredRule, TARGET_BLOCK_LEN, TupleSpace};
use crate::key::{KeyLayout, prefix_mask};
use crate::packing::{Packing, Rule, WordVec};
use crate::pages::{PageEditor, Pages};
use crate::records::Records;

/// The data that the owner needs to change a tuple space.
#[derive(Debug)]
pub(crate) struct TupleWriter {
    pub(super) layout: KeyLayout,
    pub(super) packing: Packing,
    pub(super) nibbles: Nibbles,
    pub(super) tuples: Vec<Tuple>,
    pub(super) free: Vec<u32>,
    /// For each block, its tuple and the hash of the value that its rules share.
    pub(super) block_homes: Vec<(u32, u64)>,
    pub(super) free_blocks: Vec<u32>,
    /// The block of each slot.
    pub(super) block_of: Vec<u32>,
    pub(super) len: usize,
    /// Masks are chosen again when there are this many rules.
    pub(super) repartition_at: usize,
}

/// The data that the owner keeps about a tuple.
#[derive(Debug)]
pub(super) struct Tuple {
    pub(super) mask: WordVec,
    /// The number of rules of each priority. Empty if the tuple is not in use.
    pub(super) priorities: BTreeMap<u32, u32>,
}

impl TupleWriter {
    pub(crate) fn new(layout: &KeyLayout, packing: &Packing) -> Self {
        let (tuples, free, block_homes, free_blocks, block_of) = Default::default();
        Self {
            layout: layout.clone(),
            packing: packing.clone(),
            nibbles: Nibbles::new(layout),
            tuples,
            free,
            block_homes,
            free_blocks,
            block_of,
            len: 0,
            repartition_at: MAX_RULES + 1,
        }
    }

    /// Returns the memory of the tuples in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let tuple = |tuple: &Tuple| 100 + tuple.mask.len() * 8 + tuple.priorities.len() * 12;
        self.tuples.iter().map(tuple).sum::<usize>()
            + (self.block_of.capacity() + self.free_blocks.capacity()) * 4
            + self.block_homes.capacity() * 16
    }

    /// Returns the tuples in use and their numbers.
    fn tuples(&self) -> impl Iterator<Item = (u32, &Tuple)> {
        let numbered = self.tuples.iter().enumerate().map(|(number, tuple)| (number as u32, tuple));
        numbered.filter(|(_, tuple)| !tuple.priorities.is_empty())
    }

    fn number_by_mask(&self, mask: &[u64]) -> Option<u32> {
        self.tuples().find(|(_, tuple)| *tuple.mask == *mask).map(|(number, _)| number)
    }

    fn new_tuple(&mut self, mask: &[u64]) -> u32 {
        let new = Tuple { mask: WordVec::from_slice(mask), priorities: BTreeMap::new() };
        match self.free.pop() {
            Some(tuple) => {
                self.tuples[tuple as usize] = new;
                tuple
            }
            None => {
                self.tuples.push(new);
                self.tuples.len() as u32 - 1
            }
        }
    }

    /// Unpacks a rule's values and masks.
    pub(super) fn unpack(&self, rule: StoredRule<'_>) -> UnpackedRule {
        let unpack = |packed: &[AtomicU64]| {
            let packed: WordVec = packed.iter().map(|word| word.load(Relaxed)).collect();
            self.packing.unpack(&packed)
        };
        UnpackedRule { value: unpack(rule.values()), mask: unpack(rule.masks()) }
    }
}

impl TupleSpace {
    /// Returns the bits that have the same value in all keys that a rule accepts.
    pub(super) fn bits(&self, value: &[u64], mask: &[u64]) -> WordVec {
        let mut bits: WordVec =
            mask.iter().zip(self.masked.iter()).map(|(mask, masked)| mask & masked).collect();
        self.ranges.iter().for_each(|range| range.set_common_prefix(value, mask, &mut bits));
        bits
    }

    /// Returns the hash of a value in a tuple, and the blocks of rules with that value.
    fn blocks(&self, pages: &Pages, writer: &TupleWriter, tuple: u32, value: &[u64]) -> (u64, WordVec) {
        let hash = masked_hash(value, &writer.tuples[tuple as usize].mask, u64::from(tuple));
        let mut blocks = WordVec::new();
        self.block_index.find(pages, hash, |block| {
            if writer.block_homes[block as usize] == (tuple, hash) {
                blocks.push(u64::from(block));
            }
            false
        });
        (hash, blocks)
    }

    /// Returns the slot of exactly this rule with this priority.
    pub(crate) fn get(
        &self,
        pages: &Pages,
        writer: &TupleWriter,
        entries: &Records,
        (rule, priority): (&Rule, u32),
    ) -> Option<u32> {
        let same = |block: &Block| {
            let from = block.rules().partition_point(|(other, _)| *other > priority);
            let equal = block.rules()[from..].iter().take_while(|(other, _)| *other == priority);
            equal.map(|(_, slot)| *slot).find(|slot| {
                let stored = self.rule(pages, entries, *slot);
                let equal = |stored: &[AtomicU64], words: &[u64]| {
                    stored.iter().zip(words).all(|(stored, word)| stored.load(Relaxed) == *word)
                };
                equal(stored.values(), &rule.value) && equal(stored.masks(), &rule.mask)
            })
        };
        let bits = self.bits(&rule.value, &rule.mask);
        let tuples = writer
            .tuples()
            .filter(|(_, tuple)| tuple.priorities.contains_key(&priority) && is_subset(&tuple.mask, &bits));
        same(&self.rest).or_else(|| {
            tuples
                .flat_map(|(number, _)| self.blocks(pages, writer, number, &rule.value).1)
                .find_map(|block| same(&self.blocks[block as usize]))
        })
    }

    /// Adds a rule, whose words are already in its slot, to a tuple or to the rest.
    pub(crate) fn insert(
        &mut self,
        editor: &mut PageEditor,
        writer: &mut TupleWriter,
        entries: &Records,
        slot: u32,
        priority: u32,
    ) {
        let rule = self.rule(editor.pages, entries, slot);
        let (value, mask): (WordVec, WordVec) =
            (rule.value(), rule.masks().iter().map(|word| word.load(Relaxed)).collect());
        let (tuple, block) = self.choose(editor.pages, writer, &value, &self.bits(&value, &mask));
        if writer.block_of.len() <= slot as usize {
            writer.block_of.resize(slot as usize + 1, REST_BLOCK);
        }
        let block = match block {
            None if tuple != REST_BLOCK => {
                let hash = masked_hash(&value, &writer.tuples[tuple as usize].mask, u64::from(tuple));
                self.new_block(editor, writer, (tuple, hash), Block::new(false))
            }
            block => block.unwrap_or(REST_BLOCK),
        };
        writer.block_of[slot as usize] = block;
        let words = self.words;
        let handle = |slot: u32| StoredRule(entries.get(editor.pages, slot), words).handle();
        let own = (Reverse(priority), handle(slot));
        let is_better =
            |(other, of): (u32, u32)| (Reverse(other), if other == priority { handle(of) } else { 0 }) < own;
        let rule_of = |slot| writer.unpack(StoredRule(entries.get(editor.pages, slot), words));
        let before = self.rest.best();
        self.block_mut(block).insert(&writer.nibbles, (priority, slot), is_better, rule_of);
        writer.len += 1;
        let mut reorder = before != self.rest.best();
        if tuple != REST_BLOCK {
            let priorities = &mut writer.tuples[tuple as usize].priorities;
            reorder |= priorities.last_key_value().is_none_or(|(best, _)| *best < priority);
            *priorities.entry(priority).or_default() += 1;
        }
        if writer.len >= writer.repartition_at {
            self.partition(editor, writer, entries);
        } else if reorder {
            self.reorder(writer);
        }
    }

    fn block_mut(&mut self, block: u32) -> &mut Block {
        if block == REST_BLOCK {
            Arc::make_mut(&mut self.rest)
        } else {
            Arc::make_mut(&mut Arc::make_mut(&mut self.blocks)[block as usize])
        }
    }

    pub(super) fn new_block(
        &mut self,
        editor: &mut PageEditor,
        writer: &mut TupleWriter,
        home: (u32, u64),
        block: Block,
    ) -> u32 {
        let blocks = Arc::make_mut(&mut self.blocks);
        let number = match writer.free_blocks.pop() {
            Some(number) => {
                blocks[number as usize] = Arc::new(block);
                writer.block_homes[number as usize] = home;
                number
            }
            None => {
                blocks.push(Arc::new(block));
                writer.block_homes.push(home);
                blocks.len() as u32 - 1
            }
        };
        self.block_index.insert(editor, home.1, number, |_, other| writer.block_homes[other as usize].1);
        number
    }

    /// Removes a rule from the tuples. The rule's slot must still contain the words of its key.
    pub(crate) fn remove(
        &mut self,
        editor: &mut PageEditor,
        writer: &mut TupleWriter,
        entries: &Records,
        slot: u32,
        priority: u32,
    ) {
        let number = writer.block_of[slot as usize];
        let words = self.words;
        let rule_of = |slot| writer.unpack(StoredRule(entries.get(editor.pages, slot), words));
        let before = self.rest.best();
        let block = self.block_mut(number);
        block.remove(&writer.nibbles, slot, rule_of);
        let empty = block.rules().is_empty();
        writer.len -= 1;
        let mut reorder = before != self.rest.best();
        if number != REST_BLOCK {
            let (tuple, hash) = writer.block_homes[number as usize];
            if empty {
                let block_homes = &writer.block_homes;
                self.block_index.remove(editor, hash, number, |_, other| block_homes[other as usize].1);
                writer.free_blocks.push(number);
            }
            let priorities = &mut writer.tuples[tuple as usize].priorities;
            let best = priorities.last_key_value().map(|(best, _)| *best);
            if let Some(count) = priorities.get_mut(&priority) {
                *count -= 1;
                if *count == 0 {
                    priorities.remove(&priority);
                    reorder |= best == Some(priority);
                    if priorities.is_empty() {
                        writer.free.push(tuple);
                    }
                }
            }
        }
        if reorder {
            self.reorder(writer);
        }
    }

    /// Chooses the place for a new rule: a tuple and one of its blocks (`None` for a new block), or
    /// the rest.
    fn choose(
        &self,
        pages: &Pages,
        writer: &mut TupleWriter,
        value: &[u64],
        bits: &[u64],
    ) -> (u32, Option<u32>) {
        let room = |tuple: u32, most: usize| {
            let (_, blocks) = self.blocks(pages, writer, tuple, value);
            let len = |block: &u64| self.blocks[*block as usize].rules().len();
            let open = blocks.iter().find(|block| len(block) < most).map(|block| *block as u32);
            (open, blocks.is_empty())
        };
        let fitting = writer.tuples().filter(|(_, tuple)| is_subset(&tuple.mask, bits));
        for (tuple, _) in fitting {
            match room(tuple, TARGET_BLOCK_LEN) {
                (None, true) => return (tuple, None),
                (Some(block), _) => return (tuple, Some(block)),
                (None, false) => {}
            }
        }
        if self.rest.rules().len() < MAX_RULES {
            return (REST_BLOCK, None);
        }
        let (coarse, none) = (self.coarse_mask(writer, bits), WordVec::from_elem(0, self.words));
        let mask = match writer.number_by_mask(&coarse) {
            _ if writer.tuples().count() >= MAX_TUPLES => &none,
            Some(_) => bits,
            None => coarse.as_slice(),
        };
        match writer.number_by_mask(mask) {
            Some(tuple) => (tuple, room(tuple, MAX_RULES).0),
            None => (writer.new_tuple(mask), None),
        }
    }

    /// Makes a mask for a rule in which prefixes are shortened to multiples of a quarter of their
    /// field, so that it probably fits other rules too.
    fn coarse_mask(&self, writer: &TupleWriter, bits: &[u64]) -> WordVec {
        let mut coarse = WordVec::from_elem(0, self.words);
        for (index, field) in writer.layout.fields().iter().enumerate() {
            let mut mask = writer.packing.read_field(index, field.width, bits);
            let len = mask.iter().map(|byte| byte.count_ones()).sum::<u32>();
            if len < field.width && prefix_mask(field.width, len) == mask {
                mask = prefix_mask(field.width, len - len % (field.width / 4).max(1));
            }
            writer.packing.write_field(index, &mask, &mut coarse);
        }
        coarse
    }

    /// Orders the tuples by their best priority.
    pub(super) fn reorder(&mut self, writer: &TupleWriter) {
        let none = WordVec::from_elem(0, self.words);
        let best = |tuple: &Tuple| tuple.priorities.last_key_value().map(|(best, _)| *best);
        let tuples = writer.tuples().map(|(number, tuple)| (best(tuple), number, &tuple.mask));
        let mut order: Vec<(u64, &WordVec)> = tuples
            .chain([(self.rest.best(), REST_BLOCK, &none)])
            .filter_map(|(best, number, mask)| Some((u64::from(best?) << 32 | u64::from(number), mask)))
            .collect();
        order.sort_unstable_by_key(|(head, _)| Reverse(*head));
        self.only_rest = order.iter().all(|(head, _)| *head as u32 == REST_BLOCK);
        let words =
            order.into_iter().flat_map(|(head, mask)| std::iter::once(head).chain(mask.iter().copied()));
        self.order = Arc::new(words.collect());
    }
}
