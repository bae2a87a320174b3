//! Low-pass filters of first order. The output of a filter approaches its input exponentially, with
//! a time constant.

use weir_device::Nanos;

/// The number of picoseconds in a nanosecond.
const PICOS: u64 = 1000;

/// The number of bits of a level below the binary point.
const FRACTION: u32 = 24;

/// The number of bits of a factor below the binary point.
const FACTOR: u32 = 60;
const ONE: u64 = 1 << FACTOR;

/// The base-2 logarithm of e, and the natural logarithm of 2, in factors.
const LOG2_E: u64 = 1_663_314_137_230_540_311;
const LN_2: u64 = 799_144_290_325_165_979;

/// The time constants and the kind of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LowPass {
    /// Whether the filter measures a rate: each input adds to the level, which decays over time.
    /// Otherwise, the level approaches the input.
    pub is_rate: bool,
    /// The time constant, in picoseconds, with which the level approaches a higher input.
    pub gain: u64,
    /// The time constant, in picoseconds, with which the level approaches a lower input or decays.
    pub decay: u64,
}

/// The output of a filter, with 24 bits below the binary point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Level(pub u64);

impl Level {
    /// Returns the level of a whole number.
    pub(crate) fn of(number: u64) -> Self {
        Self(number.saturating_mul(1 << FRACTION))
    }

    /// Returns the largest whole number that is not above the level.
    pub(crate) fn whole(self) -> u64 {
        self.0 >> FRACTION
    }
}

impl LowPass {
    /// Returns the level after an input that follows the previous one after `elapsed` nanoseconds.
    pub(crate) fn update(self, Level(old): Level, elapsed: Nanos, input: u64) -> Level {
        let Level(input) = Level::of(input);
        let elapsed = elapsed.saturating_mul(PICOS);
        if self.is_rate {
            let rest = scale(old, decay(elapsed, self.decay));
            return Level(rest.saturating_add(input));
        }
        let constant = if input > old { self.gain } else { self.decay };
        let rest = scale(input.abs_diff(old), decay(elapsed, constant));
        Level(if input > old { input - rest } else { input + rest })
    }
}

/// Multiplies a number by a factor, and rounds down.
fn scale(number: u64, factor: u64) -> u64 {
    ((u128::from(number) * u128::from(factor)) >> FACTOR) as u64
}

/// Computes the factor e^(-elapsed/constant) of two times in the same unit; 0 without a time
/// constant. It is computed with integers, so that it is the same on every computer.
fn decay(elapsed: u64, constant: u64) -> u64 {
    if constant == 0 {
        return 0;
    }
    let exponent = u128::from(elapsed) * u128::from(LOG2_E) / u128::from(constant);
    let halvings = exponent >> FACTOR;
    if halvings > u128::from(FACTOR) {
        return 0;
    }
    // The fractional part of the exponent is below 1, so 18 terms of the series are enough.
    let rest = scale((exponent as u64) & (ONE - 1), LN_2);
    let series = (1..=18).rev().fold(ONE, |sum, term| ONE - scale(rest, sum) / term);
    series >> halvings
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MILLI: Nanos = 1_000_000;

    #[test]
    fn factors_are_those_of_the_exponential_function() {
        for (elapsed, constant) in [(0, 1), (1, 1), (1, 3), (693, 1000), (694, 1000), (5000, 1000), (41, 1)] {
            let expected = (-(elapsed as f64) / constant as f64).exp();
            let factor = decay(elapsed, constant) as f64 / ONE as f64;
            assert!((factor - expected).abs() < 1e-14, "{elapsed}/{constant}: {factor}, not {expected}");
        }
        assert_eq!([decay(0, 5), decay(5, 0), decay(u64::MAX, 1), decay(42, 1)], [ONE, 0, 0, 0]);
    }

    #[test]
    fn levels_follow_their_input() {
        let filter = LowPass { is_rate: false, gain: PICOS * MILLI, decay: PICOS * 2 * MILLI };
        let mut level = Level::default();
        let mut after = |elapsed, input| {
            level = filter.update(level, elapsed, input);
            level.whole()
        };
        // 1 - 1/e of the way up, and then again.
        assert_eq!([after(MILLI, 1000), after(MILLI, 1000), after(0, 9)], [632, 864, 864]);
        // 1/e of the way remains after two milliseconds.
        assert_eq!([after(2 * MILLI, 0), after(40 * MILLI, 500)], [318, 500]);
        let plain = LowPass { is_rate: false, gain: 0, decay: 0 };
        assert_eq!(plain.update(Level::of(7), 0, 77), Level::of(77));
    }

    #[test]
    fn rates_add_up_their_input() {
        let filter = LowPass { is_rate: true, gain: 0, decay: PICOS * 10 * MILLI };
        let mut level = Level::default();
        for _ in 0..1000 {
            level = filter.update(level, MILLI, 100);
        }
        // The sum of the geometric series: 100 / (1 - e^-0.1).
        assert_eq!(level.whole(), 1050);
    }

    proptest! {
        #[test]
        fn levels_stay_between_old_levels_and_inputs(
            gain in any::<u64>(), decay in any::<u64>(), inputs in prop::collection::vec((any::<u64>(), any::<u64>()), 1..20),
        ) {
            let filter = LowPass { is_rate: false, gain, decay };
            let mut level = Level::default();
            for (elapsed, input) in inputs {
                let (old, input_level) = (level, Level::of(input));
                level = filter.update(level, elapsed, input);
                prop_assert!(level.0 >= old.0.min(input_level.0) && level.0 <= old.0.max(input_level.0));
                LowPass { is_rate: true, ..filter }.update(level, elapsed, input);
            }
        }
    }
}
