//! Strings of bits, most significant bit first, as a trie reads them.

/// A string of bits, followed by zeros.
pub(crate) trait BitString: Copy {
    /// Returns the 64 bits from position `at` on.
    fn word_at(self, at: usize) -> u64;

    /// Returns the first 64 bits of the string.
    #[inline(always)]
    fn first_word(self) -> u64 {
        self.word_at(0)
    }

    /// Returns the string without its first `bits` bits, fewer than 64.
    fn without_first(self, bits: u32) -> Self;

    /// Returns the 6 bits from position `at` on, as a number.
    #[inline]
    fn six_bits(self, at: usize) -> usize {
        (self.word_at(at) >> 58) as usize
    }
}

/// At most 64 bits.
impl BitString for u64 {
    #[inline(always)]
    fn word_at(self, at: usize) -> u64 {
        if at < 64 { self << at } else { 0 }
    }

    #[inline(always)]
    fn without_first(self, bits: u32) -> Self {
        self << bits
    }
}

/// At most 128 bits.
impl BitString for u128 {
    #[inline]
    fn word_at(self, at: usize) -> u64 {
        if at < 128 { (self << at >> 64) as u64 } else { 0 }
    }

    #[inline(always)]
    fn first_word(self) -> u64 {
        (self >> 64) as u64
    }

    /// Drops the first bits, computed in halves: a shift of all 128 bits would need code for 64
    /// bits and more.
    #[inline(always)]
    fn without_first(self, bits: u32) -> Self {
        let (high, low) = (self.first_word(), self as u64);
        let high = high << bits | low >> 1 >> (63 - bits);
        u128::from(high) << 64 | u128::from(low << bits)
    }
}

/// A string of any length, from a position on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LongBits<'a> {
    words: &'a [u64],
    at: usize,
}

impl<'a> LongBits<'a> {
    /// Makes a string of all bits of some words.
    pub(crate) fn new(words: &'a [u64]) -> Self {
        Self { words, at: 0 }
    }
}

impl BitString for LongBits<'_> {
    #[inline]
    fn word_at(self, at: usize) -> u64 {
        let at = self.at + at;
        let word = |index: usize| self.words.get(index).copied().unwrap_or(0);
        let high = word(at / 64) << (at % 64);
        if at.is_multiple_of(64) { high } else { high | word(at / 64 + 1) >> (64 - at % 64) }
    }

    #[inline]
    fn without_first(self, bits: u32) -> Self {
        Self { at: self.at + bits as usize, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_walks_the_same_way() {
        let words = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210];
        let (mut two, mut long) = (u128::from(words[0]) << 64 | u128::from(words[1]), LongBits::new(&words));
        let (whole, mut at) = (long, 0);
        for bits in [0, 6, 13, 60, 0, 24, 63, 6] {
            (two, long) = (two.without_first(bits), long.without_first(bits));
            at += bits as usize;
            assert_eq!(
                (two.first_word(), long.first_word()),
                (whole.word_at(at), whole.word_at(at)),
                "from {at}"
            );
            assert_eq!((two.word_at(7), long.word_at(7)), (whole.word_at(at + 7), whole.word_at(at + 7)));
        }
    }
}
