//! Reno (RFC 5681) with appropriate byte counting (RFC 3465, L = 2).

use super::{Acked, Congestion, CongestionControl, Start};
use crate::Nanos;

/// Slow start, congestion avoidance, half the flight after a loss.
pub(super) struct Reno {
    mss: u64,
    window: u64,
    threshold: u64,
    initial: u64,
    /// Bytes acknowledged in congestion avoidance and not yet turned into growth.
    counted: u64,
}

impl Reno {
    pub fn new(start: &Start) -> Self {
        let mss = u64::from(start.mss);
        Reno {
            mss,
            window: start.initial_window,
            threshold: u64::MAX,
            initial: start.initial_window,
            counted: 0,
        }
    }
}

impl CongestionControl for Reno {
    fn name(&self) -> &'static str {
        "reno"
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn slow_start_threshold(&self) -> u64 {
        self.threshold
    }

    fn on_ack(&mut self, acked: &Acked) {
        if acked.in_recovery || !acked.cwnd_limited {
            return;
        }
        if self.window < self.threshold {
            self.window += acked.acked.min(2 * self.mss);
            return;
        }
        self.counted += acked.acked;
        if self.counted >= self.window {
            self.counted -= self.window;
            self.window += self.mss;
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.threshold = (event.in_flight / 2).max(2 * self.mss);
        self.window = self.threshold;
        self.counted = 0;
    }

    fn on_timeout(&mut self, event: &Congestion) {
        self.threshold = (event.in_flight / 2).max(2 * self.mss);
        self.window = self.mss;
        self.counted = 0;
    }

    fn on_idle(&mut self, _now: Nanos, _idle: Nanos) {
        self.window = self.window.min(self.initial);
    }

    fn on_mss(&mut self, mss: u32) {
        self.mss = u64::from(mss);
        self.window = self.window.max(self.mss);
    }
}
