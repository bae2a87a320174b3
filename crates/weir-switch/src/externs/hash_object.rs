//! The `Hash` objects of TNA: a function of values, and the settings with which controllers change
//! it.

use weir_ir::Bits;

use super::wide_crc::{WideCrc, WideParameters};

/// A hash object.
#[derive(Clone, Debug)]
pub(crate) struct HashObject {
    /// The names and widths of the values that the program passes, in order.
    pub fields: Vec<(String, u32)>,
    /// The width of the result in bits.
    pub width: u32,
    /// The function and the inputs that the program chooses.
    pub own: (HashFunction, Vec<HashInput>),
    pub settings: HashSettings,
    /// The function of the settings, if they have one.
    pub chosen: Option<HashFunction>,
}

/// The settings of a hash that controllers change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HashSettings {
    /// The inputs of the function; `None` for those of the program.
    pub inputs: Option<Vec<HashInput>>,
    /// The function; `None` is that of the program.
    pub algorithm: Option<HashAlgorithm>,
    /// The rotation of the result to the left, in bits.
    pub rotate: u32,
    /// A number that is combined with the result by exclusive or.
    pub seed: u64,
}

/// An input of a hash. The first input has the upper bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashInput {
    /// A part of a value.
    One(HashPart),
    /// Two parts of the same width in the order of their values. An exchange of both does not
    /// change the hash.
    Pair(HashPart, HashPart),
}

/// A part of a value that the program passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashPart {
    /// The position of the value.
    pub value: usize,
    /// The lowest bit of the part.
    pub low: u32,
    /// The number of bits.
    pub width: u32,
}

/// A function of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashAlgorithm {
    /// The lowest bits.
    Identity,
    /// A cyclic redundancy check.
    Crc {
        /// The width in bits, from 1 to 64.
        width: u32,
        /// The polynomial without its highest coefficient.
        polynomial: u64,
        /// The initial value.
        initial: u64,
        /// The number that is combined with the result by exclusive or.
        final_xor: u64,
        /// Whether bits are processed in reverse.
        reflected: bool,
        /// Whether a narrower result has the upper bits.
        takes_upper: bool,
        /// Whether a wider result repeats the hash.
        repeats: bool,
    },
}

/// A function, ready to be computed.
#[derive(Clone, Debug)]
pub(crate) enum HashFunction {
    /// The lowest bits of the data.
    Identity,
    /// The exclusive or of numbers of this many bits.
    Xor(u32),
    Crc(Box<OwnCrc>),
}

#[derive(Clone, Debug)]
pub(crate) struct OwnCrc {
    pub crc: WideCrc,
    /// Whether a narrower result has the upper bits.
    pub takes_upper: bool,
    /// Whether a wider result repeats the hash.
    pub repeats: bool,
}

impl HashFunction {
    fn of(algorithm: HashAlgorithm) -> Self {
        match algorithm {
            HashAlgorithm::Identity => Self::Identity,
            HashAlgorithm::Crc { width, polynomial, initial, final_xor, reflected, takes_upper, repeats } => {
                let parameters = WideParameters { polynomial, initial, final_xor, reflected };
                let crc = WideCrc::new(width, parameters);
                Self::Crc(Box::new(OwnCrc { crc, takes_upper, repeats }))
            }
        }
    }

    /// Computes the hash of bytes, in this many bits. Higher bits of the result have no meaning.
    pub(crate) fn compute(&self, bytes: &[u8], width: u32) -> u128 {
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

impl HashPart {
    /// Returns the part of these values; nothing if there is no such value or bit.
    fn of(self, values: &[Bits]) -> Bits {
        match values.get(self.value) {
            Some(value) if self.width > 0 && self.low < value.width() => {
                value.slice((self.low + self.width).min(value.width()) - 1, self.low)
            }
            _ => Bits::zero(0),
        }
    }
}

impl HashObject {
    /// Returns whether the hash is that of all values in their order, as the program computes it.
    pub(crate) fn is_plain(&self) -> bool {
        let is_whole = |(place, input): (usize, &HashInput)| match input {
            HashInput::One(part) => {
                let width = self.fields.get(place).map(|(_, width)| *width);
                part.value == place && part.low == 0 && Some(part.width) == width
            }
            HashInput::Pair(..) => false,
        };
        let inputs = &self.own.1;
        self.settings == HashSettings::default()
            && inputs.len() == self.fields.len()
            && inputs.iter().enumerate().all(is_whole)
    }

    /// Replaces the settings.
    pub(crate) fn with_settings(&self, settings: HashSettings) -> Self {
        let chosen = settings.algorithm.map(HashFunction::of);
        Self { settings, chosen, ..self.clone() }
    }

    /// Computes the hash of values.
    pub(crate) fn compute(&self, values: &[Bits]) -> u128 {
        let mut data = Bits::zero(0);
        for input in self.settings.inputs.as_ref().unwrap_or(&self.own.1) {
            match input {
                HashInput::One(part) => data = data.concat(&part.of(values)),
                HashInput::Pair(one, other) => {
                    let (one, other) = (one.of(values), other.of(values));
                    let is_ordered = one.compare(&other, false).is_le();
                    data = if is_ordered {
                        data.concat(&one).concat(&other)
                    } else {
                        data.concat(&other).concat(&one)
                    };
                }
            }
        }
        let bytes = data.resize(data.width().next_multiple_of(8)).to_be_bytes();
        let width = self.width.min(128);
        let mask = u128::MAX.checked_shr(128 - width).unwrap_or(0);
        let hash = self.chosen.as_ref().unwrap_or(&self.own.0).compute(&bytes, width) & mask;
        let rotate = if width == 0 { 0 } else { self.settings.rotate % width };
        let rotated = match rotate {
            0 => hash,
            by => (hash << by | hash >> (width - by)) & mask,
        };
        (rotated ^ u128::from(self.settings.seed)) & mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(width: u32, inputs: Vec<HashInput>) -> HashObject {
        let fields = vec![("a".to_owned(), 16), ("b".to_owned(), 16)];
        let own = (HashFunction::Identity, inputs);
        HashObject { fields, width, own, settings: HashSettings::default(), chosen: None }
    }

    fn whole(value: usize) -> HashPart {
        HashPart { value, low: 0, width: 16 }
    }

    fn values(a: u128, b: u128) -> [Bits; 2] {
        [Bits::new(16, a), Bits::new(16, b)]
    }

    #[test]
    fn inputs_choose_and_order_parts() {
        let own = vec![HashInput::One(whole(0)), HashInput::One(whole(1))];
        let plain = object(32, own);
        assert!(plain.is_plain());
        assert_eq!(plain.compute(&values(0x1234, 0x5678)), 0x1234_5678);
        let inputs = vec![
            HashInput::One(HashPart { value: 1, low: 8, width: 8 }),
            HashInput::One(HashPart { value: 0, low: 4, width: 100 }),
        ];
        let changed = plain.with_settings(HashSettings { inputs: Some(inputs), ..HashSettings::default() });
        assert!(!changed.is_plain());
        assert_eq!(changed.compute(&values(0x1234, 0x5678)), 0x5_6123, "zeros come first");
    }

    #[test]
    fn pairs_may_be_exchanged() {
        let symmetric = object(32, vec![HashInput::Pair(whole(0), whole(1))]);
        assert!(!symmetric.is_plain());
        assert_eq!(symmetric.compute(&values(7, 3)), symmetric.compute(&values(3, 7)));
        assert_ne!(symmetric.compute(&values(7, 3)), symmetric.compute(&values(7, 4)));
    }

    #[test]
    fn algorithms_rotate_and_have_a_seed() {
        let algorithm = Some(HashAlgorithm::Crc {
            width: 32,
            polynomial: 0x04c1_1db7,
            initial: 0xffff_ffff,
            final_xor: 0xffff_ffff,
            reflected: true,
            takes_upper: false,
            repeats: true,
        });
        let own = object(64, vec![HashInput::One(whole(0)), HashInput::One(whole(1))]);
        let of = |rotate, seed| {
            let settings = HashSettings { algorithm, rotate, seed, ..HashSettings::default() };
            own.with_settings(settings).compute(&values(1, 2)) as u64
        };
        let plain = of(0, 0);
        assert_eq!(plain >> 32, plain & 0xffff_ffff, "the hash is repeated");
        assert_eq!([of(2, 0), of(66, 0)], [plain.rotate_left(2); 2]);
        assert_eq!(of(0, 5), plain ^ 5);
    }
}
