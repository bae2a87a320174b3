//! Choosing masks for all rules of a table that has grown.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::block::{Block, MAX_RULES};
use super::change::{Tuple, TupleWriter};
use super::masks::{is_subset, masked_hash, masks};
use super::{MAX_LOAD_PERCENT, REST_BLOCK, StoredRule, TARGET_BLOCK_LEN, TupleSpace};
use crate::hash_index::HashIndex;
use crate::packing::WordVec;
use crate::pages::{PageEditor, Pages};
use crate::records::Records;

impl TupleSpace {
    /// Chooses masks for all rules and distributes the rules again.
    pub(super) fn partition(&mut self, editor: &mut PageEditor, writer: &mut TupleWriter, entries: &Records) {
        writer.repartition_at = writer.len * 2;
        let words = self.words;
        let entries: &Records = entries;
        fn rule<'a>(pages: &'a Pages, entries: &'a Records, words: usize, slot: u32) -> StoredRule<'a> {
            StoredRule(entries.get(pages, slot), words)
        }
        let blocks = self.blocks.iter().map(|block| block.rules()).chain([self.rest.rules()]);
        let mut all: Vec<(u32, u32)> = blocks.flatten().copied().collect();
        all.sort_by_cached_key(|(priority, slot)| {
            (Reverse(*priority), rule(editor.pages, entries, words, *slot).handle())
        });
        let rules: Vec<(WordVec, WordVec)> = all
            .iter()
            .map(|(_, slot)| {
                let rule = rule(editor.pages, entries, words, *slot);
                let mask: WordVec = rule.masks().iter().map(|word| word.load(Relaxed)).collect();
                let value = rule.value();
                let bits = self.bits(&value, &mask);
                (value, bits)
            })
            .collect();
        let masks = masks(&writer.layout, &writer.packing, &rules, TARGET_BLOCK_LEN);
        let mut groups: BTreeMap<(u32, u64), Vec<(u32, u32)>> = BTreeMap::new();
        let (mut rest, mut others) = (Vec::new(), Vec::new());
        for ((value, bits), of) in rules.iter().zip(&all) {
            let fitting = masks.iter().enumerate().filter(|(_, mask)| is_subset(mask, bits));
            let block_homes =
                fitting.map(|(tuple, mask)| (tuple as u32, masked_hash(value, mask, tuple as u64)));
            let room =
                |home: &(u32, u64)| groups.get(home).is_none_or(|group| group.len() < TARGET_BLOCK_LEN);
            match block_homes.into_iter().find(room) {
                Some(home) => groups.entry(home).or_default().push(*of),
                None if rest.len() < MAX_RULES => rest.push(*of),
                None => others.push(*of),
            }
        }
        std::mem::replace(&mut self.block_index, HashIndex::new(MAX_LOAD_PERCENT)).release(editor);
        self.blocks = Arc::default();
        (writer.block_homes, writer.free_blocks, writer.free) = Default::default();
        let tuple = |mask| Tuple { mask, priorities: BTreeMap::new() };
        writer.tuples = masks.into_iter().map(tuple).collect();
        writer.len = all.len() - others.len();
        let build = |writer: &TupleWriter, pages: &Pages, precise, rules| {
            Block::from_rules(precise, rules, &writer.nibbles, |slot| {
                writer.unpack(rule(pages, entries, words, slot))
            })
        };
        rest.iter().for_each(|(_, slot)| writer.block_of[*slot as usize] = REST_BLOCK);
        self.rest = Arc::new(build(writer, editor.pages, true, rest));
        for (home, group) in groups {
            let priorities = &mut writer.tuples[home.0 as usize].priorities;
            group.iter().for_each(|(priority, _)| *priorities.entry(*priority).or_default() += 1);
            let slots: Vec<u32> = group.iter().map(|(_, slot)| *slot).collect();
            let block = build(writer, editor.pages, false, group);
            let number = self.new_block(editor, writer, home, block);
            slots.into_iter().for_each(|slot| writer.block_of[slot as usize] = number);
        }
        let unused = |(number, tuple): (usize, &Tuple)| tuple.priorities.is_empty().then_some(number as u32);
        writer.free = writer.tuples.iter().enumerate().filter_map(unused).collect();
        self.reorder(writer);
        for (priority, slot) in others {
            self.insert(editor, writer, entries, slot, priority);
        }
    }
}
