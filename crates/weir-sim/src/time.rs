//! Transmission times.

use weir_device::Nanos;

/// Bits per byte times nanoseconds per second. A transmission takes bytes · `NANOBITS_PER_BYTE` /
/// rate nanoseconds, where the rate is in bit/s.
pub(crate) const NANOBITS_PER_BYTE: u128 = 8 * 1_000_000_000;

/// Returns the time to send a frame, rounded up to nanoseconds, and the remaining credit. The
/// previous frame ended `credit` / `rate` before the (integer) nanosecond at which this frame
/// starts.
pub(crate) fn transmission_time(bytes: usize, rate: u64, credit: u64) -> (Nanos, u64) {
    // Nearly all results fit in 64 bits, for which division is faster.
    if let Some(work) = (bytes as u64).checked_mul(NANOBITS_PER_BYTE as u64) {
        let Some(rest) = work.checked_sub(credit) else { return (0, credit - work) };
        let time = rest.div_ceil(rate);
        return (time.min(Nanos::MAX / 4), ((u128::from(time) * u128::from(rate)) - u128::from(rest)) as u64);
    }
    let rate = u128::from(rate);
    let (work, credit) = (bytes as u128 * NANOBITS_PER_BYTE, u128::from(credit));
    let Some(rest) = work.checked_sub(credit) else { return (0, (credit - work) as u64) };
    let time = rest.div_ceil(rate);
    (time.min(u128::from(Nanos::MAX / 4)) as Nanos, (time * rate - rest) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_without_a_gap_carry_the_remainder() {
        // 1 byte at 3 Gbit/s takes 8/3 ns.
        let mut now = 0;
        let mut credit = 0;
        for n in 1..=3000u64 {
            let (time, next) = transmission_time(1, 3_000_000_000, credit);
            credit = next;
            now += time;
            assert_eq!(now, (8 * n).div_ceil(3));
        }
    }

    #[test]
    fn frames_shorter_than_a_nanosecond_add_up() {
        // 1 byte at 100 Gbit/s takes 0.08 ns.
        let mut now = 0;
        let mut credit = 0;
        for n in 1..=1000u64 {
            let (time, next) = transmission_time(1, 100_000_000_000, credit);
            credit = next;
            now += time;
            assert_eq!(now, (8 * n).div_ceil(100));
        }
    }
}
