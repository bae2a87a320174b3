//! Pacing: computes when the next segment may leave at a given rate.

use crate::Nanos;
use crate::math::{SECOND, rate_of, scale};

/// Spaces segments at an exact rate. Remainders of divisions are carried to the next segment, so
/// `n` segments that each leave as early as possible take exactly the time of `n` segments at that
/// rate. Unused time is not credited: no burst follows a pause.
#[derive(Clone, Debug, Default)]
pub struct Pacer {
    ready: Nanos,
    /// The fraction of a nanosecond, in units of 1/`rate`.
    over: u64,
    rate: u64,
    /// The delay of the burst, minus the time that was made up since then.
    late: Nanos,
}

impl Pacer {
    /// Creates a pacer that lets the first segment leave at once.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the time at which the next segment may leave; 0 before the first segment.
    pub fn next_departure(&self) -> Nanos {
        self.ready
    }

    /// Notes that `bytes` left at `now` as the first part of a burst, or as a later part. As in
    /// Linux (tcp_update_skb_after_send), the time until the next burst is shorter by the delay of
    /// this one, but at least half as long.
    pub fn sent_in_burst(&mut self, now: Nanos, bytes: u32, bits_per_second: u64, first: bool) {
        if first {
            self.late = now.saturating_sub(self.ready);
        }
        let from = now.max(self.ready);
        self.sent(now, bytes, bits_per_second);
        let credit = self.late.min(self.ready.saturating_sub(from) / 2);
        self.late -= credit;
        self.ready -= credit;
    }

    /// Notes that `bytes` left at `now`, at a rate of `bits_per_second`. Bytes and rate refer to
    /// the same layer: the [`pacing_rate`](crate::CongestionControl::pacing_rate) of a congestion
    /// control refers to payload. With a rate of 0, no further segment may leave.
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

/// Returns the rate, in bits per second, at which Linux paces without a rate of the congestion
/// control: twice the window per round trip while the window is below half of the slow start
/// threshold, and 1.2 times the window after that. `None` before the first RTT measurement. (Linux,
/// `tcp_update_pacing_rate`, with the defaults of `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`.)
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
        // A byte at 24 Mbit/s takes 333⅓ ns.
        let mut now = 1000;
        for _ in 0..3000 {
            pacer.sent(now, 1, 24_000_000);
            now = pacer.next_departure();
        }
        assert_eq!(now, 1000 + 1_000_000);
    }

    #[test]
    fn a_pause_permits_no_burst() {
        let mut pacer = Pacer::new();
        pacer.sent(0, 1250, 10_000_000);
        assert_eq!(pacer.next_departure(), 1_000_000);
        pacer.sent(5_000_000, 1250, 10_000_000);
        assert_eq!(pacer.next_departure(), 6_000_000);
    }

    #[test]
    fn bursts_make_up_for_half_of_a_delay() {
        let mut pacer = Pacer::new();
        pacer.sent_in_burst(0, 1250, 10_000_000, true);
        pacer.sent_in_burst(0, 1250, 10_000_000, false);
        assert_eq!(pacer.next_departure(), 2_000_000);
        pacer.sent_in_burst(2_100_000, 1250, 10_000_000, true);
        assert_eq!(pacer.next_departure(), 3_000_000);
        pacer.sent_in_burst(9_000_000, 1250, 10_000_000, true);
        pacer.sent_in_burst(9_000_000, 1250, 10_000_000, false);
        assert_eq!(pacer.next_departure(), 10_000_000);
    }

    #[test]
    fn early_departures_are_repaid() {
        let mut pacer = Pacer::new();
        pacer.sent(0, 1250, 10_000_000);
        pacer.sent(0, 1250, 10_000_000);
        assert_eq!(pacer.next_departure(), 2_000_000);
    }

    #[test]
    fn a_rate_of_0_lets_nothing_follow() {
        let mut pacer = Pacer::new();
        pacer.sent(7, 1, 0);
        assert_eq!(pacer.next_departure(), Nanos::MAX);
    }

    #[test]
    fn pacing_doubles_in_slow_start() {
        assert_eq!(rate_of_window(12_500, u64::MAX, 100_000_000), Some(2_000_000));
        assert_eq!(rate_of_window(12_500, 12_500, 100_000_000), Some(1_200_000));
        assert_eq!(rate_of_window(12_500, 12_500, 0), None);
    }
}
