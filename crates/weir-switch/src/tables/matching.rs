//! The match kinds of key fields, and the matches of entries.

use weir_ir::Bits;
use weir_tables::{FieldKind, Pattern};

/// The match kind of a key field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchKind {
    /// `exact`.
    Exact,
    /// `lpm`.
    Lpm,
    /// `ternary`.
    Ternary,
    /// `range`.
    Range,
    /// `optional`.
    Optional,
}

impl MatchKind {
    /// Returns the match kind's name as P4 spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Lpm => "lpm",
            Self::Ternary => "ternary",
            Self::Range => "range",
            Self::Optional => "optional",
        }
    }

    /// Finds the match kind with this name in P4.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Exact, Self::Lpm, Self::Ternary, Self::Range, Self::Optional]
            .into_iter()
            .find(|k| k.name() == name)
    }
}

/// The values that one key field of an entry matches. A value may have any width if its number fits
/// the field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Match {
    /// Exactly this value, for fields of all kinds.
    Exact(Bits),
    /// The leading bits of the value, for `lpm` fields. Bits after the prefix do not matter.
    Lpm(Bits, u32),
    /// A value and a mask, for `ternary` fields. Bits of the value outside the mask do not matter.
    Ternary(Bits, Bits),
    /// A range from low to high, both included, for `range` fields.
    Range(Bits, Bits),
    /// All values, for fields of all kinds except `exact`. An omitted field has the same meaning.
    Any,
}

/// Converts a match kind to a kind of `weir-tables`.
pub(crate) fn field_kind(kind: MatchKind) -> FieldKind {
    match kind {
        MatchKind::Exact => FieldKind::Exact,
        MatchKind::Lpm => FieldKind::Lpm,
        MatchKind::Ternary => FieldKind::Ternary,
        MatchKind::Range => FieldKind::Range,
        MatchKind::Optional => FieldKind::Optional,
    }
}

/// Converts a pattern of a field with this width to a match.
pub(crate) fn match_from_pattern(width: u32, pattern: &Pattern) -> Match {
    let number = |bytes: &[u8]| Bits::from_be_bytes(width, bytes);
    match pattern {
        Pattern::Value(value) => Match::Exact(number(value)),
        Pattern::Prefix(value, len) => Match::Lpm(number(value), *len),
        Pattern::Mask(value, mask) => Match::Ternary(number(value), number(mask)),
        Pattern::Range(low, high) => Match::Range(number(low), number(high)),
        Pattern::Any => Match::Any,
    }
}
