//! The encoding of the key part of an entry.

use std::sync::atomic::Ordering::Relaxed;

use smallvec::smallvec;

use super::{InsertError, Table};
use crate::bit_string::LongBits;
use crate::hash_index::hash;
use crate::key::{Field, FieldKind};
use crate::packing::{Rule, WordVec};
use crate::pages::Pages;
use crate::pattern::{Pattern, PatternError};
use crate::records::Records;
use crate::table_view::{Index, Shape};

/// Bits of an entry of a prefix table that hold the length of its bit string.
pub(super) const PREFIX_LEN_BITS: usize = 32;

/// All words of an entry except the last one and the word of its priority.
pub(super) struct StoredKey {
    pub(super) words: WordVec,
    /// In prefix tables, how many of the words hold the bit string.
    string_words: usize,
    /// In prefix tables, the length of the bit string in bits.
    pub(super) len: usize,
}

impl StoredKey {
    /// Returns the bit string of a prefix, without its length.
    pub(super) fn bit_string(&self) -> WordVec {
        without_length(&self.words, self.string_words)
    }

    /// Encodes the values and masks of an entry of a table with priorities.
    pub(super) fn rule(&self) -> Rule {
        let (value, mask) = self.words.split_at(self.words.len() / 2);
        Rule { value: value.to_vec(), mask: mask.to_vec() }
    }
}

/// A bit string, in a variant for each length in words.
pub(super) enum Prefix<'a> {
    One(u64),
    Two(u128),
    Long(LongBits<'a>),
}

/// Evaluates an expression with a [`Prefix`] of any kind.
macro_rules! with_prefix {
    ($prefix:expr, |$key:ident| $body:expr) => {
        match $prefix {
            $crate::table::encoding::Prefix::One($key) => $body,
            $crate::table::encoding::Prefix::Two($key) => $body,
            $crate::table::encoding::Prefix::Long($key) => $body,
        }
    };
}
pub(super) use with_prefix;

/// Returns the words as the bit string of a prefix.
pub(super) fn prefix(words: &[u64]) -> Prefix<'_> {
    match words {
        [one] => Prefix::One(*one),
        [high, low] => Prefix::Two(u128::from(*high) << 64 | u128::from(*low)),
        long => Prefix::Long(LongBits::new(long)),
    }
}

/// Appends a field's big-endian number in whole words, least significant first.
fn push_number(words: &mut WordVec, number: &[u8], field: Field) {
    let start = words.len();
    words.resize(start + field.words(), 0);
    for (index, byte) in number.iter().rev().enumerate() {
        words[start + index / 8] |= u64::from(*byte) << (index % 8 * 8);
    }
}

/// Returns the first `words` words of a prefix table's entry, without the length at the end of the
/// last one.
fn without_length(stored: &[u64], words: usize) -> WordVec {
    let mut string = WordVec::from_slice(&stored[..words]);
    if words == stored.len()
        && let Some(last) = string.last_mut()
    {
        *last &= !((1 << PREFIX_LEN_BITS) - 1);
    }
    string
}

/// Returns the bit string of an entry of a prefix table, and its length in bits.
pub(super) fn prefix_of(entries: &Records, pages: &Pages, shape: &Shape, slot: u32) -> (WordVec, usize) {
    let words: WordVec =
        entries.get(pages, slot)[..entries.stride() - 1].iter().map(|word| word.load(Relaxed)).collect();
    let len = words[words.len() - 1] as usize & ((1 << PREFIX_LEN_BITS) - 1);
    (without_length(&words, shape.packing.words), len)
}

/// Returns the hash of an entry of a table of exact fields.
pub(super) fn exact_hash(entries: &Records, pages: &Pages, slot: u32) -> u64 {
    let entry = entries.get(pages, slot);
    hash(entry[..entries.stride() - 1].iter().map(|word| word.load(Relaxed)), 0)
}

impl Table {
    /// Returns the words of an action and its data.
    pub(super) fn row_words(&self, action: u32, data: &[u64]) -> Result<WordVec, InsertError> {
        if data.len() > self.data_words {
            return Err(InsertError::Data);
        }
        let mut words = smallvec![0; 1 + self.data_words];
        words[0] = u64::from(action);
        words[1..=data.len()].copy_from_slice(data);
        Ok(words)
    }

    /// Patterns as words of values and masks, see [`Table::insert_words`].
    pub(super) fn pattern_words(&self, patterns: &[Pattern]) -> Result<(WordVec, WordVec), InsertError> {
        let fields = self.layout().fields();
        if patterns.len() != fields.len() {
            return Err(InsertError::Count);
        }
        let (mut values, mut masks) = (WordVec::new(), WordVec::new());
        for (index, (pattern, field)) in patterns.iter().zip(fields).enumerate() {
            let pattern = pattern.normalized(*field).map_err(|error| InsertError::Pattern(index, error))?;
            let (value, mask) = pattern.numbers(*field);
            push_number(&mut values, &value, *field);
            push_number(&mut masks, &mask, *field);
        }
        Ok((values, masks))
    }

    /// Encodes the words that an entry with this pattern stores, and its priority, which is 0 in
    /// tables without priorities.
    pub(super) fn encode(
        &self,
        (values, masks): (&[u64], &[u64]),
        priority: u32,
    ) -> Result<(StoredKey, u32), InsertError> {
        let Shape { layout, packing, width, .. } = &*self.view.shape;
        let mut values = WordVec::from_slice(&values[..layout.words()]);
        // In prefix tables, the bits of the prefix field beyond the prefix.
        let mut missing_bits = 0;
        let mut start = 0;
        for (index, field) in layout.fields().iter().enumerate() {
            let words = start..start + field.words();
            let (value, mask) = (&mut values[words.clone()], &masks[words]);
            start += field.words();
            let wrong = |error| Err(InsertError::Pattern(index, error));
            match field.kind {
                FieldKind::Exact => continue,
                FieldKind::Range if field.is_above(value, mask) => return wrong(PatternError::EmptyRange),
                FieldKind::Range => continue,
                FieldKind::Lpm => match field.prefix_len(mask) {
                    Some(len) => missing_bits = (field.width - len) as usize,
                    None => return wrong(PatternError::PrefixLength),
                },
                FieldKind::Optional if field.ones_in(mask) % field.width.max(1) != 0 => {
                    return wrong(PatternError::Kind(field.kind));
                }
                FieldKind::Ternary | FieldKind::Optional => {}
            }
            value.iter_mut().zip(mask).for_each(|(value, mask)| *value &= mask);
        }
        let mut words: WordVec = smallvec![0; packing.words];
        packing.pack(&values, &mut words);
        let stored = match &self.view.index {
            Index::Exact(_) => StoredKey { words, string_words: 0, len: 0 },
            Index::Lpm(_) => {
                let len = width - missing_bits;
                let string_words = words.len();
                words.resize((width + PREFIX_LEN_BITS).div_ceil(64), 0);
                if let Some(last) = words.last_mut() {
                    *last |= len as u64;
                }
                StoredKey { words, string_words, len }
            }
            Index::Tuples(_) => {
                let mut mask = vec![0; packing.words];
                packing.pack(masks, &mut mask);
                for (index, field) in layout.fields().iter().enumerate() {
                    if field.kind == FieldKind::Exact {
                        packing.write_field(index, &field.ones(), &mut mask);
                    }
                }
                words.extend_from_slice(&mask);
                return Ok((StoredKey { words, string_words: 0, len: 0 }, priority));
            }
        };
        Ok((stored, 0))
    }
}
