//! Draws random numbers from a seeded generator.

use rand_core::Rng;
use weir_ir::Bits;

use crate::choice::{Choice, ForcedChoices};

/// The maximum size of a range in which each number is an outcome of its own.
const MAX_OPTIONS: u64 = 16;

/// Draws a random number from `low` to `high`, unless a reader of traces forces another outcome. In
/// a small range, the outcomes are the numbers of the range. In a larger range, the outcomes are
/// the random number (0), the smallest number (1) and the largest number (2).
pub(crate) fn choose(
    random: &mut impl Rng,
    choices: &mut ForcedChoices,
    low: &Bits,
    high: &Bits,
) -> (Bits, Choice) {
    let drawn = between(random, low, high);
    let count = |to: &Bits| to.sub(low).to_u64().and_then(|span| span.checked_add(1));
    if high.compare(low, false).is_lt() {
        return (drawn, Choice { options: 1, taken: 0, usual: 0 });
    }
    match count(high) {
        Some(options @ 1..=MAX_OPTIONS) => {
            let usual = drawn.sub(low).low_u64();
            let choice = choices.decide(options as u32, usual as u32);
            (low.add(&Bits::new(low.width(), u128::from(choice.taken))), choice)
        }
        _ => {
            let choice = choices.decide(3, 0);
            let value = match choice.taken {
                1 => low.clone(),
                2 => high.clone(),
                _ => drawn,
            };
            (value, choice)
        }
    }
}

/// Draws a uniformly distributed random number from `low` to `high`, both included. Returns `low`
/// if the range is empty.
pub(crate) fn between(random: &mut impl Rng, low: &Bits, high: &Bits) -> Bits {
    let width = low.width();
    let Some(span) = (low.compare(high, false).is_le()).then(|| high.sub(low)) else { return low.clone() };
    let bits = (0..width).rev().find(|i| span.bit(*i)).map_or(0, |top| top + 1);
    // A random number with as many bits as the span lies within the span with a probability of at
    // least one half.
    loop {
        let candidate = random_bits(random, bits).resize(width);
        if candidate.compare(&span, false).is_le() {
            return low.add(&candidate);
        }
    }
}

/// Draws a number of random bits.
fn random_bits(random: &mut impl Rng, bits: u32) -> Bits {
    let count = bits.div_ceil(8) as usize;
    let mut few = [0; 16];
    match few.get_mut(..count) {
        Some(bytes) => {
            random.fill_bytes(bytes);
            Bits::from_be_bytes(bits, bytes)
        }
        None => {
            let mut bytes = vec![0; count];
            random.fill_bytes(&mut bytes);
            Bits::from_be_bytes(bits, &bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_pcg::Pcg64Mcg;

    use super::*;

    #[test]
    fn random_covers_its_range() {
        let mut random = Pcg64Mcg::new(1);
        let mut seen = [0u32; 16];
        for _ in 0..7000 {
            let number = between(&mut random, &Bits::new(4, 3), &Bits::new(4, 9));
            seen[number.low_u64() as usize] += 1;
        }
        assert!(seen[3..=9].iter().all(|n| (800..1200).contains(n)), "{seen:?}");
        assert_eq!(seen.iter().sum::<u32>(), seen[3..=9].iter().sum());
    }

    #[test]
    fn empty_and_wide_ranges() {
        let mut random = Pcg64Mcg::new(1);
        assert_eq!(between(&mut random, &Bits::new(8, 9), &Bits::new(8, 3)), Bits::new(8, 9));
        assert_eq!(between(&mut random, &Bits::new(8, 9), &Bits::new(8, 9)), Bits::new(8, 9));
        let wide = between(&mut random, &Bits::zero(200), &Bits::ones(200));
        assert!(wide.width() == 200 && !wide.is_zero());
    }
}
