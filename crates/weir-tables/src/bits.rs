//! Bit strings that a trie walks along, most significant bit first.

/// A bit string. Past its end there are zeros.
pub(crate) trait BitString: Copy {
    /// The 64 bits from position `at` on.
    fn window(self, at: usize) -> u64;

    /// The 6 bits from position `at` on, as a number.
    #[inline]
    fn six(self, at: usize) -> usize {
        (self.window(at) >> 58) as usize
    }
}

/// At most 64 bits.
impl BitString for u64 {
    #[inline]
    fn window(self, at: usize) -> u64 {
        if at < 64 { self << at } else { 0 }
    }
}

/// At most 128 bits.
impl BitString for u128 {
    #[inline]
    fn window(self, at: usize) -> u64 {
        if at < 128 { (self << at >> 64) as u64 } else { 0 }
    }
}

impl BitString for &[u64] {
    #[inline]
    fn window(self, at: usize) -> u64 {
        let word = |index: usize| self.get(index).copied().unwrap_or(0);
        let high = word(at / 64) << (at % 64);
        if at.is_multiple_of(64) { high } else { high | word(at / 64 + 1) >> (64 - at % 64) }
    }
}
