//! Estimates how many bytes beyond the bandwidth are acknowledged at once.
//!
//! If receivers or links collect acknowledgements, a sender stalls unless its window has room for
//! the data that late acknowledgements cover (bbr_update_ack_aggregation in Linux).

use crate::Nanos;
use crate::math::bytes_in;

/// The number of round trips in a window of rounds. A maximum is kept for five to ten round trips.
const ROUNDS_PER_WINDOW: u32 = 5;
/// The upper limit of the excess, as a time at the bandwidth.
const MAX_EXCESS_TIME: Nanos = 100_000_000;
/// The number of bytes after which an epoch ends, approximately (2²⁰ segments in Linux).
const MAX_EPOCH_BYTES: u64 = 1 << 30;

/// The maximum, in the last round trips, of the acknowledged bytes beyond the bandwidth.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    begin: Nanos,
    acked: u64,
    /// The maxima of the current and the last window of rounds.
    excess: [u64; 2],
    rounds: u32,
}

impl Aggregation {
    /// Begins a new epoch of the measurement.
    pub fn restart(&mut self, now: Nanos) {
        self.begin = now;
        self.acked = 0;
    }

    /// Processes an ACK for `delivered` bytes.
    pub fn update(&mut self, now: Nanos, delivered: u64, bandwidth: u64, window: u64, round_start: bool) {
        if delivered == 0 {
            return;
        }
        if round_start {
            self.rounds += 1;
            if self.rounds >= ROUNDS_PER_WINDOW {
                self.rounds = 0;
                self.excess = [0, self.excess[0]];
            }
        }
        let mut expected = bytes_in(bandwidth, now.saturating_sub(self.begin));
        if self.acked <= expected || self.acked.saturating_add(delivered) >= MAX_EPOCH_BYTES {
            self.restart(now);
            expected = 0;
        }
        self.acked = self.acked.saturating_add(delivered);
        self.excess[0] = self.excess[0].max((self.acked - expected.min(self.acked)).min(window));
    }

    /// Returns the number of bytes that are added to the window.
    pub fn extra(&self, bandwidth: u64) -> u64 {
        self.excess[0].max(self.excess[1]).min(bytes_in(bandwidth, MAX_EXCESS_TIME))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    #[test]
    fn steady_acknowledgements_are_one_excess() {
        let mut aggregation = Aggregation::default();
        // 1000 bytes each millisecond at 8 Mbit/s.
        for i in 1..100 {
            aggregation.update(i * MS, 1000, 8_000_000, 1 << 20, false);
        }
        assert_eq!(aggregation.extra(8_000_000), 1000);
    }

    #[test]
    fn collected_acknowledgements_count_for_ten_rounds() {
        let mut aggregation = Aggregation::default();
        for i in 1..20 {
            aggregation.update(10 * i * MS, 10_000, 8_000_000, 1 << 20, false);
        }
        assert_eq!(aggregation.extra(8_000_000), 10_000);
        let mut now = 200 * MS;
        for round in 1..=10 {
            assert_eq!(aggregation.extra(8_000_000), 10_000, "round {round}");
            now += 20 * MS;
            aggregation.update(now, 1000, 8_000_000, 1 << 20, true);
        }
        assert_eq!(aggregation.extra(8_000_000), 1000);
    }

    #[test]
    fn no_more_than_a_window_and_a_tenth_of_a_second() {
        let mut aggregation = Aggregation::default();
        aggregation.update(MS, 500_000, 8_000_000, 300_000, false);
        assert_eq!(aggregation.extra(80_000_000), 300_000);
        assert_eq!(aggregation.extra(8_000_000), 100_000);
    }
}
