//! The choice of masks that partition many rules into groups of at most a block each.

use crate::hash_index::hash;
use crate::key::{KeyLayout, prefix_mask};
use crate::packing::{Packing, WordVec};

/// The number of rules that are examined.
const MAX_SAMPLED_RULES: usize = 4096;
/// The minimum number of rules that must fit a mask. For fewer rules, the mask would cost lookups
/// more time than it saves.
const MIN_RULES_FOR_MASK: usize = 64;
/// The number of rules that may be left without a mask.
const MAX_RULES_WITHOUT_MASK: usize = 128;
const MAX_MASKS: usize = 16;
/// The number of masks of the rules themselves that are tried. The most frequent masks are chosen.
const RULE_MASKS_TRIED: usize = 16;
/// The number of bits of the hash by which groups are counted.
const COUNTER_BITS: u32 = 15;

/// Returns whether all bits of `mask` are in `bits`.
pub(crate) fn is_subset(mask: &[u64], bits: &[u64]) -> bool {
    mask.iter().zip(bits).all(|(mask, bits)| mask & !bits == 0)
}

/// Returns the hash of a key under a mask. Words that the mask clears are skipped: most masks cover
/// few of many fields.
#[inline]
pub(crate) fn masked_hash(key: &[u64], mask: &[u64], seed: u64) -> u64 {
    hash(key.iter().zip(mask).filter(|(_, mask)| **mask != 0).map(|(key, mask)| key & mask), seed)
}

/// Returns masks of the leading bits of each field, in steps of an eighth of the field's width.
fn prefixes(layout: &KeyLayout, packing: &Packing) -> Vec<WordVec> {
    let mut masks = Vec::new();
    for (index, field) in layout.fields().iter().enumerate() {
        let mut lens: Vec<u32> = (1..=8).map(|step| field.width * step / 8).filter(|len| *len > 0).collect();
        lens.dedup();
        for len in lens {
            let mut mask = WordVec::from_elem(0, packing.words);
            packing.write_field(index, &prefix_mask(field.width, len), &mut mask);
            masks.push(mask);
        }
    }
    masks
}

/// Returns the most frequent masks of the rules themselves.
fn frequent_masks(rules: &[(WordVec, WordVec)]) -> Vec<WordVec> {
    let mut all: Vec<&WordVec> = rules.iter().map(|(_, bits)| bits).collect();
    all.sort_unstable();
    let mut runs: Vec<(usize, &WordVec)> =
        all.chunk_by(|a, b| a == b).map(|run| (run.len(), run[0])).collect();
    runs.sort_unstable_by(|a, b| b.cmp(a));
    runs.into_iter().take(RULE_MASKS_TRIED).map(|(_, mask)| mask.clone()).collect()
}

/// The number of rules in each group.
struct Groups {
    counts: Vec<u16>,
    most: u16,
}

impl Groups {
    /// Adds a rule to its group. False if the rule does not fit the mask, or the group is full.
    fn add_if_similar(&mut self, (value, bits): &(WordVec, WordVec), mask: &[u64]) -> bool {
        if !is_subset(mask, bits) {
            return false;
        }
        let count = &mut self.counts[(masked_hash(value, mask, 0) >> (64 - COUNTER_BITS)) as usize];
        let room = *count < self.most;
        *count += u16::from(room);
        room
    }
}

/// Chooses masks for rules, given by their values and by the bits that have the same value in all
/// keys that a rule accepts. Under each mask, groups have at most `most` rules, and few rules are
/// left without a mask.
pub(crate) fn masks(
    layout: &KeyLayout,
    packing: &Packing,
    rules: &[(WordVec, WordVec)],
    most: usize,
) -> Vec<WordVec> {
    let step = rules.len().div_ceil(MAX_SAMPLED_RULES).max(1);
    let mut left: Vec<(WordVec, WordVec)> = rules.iter().step_by(step).cloned().collect();
    let mut candidates = prefixes(layout, packing);
    candidates.extend(frequent_masks(&left));
    candidates.sort_unstable();
    candidates.dedup();
    candidates.retain(|mask| mask.iter().any(|word| *word != 0));
    let mut groups = Groups { counts: vec![0; 1 << COUNTER_BITS], most: (most / step).max(1) as u16 };
    let mut chosen = Vec::new();
    while left.len() * step > MAX_RULES_WITHOUT_MASK && chosen.len() < MAX_MASKS {
        let mut placed = |mask: &WordVec| {
            groups.counts.fill(0);
            left.iter().filter(|rule| groups.add_if_similar(rule, mask)).count()
        };
        let scores: Vec<usize> = candidates.iter().map(&mut placed).collect();
        let best = scores.iter().copied().max().unwrap_or(0);
        if best * step < MIN_RULES_FOR_MASK {
            break;
        }
        // Among nearly equal masks, the mask with the fewest bits has the fewest and fullest
        // groups.
        let bits = |mask: &WordVec| mask.iter().map(|word| word.count_ones()).sum::<u32>();
        let good = candidates.iter().zip(&scores).filter(|(_, score)| **score * 20 >= best * 19);
        let Some((mask, _)) = good.min_by_key(|(mask, score)| (bits(mask), usize::MAX - **score)) else {
            break;
        };
        groups.counts.fill(0);
        left.retain(|rule| !groups.add_if_similar(rule, mask));
        chosen.push(mask.clone());
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{Field, FieldKind};
    use crate::workload::Numbers;

    #[test]
    fn rules_are_divided_by_sites() {
        let field = |width| Field { width, kind: FieldKind::Ternary };
        let layout = KeyLayout::new(vec![field(32), field(32)]);
        let packing = Packing::low(&layout);
        let mut numbers = Numbers::new(5);
        let rules: Vec<(WordVec, WordVec)> = (0..3000u64)
            .map(|index| {
                let site = ((index % 100) << 24) | numbers.below(1 << 16);
                let (mask, other) = (0xffff_ff00u64, numbers.below(3) * 0x00ff_ffff);
                // One in ten rules specifies no site, and some of these specify the other half of
                // the key.
                let rule = |value: u64, mask: u64| {
                    (WordVec::from_elem(value & mask, 1), WordVec::from_elem(mask, 1))
                };
                if index % 10 == 0 { rule(site << 32, other << 32) } else { rule(site, mask) }
            })
            .collect();
        let masks = masks(&layout, &packing, &rules, 64);
        assert!((1..=3).contains(&masks.len()), "{masks:x?}");
        assert_eq!(masks[0][0] & !0xff00_0000, 0, "no more bits than partition the sites: {masks:x?}");
        let parted = rules.iter().filter(|(_, bits)| masks.iter().any(|mask| is_subset(mask, bits))).count();
        assert!(parted >= 2700, "{parted}");
        assert!(masks.iter().all(|mask| mask[0] != 0));
    }

    #[test]
    fn rules_that_no_mask_partitions_get_no_masks() {
        let layout = KeyLayout::new(vec![Field { width: 16, kind: FieldKind::Ternary }]);
        let packing = Packing::low(&layout);
        let rules = vec![(WordVec::from_elem(0, 1), WordVec::from_elem(0, 1)); 1000];
        assert!(masks(&layout, &packing, &rules, 64).is_empty());
    }
}
