//! Finds lists of values that can never be chosen, because an earlier list contains all their
//! values.

use num_bigint::BigInt;
use num_traits::One;
use rustc_hash::FxHashMap;
use weir_syntax::Span;

use crate::check::constant::{Value, evaluate, representation};
use crate::hir::{Expr, KeysetElement, Program, Type};

/// The maximum number of lookups for one table or `select`; further rows are not compared.
const MAX_LOOKUPS: usize = 2_000_000;

/// The maximum number of values that keys can have together if all values are tried.
const MAX_VALUES: usize = 256;

/// The values that a row accepts for one key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Values {
    /// The values with `x & mask == value`.
    Masked { value: BigInt, mask: BigInt },
    /// The values from the first to the second number, both included.
    Range(BigInt, BigInt),
    /// One value that is not a number, or an unknown set of values, identified by its text.
    Other(String),
}

/// For one key, the property that rows of a group have in common.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Shape {
    Mask(BigInt),
    Range(BigInt, BigInt),
    Other,
}

/// Splits values into their shape and the text that identifies them among values of this shape.
fn shape(values: &Values) -> (Shape, String) {
    match values {
        Values::Masked { value, mask } => (Shape::Mask(mask.clone()), value.to_string()),
        Values::Range(low, high) => (Shape::Range(low.clone(), high.clone()), String::new()),
        Values::Other(text) => (Shape::Other, text.clone()),
    }
}

/// The shapes of a group of rows, with the places of the rows by their values.
type Group = (Vec<Shape>, FxHashMap<Vec<String>, Span>);

/// Returns the key for a lookup of `values` among the rows of a shape, if a row of this shape can
/// cover the values.
fn lookup_text(shape: &Shape, values: &Values, ones: &BigInt) -> Option<String> {
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

/// Returns whether values lie outside the range of a shape. There are many groups with a range,
/// because few rows have the same range. This check excludes such groups quickly.
fn is_out_of_range(shape: &Shape, values: &Values) -> bool {
    match (shape, values) {
        (Shape::Range(low, high), Values::Range(first, last)) => first < low || high < last,
        (Shape::Range(low, high), Values::Masked { value, .. }) => value < low || high < value,
        _ => false,
    }
}

/// Rows of values, from the one that is tried first.
pub(super) struct Rows {
    /// For each key, the number with all its bits.
    ones: Vec<BigInt>,
    /// Whether a row covers only rows that are equal to it, as with prefixes.
    only_equal: bool,
    groups: Vec<Group>,
    positions: FxHashMap<Vec<Shape>, usize>,
    lookups: usize,
}

impl Rows {
    /// Creates an empty set of rows for these keys.
    pub(super) fn new(program: &Program, keys: &[&Expr], only_equal: bool) -> Self {
        let ones = keys.iter().map(|key| sign_and_ones(program, key).1).collect();
        Self { ones, only_equal, groups: Vec::new(), positions: FxHashMap::default(), lookups: 0 }
    }

    /// Adds the next row. Returns the place of an earlier row that accepts all values that this row
    /// accepts.
    pub(super) fn add(&mut self, values: &[Values], place: Span) -> Option<Span> {
        if self.lookups > MAX_LOOKUPS {
            return None;
        }
        let (shapes, names): (Vec<Shape>, Vec<String>) = values.iter().map(shape).unzip();
        let covering = self.covering(values, &shapes);
        if covering.is_some() {
            return covering;
        }
        let position = *self.positions.entry(shapes).or_insert_with_key(|shapes| {
            self.groups.push((shapes.clone(), FxHashMap::default()));
            self.groups.len() - 1
        });
        self.groups[position].1.entry(names).or_insert(place);
        None
    }

    /// Returns the place of a row that accepts all of these values, which have these shapes.
    fn covering(&mut self, values: &[Values], shapes: &[Shape]) -> Option<Span> {
        for (group, members) in &self.groups {
            self.lookups += 1;
            if self.only_equal && group != shapes
                || group.iter().zip(values).any(|(a, b)| is_out_of_range(a, b))
            {
                continue;
            }
            let parts = group.iter().zip(values).zip(&self.ones);
            let seen = parts.map(|((shape, values), ones)| lookup_text(shape, values, ones));
            let covering = seen.collect::<Option<Vec<String>>>().and_then(|seen| members.get(&seen));
            if covering.is_some() {
                return covering.copied();
            }
        }
        None
    }

    /// Returns whether the rows together accept all values of these keys. False for keys with more
    /// than [`MAX_VALUES`] values.
    pub(super) fn accept_all(&mut self, program: &Program, keys: &[&Expr]) -> bool {
        let Some(of_keys) = keys.iter().map(|key| all_values(program, key)).collect::<Option<Vec<_>>>()
        else {
            return false;
        };
        let count = of_keys.iter().try_fold(1usize, |count, values| count.checked_mul(values.len()));
        let Some(count) = count.filter(|count| *count <= MAX_VALUES) else { return false };
        (0..count).all(|number| {
            let mut rest = number;
            let choose = |values: &Vec<Values>| {
                let chosen = values[rest % values.len()].clone();
                rest /= values.len();
                chosen
            };
            let lookups: Vec<Values> = of_keys.iter().map(choose).collect();
            let shapes: Vec<Shape> = lookups.iter().map(|values| shape(values).0).collect();
            self.covering(&lookups, &shapes).is_some()
        })
    }
}

/// Returns all single values of a key; `None` if the key has more than [`MAX_VALUES`] values, or
/// the values of its type cannot be listed.
fn all_values(program: &Program, key: &Expr) -> Option<Vec<Values>> {
    Some(match &program.types[key.ty] {
        Type::Bool => [false, true].map(|value| Values::Other(value.to_string())).into(),
        Type::Enum(decl) if program.enums[*decl].underlying.is_none() => {
            let members = 0..program.enums[*decl].members.len();
            members.map(|member| Values::Other(format!("{:?}", Value::Member(*decl, member)))).collect()
        }
        _ => {
            let (_, ones) = representation(program, key.ty).map(|_| sign_and_ones(program, key))?;
            let last = usize::try_from(&ones).ok().filter(|last| *last < MAX_VALUES)?;
            let value_with_mask =
                |value: usize| Values::Masked { value: BigInt::from(value), mask: ones.clone() };
            (0..=last).map(value_with_mask).collect()
        }
    })
}

/// Returns whether a key is signed, and the number with all its bits.
fn sign_and_ones(program: &Program, key: &Expr) -> (bool, BigInt) {
    let (signed, width) = representation(program, key.ty).unwrap_or((false, 1));
    (signed, (BigInt::one() << width) - 1)
}

/// Returns the values that an element of a keyset accepts. Values that are not known are compared
/// by their text.
pub(super) fn values(program: &Program, key: &Expr, element: &KeysetElement) -> Values {
    known_values(program, key, element).unwrap_or_else(|| Values::Other(format!("{element:?}")))
}

fn known_values(program: &Program, key: &Expr, element: &KeysetElement) -> Option<Values> {
    let (signed, ones) = sign_and_ones(program, key);
    // Signed values are in two's complement, because their bits are compared.
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
        KeysetElement::ValueSet(set) => Values::Other(format!("the value set {set:?}")),
    })
}
