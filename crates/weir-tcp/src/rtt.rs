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
        let rtt = rtt.max(1);
        if self.smoothed == 0 {
            self.smoothed = rtt;
            self.variation = rtt / 2;
            self.least = rtt;
        } else {
            self.variation = (3 * self.variation + self.smoothed.abs_diff(rtt)) / 4;
            self.smoothed = ((7 * self.smoothed + rtt) / 8).max(1);
            self.least = self.least.min(rtt);
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
