//! Bit strings of any width, which are the values of a running program.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{ToPrimitive, Zero};

use crate::types::Type;

/// A bit string of a known width, read as unsigned unless an operation says otherwise. Bits above
/// the width are always 0.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bits {
    width: u32,
    repr: Repr,
}

/// The storage of a value: inline for up to 128 bits, on the heap for wider values. Only the width
/// decides between the two.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(u128),
    Big(BigUint),
}

/// Returns a number whose low `width` bits are ones.
fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

impl Bits {
    /// Makes a value from the low `width` bits of `value`.
    #[inline]
    pub fn new(width: u32, value: u128) -> Self {
        if width <= 128 {
            Self { width, repr: Repr::Small(value & mask(width)) }
        } else {
            Self { width, repr: Repr::Big(BigUint::from(value)) }
        }
    }

    /// Makes a value whose bits are all 0.
    pub fn zero(width: u32) -> Self {
        Self::new(width, 0)
    }

    /// Makes a value whose bits are all 1.
    pub fn ones(width: u32) -> Self {
        if width <= 128 { Self::new(width, u128::MAX) } else { Self::wrap(width, pow2(width) - 1u32) }
    }

    /// Makes a value of one bit.
    pub fn bool(value: bool) -> Self {
        Self::new(1, u128::from(value))
    }

    /// Makes the value `value` modulo 2^`width`.
    pub fn wrap(width: u32, value: BigUint) -> Self {
        if width <= 128 {
            let low = value
                .iter_u64_digits()
                .take(2)
                .enumerate()
                .fold(0, |low, (i, d)| low | u128::from(d) << (64 * i));
            Self::new(width, low)
        } else if value.bits() <= u64::from(width) {
            Self { width, repr: Repr::Big(value) }
        } else {
            Self { width, repr: Repr::Big(value % pow2(width)) }
        }
    }

    /// Makes the value `value` modulo 2^`width`; negative values become two's complement.
    pub fn wrap_signed(width: u32, value: &BigInt) -> Self {
        match value.to_biguint() {
            Some(unsigned) => Self::wrap(width, unsigned),
            None => Self::wrap(width, value.magnitude().clone()).neg(),
        }
    }

    /// Makes a value from the low `width` bits of a big-endian byte string.
    pub fn from_be_bytes(width: u32, bytes: &[u8]) -> Self {
        if width <= 128 {
            let tail = &bytes[bytes.len().saturating_sub(16)..];
            Self::new(width, tail.iter().fold(0, |value, byte| value << 8 | u128::from(*byte)))
        } else {
            Self::wrap(width, BigUint::from_bytes_be(bytes))
        }
    }

    /// Returns the value as ⌈width/8⌉ bytes, most significant first; spare high bits are 0.
    pub fn to_be_bytes(&self) -> Vec<u8> {
        let len = self.width.div_ceil(8) as usize;
        match &self.repr {
            Repr::Small(value) => value.to_be_bytes()[16 - len..].to_vec(),
            Repr::Big(value) => {
                let digits = value.to_bytes_be();
                let mut bytes = vec![0; len - digits.len().min(len)];
                bytes.extend_from_slice(&digits);
                bytes.truncate(len);
                bytes
            }
        }
    }

    /// Writes the value as ⌈width/64⌉ words of 64 bits, least significant first, into the front of
    /// `words`.
    pub fn write_words(&self, words: &mut [u64]) {
        let count = self.width.div_ceil(64) as usize;
        words[..count].fill(0);
        match &self.repr {
            Repr::Small(value) => {
                for (i, word) in words[..count].iter_mut().enumerate() {
                    *word = (value >> (64 * i)) as u64;
                }
            }
            Repr::Big(value) => {
                for (word, digit) in words[..count].iter_mut().zip(value.iter_u64_digits()) {
                    *word = digit;
                }
            }
        }
    }

    /// Makes a value from words, the inverse of [`Bits::write_words`].
    pub fn from_words(width: u32, words: &[u64]) -> Self {
        if let 1..=64 = width {
            return Self::of_word(width, words[0]);
        }
        if width <= 128 {
            let count = width.div_ceil(64) as usize;
            let value = words[..count].iter().enumerate().fold(0, |v, (i, w)| v | u128::from(*w) << (64 * i));
            Self::new(width, value)
        } else {
            let count = width.div_ceil(64) as usize;
            let digits = words[..count].iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect();
            Self::wrap(width, BigUint::new(digits))
        }
    }

    /// Makes a value of 1 to 64 bits from the low bits of a word.
    #[inline]
    pub(crate) fn of_word(width: u32, word: u64) -> Self {
        debug_assert!((1..=64).contains(&width), "a word has 1 to 64 bits");
        Self { width, repr: Repr::Small(u128::from(word & u64::MAX >> (64 - width))) }
    }

    /// Returns the number of bits.
    #[inline]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns whether no bit is set.
    pub fn is_zero(&self) -> bool {
        match &self.repr {
            Repr::Small(value) => *value == 0,
            Repr::Big(value) => value.is_zero(),
        }
    }

    /// Returns whether a `Bool` is true.
    pub fn is_true(&self) -> bool {
        !self.is_zero()
    }

    /// Returns the value as an unsigned number, if it fits 128 bits.
    pub fn to_u128(&self) -> Option<u128> {
        match &self.repr {
            Repr::Small(value) => Some(*value),
            Repr::Big(value) => value.to_u128(),
        }
    }

    /// Returns the value as an unsigned number, if it fits 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        self.to_u128().and_then(|value| u64::try_from(value).ok())
    }

    /// Returns the low 64 bits.
    #[inline]
    pub fn low_u64(&self) -> u64 {
        match &self.repr {
            Repr::Small(value) => *value as u64,
            Repr::Big(value) => value.iter_u64_digits().next().unwrap_or(0),
        }
    }

    /// Returns the value as an unsigned number of any size.
    pub fn to_biguint(&self) -> BigUint {
        match &self.repr {
            Repr::Small(value) => BigUint::from(*value),
            Repr::Big(value) => value.clone(),
        }
    }

    /// Returns the value as a two's complement number of any size.
    pub fn to_signed(&self) -> BigInt {
        let value = BigInt::from_biguint(Sign::Plus, self.to_biguint());
        if self.sign_bit() { value - BigInt::from(pow2(self.width)) } else { value }
    }

    /// Returns the value as a number, signed if `ty` is.
    pub fn to_bigint(&self, ty: Type) -> BigInt {
        if ty.is_signed() { self.to_signed() } else { BigInt::from(self.to_biguint()) }
    }

    /// Returns bit `index`, counted from the least significant; false past the width.
    pub fn bit(&self, index: u32) -> bool {
        match &self.repr {
            Repr::Small(value) => index < 128 && value >> index & 1 == 1,
            Repr::Big(value) => value.bit(u64::from(index)),
        }
    }

    /// Returns the most significant bit; false for width 0.
    pub fn sign_bit(&self) -> bool {
        self.width > 0 && self.bit(self.width - 1)
    }

    /// Returns the value, truncated or zero-extended to `width` bits.
    pub fn resize(&self, width: u32) -> Self {
        match &self.repr {
            Repr::Small(value) => Self::new(width, *value),
            Repr::Big(value) => Self::wrap(width, value.clone()),
        }
    }

    /// Returns the value, truncated or sign-extended to `width` bits.
    pub fn resize_signed(&self, width: u32) -> Self {
        if width <= self.width || !self.sign_bit() {
            self.resize(width)
        } else {
            Self::ones(width).shl(u64::from(self.width)).or(&self.resize(width))
        }
    }

    /// Returns the bits `high` down to `low`.
    pub fn slice(&self, high: u32, low: u32) -> Self {
        self.shr(u64::from(low)).resize(high + 1 - low)
    }

    /// Returns the concatenation `self ++ low`.
    pub fn concat(&self, low: &Self) -> Self {
        let width = self.width + low.width;
        self.resize(width).shl(u64::from(low.width)).or(&low.resize(width))
    }

    /// Adds `other` modulo 2^width.
    pub fn add(&self, other: &Self) -> Self {
        self.zip(other, u128::wrapping_add, |a, b| a + b)
    }

    /// Subtracts `other` modulo 2^width.
    pub fn sub(&self, other: &Self) -> Self {
        let width = self.width;
        self.zip(other, u128::wrapping_sub, |a, b| a + pow2(width) - b)
    }

    /// Multiplies by `other` modulo 2^width.
    pub fn mul(&self, other: &Self) -> Self {
        self.zip(other, u128::wrapping_mul, |a, b| a * b)
    }

    /// Divides without sign by `other`; 0 for a zero divisor.
    pub fn div(&self, other: &Self) -> Self {
        if other.is_zero() { Self::zero(self.width) } else { self.zip(other, |a, b| a / b, |a, b| a / b) }
    }

    /// Returns the unsigned remainder of the division by `other`; 0 for a zero divisor.
    pub fn rem(&self, other: &Self) -> Self {
        if other.is_zero() { Self::zero(self.width) } else { self.zip(other, |a, b| a % b, |a, b| a % b) }
    }

    /// Negates the value modulo 2^width.
    pub fn neg(&self) -> Self {
        Self::zero(self.width).sub(self)
    }

    /// Returns the value with every bit flipped.
    pub fn not(&self) -> Self {
        self.xor(&Self::ones(self.width))
    }

    /// Returns the bitwise and of both values.
    pub fn and(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b, |a, b| a & b)
    }

    /// Returns the bitwise or of both values.
    pub fn or(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b, |a, b| a | b)
    }

    /// Returns the bitwise exclusive or of both values.
    pub fn xor(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    /// Shifts the value left, filling with zeros.
    pub fn shl(&self, by: u64) -> Self {
        if by >= u64::from(self.width) {
            return Self::zero(self.width);
        }
        match &self.repr {
            Repr::Small(value) => Self::new(self.width, value << by),
            Repr::Big(value) => Self::wrap(self.width, value << by),
        }
    }

    /// Shifts the value right, filling with zeros.
    pub fn shr(&self, by: u64) -> Self {
        if by >= u64::from(self.width) {
            return Self::zero(self.width);
        }
        match &self.repr {
            Repr::Small(value) => Self::new(self.width, value >> by),
            Repr::Big(value) => Self::wrap(self.width, value >> by),
        }
    }

    /// Shifts the value right, filling with the sign bit.
    pub fn shr_signed(&self, by: u64) -> Self {
        let by = by.min(u64::from(self.width)) as u32;
        self.resize_signed(self.width + by).shr(u64::from(by)).resize(self.width)
    }

    /// Adds `other` with saturation.
    pub fn saturating_add(&self, other: &Self, signed: bool) -> Self {
        self.saturate(&self.to_integer(signed) + &other.to_integer(signed), signed)
    }

    /// Subtracts `other` with saturation.
    pub fn saturating_sub(&self, other: &Self, signed: bool) -> Self {
        self.saturate(&self.to_integer(signed) - &other.to_integer(signed), signed)
    }

    /// Compares the values as unsigned numbers, or as two's complement numbers if `signed`.
    pub fn compare(&self, other: &Self, signed: bool) -> Ordering {
        if signed && self.sign_bit() != other.sign_bit() {
            return other.sign_bit().cmp(&self.sign_bit());
        }
        match (&self.repr, &other.repr) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            _ => self.to_biguint().cmp(&other.to_biguint()),
        }
    }

    fn to_integer(&self, signed: bool) -> BigInt {
        if signed { self.to_signed() } else { BigInt::from(self.to_biguint()) }
    }

    /// Returns a number, limited to the range of this width.
    fn saturate(&self, value: BigInt, signed: bool) -> Self {
        let value_bits = if signed { self.width.saturating_sub(1) } else { self.width };
        let max = BigInt::from(pow2(value_bits)) - 1;
        let min = if signed { -BigInt::from(pow2(value_bits)) } else { BigInt::zero() };
        Self::wrap_signed(self.width, &value.clamp(min, max))
    }

    /// Combines two values of one width, with `small` for up to 128 bits and `big` for more.
    fn zip(
        &self,
        other: &Self,
        small: impl Fn(u128, u128) -> u128,
        big: impl Fn(BigUint, BigUint) -> BigUint,
    ) -> Self {
        debug_assert_eq!(self.width, other.width, "operands have one width");
        match (&self.repr, &other.repr) {
            (Repr::Small(a), Repr::Small(b)) => Self::new(self.width, small(*a, *b)),
            _ => Self::wrap(self.width, big(self.to_biguint(), other.to_biguint())),
        }
    }
}

fn pow2(exponent: u32) -> BigUint {
    BigUint::from(1u32) << exponent
}

impl fmt::Display for Bits {
    /// Writes the unsigned value in decimal, or with `#` in hexadecimal with `0x`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.repr, f.alternate()) {
            (Repr::Small(value), true) => write!(f, "{value:#x}"),
            (Repr::Small(value), false) => write!(f, "{value}"),
            (Repr::Big(value), true) => write!(f, "{value:#x}"),
            (Repr::Big(value), false) => write!(f, "{value}"),
        }
    }
}

impl fmt::Debug for Bits {
    /// Writes the value as in P4: `8w255`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}w{self}", self.width)
    }
}
