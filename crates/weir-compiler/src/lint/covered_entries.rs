//! Entries that can never match, because an entry that wins over them matches all their keys.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};
use rustc_hash::FxHashMap;
use weir_syntax::{Diagnostic, Diagnostics, Span};

use crate::check::constant::{Value, evaluate, representation};
use crate::hir::{AnnotationValue, Entry, Expr, KeysetElement, Program, Table};

/// The maximum number of lookups for one table; further entries are not compared.
const MAX_LOOKUPS: usize = 2_000_000;

/// Reports entries that are covered by another one.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    for (_, table) in program.tables.iter() {
        check(program, table, diagnostics);
    }
}

/// The values that an entry accepts for one key.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Values {
    /// `x & mask == value`.
    Masked { value: BigInt, mask: BigInt },
    /// From the first to the second, both included.
    Range(BigInt, BigInt),
    /// One value that is not a number, by its text.
    Other(String),
}

/// For one key, the common property of entries that can be looked up together.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Shape {
    Mask(BigInt),
    Range(BigInt, BigInt),
    Other,
}

fn shape(values: &Values) -> (Shape, String) {
    match values {
        Values::Masked { value, mask } => (Shape::Mask(mask.clone()), value.to_string()),
        Values::Range(low, high) => (Shape::Range(low.clone(), high.clone()), String::new()),
        Values::Other(text) => (Shape::Other, text.clone()),
    }
}

/// The shapes of a group of entries, with the places of the entries by their values.
type Group = (Vec<Shape>, FxHashMap<Vec<String>, Span>);

/// The text that stands for `values` among the entries of a shape, if such an entry can cover them.
fn seen_as(shape: &Shape, values: &Values, ones: &BigInt) -> Option<String> {
    match (shape, values) {
        (Shape::Mask(mask), Values::Masked { value, mask: own }) if mask & own == *mask => {
            Some((value & mask).to_string())
        }
        // All values of a range share the leading bits that its ends have in common.
        (Shape::Mask(mask), Values::Range(low, high)) => {
            let differing = (low ^ high).bits();
            let free = (BigInt::one() << differing) - 1;
            (mask & free == BigInt::ZERO).then(|| (low & mask).to_string())
        }
        (Shape::Range(low, high), Values::Range(first, last)) if low <= first && last <= high => {
            Some(String::new())
        }
        (Shape::Range(low, high), Values::Masked { value, mask }) => {
            let last = value | (ones & !mask);
            (low <= value && last <= *high).then(String::new)
        }
        (Shape::Other, Values::Other(text)) => Some(text.clone()),
        (Shape::Mask(mask), Values::Other(_)) if *mask == BigInt::ZERO => Some(mask.to_string()),
        _ => None,
    }
}

/// Whether values leave the range of a shape. Few entries have the same range, so that there are
/// many such groups, and this finds out without making texts.
fn is_beyond(shape: &Shape, values: &Values) -> bool {
    match (shape, values) {
        (Shape::Range(low, high), Values::Range(first, last)) => first < low || high < last,
        (Shape::Range(low, high), Values::Masked { value, .. }) => value < low || high < value,
        _ => false,
    }
}

fn check(program: &Program, table: &Table, diagnostics: &mut Diagnostics) {
    let kinds: Vec<&str> =
        table.keys.iter().map(|key| program.match_kinds[key.match_kind].0.name.text.as_str()).collect();
    // Entries with exact keys are all different: equal ones are an error.
    if table.entries.len() < 2 || kinds.iter().all(|&kind| kind == "exact") {
        return;
    }
    let known = ["exact", "lpm", "ternary", "range", "optional"];
    if !kinds.iter().all(|kind| known.contains(kind)) {
        return;
    }
    // With `@priority(n)` on an entry, an older form, the smallest number wins.
    let annotated = |entry: &Entry| match entry.annotations.get("priority")?.values() {
        [AnnotationValue::Int(number)] => number.to_i64(),
        _ => None,
    };
    let is_annotated = table.entries.iter().any(|entry| entry.annotations.has("priority"));
    // With exact and lpm keys only, the longest prefix wins: an entry is covered by an equal one.
    let longest_wins = kinds.iter().all(|kind| matches!(*kind, "exact" | "lpm"));
    let mut order: Vec<(i64, &Entry)> = Vec::new();
    for (position, entry) in table.entries.iter().enumerate() {
        let rank = match annotated(entry) {
            Some(number) => number,
            None if is_annotated => position as i64 + 1,
            None if table.largest_priority_wins => entry.priority.saturating_neg(),
            None => entry.priority,
        };
        order.push((if longest_wins { 0 } else { rank }, entry));
    }
    // A stable sort: the winner among equal priorities is undefined, so the first one counts.
    order.sort_by_key(|(rank, _)| *rank);
    let ones: Vec<BigInt> = table.keys.iter().map(|key| ones(program, &key.expr).1).collect();
    let mut groups: Vec<Group> = Vec::new();
    let mut positions: FxHashMap<Vec<Shape>, usize> = FxHashMap::default();
    let mut lookups = 0;
    for (_, entry) in order {
        let Some(values) = values(program, table, entry) else { continue };
        let (shapes, names): (Vec<Shape>, Vec<String>) = values.iter().map(shape).unzip();
        let mut covering = None;
        for (group, members) in &groups {
            lookups += 1;
            if longest_wins && *group != shapes || group.iter().zip(&values).any(|(a, b)| is_beyond(a, b)) {
                continue;
            }
            let parts = group.iter().zip(&values).zip(&ones);
            let seen = parts.map(|((shape, values), ones)| seen_as(shape, values, ones));
            covering = seen.collect::<Option<Vec<String>>>().and_then(|seen| members.get(&seen).copied());
            if covering.is_some() {
                break;
            }
        }
        if lookups > MAX_LOOKUPS {
            return;
        }
        if let Some(first) = covering {
            let message = format!("this entry of table `{}` can never match", table.name.text);
            let diagnostic = Diagnostic::warning("covered-entry", message)
                .primary(entry.keyset.span, "all packets that match it match another entry, which wins")
                .secondary(first, "the entry that wins");
            diagnostics.push(diagnostic);
            continue;
        }
        let position = *positions.entry(shapes).or_insert_with_key(|shapes| {
            groups.push((shapes.clone(), FxHashMap::default()));
            groups.len() - 1
        });
        groups[position].1.entry(names).or_insert(entry.keyset.span);
    }
}

/// The values that an entry accepts for each key; `None` if some are not known.
fn values(program: &Program, table: &Table, entry: &Entry) -> Option<Vec<Values>> {
    if entry.keyset.elements.len() != table.keys.len() {
        return None;
    }
    let keys = table.keys.iter().map(|key| &key.expr);
    keys.zip(&entry.keyset.elements).map(|(key, element)| values_of(program, key, element)).collect()
}

/// Whether a key is signed, and the number with all its bits.
fn ones(program: &Program, key: &Expr) -> (bool, BigInt) {
    let (signed, width) = representation(program, key.ty).unwrap_or((false, 1));
    (signed, (BigInt::one() << width) - 1)
}

fn values_of(program: &Program, key: &Expr, element: &KeysetElement) -> Option<Values> {
    let (signed, ones) = ones(program, key);
    // In two's complement: the bits that are compared.
    let number = |expr: &Expr| match evaluate(program, expr)? {
        Value::Int(value) => Some(value & &ones),
        Value::Member(decl, member) => Some(program.enums[decl].members[member].value.as_ref()? & &ones),
        _ => None,
    };
    Some(match element {
        KeysetElement::Any => Values::Masked { value: BigInt::ZERO, mask: BigInt::ZERO },
        KeysetElement::Value(value) => match (number(value), evaluate(program, value)?) {
            (Some(value), _) => Values::Masked { value, mask: ones },
            (_, Value::Bool(value)) => Values::Other(value.to_string()),
            (_, other) => Values::Other(format!("{other:?}")),
        },
        KeysetElement::Mask { value, mask } => {
            let mask = number(mask)?;
            Values::Masked { value: number(value)? & &mask, mask }
        }
        KeysetElement::Range { .. } if signed => return None,
        KeysetElement::Range { low, high } => {
            let (low, high) = (number(low)?, number(high)?);
            if low == BigInt::ZERO && high == ones {
                Values::Masked { value: BigInt::ZERO, mask: BigInt::ZERO }
            } else if low == high {
                Values::Masked { value: low, mask: ones }
            } else {
                Values::Range(low, high)
            }
        }
        KeysetElement::ValueSet(_) => return None,
    })
}
