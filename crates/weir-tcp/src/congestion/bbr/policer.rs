//! Detection of policers: token buckets that drop traffic above a rate.
//!
//! A full bucket lets a burst pass, so the maximum of the delivery rates is too high for ten round
//! trips. After the burst, everything above the bucket's rate is lost. If two intervals with much
//! loss, of at least four round trips each, have the same rate, this rate is assumed to be that of
//! a policer, and is used for 48 round trips (bbr_lt_bw_sampling in Linux).

use crate::Nanos;
use crate::math::rate_of;

/// The minimum number of round trips in an interval. After four times as many round trips, the
/// interval is given up.
const MIN_ROUNDS: u32 = 4;
const MAX_ROUNDS: u32 = 4 * MIN_ROUNDS;
/// The minimum loss in an interval, in units of 1/256 of the delivered bytes.
const MIN_LOSS: u64 = 50;
/// Two rates count as equal if they differ by at most an eighth, or by at most 4 kbit/s.
const MAX_DIFFERENCE_DIVISOR: u64 = 8;
const MAX_DIFFERENCE_BITS: u64 = 4_000;
/// The number of round trips for which the rate is used.
const USED_ROUNDS: u32 = 48;
/// A millisecond in nanoseconds.
const MS: Nanos = 1_000_000;

/// The totals of the connection that a policer's detection compares.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub now: Nanos,
    /// The bytes that were delivered.
    pub delivered: u64,
    pub lost: u64,
}

/// The detection of a policer, and its rate.
#[derive(Clone, Debug, Default)]
pub(super) struct Policer {
    /// The totals at the beginning of the interval. `None` if the interval begins with the next
    /// loss.
    begin: Option<Totals>,
    rounds: u32,
    /// The rate of the last interval, in bits per second; 0 if there is none.
    bandwidth: u64,
    used: bool,
}

impl Policer {
    /// Returns the rate in bits per second, while one is used.
    pub fn rate(&self) -> Option<u64> {
        self.used.then_some(self.bandwidth)
    }

    /// Resets all measurements of the policer.
    pub fn reset(&mut self) {
        *self = Policer::default();
    }

    /// Counts a round trip in which the rate is used. Returns whether it was the last one.
    pub fn expires(&mut self) -> bool {
        self.rounds += 1;
        let last = self.rounds >= USED_ROUNDS;
        if last {
            self.reset();
        }
        last
    }

    /// Processes an ACK while no rate is used. Returns whether a rate is used from now on.
    pub fn sample(&mut self, totals: &Totals, round_start: bool, losses: bool, held_down: bool) -> bool {
        let Some(begin) = self.begin else {
            if losses {
                self.begin_interval(totals);
            }
            return false;
        };
        if held_down {
            self.reset();
            return false;
        }
        self.rounds += u32::from(round_start);
        if self.rounds > MAX_ROUNDS {
            self.reset();
            return false;
        }
        // Intervals end with a loss, when the bucket is empty.
        if self.rounds < MIN_ROUNDS || !losses {
            return false;
        }
        let delivered = totals.delivered - begin.delivered;
        let lost = totals.lost - begin.lost;
        let time = totals.now.saturating_sub(begin.now);
        if delivered == 0 || lost.saturating_mul(256) < delivered.saturating_mul(MIN_LOSS) || time < MS {
            return false;
        }
        self.end_interval(totals, rate_of(delivered, time))
    }

    fn begin_interval(&mut self, totals: &Totals) {
        self.begin = Some(*totals);
        self.rounds = 0;
    }

    fn end_interval(&mut self, totals: &Totals, bandwidth: u64) -> bool {
        let difference = bandwidth.abs_diff(self.bandwidth);
        let similar = difference.saturating_mul(MAX_DIFFERENCE_DIVISOR) <= self.bandwidth
            || difference <= MAX_DIFFERENCE_BITS;
        if self.bandwidth > 0 && similar {
            self.bandwidth = bandwidth.midpoint(self.bandwidth);
            self.used = true;
            self.rounds = 0;
            return true;
        }
        self.bandwidth = bandwidth;
        self.begin_interval(totals);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Round trips of 20 ms in which `delivered` bytes arrive and `lost` are lost. Returns the
    /// number of round trips after which the rate is used.
    fn rounds(policer: &mut Policer, delivered: u64, lost: u64) -> Option<u32> {
        let mut totals = Totals::default();
        (1..40).find(|_| {
            totals.now += 20 * MS;
            totals.delivered += delivered;
            totals.lost += lost;
            policer.sample(&totals, true, lost > 0, false)
        })
    }

    #[test]
    fn two_equal_intervals_are_a_policer() {
        let mut policer = Policer::default();
        // The first round begins the first interval, and two intervals of four rounds follow.
        assert_eq!(rounds(&mut policer, 10_000, 3_000), Some(9));
        assert_eq!(policer.rate(), Some(4_000_000));
        for _ in 1..USED_ROUNDS {
            assert!(!policer.expires());
        }
        assert!(policer.expires());
        assert_eq!(policer.rate(), None);
    }

    #[test]
    fn few_losses_do_not_indicate_a_policer() {
        assert_eq!(rounds(&mut Policer::default(), 10_000, 1_900), None);
    }

    #[test]
    fn changing_rates_do_not_indicate_a_policer() {
        let mut policer = Policer::default();
        let (mut totals, mut delivered) = (Totals::default(), 1000);
        for _ in 0..40 {
            totals.now += 20 * MS;
            totals.delivered += delivered;
            totals.lost += delivered;
            delivered += delivered / 10;
            assert!(!policer.sample(&totals, true, true, false));
        }
    }
}
