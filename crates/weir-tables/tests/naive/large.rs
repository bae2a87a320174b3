//! Tables of many entries.

use weir_tables::{Field, FieldKind, KeyLayout, Pattern, Table};

use crate::reference::{Reference, key_bytes, key_words, number};

/// A realistic access list is compared with a scan, while it grows and after most of its rules have
/// been removed.
#[test]
fn an_access_list_that_grows_and_shrinks() {
    let workload = weir_tables::workload::Workload::acl(1200);
    let fields = workload.layout.fields().to_vec();
    let (mut table, mut reference) =
        (Table::new(workload.layout.clone(), 2), Reference::new(workload.layout.clone()));
    let check = |table: &Table, reference: &Reference, keys: usize| {
        for key in workload.keys.chunks_exact(workload.layout.words()).take(keys) {
            let bytes: Vec<u8> = fields.iter().zip(key).flat_map(|(f, word)| number(*f, *word)).collect();
            let best = reference.best(&bytes).map(|entry| entry.handle);
            assert_eq!(table.view().find(key).map(|found| found.handle), best, "{key:x?}");
        }
    };
    for (index, (patterns, priority, action, data)) in workload.entries.iter().enumerate() {
        table.insert(patterns, *priority / 8, *action, data).unwrap();
        reference.insert(patterns, *priority / 8, *action, data).unwrap();
        if [5, 63, 64, 65, 128, 129, 256, 257, 513].contains(&index) {
            check(&table, &reference, 300);
        }
    }
    check(&table, &reference, 2000);
    let memory = table.memory();
    assert!((90.0..150.0).contains(&memory.per_entry()), "{memory:?}");
    let tuples = table.tuples().unwrap();
    assert!(tuples <= 12, "few tuples for rules of a few sites, not {tuples}");
    for round in 0..1150 {
        let at = round * 7919 % reference.entries.len();
        let gone = reference.entries.remove(at);
        assert_eq!(table.remove(gone.handle), Some(gone));
        if round % 250 == 0 {
            check(&table, &reference, 300);
        }
    }
    check(&table, &reference, 2000);
}

/// Each rule has a mask of its own, so that no mask partitions the rules.
#[test]
fn rules_that_have_nothing_in_common() {
    let field = Field { width: 32, kind: FieldKind::Ternary };
    let layout = KeyLayout::new(vec![field, field]);
    let mut numbers = weir_tables::workload::Numbers::new(8);
    let (mut table, mut reference) = (Table::new(layout.clone(), 0), Reference::new(layout));
    let mut entries = Vec::new();
    for _ in 0..1500 {
        let mut mask = || number(field, numbers.draw() & numbers.draw() & numbers.draw());
        let (one, two) = (mask(), mask());
        let (a, b) = (number(field, numbers.draw()), number(field, numbers.draw()));
        let (priority, patterns) = (numbers.below(50) as u32, [Pattern::Mask(a, one), Pattern::Mask(b, two)]);
        table.insert(&patterns, priority, 0, &[]).unwrap();
        entries.push(reference.insert(&patterns, priority, 0, &[]).unwrap());
    }
    assert!(table.tuples().unwrap() <= 40, "{:?}", table.tuples());
    let mut check = |table: &Table, reference: &Reference| {
        for _ in 0..400 {
            let key = [number(field, numbers.draw()), number(field, numbers.draw())];
            let best = reference.best(&key_bytes(&key)).map(|entry| entry.handle);
            let lookup = table.view().find(&key_words(&[field, field], &key));
            assert_eq!(lookup.map(|lookup| lookup.handle), best, "{key:x?}");
        }
    };
    check(&table, &reference);
    for handle in entries.into_iter().step_by(2) {
        assert!(table.remove(handle).is_some());
        reference.entries.retain(|entry| entry.handle != handle);
    }
    check(&table, &reference);
}

#[test]
fn the_largest_form_of_a_prefix_table() {
    let workload = weir_tables::workload::Workload::ipv4(140_000);
    let mut table = Table::new(workload.layout.clone(), 2);
    let mut handles = Vec::new();
    for (patterns, priority, action, data) in &workload.entries {
        handles.push(table.insert(patterns, *priority, *action, data).unwrap());
    }
    let memory = table.memory();
    assert!((80.0..130.0).contains(&memory.per_entry()), "{memory:?}");
    // The routes are looked up by length and value, because a scan would be too slow.
    let mut routes = std::collections::BTreeMap::new();
    let value = |bytes: &[u8]| bytes.iter().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    for (handle, (patterns, ..)) in handles.iter().zip(&workload.entries) {
        if let Pattern::Prefix(prefix, len) = &patterns[0] {
            routes.insert((*len, value(prefix)), *handle);
        }
    }
    let check = |table: &Table, routes: &std::collections::BTreeMap<(u32, u64), u64>| {
        for key in &workload.keys[..50_000] {
            let mask = |len: u32| u64::from(u32::MAX.checked_shl(32 - len).unwrap_or(0));
            let best = (0..=32).rev().find_map(|len| routes.get(&(len, key & mask(len))));
            assert_eq!(table.view().find(&[*key]).map(|f| f.handle), best.copied(), "{key:#x}");
        }
    };
    check(&table, &routes);
    let short: Vec<_> =
        routes.iter().filter(|((len, _), _)| *len < 20).map(|(key, handle)| (*key, *handle)).collect();
    for (route, handle) in short.iter().step_by(2).chain(short.iter().skip(1).step_by(4)) {
        assert!(table.remove(*handle).is_some());
        routes.remove(route);
    }
    check(&table, &routes);
}
