//! The internet checksum (RFC 1071).

/// The sum of a pseudo header's addresses and the protocol number 6, without the length (RFC 9293
/// section 3.1), computed as by [`sum`]. The caller computes it, because it knows the addresses.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Default)]
pub struct PseudoSum(pub u32);

/// Computes the one's complement sum of big-endian 16-bit words, folded to 16 bits; an odd last
/// byte is the high half of a word.
pub fn sum(bytes: &[u8]) -> u32 {
    // The sum may be computed in the machine's byte order and in words longer than 16 bits, and
    // corrected at the end (RFC 1071 section 2 B and C). So 64 bits are added at a time, to four
    // independent sums.
    let (blocks, rest) = bytes.as_chunks::<32>();
    let mut total = if blocks.is_empty() { 0 } else { sum_of_blocks(blocks) };
    let (words, rest) = rest.as_chunks::<4>();
    for word in words {
        total += u64::from(u32::from_ne_bytes(*word));
    }
    total += match *rest {
        [a] => u64::from(u32::from_ne_bytes([a, 0, 0, 0])),
        [a, b] => u64::from(u32::from_ne_bytes([a, b, 0, 0])),
        [a, b, c] => u64::from(u32::from_ne_bytes([a, b, c, 0])),
        _ => 0,
    };
    total = (total & 0xffff_ffff) + (total >> 32);
    total = (total & 0xffff) + (total >> 16 & 0xffff) + (total >> 32);
    let total = (total & 0xffff) + (total >> 16);
    let total = (total & 0xffff) + (total >> 16);
    u32::from(u16::from_be(total as u16))
}

/// Computes a sum of the blocks' words that is below 2^34, and equal to their 16-bit sum modulo
/// 2^16 - 1.
fn sum_of_blocks(blocks: &[[u8; 32]]) -> u64 {
    let mut sums = [0_u128; 4];
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (sum, word) in sums.iter_mut().zip(words) {
            *sum += u128::from(u64::from_ne_bytes(*word));
        }
    }
    let sum = sums.iter().sum::<u128>();
    let (low, high) = (sum as u64, (sum >> 64) as u64);
    (low & 0xffff_ffff) + (low >> 32) + high
}

/// Returns the one's complement of a sum, folded to 16 bits: the value of a checksum field. It is 0
/// for bytes that include a correct checksum.
pub fn fold(sum: u32) -> u16 {
    let mut sum = sum;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_example_of_rfc_1071() {
        assert_eq!(sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), 0xddf2);
        assert_eq!(fold(0xddf2), !0xddf2);
    }

    proptest! {
        #[test]
        fn sums_equal_those_of_single_words(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut slow: u64 = 0;
            for word in bytes.chunks(2) {
                slow += u64::from(word[0]) << 8 | u64::from(*word.get(1).unwrap_or(&0));
            }
            while slow > 0xffff {
                slow = (slow & 0xffff) + (slow >> 16);
            }
            prop_assert_eq!(u64::from(sum(&bytes)), slow);
        }
    }
}
