//! The fields of a key.

use std::ops::Range;

/// How a field of a key matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// The key must equal the value in all bits.
    Exact,
    /// The leading bits. Longer prefixes win.
    Lpm,
    /// The key must equal the value in the bits of a mask.
    Ternary,
    /// The values between two numbers, both included.
    Range,
    /// The key must equal the value, or the field accepts every value.
    Optional,
}

/// A field of a key: its width and its match kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The width in bits.
    pub width: u32,
    /// The match kind of the field.
    pub kind: FieldKind,
}

impl Field {
    /// Returns the number of bytes of the field in a pattern.
    pub fn bytes(self) -> usize {
        self.width.div_ceil(8) as usize
    }

    /// Returns the number of words of the field in a key.
    pub fn words(self) -> usize {
        self.width.div_ceil(64) as usize
    }

    /// Returns the field's bits in the last of its words.
    fn last_mask(self) -> u64 {
        u64::MAX >> (self.width.wrapping_neg() % 64)
    }

    /// Returns the field's words, most significant first, with the bits above its width cleared.
    fn masked_words(self, words: &[u64]) -> impl Iterator<Item = u64> {
        let last = self.words() - usize::from(self.width > 0);
        let mask = self.last_mask();
        (0..self.words()).rev().map(move |at| if at == last { words[at] & mask } else { words[at] })
    }

    /// Returns the number of ones in the words.
    pub(crate) fn ones_in(self, words: &[u64]) -> u32 {
        self.masked_words(words).map(u64::count_ones).sum()
    }

    /// Returns the number of leading ones in the words; `None` if there are other ones.
    pub(crate) fn prefix_len(self, words: &[u64]) -> Option<u32> {
        let (ones, mut left) = (self.ones_in(words), self.width);
        let mut leading = 0;
        for word in self.masked_words(words) {
            let bits = (left - 1) % 64 + 1;
            let run = (word << (64 - bits)).leading_ones().min(bits);
            leading += run;
            left -= bits;
            if run < bits {
                break;
            }
        }
        (leading == ones).then_some(ones)
    }

    /// Returns whether `one` is larger than `other`.
    pub(crate) fn is_above(self, one: &[u64], other: &[u64]) -> bool {
        self.masked_words(one).gt(self.masked_words(other))
    }

    /// Returns the largest value of the field: `width` ones.
    pub fn ones(self) -> Box<[u8]> {
        prefix_mask(self.width, self.width)
    }
}

/// Makes a mask of `prefix` leading ones in a field of `width` bits, big-endian.
pub(crate) fn prefix_mask(width: u32, prefix: u32) -> Box<[u8]> {
    let len = width.div_ceil(8) as usize;
    let spare = len as u32 * 8 - width;
    let end = spare + prefix.min(width);
    (0..len as u32)
        .map(|byte| {
            let ones = |bits: u32| if bits >= 8 { 0xff } else { !(0xffu8 >> bits) };
            ones(end.saturating_sub(byte * 8)) & !ones(spare.saturating_sub(byte * 8))
        })
        .collect()
}

/// The fields of a key in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyLayout {
    fields: Vec<Field>,
    offsets: Vec<usize>,
}

impl KeyLayout {
    /// Creates the layout of a key of these fields.
    pub fn new(fields: Vec<Field>) -> Self {
        let mut offsets = Vec::with_capacity(fields.len() + 1);
        offsets.push(0);
        for field in &fields {
            offsets.push(offsets[offsets.len() - 1] + field.bytes());
        }
        Self { fields, offsets }
    }

    /// Returns the fields of the key.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the number of bytes of a key whose fields are byte strings.
    pub fn bytes(&self) -> usize {
        self.offsets[self.fields.len()]
    }

    /// Returns the number of words of a key: each field in [`Field::words`] words, least
    /// significant first, one field after the other.
    pub fn words(&self) -> usize {
        self.fields.iter().map(|field| field.words()).sum()
    }

    /// Returns the position of field `index` in a key whose fields are byte strings.
    pub fn range(&self, index: usize) -> Range<usize> {
        self.offsets[index]..self.offsets[index + 1]
    }

    /// Returns whether entries are ordered by priority: there is a ternary, range or optional
    /// field, or more than one prefix field. Otherwise at most one entry matches (all fields
    /// exact), or the longest prefix wins (one prefix field).
    pub fn by_priority(&self) -> bool {
        self.fields
            .iter()
            .any(|f| matches!(f.kind, FieldKind::Ternary | FieldKind::Range | FieldKind::Optional))
            || self.lpm_fields() > 1
    }

    pub(crate) fn lpm_fields(&self) -> usize {
        self.fields.iter().filter(|f| f.kind == FieldKind::Lpm).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_masks_leave_spare_bits_alone() {
        assert_eq!(*prefix_mask(32, 24), [255, 255, 255, 0]);
        assert_eq!(*prefix_mask(9, 9), [1, 255]);
        assert_eq!(*prefix_mask(9, 1), [1, 0]);
        assert_eq!(*prefix_mask(9, 2), [1, 0x80]);
        assert_eq!(*prefix_mask(9, 0), [0, 0]);
        assert_eq!(*prefix_mask(3, 2), [6]);
        assert_eq!(*prefix_mask(0, 0), []);
    }

    #[test]
    fn fields_lie_one_after_the_other() {
        let field = |width| Field { width, kind: FieldKind::Exact };
        let layout = KeyLayout::new(vec![field(9), field(32), field(1)]);
        assert_eq!(
            (layout.range(0), layout.range(1), layout.range(2), layout.bytes()),
            (0..2, 2..6, 6..7, 7)
        );
    }
}
