//! Compares `Bits` with arithmetic on big integers, for all operations and for widths around the
//! border between its two representations.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use proptest::prelude::*;
use weir_ir::{Bits, Type};

fn modulus(width: u32) -> BigInt {
    BigInt::one() << width
}

/// Returns the value of a number modulo 2^`width`, computed step by step.
fn wrap_stepwise(value: &BigInt, width: u32) -> BigUint {
    let modulus = modulus(width);
    (((value % &modulus) + &modulus) % &modulus).to_biguint().expect("not negative")
}

fn unsigned(bits: &Bits) -> BigInt {
    BigInt::from(bits.to_biguint())
}

/// Returns the two's complement value, from the definition: the top bit counts as negative.
fn signed(bits: &Bits) -> BigInt {
    let value = unsigned(bits);
    if bits.width() > 0 && value >= modulus(bits.width() - 1) { value - modulus(bits.width()) } else { value }
}

fn bits_of(width: u32) -> impl Strategy<Value = Bits> {
    let any_bytes = prop::collection::vec(any::<u8>(), 38);
    prop_oneof![
        4 => any_bytes.prop_map(move |bytes| Bits::from_be_bytes(width, &bytes)),
        1 => Just(Bits::zero(width)),
        1 => Just(Bits::ones(width)),
        1 => (0u128..4).prop_map(move |small| Bits::new(width, small)),
        1 => (0..width.max(1)).prop_map(move |bit| Bits::wrap(width, BigUint::one() << bit)),
    ]
}

fn width() -> impl Strategy<Value = u32> {
    prop_oneof![3 => 0u32..=300, 1 => prop::sample::select(vec![0, 1, 8, 63, 64, 65, 127, 128, 129, 256])]
}

fn bits_pair() -> impl Strategy<Value = (Bits, Bits)> {
    width().prop_flat_map(|width| (bits_of(width), bits_of(width)))
}

fn any_bits() -> impl Strategy<Value = Bits> {
    width().prop_flat_map(bits_of)
}

/// Checks that the number equals the value and the width does not change.
macro_rules! same {
    ($bits:expr, $width:expr, $number:expr) => {{
        let (bits, width): (Bits, u32) = ($bits, $width);
        prop_assert_eq!(bits.width(), width);
        prop_assert_eq!(bits.to_biguint(), wrap_stepwise(&$number, width));
        // Equal values are equal, however they were computed.
        prop_assert_eq!(&bits, &Bits::wrap(width, bits.to_biguint()));
    }};
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn arithmetic((a, b) in bits_pair()) {
        let (w, x, y) = (a.width(), unsigned(&a), unsigned(&b));
        same!(a.add(&b), w, &x + &y);
        same!(a.sub(&b), w, &x - &y);
        same!(a.mul(&b), w, &x * &y);
        same!(a.neg(), w, -&x);
        same!(a.and(&b), w, &x & &y);
        same!(a.or(&b), w, &x | &y);
        same!(a.xor(&b), w, &x ^ &y);
        same!(a.not(), w, modulus(w) - 1 - &x);
        let zero = y.is_zero();
        same!(a.div(&b), w, if zero { BigInt::zero() } else { &x / &y });
        same!(a.rem(&b), w, if zero { BigInt::zero() } else { &x % &y });
    }

    #[test]
    fn saturation((a, b) in bits_pair()) {
        let w = a.width();
        let (top, zero) = (modulus(w) - 1, BigInt::zero());
        same!(a.saturating_add(&b, false), w, (unsigned(&a) + unsigned(&b)).min(top));
        same!(a.saturating_sub(&b, false), w, (unsigned(&a) - unsigned(&b)).max(zero));
        if w > 0 {
            let (low, high): (BigInt, BigInt) = (-modulus(w - 1), modulus(w - 1) - 1);
            same!(a.saturating_add(&b, true), w, (signed(&a) + signed(&b)).clamp(low.clone(), high.clone()));
            same!(a.saturating_sub(&b, true), w, (signed(&a) - signed(&b)).clamp(low, high));
        }
    }

    #[test]
    fn comparisons_equal_those_of_big_integers((a, b) in bits_pair()) {
        prop_assert_eq!(a.compare(&b, false), unsigned(&a).cmp(&unsigned(&b)));
        prop_assert_eq!(a.compare(&b, true), signed(&a).cmp(&signed(&b)));
        prop_assert_eq!(a == b, unsigned(&a) == unsigned(&b));
        prop_assert_eq!(a.is_zero(), unsigned(&a).is_zero());
        prop_assert_eq!(a.sign_bit(), signed(&a) < BigInt::zero());
    }

    #[test]
    fn shifts(a in any_bits(), by in prop_oneof![0u64..310, Just(u64::MAX), Just(1 << 32)]) {
        let w = a.width();
        let steps = by.min(400) as u32;
        same!(a.shl(by), w, unsigned(&a) << steps);
        same!(a.shr(by), w, unsigned(&a) >> steps);
        same!(a.shr_signed(by), w, signed(&a) >> steps);
    }

    #[test]
    fn widths(a in any_bits(), to in 0u32..=300) {
        same!(a.resize(to), to, unsigned(&a));
        same!(a.resize_signed(to), to, signed(&a));
        same!(Bits::wrap_signed(to, &signed(&a)), to, signed(&a));
        prop_assert_eq!(a.to_signed(), signed(&a));
        prop_assert_eq!(a.to_bigint(Type::int(a.width())), signed(&a));
        prop_assert_eq!(a.to_bigint(Type::bit(a.width())), unsigned(&a));
    }

    #[test]
    fn slices_and_joins(a in any_bits(), b in any_bits(), high in 0u32..300, low in 0u32..300) {
        same!(a.concat(&b), a.width() + b.width(), (unsigned(&a) << b.width()) + unsigned(&b));
        if a.width() > 0 {
            let (low, high) = (low.min(high) % a.width(), high.max(low) % a.width());
            let (low, high) = (low.min(high), low.max(high));
            same!(a.slice(high, low), high + 1 - low, unsigned(&a) >> low);
        }
        prop_assert_eq!(a.bit(low), (unsigned(&a) >> low) & BigInt::one() == BigInt::one());
    }

    #[test]
    fn numbers(a in any_bits()) {
        let value = a.to_biguint();
        prop_assert_eq!(a.to_u128(), u128::try_from(&value).ok());
        prop_assert_eq!(a.to_u64(), u64::try_from(&value).ok());
        prop_assert_eq!(a.low_u64(), u64::try_from(&value % (BigUint::one() << 64)).unwrap());
        prop_assert_eq!(format!("{a} {a:#} {a:?}"), format!("{value} {value:#x} {}w{value}", a.width()));
    }

    #[test]
    fn bytes_and_words(a in any_bits(), before in prop::collection::vec(any::<u8>(), 0..40)) {
        let bytes = a.to_be_bytes();
        prop_assert_eq!(bytes.len(), a.width().div_ceil(8) as usize);
        prop_assert_eq!(&BigUint::from_bytes_be(&bytes), &a.to_biguint());
        prop_assert_eq!(&Bits::from_be_bytes(a.width(), &bytes), &a);
        let longer = [before, bytes].concat();
        prop_assert_eq!(
            Bits::from_be_bytes(a.width(), &longer).to_biguint(),
            wrap_stepwise(&BigInt::from(BigUint::from_bytes_be(&longer)), a.width())
        );
        let mut words = [u64::MAX; 7];
        a.write_words(&mut words);
        prop_assert_eq!(&Bits::from_words(a.width(), &words), &a);
        prop_assert!(words[a.width().div_ceil(64) as usize..].iter().all(|word| *word == u64::MAX));
    }
}
