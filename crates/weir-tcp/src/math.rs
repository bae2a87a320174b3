//! Arithmetic with the same results on every machine.
//!
//! Floats use only `+ - * /` and comparisons, whose results IEEE 754 defines to the last bit.
//! Transcendental functions come from libm, which is software, never from the platform. Integers
//! saturate instead of wrapping.

use crate::Nanos;

/// The number of nanoseconds in a second.
pub const SECOND: Nanos = 1_000_000_000;

/// Computes `a · b / c`, rounded down, without intermediate overflow. `u64::MAX` if the result does
/// not fit or `c` is 0.
pub fn mul_div(a: u64, b: u64, c: u64) -> u64 {
    (u128::from(a) * u128::from(b)).checked_div(u128::from(c)).map_or(u64::MAX, saturate_u64)
}

/// Returns the rate of `bytes` in `time`, in bits per second. `u64::MAX` if `time` is 0.
pub fn rate_of(bytes: u64, time: Nanos) -> u64 {
    (u128::from(bytes) * 8 * u128::from(SECOND)).checked_div(u128::from(time)).map_or(u64::MAX, saturate_u64)
}

/// Returns the bytes that `bits_per_second` transfers in `time`, rounded down.
pub fn bytes_in(bits_per_second: u64, time: Nanos) -> u64 {
    mul_div(bits_per_second, time, 8 * SECOND)
}

/// Computes `value · gain`, rounded down. 0 if the gain is negative or not a number.
pub fn scale(value: u64, gain: f64) -> u64 {
    (value as f64 * gain) as u64
}

/// Converts nanoseconds to seconds.
pub fn seconds(time: Nanos) -> f64 {
    time as f64 / SECOND as f64
}

/// Returns the cube root.
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// Returns the next number of a SplitMix64 sequence (Steele, Lea, Flood 2014): 64 uniformly
/// distributed bits. The caller seeds the state.
pub fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn saturate_u64(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_do_not_overflow_in_between() {
        assert_eq!(mul_div(u64::MAX, u64::MAX, u64::MAX), u64::MAX);
        assert_eq!(mul_div(u64::MAX, 2, 1), u64::MAX);
        assert_eq!(mul_div(7, 3, 2), 10);
        assert_eq!(mul_div(1, 1, 0), u64::MAX);
    }

    #[test]
    fn rates_and_bytes_are_each_others_inverse() {
        assert_eq!(rate_of(1250, 1_000_000), 10_000_000);
        assert_eq!(bytes_in(10_000_000, 1_000_000), 1250);
        assert_eq!(rate_of(1, 0), u64::MAX);
    }

    #[test]
    fn cube_roots() {
        assert_eq!(cbrt(27.0), 3.0);
        assert_eq!(cbrt(-8.0), -2.0);
    }

    #[test]
    fn splitmix_matches_its_reference() {
        let mut state = 1_234_567;
        assert_eq!(splitmix(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(splitmix(&mut state), 3_203_168_211_198_807_973);
    }

    #[test]
    fn senseless_gains_give_zero() {
        assert_eq!(scale(10, f64::NAN), 0);
        assert_eq!(scale(10, -1.0), 0);
        assert_eq!(scale(1000, 1.25), 1250);
    }
}
