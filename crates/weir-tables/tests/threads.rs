//! One thread changes tables in batches while other threads make lookups. Lookups see all changes
//! of a batch or none, and never wait.

#![allow(clippy::disallowed_methods, reason = "a test starts threads")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arc_swap::ArcSwap;
use weir_tables::workload::Numbers;
use weir_tables::{Field, FieldKind, KeyLayout, Pattern, Table, TableSnapshot};

/// The number of entries in a batch.
const BATCH: u64 = if cfg!(miri) { 5 } else { 50 };
const BATCHES: u64 = if cfg!(miri) { 8 } else { 400 };
/// The number of further entries, so that the tables have several pages.
const FURTHER_ENTRIES: u64 = if cfg!(miri) { 150 } else { 3000 };

fn pattern(kind: FieldKind, value: u64) -> Pattern {
    let bytes: Box<[u8]> = (value as u32).to_be_bytes().into();
    match kind {
        FieldKind::Lpm => Pattern::Prefix(bytes, 32),
        FieldKind::Ternary => Pattern::Mask(bytes, [0xff; 4].into()),
        _ => Pattern::Value(bytes),
    }
}

/// Each batch writes its number to all keys: in one table by modifying entries, in another by
/// removing and inserting them. So a reader must find the same number in all entries of both
/// tables, and never a smaller number than before.
fn batches_are_seen_whole(kind: FieldKind) {
    let layout = || KeyLayout::new(vec![Field { width: 32, kind }]);
    let key = |index: u64| 0x0a00_0000 + index * 7919;
    let mut tables = [Table::new(layout(), 1), Table::new(layout(), 1)];
    let mut numbers = Numbers::new(7);
    for table in &mut tables {
        (0..FURTHER_ENTRIES).for_each(|_| {
            let value = 0x8000_0000 | numbers.below(1 << 31);
            let _ = table.insert(&[pattern(kind, value)], 1, 1, &[0]);
        });
    }
    let mut handles: [Vec<u64>; 2] = Default::default();
    for (table, handles) in tables.iter_mut().zip(&mut handles) {
        *handles = (0..BATCH).map(|i| table.insert(&[pattern(kind, key(i))], 1, 0, &[0]).unwrap()).collect();
    }
    let snapshots =
        |tables: &mut [Table; 2]| -> Vec<TableSnapshot> { tables.iter_mut().map(Table::snapshot).collect() };
    let published = ArcSwap::from_pointee(snapshots(&mut tables));
    let (done, looked) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let (published, done, looked) = (&published, &done, &looked);
            scope.spawn(move || {
                let mut last = 0;
                while !done.load(Ordering::Relaxed) {
                    let views = published.load();
                    let first = views[0].find(&[key(0)]).expect("it is always there").row.data(0);
                    assert!(first >= last, "from {last} back to {first}");
                    last = first;
                    for index in 0..BATCH {
                        for view in views.iter() {
                            let lookup = view.find(&[key(index)]).expect("it is always there");
                            assert_eq!(lookup.row.data(0), first, "key {index}");
                        }
                    }
                    looked.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for batch in 1..=BATCHES {
            for handle in &handles[0] {
                assert_eq!(tables[0].modify(*handle, 0, &[batch]), Ok(true));
            }
            for (index, handle) in handles[1].iter_mut().enumerate() {
                assert!(tables[1].remove(*handle).is_some());
                *handle = tables[1].insert(&[pattern(kind, key(index as u64))], 1, 0, &[batch]).unwrap();
            }
            published.store(snapshots(&mut tables).into());
            while looked.load(Ordering::Relaxed) < batch / 8 {
                std::hint::spin_loop();
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    let views = published.load();
    assert_eq!(views[1].find(&[key(3)]).map(|lookup| lookup.row.data(0)), Some(BATCHES));
    // A reader that the computer does not run for a while keeps the pages of its snapshot.
    for table in &tables {
        assert!(table.memory().bytes < 16 << 20, "{:?}: pages of old snapshots come back", table.memory());
    }
}

#[test]
fn exact_tables() {
    batches_are_seen_whole(FieldKind::Exact);
}

#[test]
fn prefix_tables() {
    batches_are_seen_whole(FieldKind::Lpm);
}

#[test]
fn priorities() {
    batches_are_seen_whole(FieldKind::Ternary);
}

/// The data that a caller stores by slot, such as counters, must not become another entry's data
/// while a snapshot can still find the old entry.
#[test]
fn slots_in_snapshots_are_not_reused() {
    let layout = KeyLayout::new(vec![Field { width: 32, kind: FieldKind::Exact }]);
    let mut table = Table::new(layout, 0);
    let insert =
        |table: &mut Table, value: u64| table.insert(&[pattern(FieldKind::Exact, value)], 0, 0, &[]).unwrap();
    let old: Vec<u64> = (0..1000).map(|value| insert(&mut table, value)).collect();
    let snapshot = table.snapshot();
    let old_slots: std::collections::BTreeSet<u32> =
        old.iter().map(|handle| table.slot(*handle).unwrap()).collect();
    old.iter().for_each(|handle| drop(table.remove(*handle)));
    let new: Vec<u64> = (1000..2000).map(|value| insert(&mut table, value)).collect();
    assert!(new.iter().all(|handle| !old_slots.contains(&table.slot(*handle).unwrap())));
    assert_eq!((snapshot.len(), snapshot.find(&[7]).map(|found| found.handle)), (1000, Some(old[7])));
    drop(snapshot);
    new.iter().for_each(|handle| drop(table.remove(*handle)));
    let newest: Vec<u32> = (0..1000)
        .map(|value| {
            let handle = insert(&mut table, value);
            table.slot(handle).unwrap()
        })
        .collect();
    assert!(newest.iter().max() < Some(&2200), "slots come back: {:?}", newest.iter().max());
}
