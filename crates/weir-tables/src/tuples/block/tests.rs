use smallvec::smallvec;

use super::bits::{insert_bit, remove_bit};
use super::*;
use crate::key::{Field, FieldKind, KeyLayout};
use crate::workload::Numbers;

#[test]
fn bits_move_aside_and_back() {
    for at in [0, 1, 62, 63, 64, 65, 127, 128, 200, 254] {
        let bits =
            [0x8000_0000_0000_0001, 0xf0f0_f0f0_f0f0_f0f1, 0x8123_4567_89ab_cdef, 0x7edc_ba98_7654_3210];
        let mut moved = bits;
        insert_bit(&mut moved, at, true);
        let bit = |bits: &[u64], at: usize| bits[at / 64] >> (at % 64) & 1;
        for other in 0..255 {
            assert_eq!(bit(&bits, other), bit(&moved, other + usize::from(other >= at)));
        }
        assert_eq!(bit(&moved, at), 1);
        remove_bit(&mut moved, at);
        assert_eq!(moved, bits);
    }
}

/// Makes a rule over three fields of one word each, the second one a range. Rules have much in
/// common.
fn rule(numbers: &mut Numbers) -> UnpackedRule {
    let mut prefix = |width: u32| {
        let mask = u64::MAX << numbers.below(u64::from(width) + 1) & (u64::MAX >> (64 - width));
        ((numbers.below(4) * 0x1111_0101) & mask, mask)
    };
    let (wide, narrow) = (prefix(32), if numbers.below(3) == 0 { (0, 0) } else { (6, 0xff) });
    let (low, len) = (numbers.below(200) * 100, [0, 10, 5000, 65535][numbers.below(4) as usize]);
    let (low, high) = if numbers.below(3) == 0 { (0, 65535) } else { (low, (low + len).min(65535)) };
    UnpackedRule { value: smallvec![wide.0, low, narrow.0], mask: smallvec![wide.1, high, narrow.1] }
}

fn accepts(rule: &UnpackedRule, key: &[u64]) -> bool {
    [0, 2].iter().all(|word| (rule.value[*word] ^ key[*word]) & rule.mask[*word] == 0)
        && (rule.value[1]..=rule.mask[1]).contains(&key[1])
}

#[test]
fn no_matching_rule_is_missing() {
    let field = |width, kind| Field { width, kind };
    let fields =
        vec![field(32, FieldKind::Ternary), field(16, FieldKind::Range), field(8, FieldKind::Ternary)];
    let nibbles = Nibbles::new(&KeyLayout::new(fields));
    let mut numbers = Numbers::new(11);
    for (precise, ranges) in [(true, true), (true, false), (false, true), (false, false)] {
        let rules: Vec<UnpackedRule> = (0..MAX_RULES)
            .map(|_| match (ranges, rule(&mut numbers)) {
                (true, rule) => rule,
                (false, UnpackedRule { value, mask }) => UnpackedRule {
                    value: smallvec![value[0], 0, value[2]],
                    mask: smallvec![mask[0], 65535, mask[2]],
                },
            })
            .collect();
        let rule_of = |slot: u32| {
            let UnpackedRule { value, mask } = &rules[slot as usize];
            UnpackedRule { value: value.clone(), mask: mask.clone() }
        };
        let mut block = Block::new(precise);
        let mut check = |block: &Block| {
            for _ in 0..100 {
                let near = &rules[numbers.below(MAX_RULES as u64) as usize].value;
                let key =
                    [near[0] | numbers.below(16), near[1] + numbers.below(20), near[2] + numbers.below(2)];
                // Bits above the fields are ignored.
                let junk = [key[0] | numbers.draw() << 32, key[1] | numbers.draw() << 16, key[2] | 7 << 8];
                let (mut left, mut before) = (Vec::new(), 0);
                block.for_each_candidate(&junk, |priority, slot| {
                    assert_eq!(priority, 1000 - slot);
                    assert!(before <= slot, "best first");
                    before = slot;
                    left.push(slot);
                    false
                });
                let met = |slot: &u32| accepts(&rules[*slot as usize], &key);
                let met: Vec<u32> = block.rules().iter().map(|(_, slot)| *slot).filter(met).collect();
                assert!(met.iter().all(|slot| left.contains(slot)), "{met:?} of {left:?}");
                assert!(!block.is_exact() || met == left, "{met:?} for exact, not {left:?}");
            }
        };
        let mut slots: Vec<u32> = (0..MAX_RULES as u32).map(|slot| slot * 77 % MAX_RULES as u32).collect();
        for slot in &slots {
            block.insert(&nibbles, (1000 - slot, *slot), |(other, _)| other > 1000 - slot, rule_of);
            check(&block);
        }
        assert_eq!(block.is_exact(), precise && !ranges);
        let built = block.rules().to_vec();
        check(&Block::from_rules(precise, built, &nibbles, rule_of));
        while let Some(slot) = slots.pop() {
            block.remove(&nibbles, slot, rule_of);
            assert_eq!(block.rules().len(), slots.len());
            check(&block);
        }
    }
}

/// The range from 1 to 65535 accepts every value of each nibble, but it does not accept 0.
#[test]
fn wide_ranges_are_uncertain() {
    let field = |width, kind| Field { width, kind };
    let layout = KeyLayout::new(vec![field(32, FieldKind::Ternary), field(16, FieldKind::Range)]);
    let nibbles = Nibbles::new(&layout);
    let rule_of = |slot: u32| match slot {
        7 => UnpackedRule { value: smallvec![0, 1], mask: smallvec![0, 65535] },
        _ => UnpackedRule { value: smallvec![u64::from(slot), 0], mask: smallvec![0xffff_ffff, 65535] },
    };
    for count in 0..7 {
        let mut block = Block::new(true);
        let mut insert =
            |slot: u32| block.insert(&nibbles, (9 - slot, slot), |(than, _)| than > 9 - slot, rule_of);
        (0..count).for_each(&mut insert);
        insert(7);
        let mut left = Vec::new();
        block.for_each_candidate(&[100, 0], |_, slot| {
            left.push(slot);
            false
        });
        assert_eq!((left, block.is_exact()), (vec![7], false), "behind {count} others");
    }
}
