//! Every match structure compared with a scan of all entries that keeps the best.

mod reference;

use proptest::prelude::*;
use reference::{Reference, key_bytes, key_words, number};
use weir_tables::{
    Field, FieldKind, InsertError, KeyLayout, Pattern, PatternError, Table, TableSnapshot, TableView,
};

fn kind() -> impl Strategy<Value = FieldKind> {
    prop_oneof![
        Just(FieldKind::Exact),
        Just(FieldKind::Lpm),
        Just(FieldKind::Ternary),
        Just(FieldKind::Range),
        Just(FieldKind::Optional),
    ]
}

fn width() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => 1u32..12,
        2 => prop::sample::select(vec![16, 31, 32, 33, 48, 63, 64, 65, 127, 128, 129]),
        1 => 130u32..2049,
    ]
}

/// All kinds of fields, alone and mixed: narrow ones, so that random keys match random patterns,
/// and wide ones.
fn layouts() -> impl Strategy<Value = Vec<Field>> {
    let any_kind = prop::collection::vec((width(), kind()), 0..5);
    let exact = prop::collection::vec((width(), Just(FieldKind::Exact)), 1..4);
    let lpm = (width(), prop::collection::vec(width(), 0..3)).prop_map(|(width, exacts)| {
        let mut fields: Vec<_> = exacts.into_iter().map(|width| (width, FieldKind::Exact)).collect();
        fields.insert(fields.len() / 2, (width, FieldKind::Lpm));
        fields
    });
    let one = (width(), kind()).prop_map(|field| vec![field]);
    prop_oneof![2 => any_kind, 1 => exact, 2 => lpm, 2 => one]
        .prop_map(|fields| fields.into_iter().map(|(width, kind)| Field { width, kind }).collect())
}

/// Maps a random number to a field's value: few values, some far apart and some close together, so
/// that many patterns and keys are close to each other.
fn spread(field: Field, raw: u64) -> Box<[u8]> {
    let ones = field.ones();
    let mut bytes = number(field, raw % 16);
    match raw / 16 % 4 {
        0 => {}
        // In the leading bits, as with prefixes.
        1 => {
            let top = raw.to_be_bytes();
            bytes.iter_mut().zip(top).for_each(|(byte, top)| *byte = top);
        }
        2 => bytes.iter_mut().for_each(|byte| *byte = !*byte),
        _ => {
            let at = raw as usize / 64 % bytes.len().max(1);
            bytes.iter_mut().skip(at).take(3).for_each(|byte| *byte = (raw >> 20) as u8);
        }
    }
    bytes.iter_mut().zip(&ones).for_each(|(byte, one)| *byte &= one);
    bytes
}

fn pattern(field: Field, (a, b, form): (u64, u64, u8)) -> Pattern {
    match (field.kind, form % 5) {
        (FieldKind::Exact, _) | (_, 0) => Pattern::Value(spread(field, a)),
        (_, 1) | (FieldKind::Optional, _) => Pattern::Any,
        (FieldKind::Lpm, _) => Pattern::Prefix(spread(field, a), (b % (u64::from(field.width) + 1)) as u32),
        (FieldKind::Ternary, 2) => {
            let prefix = b as u32 % (field.width + 1);
            let mask = (0..field.width).map(|bit| u8::from(bit < prefix)).collect::<Vec<_>>();
            Pattern::Mask(spread(field, a), from_bits(field, &mask))
        }
        (FieldKind::Ternary, _) => Pattern::Mask(spread(field, a), spread(field, b)),
        (FieldKind::Range, _) => {
            let (low, high) = (spread(field, a), spread(field, b));
            Pattern::Range(low.clone().min(high.clone()), low.max(high))
        }
    }
}

/// Bits, the most significant first, as bytes.
fn from_bits(field: Field, bits: &[u8]) -> Box<[u8]> {
    let mut bytes = number(field, 0);
    let len = bytes.len();
    for (index, bit) in bits.iter().rev().enumerate() {
        bytes[len - 1 - index / 8] |= bit << (index % 8);
    }
    bytes
}

type Raw = Vec<(u64, u64, u8)>;

#[derive(Clone, Debug)]
enum Op {
    Insert(Raw, u32, u8),
    Modify(usize, u8),
    Remove(usize),
    RemoveAndRestore(usize),
    Snapshot,
    Clear,
}

fn ops(most: usize) -> impl Strategy<Value = Vec<Op>> {
    let insert = (raw(), prop_oneof![0u32..4, any::<u32>()], any::<u8>())
        .prop_map(|(patterns, priority, row)| Op::Insert(patterns, priority, row));
    prop::collection::vec(
        prop_oneof![
            40 => insert,
            3 => (any::<usize>(), any::<u8>()).prop_map(|(nth, row)| Op::Modify(nth, row)),
            10 => any::<usize>().prop_map(Op::Remove),
            4 => any::<usize>().prop_map(Op::RemoveAndRestore),
            2 => Just(Op::Snapshot),
            1 => Just(Op::Clear),
        ],
        0..most,
    )
}

fn raw() -> impl Strategy<Value = Raw> {
    prop::collection::vec((any::<u64>(), any::<u64>(), any::<u8>()), 5)
}

/// An action position and its data, derived from a small number.
fn row(raw: u8) -> (u32, [u64; 2]) {
    (u32::from(raw % 3), [u64::from(raw % 5), u64::from(raw / 64)])
}

/// Random keys, and keys that entries accept or nearly accept.
fn keys(fields: &[Field], reference: &Reference, raws: &[Raw]) -> Vec<Vec<Box<[u8]>>> {
    raws.iter()
        .enumerate()
        .map(|(index, raw)| {
            let near =
                reference.entries.get(index * 7 % reference.entries.len().max(1)).filter(|_| index % 2 == 0);
            fields
                .iter()
                .zip(raw)
                .enumerate()
                .map(|(at, (field, (a, b, form)))| {
                    let spread = spread(*field, *a);
                    match near.map(|entry| &entry.patterns[at]) {
                        Some(Pattern::Value(value)) if form % 16 != 0 => value.clone(),
                        Some(Pattern::Prefix(value, len)) => {
                            let mask = Pattern::Prefix(value.clone(), *len).normalized(*field).map(|_| len);
                            let len = *mask.expect("a prefix that fits") as usize;
                            merge(*field, value, &spread, len.saturating_sub(usize::from(form % 16 == 0)))
                        }
                        Some(Pattern::Mask(value, mask)) => {
                            value.iter().zip(mask).zip(&spread).map(|((v, m), s)| v & m | s & !m).collect()
                        }
                        Some(Pattern::Range(low, high)) => {
                            if b % 2 == 0 {
                                low.clone()
                            } else {
                                high.clone()
                            }
                        }
                        _ => spread,
                    }
                })
                .collect()
        })
        .collect()
}

/// The first `len` bits of one number followed by the remaining bits of another.
fn merge(field: Field, first: &[u8], rest: &[u8], len: usize) -> Box<[u8]> {
    let bits = (0..field.width as usize).map(|bit| u8::from(bit < len)).collect::<Vec<_>>();
    let mask = from_bits(field, &bits);
    first.iter().zip(rest).zip(&mask).map(|((f, r), m)| f & m | r & !m).collect()
}

fn agree(view: &TableView, reference: &Reference, keys: &[Vec<Box<[u8]>>]) -> Result<(), TestCaseError> {
    let fields = view.layout().fields();
    let words: Vec<Vec<u64>> = keys.iter().map(|key| key_words(fields, key)).collect();
    let mut batch = vec![None; keys.len()];
    view.find_batch(&words.concat(), &mut batch);
    // With other words between the keys.
    let each = view.layout().words() + keys.len() % 3;
    let apart = |words: &Vec<u64>| words.iter().copied().chain([u64::MAX; 2]).take(each).collect::<Vec<_>>();
    let mut places = vec![None; keys.len()];
    view.find_hits(&words.iter().flat_map(apart).collect::<Vec<_>>(), each, &mut places);
    let found_places: Vec<_> =
        batch.iter().map(|found| found.map(|found| (found.slot, found.row_number))).collect();
    let placed = |place: weir_tables::Hit| (place.slot(), place.row());
    prop_assert_eq!(places.into_iter().map(|place| place.map(placed)).collect::<Vec<_>>(), found_places);
    prop_assert_eq!(view.len(), reference.entries.len());
    for ((key, words), batch) in keys.iter().zip(&words).zip(batch) {
        let best = reference.best(&key_bytes(key));
        view.prefetch(words);
        let found = view.find(words);
        let seen = found.map(|f| (f.handle, f.row.action(), f.row.to_vec()));
        prop_assert_eq!(&seen, &best.map(|e| (e.handle, e.action, e.data.clone())));
        prop_assert_eq!(seen, batch.map(|f| (f.handle, f.row.action(), f.row.to_vec())));
        prop_assert_eq!(found.map(|f| f.slot), batch.map(|f| f.slot));
        prop_assert_eq!(found.map(|f| (f.slot, f.row_number)), view.find_hit(words).map(placed));
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
    fn large_tables_too(
        field in (prop::sample::select(vec![14u32, 20, 32, 64, 90, 128]), kind()),
        ops in ops(1500),
        raws in prop::collection::vec(raw(), 200),
    ) {
        run(vec![Field { width: field.0, kind: field.1 }], ops, raws)?;
    }
}

/// Several fields with priorities, of widths at which rules have masks in common.
fn rule_layouts() -> impl Strategy<Value = Vec<Field>> {
    let width = prop::sample::select(vec![1u32, 8, 9, 16, 32, 48, 66]);
    let ranked = prop_oneof![Just(FieldKind::Ternary), Just(FieldKind::Range), Just(FieldKind::Optional)];
    (prop::sample::select(vec![12u32, 16, 32]), ranked, prop::collection::vec((width, kind()), 1..4))
        .prop_map(|(first, ranked, others)| {
            let fields = others.into_iter().chain([(first, ranked)]);
            fields.map(|(width, kind)| Field { width, kind }).collect()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Enough rules for blocks of all widths, and for masks to be chosen several times.
    #[test]
    fn many_rules_too(
        fields in rule_layouts(),
        ops in ops(1500).prop_filter("the table grows", |ops| ops.len() > 700),
        raws in prop::collection::vec(raw(), 200),
    ) {
        let ops = ops.into_iter().filter(|op| !matches!(op, Op::Clear)).collect();
        run(fields, ops, raws)?;
    }
}

/// A realistic access list compared with a scan, while it grows and after most of its rules have
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

/// Each rule has a mask of its own, so that no mask partitions them.
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
            let found = table.view().find(&key_words(&[field, field], &key));
            assert_eq!(found.map(|found| found.handle), best, "{key:x?}");
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

#[test]
fn the_largest_form_of_a_prefix_table() {
    let workload = weir_tables::workload::Workload::ipv4(140_000);
    let mut table = Table::new(workload.layout.clone(), 2);
    let mut handles = Vec::new();
    for (patterns, priority, action, data) in &workload.entries {
        handles.push(table.insert(patterns, *priority, *action, data).unwrap());
    }
    // By length and value, because a scan would be too slow.
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

/// A pattern as words, with bits set that must be ignored.
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
            let known = two.find_slot((&values, &masks), priority);
            let known = known.map(|slot| slot.map(|slot| two.handle(slot)));
            prop_assert_eq!(one.find_entry(&patterns, priority), known);
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
