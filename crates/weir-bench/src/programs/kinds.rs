//! Synthetic tables with keys of any kinds.

use std::collections::BTreeSet;

use weir_tables::workload::{Numbers, Workload};
use weir_tables::{Field, FieldKind, KeyLayout, Pattern};

/// The number of keys that a workload looks up.
const KEYS: usize = 1 << 16;

/// Returns the low bytes of a value that hold `width` bits.
fn bytes(value: u64, width: u32) -> Box<[u8]> {
    value.to_be_bytes()[8 - width.div_ceil(8) as usize..].into()
}

fn low_ones(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// Returns an entry for each number below `entries`, with the number as its data. Lookup keys are
/// drawn at random from these numbers.
pub fn numbered_entries(width: u32, entries: usize) -> Workload {
    let mut numbers = Numbers::new(11);
    let field = Field { width, kind: FieldKind::Exact };
    let entry = |index: usize| (vec![Pattern::Value(bytes(index as u64, width))], 0, 0, [index as u64, 0]);
    Workload {
        name: "exact",
        layout: KeyLayout::new(vec![field]),
        entries: (0..entries).map(entry).collect(),
        keys: (0..KEYS).map(|_| numbers.below(entries as u64)).collect(),
        others: Vec::new(),
    }
}

/// Creates random entries over fields of up to 64 bits; each key matches a random one of them. If
/// no field is exact, one entry accepts everything and has the lowest priority.
pub fn random(seed: u64, fields: &[(u32, FieldKind)], entries: usize) -> Workload {
    let mut numbers = Numbers::new(seed);
    let fields: Vec<Field> =
        fields.iter().map(|(width, kind)| Field { width: *width, kind: *kind }).collect();
    let open = fields.iter().all(|field| field.kind != FieldKind::Exact);
    let mut seen: BTreeSet<Vec<(u64, u64)>> = BTreeSet::new();
    let mut drawn = Vec::new();
    // Duplicates are generated again, a bounded number of times: small fields have few values.
    for _ in 0..entries * 20 {
        if drawn.len() == entries {
            break;
        }
        let whole = open && drawn.is_empty();
        let entry: Vec<(u64, u64)> =
            fields.iter().map(|field| pattern(*field, whole, &mut numbers)).collect();
        if seen.insert(entry.clone()) {
            drawn.push(entry);
        }
    }
    let keys = (0..KEYS)
        .flat_map(|_| {
            let entry = &drawn[numbers.below(drawn.len() as u64) as usize];
            let fields = fields.iter().zip(entry);
            fields.map(|(field, entry)| matching_value(*field, *entry, &mut numbers)).collect::<Vec<u64>>()
        })
        .collect();
    let count = drawn.len();
    // The entry that was drawn first has the lowest priority.
    let entries = drawn.into_iter().enumerate().map(|(index, entry)| {
        let patterns = fields.iter().zip(entry).map(|(field, entry)| to_pattern(*field, entry)).collect();
        (patterns, (1 + index) as u32, 0, [numbers.draw() >> 8, index as u64])
    });
    Workload {
        name: "mixed",
        entries: entries.take(count).collect(),
        layout: KeyLayout::new(fields),
        keys,
        others: Vec::new(),
    }
}

/// Returns the numbers of an entry's field: value and length, value and mask, or low and high.
fn pattern(field: Field, whole: bool, numbers: &mut Numbers) -> (u64, u64) {
    let (width, ones) = (field.width, low_ones(field.width));
    let value = numbers.draw() & ones;
    match field.kind {
        FieldKind::Exact | FieldKind::Optional => (value, 0),
        FieldKind::Lpm => {
            let length = if whole { 0 } else { (width / 4) * (1 + numbers.below(4) as u32) };
            (value & ones & !(ones.checked_shr(length).unwrap_or(0)), u64::from(length))
        }
        FieldKind::Ternary => {
            let mask = match numbers.below(4) {
                _ if whole => 0,
                0 => ones,
                1 => ones & !(ones >> (width / 2)),
                2 => ones & !(ones >> (3 * width / 4)),
                _ => ones >> (width / 2),
            };
            (value & mask, mask)
        }
        FieldKind::Range if whole => (0, ones),
        FieldKind::Range => (value, value.saturating_add(numbers.below(1 + ones / 64)).min(ones)),
    }
}

fn matching_value(field: Field, (value, how): (u64, u64), numbers: &mut Numbers) -> u64 {
    let (ones, free) = (low_ones(field.width), numbers.draw());
    match field.kind {
        FieldKind::Exact | FieldKind::Optional => value,
        FieldKind::Lpm => value | free & ones.checked_shr(how as u32).unwrap_or(0),
        FieldKind::Ternary => value | free & ones & !how,
        FieldKind::Range => value + numbers.below(how - value + 1),
    }
}

fn to_pattern(field: Field, (value, how): (u64, u64)) -> Pattern {
    let bytes = |value| bytes(value, field.width);
    match field.kind {
        FieldKind::Exact | FieldKind::Optional => Pattern::Value(bytes(value)),
        FieldKind::Lpm => Pattern::Prefix(bytes(value), how as u32),
        FieldKind::Ternary => Pattern::Mask(bytes(value), bytes(how)),
        FieldKind::Range => Pattern::Range(bytes(value), bytes(how)),
    }
}
