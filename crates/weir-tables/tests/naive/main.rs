//! Every match structure is compared with a scan of all entries, which keeps the best entry.

mod generate;
mod large;
mod reference;
mod words;

use proptest::prelude::*;
use weir_tables::{Field, InsertError, KeyLayout, Table, TableSnapshot, TableView};

use generate::{Op, Raw, keys, kind, layouts, ops, pattern, raw, row, rule_layouts};
use reference::{Reference, key_bytes, key_words};

fn agree(view: &TableView, reference: &Reference, keys: &[Vec<Box<[u8]>>]) -> Result<(), TestCaseError> {
    let fields = view.layout().fields();
    let words: Vec<Vec<u64>> = keys.iter().map(|key| key_words(fields, key)).collect();
    let mut batch = vec![None; keys.len()];
    view.find_batch(&words.concat(), &mut batch);
    // The keys have other words between them.
    let each = view.layout().words() + keys.len() % 3;
    let apart = |words: &Vec<u64>| words.iter().copied().chain([u64::MAX; 2]).take(each).collect::<Vec<_>>();
    let mut places = vec![None; keys.len()];
    view.find_hits(&words.iter().flat_map(apart).collect::<Vec<_>>(), each, &mut places);
    let found_places: Vec<_> =
        batch.iter().map(|lookup| lookup.map(|lookup| (lookup.slot, lookup.row_number))).collect();
    let placed = |place: weir_tables::Hit| (place.slot(), place.row());
    prop_assert_eq!(places.into_iter().map(|place| place.map(placed)).collect::<Vec<_>>(), found_places);
    prop_assert_eq!(view.len(), reference.entries.len());
    prop_assert_eq!(view.is_empty(), reference.entries.is_empty());
    for ((key, words), batch) in keys.iter().zip(&words).zip(batch) {
        let best = reference.best(&key_bytes(key));
        view.prefetch(words);
        let lookup = view.find(words);
        let seen = lookup.map(|f| (f.handle, f.row.action(), f.row.to_vec()));
        prop_assert_eq!(&seen, &best.map(|e| (e.handle, e.action, e.data.clone())));
        prop_assert_eq!(seen, batch.map(|f| (f.handle, f.row.action(), f.row.to_vec())));
        prop_assert_eq!(lookup.map(|f| f.slot), batch.map(|f| f.slot));
        prop_assert_eq!(lookup.map(|f| (f.slot, f.row_number)), view.find_hit(words).map(placed));
    }
    Ok(())
}

fn run(fields: Vec<Field>, ops: Vec<Op>, raws: Vec<Raw>) -> Result<(), TestCaseError> {
    let layout = KeyLayout::new(fields.clone());
    let mut table = Table::new(layout.clone(), 2);
    let mut reference = Reference::new(layout);
    let mut snapshots: Vec<(TableSnapshot, Reference)> = Vec::new();
    for op in ops {
        match op {
            Op::Insert(raw, priority, row_number) => {
                let patterns: Vec<_> = fields.iter().zip(raw).map(|(f, raw)| pattern(*f, raw)).collect();
                let (action, data) = row(row_number);
                let known = table.find_entry(&patterns, priority);
                let got = table.insert(&patterns, priority, action, &data);
                prop_assert_eq!(&got, &reference.insert(&patterns, priority, action, &data));
                let duplicate = match got {
                    Err(InsertError::Duplicate(handle)) => Some(handle),
                    _ => None,
                };
                prop_assert_eq!(known, Ok(duplicate));
            }
            Op::Modify(nth, row_number) if !reference.entries.is_empty() => {
                let nth = nth % reference.entries.len();
                let (action, data) = row(row_number);
                let entry = &mut reference.entries[nth];
                (entry.action, entry.data) = (action, data.to_vec());
                prop_assert_eq!(table.modify(entry.handle, action, &data), Ok(true));
            }
            Op::Remove(nth) if !reference.entries.is_empty() => {
                let gone = reference.entries.remove(nth % reference.entries.len());
                prop_assert_eq!(table.remove(gone.handle), Some(gone.clone()));
                prop_assert_eq!(table.remove(gone.handle), None);
                prop_assert_eq!(table.modify(gone.handle, 0, &[]), Ok(false));
            }
            Op::RemoveAndRestore(nth) if !reference.entries.is_empty() => {
                let entry = &reference.entries[nth % reference.entries.len()];
                let taken = table.remove(entry.handle);
                prop_assert_eq!(taken.as_ref(), Some(entry));
                prop_assert!(table.restore(entry));
                prop_assert!(!table.restore(entry));
            }
            Op::Snapshot => {
                if snapshots.len() == 3 {
                    snapshots.remove(1);
                }
                snapshots.push((table.snapshot(), reference.clone()));
            }
            Op::Clear => {
                table.clear();
                reference.entries.clear();
            }
            Op::Modify(..) | Op::Remove(_) | Op::RemoveAndRestore(_) => {}
        }
    }
    prop_assert_eq!(table.iter().collect::<Vec<_>>(), reference.entries.clone());
    let mut slots: Vec<_> = table.slots().collect();
    slots.sort_unstable();
    slots.dedup();
    prop_assert_eq!(slots.len(), table.len());
    for entry in &reference.entries {
        prop_assert_eq!(table.get(entry.handle), Some(entry.clone()));
    }
    agree(table.view(), &reference, &keys(&fields, &reference, &raws))?;
    for (view, reference) in &snapshots {
        agree(view, reference, &keys(&fields, reference, &raws))?;
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_table_finds_what_a_scan_finds(
        fields in layouts(),
        ops in ops(120),
        raws in prop::collection::vec(raw(), 60),
    ) {
        run(fields, ops, raws)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Enough entries for every form of a prefix table except the largest.
    #[test]
    fn large_tables_agree(
        field in (prop::sample::select(vec![14u32, 20, 32, 64, 90, 128]), kind()),
        ops in ops(1500),
        raws in prop::collection::vec(raw(), 200),
    ) {
        run(vec![Field { width: field.0, kind: field.1 }], ops, raws)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Enough rules for blocks of all widths, and for masks to be chosen several times.
    #[test]
    fn many_rules_agree(
        fields in rule_layouts(),
        ops in ops(1500).prop_filter("the table grows", |ops| ops.len() > 700),
        raws in prop::collection::vec(raw(), 200),
    ) {
        let ops = ops.into_iter().filter(|op| !matches!(op, Op::Clear)).collect();
        run(fields, ops, raws)?;
    }
}
