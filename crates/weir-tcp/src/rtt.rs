//! Round-trip times and the retransmission time-out (RFC 6298).

use crate::{MILLISECOND, Nanos};

/// The RTT estimator. The variation term is at least the delay of the peer's acknowledgements, so
/// that the last segment on a path with a steady, long RTT does not time out.
#[derive(Clone, Debug)]
pub(crate) struct Rtt {
    pub smoothed: Nanos,
    pub variation: Nanos,
    pub min_rtt: Nanos,
    /// The lower bound of the variation term.
    granularity: Nanos,
    min_rto: Nanos,
    max_rto: Nanos,
    /// The time-out without back-off.
    base: Nanos,
    back_off: u32,
}

impl Rtt {
    pub fn new(initial: Nanos, min_rto: Nanos, max_rto: Nanos, granularity: Nanos) -> Self {
        Rtt {
            smoothed: 0,
            variation: 0,
            min_rtt: 0,
            granularity: granularity.max(MILLISECOND),
            min_rto,
            max_rto,
            base: initial,
            back_off: 0,
        }
    }

    /// Adds a measured round-trip time.
    pub fn sample(&mut self, rtt: Nanos) {
        self.estimate(rtt.max(1), rtt.max(1));
    }

    /// Adds a measurement by timestamps: the difference of two readings in milliseconds, which may
    /// be almost 1 ms too small. The minimum RTT uses the upper bound.
    pub fn sample_by_timestamp(&mut self, elapsed: Nanos) {
        self.estimate(elapsed.max(MILLISECOND), elapsed + MILLISECOND);
    }

    /// Updates the smoothed round-trip time with a measurement.
    fn estimate(&mut self, rtt: Nanos, upper_bound: Nanos) {
        if self.smoothed == 0 {
            self.smoothed = rtt;
            self.variation = rtt / 2;
            self.min_rtt = upper_bound;
        } else {
            self.variation = (3 * self.variation + self.smoothed.abs_diff(rtt)) / 4;
            self.smoothed = ((7 * self.smoothed + rtt) / 8).max(1);
            self.min_rtt = self.min_rtt.min(upper_bound);
        }
        self.base =
            self.smoothed.saturating_add((4 * self.variation).max(self.granularity)).max(self.min_rto);
    }

    /// Returns the current retransmission time-out.
    pub fn rto(&self) -> Nanos {
        self.base.saturating_mul(1 << self.back_off.min(32)).min(self.max_rto)
    }

    /// Doubles the retransmission time-out, because it expired.
    pub fn back_off(&mut self) {
        self.back_off += 1;
    }

    /// Resets the back-off, because new data was acknowledged.
    pub fn reset_back_off(&mut self) {
        self.back_off = 0;
    }

    /// Uses a time-out of 3 s, because a time-out occurred during the handshake (section 5.7).
    pub fn use_conservative_rto(&mut self) {
        if self.smoothed == 0 {
            self.base = self.base.max(3 * crate::SECOND);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formulas_of_rfc_6298() {
        let mut rtt = Rtt::new(1000 * MILLISECOND, 1, u64::MAX, 0);
        assert_eq!(rtt.rto(), 1000 * MILLISECOND);
        rtt.sample(100 * MILLISECOND);
        assert_eq!((rtt.smoothed, rtt.variation), (100 * MILLISECOND, 50 * MILLISECOND));
        assert_eq!(rtt.rto(), 300 * MILLISECOND);
        rtt.sample(180 * MILLISECOND);
        assert_eq!((rtt.smoothed, rtt.variation), (110 * MILLISECOND, 57_500_000));
        assert_eq!(rtt.rto(), 340 * MILLISECOND);
        rtt.back_off();
        rtt.back_off();
        assert_eq!(rtt.rto(), 1360 * MILLISECOND);
        rtt.reset_back_off();
        assert_eq!(rtt.rto(), 340 * MILLISECOND);
    }

    #[test]
    fn timestamps_do_not_set_the_minimum_rtt() {
        let mut rtt = Rtt::new(1000 * MILLISECOND, 1, u64::MAX, 0);
        rtt.sample_by_timestamp(20 * MILLISECOND);
        assert_eq!((rtt.smoothed, rtt.min_rtt), (20 * MILLISECOND, 21 * MILLISECOND));
        rtt.sample(20_126_400);
        rtt.sample_by_timestamp(20 * MILLISECOND);
        assert_eq!(rtt.min_rtt, 20_126_400);
        rtt.sample_by_timestamp(0);
        assert_eq!(rtt.min_rtt, MILLISECOND, "within a millisecond");
    }

    #[test]
    fn bounds_hold() {
        let mut rtt = Rtt::new(1000, 200 * MILLISECOND, 300 * MILLISECOND, 0);
        rtt.sample(MILLISECOND);
        assert_eq!(rtt.rto(), 200 * MILLISECOND);
        for _ in 0..100 {
            rtt.back_off();
        }
        assert_eq!(rtt.rto(), 300 * MILLISECOND);
    }
}
