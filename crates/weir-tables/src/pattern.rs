//! Patterns: the values that a field of an entry accepts.

use crate::key::{Field, FieldKind, prefix_mask};

/// The values that a field of an entry accepts. Numbers are big-endian, in [`Field::bytes`] bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Accepts this value. For fields of every kind.
    Value(Box<[u8]>),
    /// Accepts values with the leading `len` bits of this value. For prefix fields.
    Prefix(Box<[u8]>, u32),
    /// Accepts values whose bits under the mask (second) are those of the value (first). For
    /// ternary fields.
    Mask(Box<[u8]>, Box<[u8]>),
    /// Accepts the values from low (first) to high, both included. For range fields.
    Range(Box<[u8]>, Box<[u8]>),
    /// Accepts every value. For fields of every kind except exact.
    Any,
}

/// The reason why a pattern does not fit its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// Fields of this kind do not take such patterns.
    Kind(FieldKind),
    /// The value has the wrong number of bytes, or bits set above the field's width.
    Width,
    /// The prefix is longer than the field.
    PrefixLength,
    /// The low end of the range is above the high end.
    EmptyRange,
}

impl Pattern {
    /// Returns the normal form of the pattern in a field: one form for each kind of field, and bits
    /// that are not compared are 0. Two patterns of a field that accept the same values have the
    /// same normal form.
    pub fn normalized(&self, field: Field) -> Result<Self, PatternError> {
        let ones = field.ones();
        let fits = |number: &[u8]| {
            number.len() == ones.len() && number.iter().zip(&ones).all(|(n, one)| n & !one == 0)
        };
        let checked = |number: &[u8]| if fits(number) { Ok(()) } else { Err(PatternError::Width) };
        match (self, field.kind) {
            (Self::Value(value), kind) => {
                checked(value)?;
                Ok(match kind {
                    FieldKind::Exact | FieldKind::Optional => self.clone(),
                    FieldKind::Lpm => Self::Prefix(value.clone(), field.width),
                    FieldKind::Ternary => Self::Mask(value.clone(), ones),
                    FieldKind::Range => Self::Range(value.clone(), value.clone()),
                })
            }
            (Self::Prefix(value, len), FieldKind::Lpm) => {
                checked(value)?;
                if *len > field.width {
                    return Err(PatternError::PrefixLength);
                }
                Ok(Self::Prefix(and_bytes(value, &prefix_mask(field.width, *len)), *len))
            }
            (Self::Mask(value, mask), FieldKind::Ternary) => {
                checked(value)?;
                checked(mask)?;
                Ok(Self::Mask(and_bytes(value, mask), mask.clone()))
            }
            (Self::Range(low, high), FieldKind::Range) => {
                checked(low)?;
                checked(high)?;
                if low > high { Err(PatternError::EmptyRange) } else { Ok(self.clone()) }
            }
            (Self::Any, FieldKind::Lpm) => Ok(Self::Prefix(zero_bytes(field), 0)),
            (Self::Any, FieldKind::Ternary) => Ok(Self::Mask(zero_bytes(field), zero_bytes(field))),
            (Self::Any, FieldKind::Range) => Ok(Self::Range(zero_bytes(field), ones)),
            (Self::Any, FieldKind::Optional) => Ok(Self::Any),
            (_, kind) => Err(PatternError::Kind(kind)),
        }
    }

    /// Returns whether the pattern accepts a field with this value. This function defines the
    /// meaning of patterns; match structures compute the same result faster.
    pub fn accepts(&self, field: Field, value: &[u8]) -> bool {
        match self {
            Self::Value(wanted) => **wanted == *value,
            Self::Prefix(prefix, len) => masked_eq(value, prefix, &prefix_mask(field.width, *len)),
            Self::Mask(wanted, mask) => masked_eq(value, wanted, mask),
            Self::Range(low, high) => (&**low..=&**high).contains(&value),
            Self::Any => true,
        }
    }

    /// Returns the bits that are compared with the value; none for ranges.
    pub(crate) fn mask(&self, field: Field) -> Box<[u8]> {
        match self {
            Self::Value(_) => field.ones(),
            Self::Prefix(_, len) => prefix_mask(field.width, *len),
            Self::Mask(_, mask) => mask.clone(),
            Self::Range(..) | Self::Any => zero_bytes(field),
        }
    }

    /// Returns the value and mask, or the low and high end, of a normalized pattern.
    pub(crate) fn numbers(&self, field: Field) -> (Box<[u8]>, Box<[u8]>) {
        match self {
            Self::Value(value) | Self::Prefix(value, _) | Self::Mask(value, _) => {
                (value.clone(), self.mask(field))
            }
            Self::Range(low, high) => (low.clone(), high.clone()),
            Self::Any => (zero_bytes(field), zero_bytes(field)),
        }
    }
}

fn zero_bytes(field: Field) -> Box<[u8]> {
    vec![0; field.bytes()].into_boxed_slice()
}

fn and_bytes(value: &[u8], mask: &[u8]) -> Box<[u8]> {
    value.iter().zip(mask).map(|(v, m)| v & m).collect()
}

pub(crate) fn masked_eq(value: &[u8], wanted: &[u8], mask: &[u8]) -> bool {
    value.iter().zip(wanted).zip(mask).all(|((v, w), m)| (v ^ w) & m == 0)
}
