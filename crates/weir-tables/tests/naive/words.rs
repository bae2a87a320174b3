//! Patterns given as words, and patterns that do not fit.

use proptest::prelude::*;
use weir_tables::{Field, FieldKind, InsertError, KeyLayout, Pattern, PatternError, Table};

use crate::generate::{from_bits, layouts, pattern, raw};
use crate::reference::{key_words, number};

#[test]
fn patterns_that_do_not_fit_are_refused() {
    let mut table = Table::new(KeyLayout::new(vec![Field { width: 9, kind: FieldKind::Lpm }]), 1);
    let mut insert = |pattern| table.insert(&[pattern], 0, 0, &[]);
    use weir_tables::PatternError::*;
    assert_eq!(insert(Pattern::Value([2, 0].into())), Err(InsertError::Pattern(0, Width)));
    assert_eq!(insert(Pattern::Value([1].into())), Err(InsertError::Pattern(0, Width)));
    assert_eq!(insert(Pattern::Prefix([1, 0].into(), 10)), Err(InsertError::Pattern(0, PrefixLength)));
    assert_eq!(
        insert(Pattern::Mask([1, 0].into(), [1, 0].into())),
        Err(InsertError::Pattern(0, Kind(FieldKind::Lpm)))
    );
    assert_eq!(table.insert(&[], 0, 0, &[]), Err(InsertError::Count));
    assert_eq!(table.insert(&[Pattern::Any], 0, 0, &[1, 2]), Err(InsertError::Data));
}

/// Returns a pattern as words, with bits set that must be ignored.
fn in_words(fields: &[Field], patterns: &[Pattern], junk: u64) -> (Vec<u64>, Vec<u64>) {
    let (mut values, mut masks) = (Vec::new(), Vec::new());
    for (field, pattern) in fields.iter().zip(patterns) {
        let pattern = pattern.normalized(*field).expect("the pattern fits");
        let prefix = |len: u32| {
            let bits: Vec<u8> = (0..field.width).map(|bit| u8::from(bit < len)).collect();
            from_bits(*field, &bits)
        };
        let (value, mask) = match &pattern {
            Pattern::Value(value) => (value.clone(), field.ones()),
            Pattern::Prefix(value, len) => (value.clone(), prefix(*len)),
            Pattern::Mask(value, mask) => (value.clone(), mask.clone()),
            Pattern::Range(low, high) => (low.clone(), high.clone()),
            Pattern::Any => (number(*field, 0), number(*field, 0)),
        };
        let (mut value, mut mask) = (key_words(&[*field], &[value]), key_words(&[*field], &[mask]));
        match field.kind {
            FieldKind::Exact => mask.iter_mut().for_each(|word| *word ^= junk),
            FieldKind::Range => {}
            _ => value.iter_mut().zip(&mask).for_each(|(value, mask)| *value |= junk & !mask),
        }
        if field.width % 64 != 0 {
            for words in [&mut value, &mut mask] {
                *words.last_mut().expect("it has a word") |= junk << (field.width % 64);
            }
        }
        values.extend(value);
        masks.extend(mask);
    }
    (values, masks)
}

proptest! {
    #[test]
    fn patterns_in_words_are_patterns(
        fields in layouts(),
        entries in prop::collection::vec((raw(), 0u32..4, any::<u64>()), 0..40),
    ) {
        let layout = KeyLayout::new(fields.clone());
        let (mut one, mut two) = (Table::new(layout.clone(), 2), Table::new(layout, 2));
        for (raw, priority, junk) in entries {
            let patterns: Vec<_> = fields.iter().zip(raw).map(|(field, raw)| pattern(*field, raw)).collect();
            let (values, masks) = in_words(&fields, &patterns, junk);
            let handle = two.find_slot((&values, &masks), priority);
            let handle = handle.map(|slot| slot.map(|slot| two.handle(slot)));
            prop_assert_eq!(one.find_entry(&patterns, priority), handle);
            let inserted = two.insert_words((&values, &masks), priority, 1, &[2]);
            prop_assert_eq!(one.insert(&patterns, priority, 1, &[2]), inserted);
        }
        prop_assert!(one.iter().eq(two.iter()));
    }
}

#[test]
fn words_that_are_no_patterns_are_refused() {
    let table = |kind| Table::new(KeyLayout::new(vec![Field { width: 70, kind }]), 0);
    let insert = |kind, value: [u64; 2], mask: [u64; 2]| table(kind).insert_words((&value, &mask), 0, 0, &[]);
    let wrong = |error| Err(InsertError::Pattern(0, error));
    assert_eq!(insert(FieldKind::Lpm, [0, 0], [1 << 63, 0x3f]), Ok(0));
    assert_eq!(insert(FieldKind::Lpm, [0, 0], [1 << 62, 0x3f]), wrong(PatternError::PrefixLength));
    assert_eq!(insert(FieldKind::Lpm, [0, 0], [1 << 63, 0x3e]), wrong(PatternError::PrefixLength));
    assert_eq!(insert(FieldKind::Range, [5, 1], [4, 2]), Ok(0));
    assert_eq!(insert(FieldKind::Range, [5, 2], [4, 2]), wrong(PatternError::EmptyRange));
    assert_eq!(insert(FieldKind::Optional, [5, 2], [0, 0x40]), Ok(0), "the bit above is none of the field's");
    assert_eq!(insert(FieldKind::Optional, [5, 2], [1, 0]), wrong(PatternError::Kind(FieldKind::Optional)));
}
