//! `Hash`: a hash of values.
//!
//! The values are one number, the first value in its upper bits, with zeros before it up to whole
//! bytes.

use weir_ir::{Bits, ConstArg, ExternInstance};

use super::{Call, Extern, Lengths, Site};
use crate::arch::externs::Object;
use crate::arch::families::Out;
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::externs::wide_crc::{WideCrc, WideParameters};
use crate::path::{ResolvedCall, valid_values, write_value};

pub(super) struct Hash;

/// The function of a hash object.
#[derive(Clone)]
enum Function {
    /// The lowest bits of the data.
    Identity,
    /// The exclusive or of numbers of this many bits.
    Xor(u32),
    Crc(Box<Crc>),
}

#[derive(Clone)]
struct Crc {
    crc: WideCrc,
    /// Whether a narrower result has the upper bits.
    takes_upper: bool,
    /// Whether a wider result repeats the hash.
    repeats: bool,
}

impl Extern<Lengths> for Hash {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("Hash.get")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["Hash"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        let polynomial = object.instance.args.get(1);
        let polynomial = polynomial.and_then(|polynomial| match polynomial {
            ConstArg::Extern(id) => Some(&object.program.externs[*id]),
            _ => None,
        });
        function(object.member(0).unwrap_or_default(), polynomial)
            .map_err(|problem| object.malformed(&problem))?;
        Ok(ExternState::Stateless)
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (object, data) = (site.object()?, site.values(0)?);
        let polynomial = match site.program.externs[object].args.get(1) {
            Some(ConstArg::Extern(id)) => Some(&site.program.externs[*id]),
            _ => None,
        };
        let function = function(site.member(object, 0).unwrap_or_default(), polynomial)
            .map_err(|problem| site.unsupported(problem, None))?;
        let Some(result) = Out::Result.value(site)? else { return Ok(ResolvedCall::no_effect()) };
        Ok(ResolvedCall::new(move |env, words| {
            let bits: u32 = valid_values(words, &data).map(|value| value.bits(words)).sum();
            let bytes = env.pack_after_zeros(bits.next_multiple_of(8) - bits, &data, words);
            write_value(words, result, function.compute(bytes, result.width));
            Ok(())
        })
        .pure())
    }
}

impl Function {
    /// Computes the hash of bytes, in this many bits.
    fn compute(&self, bytes: &[u8], width: u32) -> u128 {
        match self {
            Self::Identity => low_128_bits(bytes),
            Self::Xor(step) => {
                let step = *step as usize / 8;
                // The first number may be short, so that the last one ends with the data.
                bytes.rchunks(step).fold(0, |hash, number| hash ^ low_128_bits(number))
            }
            Self::Crc(of) => {
                let (hash, own) = (u128::from(of.crc.compute(bytes)), of.crc.width);
                if width < own && of.takes_upper {
                    hash >> (own - width)
                } else if width > own && of.repeats {
                    (0..width.div_ceil(own).min(128 / own)).fold(0, |all, _| all << own | hash)
                } else {
                    hash
                }
            }
        }
    }
}

/// Returns the lowest 128 bits of a number.
fn low_128_bits(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0, |value, byte| value << 8 | u128::from(*byte))
}

/// Returns the function with this name. The function `CUSTOM` has a polynomial.
fn function(name: &str, polynomial: Option<&ExternInstance>) -> Result<Function, String> {
    let crc = |width, polynomial, reflected: bool, ones: bool| {
        let ones = if ones { u64::MAX >> (64 - width) } else { 0 };
        let parameters = WideParameters { polynomial, initial: ones, final_xor: ones, reflected };
        let crc = WideCrc::new(width, parameters);
        Function::Crc(Box::new(Crc { crc, takes_upper: false, repeats: false }))
    };
    Ok(match (name, polynomial) {
        ("CUSTOM", Some(polynomial)) => return custom(polynomial),
        ("CUSTOM", None) => return Err("CUSTOM needs a CRCPolynomial".to_owned()),
        ("IDENTITY", _) => Function::Identity,
        ("XOR8", _) => Function::Xor(8),
        ("XOR16", _) => Function::Xor(16),
        ("XOR32", _) => Function::Xor(32),
        ("CRC8", _) => crc(8, 0x07, false, false),
        ("CRC16", _) => crc(16, 0x8005, true, false),
        ("CRC32", _) => crc(32, 0x04c1_1db7, true, true),
        ("CRC64", _) => crc(64, 0x42f0_e1eb_a9ea_3693, false, false),
        // Any fixed function of the data will do.
        ("RANDOM", _) => crc(64, 0xad93_d235_94c9_3659, true, true),
        (name, _) => return Err(format!("Weir does not compute HashAlgorithm_t.{name}")),
    })
}

/// Returns the function that a `CRCPolynomial(coeff, reversed, msb, extended, init, xor)`
/// describes.
fn custom(polynomial: &ExternInstance) -> Result<Function, String> {
    let number = |position: usize| match polynomial.args.get(position) {
        Some(ConstArg::Bits(_, bits)) => Ok(bits),
        _ => Err(format!("argument {} of the CRCPolynomial must be a number", position + 1)),
    };
    let (coefficients, [reflected, takes_upper, repeats]) =
        (number(0)?, [number(1)?, number(2)?, number(3)?].map(|flag| !flag.is_zero()));
    let width = width_of(coefficients);
    if !(1..=64).contains(&width) {
        return Err(format!("a CRCPolynomial of degree {width}; Weir computes up to 64"));
    }
    let own = |bits: &Bits| bits.resize(width).low_u64();
    let (initial, final_xor) = (own(number(4)?), own(number(5)?));
    let parameters = WideParameters { polynomial: own(coefficients), initial, final_xor, reflected };
    let crc = WideCrc::new(width, parameters);
    Ok(Function::Crc(Box::new(Crc { crc, takes_upper, repeats })))
}

/// Returns the degree of a polynomial. A number of 8, 16, 32 or 64 bits leaves out the highest
/// coefficient; in other numbers, the highest 1 is that coefficient.
fn width_of(coefficients: &Bits) -> u32 {
    match coefficients.width() {
        width @ (8 | 16 | 32 | 64) => width,
        width => {
            (0..width).rev().find(|bit| coefficients.shr(u64::from(*bit)).low_u64() & 1 == 1).unwrap_or(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(name: &str, width: u32, bytes: &[u8]) -> u128 {
        function(name, None).unwrap().compute(bytes, width) & ((1 << width) - 1)
    }

    #[test]
    fn hashes_have_the_check_values_of_the_catalogue() {
        let check = b"123456789";
        assert_eq!(hash("CRC8", 8, check), 0xf4, "CRC-8/SMBUS");
        assert_eq!(hash("CRC16", 16, check), 0xbb3d, "CRC-16/ARC");
        assert_eq!(hash("CRC32", 32, check), 0xcbf4_3926, "CRC-32/ISO-HDLC");
        assert_eq!(hash("CRC64", 64, check), 0x6c40_df5f_0b49_7347, "CRC-64/ECMA-182");
    }

    #[test]
    fn other_hashes_fold_the_data_from_its_end() {
        let data = [0x12, 0x34, 0x56];
        assert_eq!(hash("IDENTITY", 16, &data), 0x3456);
        assert_eq!(hash("XOR8", 8, &data), 0x12 ^ 0x34 ^ 0x56);
        assert_eq!(hash("XOR16", 16, &data), 0x12 ^ 0x3456);
        assert!(function("CUSTOM", None).is_err() && function("CRC7", None).is_err());
    }
}
