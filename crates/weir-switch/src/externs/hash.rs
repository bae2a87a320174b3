//! Computes checksums and hashes of bytes.

use crc::{CRC_16_ARC, CRC_32_ISO_HDLC, Crc};
use weir_ir::Program;

use super::calls::calculations;
use super::crc::{CrcAlgorithm, CustomCrc};
use super::toeplitz::toeplitz;

/// The functions that `hash`, checksums and selectors compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HashKind {
    /// A function of the data.
    Data(Algorithm),
    /// A number from the random generator.
    Random,
}

impl HashKind {
    /// Finds the kind with this name in `HashAlgorithm`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "random" => Some(Self::Random),
            name => Algorithm::from_name(name).map(Self::Data),
        }
    }
}

/// A hash algorithm that depends only on the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    /// CRC-32/ISO-HDLC: polynomial 0x04c11db7, reflected, initial value and final xor all ones.
    Crc32,
    /// CRC-16/ARC: polynomial 0x8005, reflected, initial value and final xor 0.
    Crc16,
    /// A CRC-32 whose parameters the control plane sets; initially those of [`Algorithm::Crc32`].
    Crc32Custom,
    /// A CRC-16 whose parameters the control plane sets; initially those of [`Algorithm::Crc16`].
    Crc16Custom,
    /// A CRC-16 or CRC-32 with its own parameters, by its position in [`Hashes::calculations`].
    Calculation(usize),
    /// The Internet checksum, RFC 1071.
    Csum16,
    /// The exclusive or of all 16-bit words.
    Xor16,
    /// The first 8 bytes, as a number.
    Identity,
    /// The Toeplitz hash of network cards.
    Toeplitz,
}

const CRC16: Crc<u16> = Crc::<u16>::new(&CRC_16_ARC);
const CRC32: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// The CRCs whose parameters can be set.
#[derive(Clone, Debug)]
pub(crate) struct Hashes {
    /// The CRC-16 of selectors, and of calls whose calculations have no names.
    pub crc16_custom: CustomCrc,
    /// The CRC-32 of selectors, and of calls whose calculations have no names.
    pub crc32_custom: CustomCrc,
    /// The calculations with names.
    pub calculations: Vec<CustomCrc>,
}

impl Default for Hashes {
    fn default() -> Self {
        Self { crc16_custom: CustomCrc::crc16(), crc32_custom: CustomCrc::crc32(), calculations: Vec::new() }
    }
}

impl Hashes {
    /// Creates the CRCs of a program, with standard parameters.
    pub(crate) fn new(program: &Program) -> Self {
        let calculations = calculations(program).into_iter();
        let calculations = calculations.map(|(_, algorithm)| CustomCrc::standard(algorithm)).collect();
        Self { calculations, ..Self::default() }
    }

    /// Returns all CRCs that use an algorithm.
    pub(crate) fn all_mut(&mut self, algorithm: CrcAlgorithm) -> impl Iterator<Item = &mut CustomCrc> {
        let Self { crc16_custom, crc32_custom, calculations } = self;
        let all = [crc16_custom, crc32_custom].into_iter().chain(calculations);
        all.filter(move |crc| crc.width == algorithm.width())
    }

    /// Computes the algorithm's value for these bytes. In a 16-bit algorithm, an odd last byte is
    /// the high byte of a word.
    pub(crate) fn compute(&self, algorithm: Algorithm, bytes: &[u8]) -> u64 {
        match algorithm {
            Algorithm::Crc32 => u64::from(CRC32.checksum(bytes)),
            Algorithm::Crc16 => u64::from(CRC16.checksum(bytes)),
            Algorithm::Crc32Custom => self.crc32_custom.compute(bytes),
            Algorithm::Crc16Custom => self.crc16_custom.compute(bytes),
            Algorithm::Calculation(index) => {
                self.calculations.get(index).map_or(0, |calculation| calculation.compute(bytes))
            }
            Algorithm::Csum16 => u64::from(internet_checksum(bytes)),
            Algorithm::Xor16 => u64::from(words(bytes).fold(0, |sum, word| sum ^ word)),
            Algorithm::Toeplitz => u64::from(toeplitz(bytes)),
            Algorithm::Identity => bytes.iter().take(8).fold(0, |value, byte| value << 8 | u64::from(*byte)),
        }
    }
}

impl Algorithm {
    /// Finds the kind with this name in `HashAlgorithm`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "crc32" => Self::Crc32,
            "crc32_custom" => Self::Crc32Custom,
            "crc16" => Self::Crc16,
            "crc16_custom" => Self::Crc16Custom,
            "csum16" => Self::Csum16,
            "xor16" => Self::Xor16,
            "identity" => Self::Identity,
            _ => return None,
        })
    }
}

impl Algorithm {
    /// Returns whether the control plane sets the algorithm's parameters.
    pub(crate) fn is_custom(self) -> bool {
        matches!(self, Self::Crc16Custom | Self::Crc32Custom | Self::Calculation(_))
    }
}

/// Returns the 16-bit words of some bytes. An odd last byte is followed by zero bits.
fn words(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]))
}

/// Adds all 16-bit words to a ones' complement sum (RFC 1071).
pub(crate) fn add_words(sum: u16, bytes: &[u8]) -> u16 {
    words(bytes).fold(sum, add)
}

/// Subtracts all 16-bit words from a ones' complement sum (RFC 1624).
pub(crate) fn subtract_words(sum: u16, bytes: &[u8]) -> u16 {
    words(bytes).fold(sum, |sum, word| add(sum, !word))
}

/// Adds two numbers in ones' complement.
fn add(a: u16, b: u16) -> u16 {
    let (sum, carry) = a.overflowing_add(b);
    sum + u16::from(carry)
}

/// Computes the complement of the ones' complement sum of all 16-bit words (RFC 1071 §1).
fn internet_checksum(bytes: &[u8]) -> u16 {
    // In ones' complement, a 32-bit number equals the sum of its halves, because 2^16 is 1.
    let mut four = bytes.chunks_exact(4);
    let mut sum: u64 = four.by_ref().map(|b| u64::from(u32::from_be_bytes([b[0], b[1], b[2], b[3]]))).sum();
    sum += words(four.remainder()).map(u64::from).sum::<u64>();
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compute(algorithm: Algorithm, bytes: &[u8]) -> u64 {
        Hashes::default().compute(algorithm, bytes)
    }

    #[test]
    fn the_internet_checksum_is_that_of_rfc_1071() {
        // RFC 1071 §3: the words 0001 f203 f4f5 f6f7 sum up to ddf2.
        let example = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(compute(Algorithm::Csum16, &example), u64::from(!0xddf2u16));
        assert_eq!(compute(Algorithm::Csum16, &[]), 0xffff);
        assert_eq!(compute(Algorithm::Csum16, &[0x12]), u64::from(!0x1200u16));
        assert_eq!(compute(Algorithm::Csum16, &[0xff; 1 << 16]), 0);
    }

    #[test]
    fn crcs_have_the_check_values_of_the_catalogue() {
        assert_eq!(compute(Algorithm::Crc16, b"123456789"), 0xbb3d);
        assert_eq!(compute(Algorithm::Crc32, b"123456789"), 0xcbf4_3926);
        for length in 0..40 {
            let bytes: Vec<u8> = (0..length).map(|n: u8| n.wrapping_mul(37)).collect();
            assert_eq!(compute(Algorithm::Crc16Custom, &bytes), compute(Algorithm::Crc16, &bytes));
            assert_eq!(compute(Algorithm::Crc32Custom, &bytes), compute(Algorithm::Crc32, &bytes));
        }
    }

    #[test]
    fn xor_and_identity() {
        assert_eq!(compute(Algorithm::Xor16, &[0x12, 0x34, 0xff, 0x00, 0x01]), 0x1234 ^ 0xff00 ^ 0x0100);
        assert_eq!(compute(Algorithm::Identity, &[1, 2, 3]), 0x01_02_03);
        assert_eq!(compute(Algorithm::Identity, &[1; 9]), 0x0101_0101_0101_0101);
    }
}
