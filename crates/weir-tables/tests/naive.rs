//! Every match structure against the plain reading of its rules: scan all entries, keep the best.

use proptest::prelude::*;
use weir_tables::{Entry, Field, FieldKind, InsertError, KeyLayout, MatchTable, Pattern};

fn kind() -> impl Strategy<Value = FieldKind> {
    prop_oneof![
        Just(FieldKind::Exact),
        Just(FieldKind::Lpm),
        Just(FieldKind::Ternary),
        Just(FieldKind::Range),
        Just(FieldKind::Optional),
    ]
}

/// Few and narrow fields, so that random keys and patterns meet.
fn layouts() -> impl Strategy<Value = Vec<Field>> {
    let any_kind = prop::collection::vec((1u32..12, kind()), 0..4);
    let exact = prop::collection::vec((1u32..4, Just(FieldKind::Exact)), 1..3);
    let lpm = (1u32..18, 0u32..3).prop_map(|(width, exacts)| {
        let mut fields: Vec<_> = (0..exacts).map(|_| (2, FieldKind::Exact)).collect();
        fields.insert(exacts as usize / 2, (width, FieldKind::Lpm));
        fields
    });
    prop_oneof![any_kind, exact, lpm]
        .prop_map(|fields| fields.into_iter().map(|(width, kind)| Field { width, kind }).collect())
}

fn number(field: Field, value: u32) -> Box<[u8]> {
    let value = value & ((1 << field.width) - 1);
    value.to_be_bytes()[4 - field.bytes()..].into()
}

fn pattern(field: Field, a: u32, b: u32, form: u8) -> Pattern {
    match (field.kind, form % 4) {
        (FieldKind::Exact, _) | (_, 0) => Pattern::Value(number(field, a)),
        (_, 1) | (FieldKind::Optional, _) => Pattern::Any,
        (FieldKind::Lpm, _) => Pattern::Prefix(number(field, a), b % (field.width + 1)),
        (FieldKind::Ternary, _) => Pattern::Mask(number(field, a), number(field, b)),
        (FieldKind::Range, _) => {
            let (low, high) = (number(field, a), number(field, b));
            Pattern::Range(low.clone().min(high.clone()), low.max(high))
        }
    }
}

#[derive(Clone, Debug)]
enum Op {
    Insert(Vec<(u32, u32, u8)>, u32),
    Remove(usize),
    RemoveAndRestore(usize),
    Clear,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let insert = (prop::collection::vec((any::<u32>(), any::<u32>(), any::<u8>()), 4), 0u32..4)
        .prop_map(|(patterns, priority)| Op::Insert(patterns, priority));
    prop::collection::vec(
        prop_oneof![
            20 => insert,
            3 => any::<usize>().prop_map(Op::Remove),
            3 => any::<usize>().prop_map(Op::RemoveAndRestore),
            1 => Just(Op::Clear),
        ],
        0..40,
    )
}

fn best<'a>(layout: &KeyLayout, entries: &'a [Entry<u32>], key: &[u8]) -> Option<&'a Entry<u32>> {
    let prefixes = |entry: &Entry<u32>| {
        entry.patterns.iter().map(|p| if let Pattern::Prefix(_, len) = p { *len } else { 0 }).sum::<u32>()
    };
    entries
        .iter()
        .filter(|entry| {
            entry
                .patterns
                .iter()
                .enumerate()
                .all(|(i, p)| p.accepts(layout.fields()[i], &key[layout.range(i)]))
        })
        .min_by_key(|entry| {
            let rank = if layout.by_priority() { entry.priority } else { prefixes(entry) };
            (std::cmp::Reverse(rank), entry.handle)
        })
}

proptest! {
    #[test]
    fn a_table_finds_what_a_scan_finds(
        fields in layouts(),
        ops in ops(),
        keys in prop::collection::vec(prop::collection::vec(any::<u32>(), 4), 60),
    ) {
        let layout = KeyLayout::new(fields.clone());
        let mut table = MatchTable::new(layout.clone());
        let mut model: Vec<Entry<u32>> = Vec::new();
        for (step, op) in ops.into_iter().enumerate() {
            match op {
                Op::Insert(raw, priority) => {
                    let patterns: Vec<_> =
                        fields.iter().zip(raw).map(|(f, (a, b, form))| pattern(*f, a, b, form)).collect();
                    let normal: Vec<_> =
                        fields.iter().zip(&patterns).map(|(f, p)| p.normalised(*f).unwrap()).collect();
                    let priority_kept = if layout.by_priority() { priority } else { 0 };
                    let twin = model.iter().find(|e| e.patterns == normal && e.priority == priority_kept);
                    match (table.insert(&patterns, priority, step as u32), twin) {
                        (Ok(handle), None) => {
                            model.push(Entry { handle, patterns: normal, priority: priority_kept, value: step as u32 });
                        }
                        (Err(InsertError::Duplicate(handle)), Some(twin)) => prop_assert_eq!(handle, twin.handle),
                        (got, twin) => prop_assert!(false, "{:?} although the scan says {:?}", got, twin),
                    }
                }
                Op::Remove(nth) if !model.is_empty() => {
                    let gone = model.remove(nth % model.len());
                    prop_assert_eq!(table.remove(gone.handle), Some(gone.clone()));
                    prop_assert_eq!(table.remove(gone.handle), None);
                }
                Op::RemoveAndRestore(nth) if !model.is_empty() => {
                    let entry = &model[nth % model.len()];
                    let taken = table.remove(entry.handle).unwrap();
                    prop_assert_eq!(table.restore(taken), Ok(()));
                    prop_assert_eq!(table.restore(entry.clone()), Err(entry.clone()));
                }
                Op::Clear => {
                    table.clear();
                    model.clear();
                }
                Op::Remove(_) | Op::RemoveAndRestore(_) => {}
            }
        }
        prop_assert_eq!(table.iter().cloned().collect::<Vec<_>>(), model.clone());
        for raw in keys {
            let key: Vec<u8> = fields.iter().zip(raw).flat_map(|(f, v)| number(*f, v).into_vec()).collect();
            prop_assert_eq!(table.lookup(&key), best(&layout, &model, &key));
        }
    }
}

#[test]
fn patterns_that_do_not_fit_are_refused() {
    let mut table = MatchTable::new(KeyLayout::new(vec![Field { width: 9, kind: FieldKind::Lpm }]));
    let mut insert = |pattern| table.insert(&[pattern], 0, ());
    use weir_tables::PatternError::*;
    assert_eq!(insert(Pattern::Value([2, 0].into())), Err(InsertError::Pattern(0, Width)));
    assert_eq!(insert(Pattern::Value([1].into())), Err(InsertError::Pattern(0, Width)));
    assert_eq!(insert(Pattern::Prefix([1, 0].into(), 10)), Err(InsertError::Pattern(0, PrefixLength)));
    assert_eq!(
        insert(Pattern::Mask([1, 0].into(), [1, 0].into())),
        Err(InsertError::Pattern(0, Kind(FieldKind::Lpm)))
    );
    assert_eq!(table.insert(&[], 0, ()), Err(InsertError::Count));
}
