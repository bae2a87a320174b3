//! Packed keys: a key without the spare bits of its fields, as one number in as few words as
//! possible.
//!
//! There are two layouts. In the *low* layout, the first field is in the lowest bits, and words are
//! in order from the least significant one. A range field of at most 64 bits is inside one word,
//! and a longer one starts at a word. The *high* layout is for prefixes. The exact fields and then
//! the prefix field form one string of bits that starts at the most significant bit of the first
//! word.

use crate::sync::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use smallvec::SmallVec;

use crate::key::{FieldKind, KeyLayout};
use crate::pattern::Pattern;

/// A few words of 64 bits, on the heap if there are many.
pub(crate) type WordVec = SmallVec<[u64; 8]>;

/// The layout of packed keys.
#[derive(Clone, Debug)]
pub(crate) struct Packing {
    moves: Vec<Move>,
    /// The number of words of a packed key.
    pub(crate) words: usize,
    /// For each field: the position of its lowest bit, counted from the lowest bit of the number.
    offsets: Vec<usize>,
    /// Whether the most significant word comes first.
    high: bool,
}

/// The position of one word of a key in the packed key. A packing has one `Move` for each word, in
/// order.
#[derive(Clone, Copy, Debug)]
struct Move {
    to: u32,
    shift: u32,
    /// The bits that belong to the field.
    mask: u64,
    /// The word for the bits that do not fit into word `to`, if there are such bits.
    over: Option<u32>,
}

/// The layout of a packed key of one word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneWord {
    shift: u32,
    mask: u64,
}

impl OneWord {
    /// Packs a key of one word.
    #[inline(always)]
    pub(crate) fn pack(self, key: &[u64]) -> u64 {
        (key[0] & self.mask) << self.shift
    }
}

impl Packing {
    /// Returns the packing, if both key and packed key are one word.
    pub(crate) fn one_word(&self) -> Option<OneWord> {
        match self.moves.as_slice() {
            [Move { to: 0, shift, mask, over: None }] if self.words == 1 => {
                Some(OneWord { shift: *shift, mask: *mask })
            }
            _ => None,
        }
    }

    /// Returns whether a key is one field of 128 bits in the high layout: its two words are
    /// swapped.
    pub(crate) fn is_pair(&self) -> bool {
        let full = |part: &Move, to: u32| (part.to, part.shift, part.mask) == (to, 0, u64::MAX);
        matches!(self.moves.as_slice(), [low, high] if full(low, 1) && full(high, 0) && self.words == 2)
    }

    /// Returns the low layout, for exact fields and for tables with priorities.
    pub(crate) fn low(layout: &KeyLayout) -> Self {
        let mut offset = 0;
        let offsets = layout.fields().iter().map(|field| {
            let width = field.width as usize;
            if field.kind == FieldKind::Range && offset % 64 + width > 64 {
                offset = offset.next_multiple_of(64);
            }
            offset += width;
            offset - width
        });
        let offsets = offsets.collect();
        Self::new(layout, offsets, offset.div_ceil(64), false)
    }

    /// Returns the high layout, for one prefix field and any number of exact ones, with at least
    /// `spare` low bits free.
    pub(crate) fn high(layout: &KeyLayout, spare: usize) -> Self {
        let fields = layout.fields();
        let total: usize = fields.iter().map(|field| field.width as usize).sum();
        let words = (total + spare).div_ceil(64);
        let mut order: Vec<usize> = (0..fields.len()).collect();
        order.sort_by_key(|index| fields[*index].kind == FieldKind::Lpm);
        let (mut offsets, mut at) = (vec![0; fields.len()], words * 64);
        for index in order {
            at -= fields[index].width as usize;
            offsets[index] = at;
        }
        Self::new(layout, offsets, words, true)
    }

    fn new(layout: &KeyLayout, offsets: Vec<usize>, words: usize, high: bool) -> Self {
        let place = |word: usize| (if high { words - 1 - word } else { word }) as u32;
        let mut moves = Vec::new();
        for (field, offset) in layout.fields().iter().zip(&offsets) {
            for word in 0..field.words() {
                let bits = (field.width as usize - word * 64).min(64);
                let position = offset + word * 64;
                let over = (position % 64 + bits > 64).then(|| place(position / 64 + 1));
                let (to, shift) = (place(position / 64), (position % 64) as u32);
                moves.push(Move { to, shift, mask: u64::MAX >> (64 - bits), over });
            }
        }
        Self { moves, words, offsets, high }
    }

    /// Packs a key. `into` must have the length of a packed key and contain zeros.
    #[inline]
    pub(crate) fn pack(&self, key: &[u64], into: &mut [u64]) {
        assert!(key.len() >= self.moves.len(), "a key has all its words");
        for (word, Move { to, shift, mask, over }) in key.iter().zip(&self.moves) {
            let word = word & mask;
            into[*to as usize] |= word << shift;
            if let Some(over) = over {
                into[*over as usize] |= word >> (64 - shift);
            }
        }
    }

    /// Returns the key that was packed.
    pub(crate) fn unpack(&self, packed: &[u64]) -> WordVec {
        let moved = self.moves.iter().map(|Move { to, shift, mask, over, .. }| {
            let above = over.map_or(0, |over| packed[over as usize] << (64 - shift));
            (packed[*to as usize] >> shift | above) & mask
        });
        moved.collect()
    }

    /// Writes a field as a big-endian number. The field holds zeros before.
    pub(crate) fn write_field(&self, field: usize, number: &[u8], into: &mut [u64]) {
        for (index, byte) in number.iter().rev().enumerate() {
            let position = self.offsets[field] + index * 8;
            for (word, bits) in [
                (position / 64, u64::from(*byte) << (position % 64)),
                (position / 64 + 1, bits_for_next_word(*byte, 64 - position % 64)),
            ] {
                if bits != 0 {
                    into[self.place(word)] |= bits;
                }
            }
        }
    }

    /// Reads a field of `width` bits of a packed key, as a big-endian number.
    pub(crate) fn read_field(&self, field: usize, width: u32, packed: &[u64]) -> Box<[u8]> {
        let len = width.div_ceil(8) as usize;
        let bit = |at: usize| (packed[self.place(at / 64)] >> (at % 64) & 1) as u8;
        (0..len)
            .map(|index| {
                let low = (len - 1 - index) * 8;
                let bits = (width as usize - low).min(8);
                (0..bits).fold(0, |byte, i| byte | bit(self.offsets[field] + low + i) << i)
            })
            .collect()
    }

    /// Returns the position of a field's lowest bit.
    pub(crate) fn offset(&self, field: usize) -> usize {
        self.offsets[field]
    }

    /// Returns where a packed word is stored.
    fn place(&self, word: usize) -> usize {
        if self.high { self.words - 1 - word } else { word }
    }
}

/// Returns the bits of a byte that are left when `by` bits fall out at the right: none from 64 bits
/// on, where `>>` would overflow. [`Packing::write_field`] writes these bits into the next word.
fn bits_for_next_word(byte: u8, by: usize) -> u64 {
    if by >= 64 { 0 } else { u64::from(byte) >> by }
}

/// The values and masks that an entry compares with a packed key, in tables with priorities or with
/// exact fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// The values, or the low ends of ranges.
    pub(crate) value: Vec<u64>,
    /// The masks, or the high ends of ranges.
    pub(crate) mask: Vec<u64>,
}

/// A range field of a packed key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RangeField {
    word: usize,
    shift: u32,
    /// The field's bits in its last word.
    mask: u64,
    words: usize,
}

impl RangeField {
    /// Returns where the range fields are in a packed key.
    pub(crate) fn all(layout: &KeyLayout, packing: &Packing) -> Vec<Self> {
        let ranges =
            layout.fields().iter().enumerate().filter(|(_, f)| f.kind == FieldKind::Range && f.width > 0);
        ranges
            .map(|(field, f)| Self {
                word: packing.offset(field) / 64,
                shift: (packing.offset(field) % 64) as u32,
                mask: u64::MAX >> (f.width.wrapping_neg() % 64),
                words: f.words(),
            })
            .collect()
    }

    /// Sets the leading bits that the low and the high end have in common.
    pub(crate) fn set_common_prefix(&self, low: &[u64], high: &[u64], into: &mut [u64]) {
        let last = self.word + self.words - 1;
        for word in (self.word..=last).rev() {
            let mask = if word == last { self.mask } else { u64::MAX };
            let differing = (low[word] ^ high[word]) >> self.shift & mask;
            into[word] |=
                (mask & !(u64::MAX.checked_shr(differing.leading_zeros()).unwrap_or(0))) << self.shift;
            if differing != 0 {
                break;
            }
        }
    }

    /// Returns whether low ≤ key ≤ high.
    #[inline]
    pub(crate) fn holds(&self, low: &[AtomicU64], key: &[u64], high: &[AtomicU64]) -> bool {
        if self.words == 1 {
            let part = |word: u64| word >> self.shift & self.mask;
            let key = part(key[self.word]);
            return part(low[self.word].load(Relaxed)) <= key && key <= part(high[self.word].load(Relaxed));
        }
        let last = self.word + self.words - 1;
        let part = |word: usize, value: u64| if word == last { value & self.mask } else { value };
        let compare = |end: &[AtomicU64]| {
            (self.word..=last)
                .rev()
                .map(|word| part(word, end[word].load(Relaxed)).cmp(&part(word, key[word])))
                .find(|order| order.is_ne())
        };
        compare(low).is_none_or(|order| order.is_lt()) && compare(high).is_none_or(|order| order.is_gt())
    }
}

impl Packing {
    /// Returns the normalized patterns of a rule.
    pub(crate) fn patterns(&self, layout: &KeyLayout, rule: &Rule) -> Vec<Pattern> {
        layout
            .fields()
            .iter()
            .enumerate()
            .map(|(index, field)| {
                let value = self.read_field(index, field.width, &rule.value);
                let mask = || self.read_field(index, field.width, &rule.mask);
                match field.kind {
                    FieldKind::Exact => Pattern::Value(value),
                    FieldKind::Lpm => {
                        let len = mask().iter().map(|byte| byte.count_ones()).sum();
                        Pattern::Prefix(value, len)
                    }
                    FieldKind::Ternary => Pattern::Mask(value, mask()),
                    FieldKind::Range => Pattern::Range(value, mask()),
                    FieldKind::Optional if field.width > 0 && mask().iter().all(|byte| *byte == 0) => {
                        Pattern::Any
                    }
                    FieldKind::Optional => Pattern::Value(value),
                }
            })
            .collect()
    }
}
