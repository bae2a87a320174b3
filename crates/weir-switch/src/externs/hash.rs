//! Checksums and hashes over bytes.

use crc::{CRC_16_ARC, CRC_32_ISO_HDLC, Crc};

/// An algorithm of v1model's `HashAlgorithm` that depends on the data alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    /// CRC-32/ISO-HDLC: polynomial 0x04c11db7, reflected, initial value and final xor all ones.
    Crc32,
    /// CRC-16/ARC: polynomial 0x8005, reflected, initial value and final xor 0.
    Crc16,
    /// The Internet checksum, RFC 1071.
    Csum16,
    /// Exclusive or of all 16-bit words.
    Xor16,
    /// The first 8 bytes, as a number.
    Identity,
}

const CRC16: Crc<u16> = Crc::<u16>::new(&CRC_16_ARC);
const CRC32: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

impl Algorithm {
    /// By its name in `HashAlgorithm`. The custom CRCs begin with the parameters of the plain ones.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "crc32" | "crc32_custom" => Self::Crc32,
            "crc16" | "crc16_custom" => Self::Crc16,
            "csum16" => Self::Csum16,
            "xor16" => Self::Xor16,
            "identity" => Self::Identity,
            _ => return None,
        })
    }

    /// The value for these bytes; an odd last byte of 16-bit algorithms is the high byte of a word.
    pub(crate) fn compute(self, bytes: &[u8]) -> u64 {
        match self {
            Self::Crc32 => u64::from(CRC32.checksum(bytes)),
            Self::Crc16 => u64::from(CRC16.checksum(bytes)),
            Self::Csum16 => u64::from(internet_checksum(bytes)),
            Self::Xor16 => u64::from(words(bytes).fold(0, |sum, word| sum ^ word)),
            Self::Identity => bytes.iter().take(8).fold(0, |value, byte| value << 8 | u64::from(*byte)),
        }
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]))
}

/// The complement of the ones' complement sum of all 16-bit words (RFC 1071 §1).
fn internet_checksum(bytes: &[u8]) -> u16 {
    let mut sum: u64 = words(bytes).map(u64::from).sum();
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_rfc_1071s() {
        // RFC 1071 §3: the words 0001 f203 f4f5 f6f7 sum up to ddf2.
        let example = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(Algorithm::Csum16.compute(&example), u64::from(!0xddf2u16));
        assert_eq!(Algorithm::Csum16.compute(&[]), 0xffff);
        assert_eq!(Algorithm::Csum16.compute(&[0x12]), u64::from(!0x1200u16));
        assert_eq!(Algorithm::Csum16.compute(&[0xff; 1 << 16]), 0);
    }

    #[test]
    fn crcs_have_their_catalogues_check_values() {
        assert_eq!(Algorithm::Crc16.compute(b"123456789"), 0xbb3d);
        assert_eq!(Algorithm::Crc32.compute(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn xor_and_identity() {
        assert_eq!(Algorithm::Xor16.compute(&[0x12, 0x34, 0xff, 0x00, 0x01]), 0x1234 ^ 0xff00 ^ 0x0100);
        assert_eq!(Algorithm::Identity.compute(&[1, 2, 3]), 0x01_02_03);
        assert_eq!(Algorithm::Identity.compute(&[1; 9]), 0x0101_0101_0101_0101);
    }
}
