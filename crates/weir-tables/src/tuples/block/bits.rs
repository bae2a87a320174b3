//! Sets of a block's rules as bits.

/// A set of rules, with a bit for each rule of a block.
pub(super) type Bits = [u64; 4];

/// A set without bits.
pub(super) const NONE: Bits = [0; 4];

pub(super) fn set_bit(bits: &mut [u64], at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}

/// Inserts a bit at position `at`. The bits from there on move up.
pub(super) fn insert_bit(bits: &mut [u64], at: usize, value: bool) {
    let (word, below) = (at / 64, (1 << (at % 64)) - 1);
    let mut carry = bits[word] >> 63;
    bits[word] = bits[word] & below | (bits[word] & !below) << 1 | u64::from(value) << (at % 64);
    for word in &mut bits[word + 1..] {
        (*word, carry) = (*word << 1 | carry, *word >> 63);
    }
}

/// Removes the bit at position `at`. The bits above it move down.
pub(super) fn remove_bit(bits: &mut [u64], at: usize) {
    let (word, below) = (at / 64, (1 << (at % 64)) - 1);
    bits[word] = bits[word] & below | bits[word] >> 1 & !below;
    for next in word + 1..bits.len() {
        bits[next - 1] |= bits[next] << 63;
        bits[next] >>= 1;
    }
}
