//! Random tables, changes and keys.

use proptest::prelude::*;
use weir_tables::{Field, FieldKind, Pattern};

use crate::reference::{Reference, number};

pub fn kind() -> impl Strategy<Value = FieldKind> {
    prop_oneof![
        Just(FieldKind::Exact),
        Just(FieldKind::Lpm),
        Just(FieldKind::Ternary),
        Just(FieldKind::Range),
        Just(FieldKind::Optional),
    ]
}

pub fn width() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => 1u32..12,
        2 => prop::sample::select(vec![16, 31, 32, 33, 48, 63, 64, 65, 127, 128, 129]),
        1 => 130u32..2049,
    ]
}

/// Returns all kinds of fields, alone and mixed: narrow fields, so that random keys match random
/// patterns, and wide fields.
pub fn layouts() -> impl Strategy<Value = Vec<Field>> {
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

/// Maps a random number to one of few values of a field. Some values are far apart and some are
/// close together, so that many patterns and keys are similar.
pub fn spread(field: Field, raw: u64) -> Box<[u8]> {
    let ones = field.ones();
    let mut bytes = number(field, raw % 16);
    match raw / 16 % 4 {
        0 => {}
        // The values differ in the leading bits, as with prefixes.
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

pub fn pattern(field: Field, (a, b, form): (u64, u64, u8)) -> Pattern {
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

/// Converts bits, the most significant first, to bytes.
pub fn from_bits(field: Field, bits: &[u8]) -> Box<[u8]> {
    let mut bytes = number(field, 0);
    let len = bytes.len();
    for (index, bit) in bits.iter().rev().enumerate() {
        bytes[len - 1 - index / 8] |= bit << (index % 8);
    }
    bytes
}

pub type Raw = Vec<(u64, u64, u8)>;

#[derive(Clone, Debug)]
pub enum Op {
    Insert(Raw, u32, u8),
    Modify(usize, u8),
    Remove(usize),
    RemoveAndRestore(usize),
    Snapshot,
    Clear,
}

pub fn ops(most: usize) -> impl Strategy<Value = Vec<Op>> {
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

pub fn raw() -> impl Strategy<Value = Raw> {
    prop::collection::vec((any::<u64>(), any::<u64>(), any::<u8>()), 5)
}

/// Returns an action position and its data, derived from a small number.
pub fn row(raw: u8) -> (u32, [u64; 2]) {
    (u32::from(raw % 3), [u64::from(raw % 5), u64::from(raw / 64)])
}

/// Makes random keys, and keys that entries accept or nearly accept.
pub fn keys(fields: &[Field], reference: &Reference, raws: &[Raw]) -> Vec<Vec<Box<[u8]>>> {
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

/// Returns the first `len` bits of one number followed by the remaining bits of another.
pub fn merge(field: Field, first: &[u8], rest: &[u8], len: usize) -> Box<[u8]> {
    let bits = (0..field.width as usize).map(|bit| u8::from(bit < len)).collect::<Vec<_>>();
    let mask = from_bits(field, &bits);
    first.iter().zip(rest).zip(&mask).map(|((f, r), m)| f & m | r & !m).collect()
}

/// Returns layouts of several fields with priorities. Their widths are such that rules have masks
/// in common.
pub fn rule_layouts() -> impl Strategy<Value = Vec<Field>> {
    let width = prop::sample::select(vec![1u32, 8, 9, 16, 32, 48, 66]);
    let ranked = prop_oneof![Just(FieldKind::Ternary), Just(FieldKind::Range), Just(FieldKind::Optional)];
    (prop::sample::select(vec![12u32, 16, 32]), ranked, prop::collection::vec((width, kind()), 1..4))
        .prop_map(|(first, ranked, others)| {
            let fields = others.into_iter().chain([(first, ranked)]);
            fields.map(|(width, kind)| Field { width, kind }).collect()
        })
}
