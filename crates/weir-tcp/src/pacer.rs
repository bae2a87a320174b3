//! When the next segment may leave at a given rate.

use crate::Nanos;
use crate::math::{SECOND, rate_of, scale};

/// Spaces segments at a rate, exactly: what division leaves over is carried to the next segment, so that `n` segments sent each
/// as soon as it may be take what `n` segments take at the rate, to the nanosecond. Time in which nothing was sent is not
/// credited: a pause is never followed by a burst.
#[derive(Clone, Debug, Default)]
pub struct Pacer {
    ready: Nanos,
    /// Of a nanosecond, in parts of `rate`.
    over: u64,
    rate: u64,
}

impl Pacer {
    /// A pacer that lets the first segment go at once.
    pub fn new() -> Self {
        Self::default()
    }

    /// The time from which the next segment may leave; 0 before the first.
    pub fn ready(&self) -> Nanos {
        self.ready
    }

    /// `bytes` left at `now`, to be followed at `bits_per_second`. Bytes and rate count the same layer: a controller's
    /// [`pacing_rate`](crate::CongestionControl::pacing_rate) is one of payload. A rate of 0 lets nothing follow.
    pub fn sent(&mut self, now: Nanos, bytes: u32, bits_per_second: u64) {
        if now > self.ready || bits_per_second != self.rate {
            self.over = 0;
        }
        self.rate = bits_per_second;
        let from = now.max(self.ready);
        if bits_per_second == 0 {
            self.ready = Nanos::MAX;
            return;
        }
        let rate = u128::from(bits_per_second);
        let parts = u128::from(bytes) * 8 * u128::from(SECOND) + u128::from(self.over);
        self.over = (parts % rate) as u64; // Below `rate`, which is a u64.
        self.ready = from.saturating_add(u64::try_from(parts / rate).unwrap_or(Nanos::MAX));
    }
}

/// The rate, in bits a second, at which Linux paces a controller that names none: twice the window a round trip while slow
/// start has the window below half its threshold (so that it can double), 1.2 times after. None before the first round trip
/// is known. (Linux, `tcp_update_pacing_rate`, with its defaults of `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`.)
pub fn rate_of_window(window: u64, slow_start_threshold: u64, srtt: Nanos) -> Option<u64> {
    if srtt == 0 {
        return None;
    }
    let gain = if window < slow_start_threshold / 2 { 2.0 } else { 1.2 };
    Some(scale(rate_of(window, srtt), gain).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_a_nanosecond_is_not_lost() {
        let mut pacer = Pacer::new();
        // 1 byte at 24 Mbit/s: 333⅓ ns.
        let mut now = 1000;
        for _ in 0..3000 {
            pacer.sent(now, 1, 24_000_000);
            now = pacer.ready();
        }
        assert_eq!(now, 1000 + 1_000_000);
    }

    #[test]
    fn a_pause_buys_no_burst() {
        let mut pacer = Pacer::new();
        pacer.sent(0, 1250, 10_000_000);
        assert_eq!(pacer.ready(), 1_000_000);
        pacer.sent(5_000_000, 1250, 10_000_000);
        assert_eq!(pacer.ready(), 6_000_000);
    }

    #[test]
    fn what_leaves_early_is_owed() {
        let mut pacer = Pacer::new();
        pacer.sent(0, 1250, 10_000_000);
        pacer.sent(0, 1250, 10_000_000);
        assert_eq!(pacer.ready(), 2_000_000);
    }

    #[test]
    fn no_rate_lets_nothing_follow() {
        let mut pacer = Pacer::new();
        pacer.sent(7, 1, 0);
        assert_eq!(pacer.ready(), Nanos::MAX);
    }

    #[test]
    fn pacing_of_a_window_doubles_in_slow_start_only() {
        assert_eq!(rate_of_window(12_500, u64::MAX, 100_000_000), Some(2_000_000));
        assert_eq!(rate_of_window(12_500, 12_500, 100_000_000), Some(1_200_000));
        assert_eq!(rate_of_window(12_500, 12_500, 0), None);
    }
}
