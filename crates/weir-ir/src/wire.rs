//! Reads fields from the bytes of a packet, and packs fields into bytes.
//!
//! Bit 0 of a packet is the most significant bit of its first byte; fields follow each other
//! without gaps, most significant bit first (network byte order).

use num_bigint::BigUint;

use crate::bits::Bits;

/// Reads `width` bits at bit `offset` of `packet`; `None` if the packet is too short.
pub fn read(packet: &[u8], offset: u64, width: u32) -> Option<Bits> {
    if offset + u64::from(width) > packet.len() as u64 * 8 {
        return None;
    }
    if width <= 128 {
        return Some(Bits::new(width, read_small(packet, offset, width)));
    }
    let head = width % 8;
    let mut bytes = Vec::with_capacity(width.div_ceil(8) as usize);
    bytes.push(read_small(packet, offset, head) as u8);
    for byte in 0..u64::from(width / 8) {
        bytes.push(read_small(packet, offset + u64::from(head) + 8 * byte, 8) as u8);
    }
    Some(Bits::wrap(width, BigUint::from_bytes_be(&bytes)))
}

/// Reads at most 128 bits, which the packet must contain.
fn read_small(packet: &[u8], offset: u64, width: u32) -> u128 {
    let mut byte = (offset / 8) as usize;
    let mut skip = (offset % 8) as u32;
    if let Some(window) = packet.get(byte..byte + 8)
        && (1..=56).contains(&width)
    {
        let window = window.iter().fold(0, |window, byte| window << 8 | u64::from(*byte));
        return u128::from(window << skip >> (64 - width));
    }
    let mut left = width;
    let mut value = 0;
    while left > 0 {
        let take = left.min(8 - skip);
        let bits = (u32::from(packet[byte]) >> (8 - skip - take)) & ((1 << take) - 1);
        value = value << take | u128::from(bits);
        left -= take;
        skip = 0;
        byte += 1;
    }
    value
}

/// Appends bit strings to bytes without gaps. Unused low bits of the last byte are 0.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// The number of used bits of the last byte, 1 to 8; also 8 before the first byte.
    taken: u32,
}

impl<'a> Writer<'a> {
    /// Creates a writer that appends to `out`, beginning with a new byte.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, taken: 8 }
    }

    /// Appends all bits of the value `bits`.
    pub fn push(&mut self, bits: &Bits) {
        let width = bits.width();
        match bits.to_u128() {
            Some(value) if width <= 128 => self.push_small(value, width),
            _ => {
                let bytes = bits.to_be_bytes();
                let head = if width.is_multiple_of(8) { 8 } else { width % 8 };
                for (i, byte) in bytes.iter().enumerate() {
                    self.push_small(u128::from(*byte), if i == 0 { head } else { 8 });
                }
            }
        }
    }

    /// Appends a number of `width` bits that is given in ⌈width/64⌉ words, least significant first;
    /// higher bits are ignored.
    #[inline]
    pub fn push_words(&mut self, width: u32, words: &[u64]) {
        let mut left = width;
        while left > 0 {
            let bits = (left - 1) % 64 + 1;
            left -= bits;
            self.push_word(words[left as usize / 64], bits);
        }
    }

    fn push_small(&mut self, value: u128, width: u32) {
        if width > 64 {
            self.push_word((value >> 64) as u64, width - 64);
        }
        self.push_word(value as u64, width.min(64));
    }

    /// Appends the low bits of a word, at most 64.
    #[inline]
    fn push_word(&mut self, word: u64, width: u32) {
        if width == 0 {
            return;
        }
        let taken = self.taken % 8;
        let begun = if taken == 0 { 0 } else { self.out.pop().unwrap_or(0) };
        let end = self.out.len() + (taken + width).div_ceil(8) as usize;
        let bits = u128::from(word & u64::MAX >> (64 - width)) << (128 - taken - width);
        // The code always writes a whole register, which is faster than a branch.
        self.out.extend_from_slice(&(u128::from(begun) << 120 | bits).to_be_bytes());
        self.out.truncate(end);
        self.taken = (taken + width - 1) % 8 + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_of_an_ipv4_first_word() {
        let bytes = [0x45, 0xb8, 0x01, 0x02];
        assert_eq!(read(&bytes, 0, 4), Some(Bits::new(4, 4)));
        assert_eq!(read(&bytes, 4, 4), Some(Bits::new(4, 5)));
        assert_eq!(read(&bytes, 8, 6), Some(Bits::new(6, 0x2e)));
        assert_eq!(read(&bytes, 16, 16), Some(Bits::new(16, 0x0102)));
        assert_eq!(read(&bytes, 17, 16), None);
    }

    #[test]
    fn the_last_byte_is_padded_with_zeros() {
        let mut bytes = vec![0xaa];
        let mut writer = Writer::new(&mut bytes);
        writer.push(&Bits::new(3, 0b101));
        writer.push(&Bits::new(7, 0b1111111));
        assert_eq!(bytes, [0xaa, 0b1011_1111, 0b1100_0000]);
    }

    proptest! {
        #[test]
        fn written_bits_are_read_back(
            values in prop::collection::vec((0u32..300, prop::collection::vec(any::<u8>(), 38)), 0..12),
        ) {
            let values: Vec<Bits> = values.iter().map(|(w, b)| Bits::from_be_bytes(*w, b)).collect();
            let mut bytes = Vec::new();
            let mut writer = Writer::new(&mut bytes);
            values.iter().for_each(|v| writer.push(v));
            let total: u64 = values.iter().map(|v| u64::from(v.width())).sum();
            prop_assert_eq!(bytes.len() as u64, total.div_ceil(8));
            let mut by_words = Vec::new();
            let mut writer = Writer::new(&mut by_words);
            for value in &values {
                let mut words = vec![0; value.width().div_ceil(64) as usize];
                value.write_words(&mut words);
                if let (Some(last), 1..) = (words.last_mut(), value.width() % 64) {
                    *last |= u64::MAX << (value.width() % 64);
                }
                writer.push_words(value.width(), &words);
            }
            prop_assert_eq!(&by_words, &bytes);
            let mut offset = 0;
            for value in &values {
                prop_assert_eq!(&read(&bytes, offset, value.width()).unwrap(), value);
                offset += u64::from(value.width());
            }
        }
    }
}
