//! Examines rules nibble by nibble, that is, for four bits of a key: which of the sixteen values a
//! rule accepts.
//!
//! Keys are unpacked in this module: each field in whole words, least significant first.

use crate::key::{FieldKind, KeyLayout};
use crate::packing::WordVec;

/// A rule whose words are in the order of an unpacked key: values and masks, or low and high ends
/// of ranges. Bits that are not compared are 0.
pub(crate) struct UnpackedRule {
    pub(crate) value: WordVec,
    pub(crate) mask: WordVec,
}

/// The kinds of the words of a key, which say where its nibbles are.
#[derive(Clone, Debug)]
pub(crate) struct Nibbles(Vec<KeyWord>);

#[derive(Clone, Debug)]
struct KeyWord {
    /// The bits that belong to the field.
    ones: u64,
    /// For a range field, the index of its last word.
    range: Option<usize>,
}

/// For each of four bits: the set of the sixteen values in which it is 1.
const VALUES_WITH_BIT: [u16; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

/// The set of all sixteen values of a nibble.
pub(crate) const ALL_VALUES: u16 = 0xffff;

fn nibble_of(word: u64, shift: u32) -> u32 {
    (word >> shift) as u32 & 15
}

impl Nibbles {
    pub(crate) fn new(layout: &KeyLayout) -> Self {
        let mut words = Vec::with_capacity(layout.words());
        for field in layout.fields() {
            let last = words.len() + field.words() - usize::from(field.width > 0);
            words.extend((0..field.words()).map(|word| KeyWord {
                ones: u64::MAX >> (64 - (field.width as usize - word * 64).min(64)),
                range: (field.kind == FieldKind::Range).then_some(last),
            }));
        }
        Self(words)
    }

    /// Returns the number of words of a key.
    pub(crate) fn words(&self) -> usize {
        self.0.len()
    }

    /// Returns whether a word belongs to a range field.
    pub(crate) fn is_range(&self, word: usize) -> bool {
        self.0[word].range.is_some()
    }

    /// Returns whether a rule accepts exactly the keys whose single nibbles it accepts. This is
    /// true if all its ranges contain all values.
    pub(crate) fn are_decisive(&self, rule: &UnpackedRule) -> bool {
        let ends = rule.value.iter().zip(&rule.mask);
        self.0
            .iter()
            .zip(ends)
            .all(|(word, (low, high))| word.range.is_none() || (*low, *high) == (0, word.ones))
    }

    /// Returns the positions of a word's nibbles, the lowest first.
    pub(crate) fn shifts(&self, word: usize) -> impl DoubleEndedIterator<Item = u32> + use<> {
        (0..(64 - self.0[word].ones.leading_zeros()).div_ceil(4)).map(|at| at * 4)
    }

    /// Returns the values of a nibble that occur in keys that the rule accepts. With a mask, these
    /// values describe the nibble completely; with a range, other nibbles matter, too.
    pub(crate) fn accepted(&self, rule: &UnpackedRule, word: usize, shift: u32) -> u16 {
        match self.0[word].range {
            Some(last) => self.nibbles_in_range(rule, (word, shift), last),
            None => {
                let (value, mask) = (nibble_of(rule.value[word], shift), nibble_of(rule.mask[word], shift));
                VALUES_WITH_BIT.iter().enumerate().fold(ALL_VALUES, |all, (bit, with)| {
                    match (mask >> bit & 1, value >> bit & 1) {
                        (0, _) => all,
                        (_, 0) => all & !with,
                        _ => all & with,
                    }
                })
            }
        }
    }

    /// Compares from the field's highest nibble down to this one. If both ends are equal in the
    /// higher nibbles, the values between the ends are accepted. If the higher nibbles differ by
    /// one, the values that are not below the low end or not above the high end are accepted.
    /// Otherwise, all values are accepted.
    fn nibbles_in_range(&self, rule: &UnpackedRule, (word, shift): (usize, u32), last: usize) -> u16 {
        let mut ahead = 0;
        for at in (word..=last).rev() {
            for from in self.shifts(at).rev() {
                let (low, high) = (nibble_of(rule.value[at], from), nibble_of(rule.mask[at], from));
                if (at, from) == (word, shift) {
                    let valid = nibble_of(self.0[at].ones, from);
                    let holds = |value: u32| match ahead {
                        0 => low <= value && value <= high,
                        1 => low <= value || value <= high,
                        _ => true,
                    };
                    // Bits above the field are ignored.
                    return (0..16)
                        .filter(|value| holds(value & valid))
                        .fold(0, |all, value| all | 1 << value);
                }
                ahead = (ahead * 16 + high).saturating_sub(low).min(2);
            }
        }
        ALL_VALUES
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;
    use crate::key::Field;

    /// Each set is compared with a scan of all values of a field of ten bits.
    #[test]
    fn four_bit_filters_are_exact() {
        let ends = [0, 1, 5, 15, 16, 17, 31, 32, 100, 255, 256, 260, 511, 512, 767, 768, 1000, 1023];
        for kind in [FieldKind::Range, FieldKind::Ternary] {
            let nibbles = Nibbles::new(&KeyLayout::new(vec![Field { width: 10, kind }]));
            assert_eq!(nibbles.shifts(0).collect::<Vec<_>>(), [0, 4, 8]);
            for (low, high) in ends.iter().flat_map(|low| ends.map(|high| (*low, high))) {
                let accepts = |value: u64| match kind {
                    FieldKind::Range => low <= value && value <= high,
                    _ => (value ^ low) & high == 0,
                };
                if kind == FieldKind::Range && low > high {
                    continue;
                }
                let value = if kind == FieldKind::Range { low } else { low & high };
                let rule = UnpackedRule { value: smallvec![value], mask: smallvec![high] };
                for shift in nibbles.shifts(0) {
                    let valid = 0x3ff >> shift & 15;
                    let shown = (0..1024).filter(|value| accepts(*value)).map(|value| value >> shift & 15);
                    let shown = shown.fold(0u16, |all, value| all | 1 << value);
                    let all = (0..16).filter(|value| shown >> (value & valid) & 1 == 1);
                    let all = all.fold(0u16, |all, value| all | 1 << value);
                    assert_eq!(
                        nibbles.accepted(&rule, 0, shift),
                        all,
                        "{kind:?} {low} {high} from bit {shift}"
                    );
                }
            }
        }
    }

    #[test]
    fn wide_ranges_compare_from_the_top_word() {
        let nibbles = Nibbles::new(&KeyLayout::new(vec![Field { width: 70, kind: FieldKind::Range }]));
        let rule = |low: u128, high: u128| UnpackedRule {
            value: smallvec![low as u64, (low >> 64) as u64],
            mask: smallvec![high as u64, (high >> 64) as u64],
        };
        let near = rule((5 << 64) - 2, (5 << 64) + 1);
        assert_eq!(nibbles.accepted(&near, 1, 4) & 7, 1);
        assert_eq!(nibbles.accepted(&near, 1, 0), 0b11_0000);
        assert_eq!(nibbles.accepted(&near, 0, 60), 0x8001);
        assert_eq!(nibbles.accepted(&near, 0, 0), 0xc003);
        let far = rule(3, 5 << 64);
        assert_eq!((nibbles.accepted(&far, 1, 0), nibbles.accepted(&far, 0, 60)), (0x3f, ALL_VALUES));
    }
}
