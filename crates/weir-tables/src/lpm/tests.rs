use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::*;
use crate::workload::Numbers;

/// Each form, in contiguous memory and in pages, is compared with a scan of all prefixes.
#[test]
fn each_form_finds_the_longest_prefix() {
    for (bits, fixed) in [(0, false), (5, false), (13, false), (3, true), (10, true)] {
        for seed in 0..6 {
            run(Form { bits, fixed }, seed);
        }
    }
}

fn mask(len: usize) -> u64 {
    if len == 0 { 0 } else { u64::MAX << (64 - len) }
}

/// Makes a key that shares leading bits with others.
fn key(numbers: &mut Numbers) -> u64 {
    let base = numbers.below(5) * 0x2492_4924_9249_2493;
    base ^ numbers.draw() >> numbers.below(45)
}

fn run(form: Form, seed: u64) {
    let mut numbers = Numbers::new(seed);
    let (mut allocator, mut pages) = PageAllocator::new(4);
    let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
    let (mut lpm, mut side) = Lpm::with_form(&mut editor, form);
    let mut reference: BTreeMap<(usize, u64), u64> = BTreeMap::new();
    for round in 0..1500 {
        let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
        if round == 1000 {
            lpm.move_to_pages(&mut editor);
        }
        let leaf = 1 + numbers.below(1 << 50);
        let old = reference.keys().nth(numbers.below(reference.len() as u64 + 1) as usize).copied();
        match (numbers.below(10), old) {
            (0..2, Some((len, key))) => {
                lpm.set(&mut editor, &mut side, key, len, leaf);
                reference.insert((len, key), leaf);
            }
            (2..5, Some((len, key))) => {
                lpm.remove(&mut editor, &mut side, key, len);
                reference.remove(&(len, key));
            }
            _ => {
                let len = numbers.below(65) as usize;
                let key = key(&mut numbers) & mask(len);
                assert_eq!(lpm.get(editor.pages, key, len), reference.get(&(len, key)).copied());
                if let Entry::Vacant(vacant) = reference.entry((len, key)) {
                    lpm.insert(&mut editor, &mut side, key, len, leaf);
                    vacant.insert(leaf);
                }
            }
        }
        if round % 50 == 0 {
            check(&lpm, &pages, &reference, &mut numbers);
        }
    }
    let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
    for (len, key) in reference.keys() {
        lpm.remove(&mut editor, &mut side, *key, *len);
    }
    check(&lpm, &pages, &BTreeMap::new(), &mut numbers);
}

fn check(lpm: &Lpm, pages: &Pages, known: &BTreeMap<(usize, u64), u64>, numbers: &mut Numbers) {
    let mut keys = [0; BATCH_KEYS];
    for key in &mut keys {
        let near = known.keys().nth(numbers.below(known.len() as u64 + 1) as usize);
        *key = near.map_or(self::key(numbers), |(len, key)| {
            key | numbers.draw() & !mask(*len) & mask(64 - numbers.below(8) as usize)
        });
    }
    let best = |key: u64| (0..=64).rev().find_map(|len| known.get(&(len, key & mask(len))));
    let count = numbers.below(BATCH_KEYS as u64 + 1) as usize;
    let mut leaves = [u64::MAX; BATCH_KEYS];
    lpm.find_batch(pages, &mut keys.clone(), &mut leaves[..count], |leaf| leaf);
    for (at, key) in keys.iter().enumerate() {
        let best = best(*key).copied().unwrap_or(0);
        assert_eq!(lpm.find(pages, *key), best, "{key:#x}");
        assert_eq!(lpm.find(pages, u128::from(*key) << 64), best, "{key:#x}");
        if at < count {
            assert_eq!(leaves[at], best, "{key:#x} in a batch");
        }
    }
    for ((len, key), leaf) in known {
        assert_eq!(lpm.get(pages, *key, *len), Some(*leaf));
    }
}
