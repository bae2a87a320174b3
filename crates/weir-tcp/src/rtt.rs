//! Round trip times and the retransmission time-out (RFC 6298).

use crate::{MILLISECOND, Nanos};

/// The estimator. The variation counts for at least the time by which a peer may delay an acknowledgement, so that a steady
/// long path does not time out on the last, lonely segment.
#[derive(Clone, Debug)]
pub(crate) struct Rtt {
    pub smoothed: Nanos,
    pub variation: Nanos,
    pub least: Nanos,
    granularity: Nanos,
    min: Nanos,
    max: Nanos,
    base: Nanos,
    back_off: u32,
}

impl Rtt {
    pub fn new(initial: Nanos, min: Nanos, max: Nanos, granularity: Nanos) -> Self {
        Rtt {
            smoothed: 0,
            variation: 0,
            least: 0,
            granularity: granularity.max(MILLISECOND),
            min,
            max,
            base: initial,
            back_off: 0,
        }
    }

    /// A round trip was measured.
    pub fn sample(&mut self, rtt: Nanos) {
        self.estimate(rtt.max(1), rtt.max(1));
    }

    /// A timestamp told of a round trip as the difference of two clock readings in milliseconds, which may be nearly one below the truth:
    /// the least round trip is none that the path cannot have.
    pub fn sample_by_timestamp(&mut self, elapsed: Nanos) {
        self.estimate(elapsed.max(MILLISECOND), elapsed + MILLISECOND);
    }

    fn estimate(&mut self, rtt: Nanos, at_most: Nanos) {
        if self.smoothed == 0 {
            self.smoothed = rtt;
            self.variation = rtt / 2;
            self.least = at_most;
        } else {
            self.variation = (3 * self.variation + self.smoothed.abs_diff(rtt)) / 4;
            self.smoothed = ((7 * self.smoothed + rtt) / 8).max(1);
            self.least = self.least.min(at_most);
        }
        self.base = self.smoothed.saturating_add((4 * self.variation).max(self.granularity)).max(self.min);
    }

    /// The time-out that counts now.
    pub fn rto(&self) -> Nanos {
        self.base.saturating_mul(1 << self.back_off.min(32)).min(self.max)
    }

    /// It expired.
    pub fn back_off(&mut self) {
        self.back_off += 1;
    }

    /// New data was acknowledged.
    pub fn forward(&mut self) {
        self.back_off = 0;
    }

    /// The handshake took a time-out: begin with 3 s (section 5.7).
    pub fn cautious(&mut self) {
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
        rtt.forward();
        assert_eq!(rtt.rto(), 340 * MILLISECOND);
    }

    #[test]
    fn a_timestamp_is_no_measure_of_the_least_round_trip() {
        let mut rtt = Rtt::new(1000 * MILLISECOND, 1, u64::MAX, 0);
        rtt.sample_by_timestamp(20 * MILLISECOND);
        assert_eq!((rtt.smoothed, rtt.least), (20 * MILLISECOND, 21 * MILLISECOND));
        rtt.sample(20_126_400);
        rtt.sample_by_timestamp(20 * MILLISECOND);
        assert_eq!(rtt.least, 20_126_400);
        rtt.sample_by_timestamp(0);
        assert_eq!(rtt.least, MILLISECOND, "within a millisecond");
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
