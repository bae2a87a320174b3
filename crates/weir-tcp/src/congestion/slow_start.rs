//! Slow start: the window doubles per round trip by acknowledged bytes (RFC 5681, RFC 3465), and
//! slow start ends when RTTs grow instead of when segments are lost.

use super::Acked;
use super::hystart::HyStart;
use super::hystart_plus_plus::{GROWTH_LIMIT, HyStartPlusPlus};

/// The rule that ends slow start before a loss occurs.
#[derive(Clone, Debug)]
pub(super) enum Exit {
    /// No rule: only a loss ends slow start.
    Loss,
    /// The rule of Linux' HyStart.
    HyStart(HyStart),
    /// The rule of RFC 9406, which is used only before the first congestion (section 4.3).
    HyStartPlusPlus(HyStartPlusPlus),
}

/// Whether slow start is over, and whether the window grows before it ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum SlowStartEnd {
    No,
    /// The window no longer grows by this ACK.
    BeforeGrowth,
    AfterGrowth,
}

/// The effect of an ACK on a window below its threshold.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Step {
    /// The growth in bytes.
    pub bytes: u64,
    pub leave: SlowStartEnd,
}

/// The growth of a window below its threshold.
#[derive(Clone, Debug)]
pub(super) struct SlowStart {
    exit: Exit,
    after_timeout: bool,
}

impl SlowStart {
    pub fn new(exit: Exit) -> Self {
        SlowStart { exit, after_timeout: false }
    }

    /// Handles an ACK outside fast recovery. `window` is in bytes.
    pub fn on_ack(&mut self, acked: &Acked, window: u64, mss: u64) -> Step {
        // As in RFC 3465, sections 2.2 and 2.3, the window grows by at most two segments per ACK,
        // and by one after a time-out, when a cumulative ACK may cover segments that arrived long
        // before. Linux counts only newly arrived segments.
        let segments = if self.after_timeout { 1 } else { 2 };
        let (growth, leave) = match &mut self.exit {
            Exit::Loss => (acked.acked.min(mss * segments), SlowStartEnd::No),
            Exit::HyStart(hystart) => {
                let leave = hystart.observe(acked, window, mss);
                (acked.delivered, if leave { SlowStartEnd::BeforeGrowth } else { SlowStartEnd::No })
            }
            Exit::HyStartPlusPlus(hystart) => {
                let (divisor, leave) = hystart.observe(acked);
                let segments = if leave { 2 } else { GROWTH_LIMIT };
                let leave = if leave { SlowStartEnd::AfterGrowth } else { SlowStartEnd::No };
                (acked.acked.min(mss * segments) / divisor, leave)
            }
        };
        if leave == SlowStartEnd::AfterGrowth {
            self.exit = Exit::Loss;
        }
        Step { bytes: if acked.cwnd_limited { growth } else { 0 }, leave }
    }

    /// Notes that the window has reached its threshold.
    pub fn passed(&mut self) {
        self.after_timeout = false;
    }

    pub fn note_congestion(&mut self) {
        self.after_timeout = false;
        if let Exit::HyStartPlusPlus(_) = self.exit {
            self.exit = Exit::Loss;
        }
    }

    pub fn timed_out(&mut self) {
        self.after_timeout = true;
        match &mut self.exit {
            Exit::Loss => {}
            Exit::HyStart(hystart) => hystart.reset(),
            Exit::HyStartPlusPlus(_) => self.exit = Exit::Loss,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Nanos;

    const MS: Nanos = 1_000_000;

    fn ack(rtt: Nanos, round_start: bool) -> Acked {
        Acked { acked: 1000, rtt: Some(rtt), round_start, cwnd_limited: true, ..Acked::default() }
    }

    fn plus_plus() -> SlowStart {
        SlowStart::new(Exit::HyStartPlusPlus(HyStartPlusPlus::new()))
    }

    /// Runs a round of ten ACKs. Returns the step of the last ACK.
    fn round(slow_start: &mut SlowStart, rtt: Nanos) -> Step {
        let mut last = slow_start.on_ack(&ack(rtt, true), 10_000, 1000);
        for _ in 0..9 {
            if last.leave != SlowStartEnd::No {
                break;
            }
            last = slow_start.on_ack(&ack(rtt, false), 10_000, 1000);
        }
        last
    }

    #[test]
    fn css_ends_slow_start_after_five_rounds() {
        let mut slow_start = plus_plus();
        assert_eq!(round(&mut slow_start, 40 * MS), Step { bytes: 1000, leave: SlowStartEnd::No });
        assert_eq!(
            round(&mut slow_start, 44 * MS),
            Step { bytes: 1000, leave: SlowStartEnd::No },
            "40/8 = 5 ms are allowed"
        );
        assert_eq!(round(&mut slow_start, 50 * MS), Step { bytes: 250, leave: SlowStartEnd::No });
        for _ in 0..4 {
            assert_eq!(round(&mut slow_start, 50 * MS), Step { bytes: 250, leave: SlowStartEnd::No });
        }
        assert_eq!(round(&mut slow_start, 50 * MS).leave, SlowStartEnd::AfterGrowth);
    }

    #[test]
    fn shorter_round_trips_resume_slow_start() {
        let mut slow_start = plus_plus();
        round(&mut slow_start, 40 * MS);
        assert_eq!(round(&mut slow_start, 50 * MS).bytes, 250);
        assert_eq!(round(&mut slow_start, 41 * MS).bytes, 1000);
    }

    #[test]
    fn thresholds_have_bounds() {
        let mut short = plus_plus();
        round(&mut short, MS);
        assert_eq!(round(&mut short, 4 * MS).bytes, 1000, "less than 4 ms more is noise");
        let mut long = plus_plus();
        round(&mut long, 400 * MS);
        assert_eq!(round(&mut long, 416 * MS).bytes, 250, "16 ms are enough on any path");
    }

    #[test]
    fn large_acks_grow_the_window_little() {
        let much = Acked { acked: 50_000, cwnd_limited: true, ..Acked::default() };
        let mut slow_start = SlowStart::new(Exit::Loss);
        assert_eq!(slow_start.on_ack(&much, 10_000, 1000).bytes, 2000);
        slow_start.timed_out();
        assert_eq!(slow_start.on_ack(&much, 10_000, 1000).bytes, 1000);
        slow_start.passed();
        assert_eq!(slow_start.on_ack(&much, 10_000, 1000).bytes, 2000);
        assert_eq!(plus_plus().on_ack(&much, 10_000, 1000).bytes, 8000);
    }

    #[test]
    fn an_unused_window_does_not_grow() {
        let unused = Acked { acked: 1000, ..Acked::default() };
        assert_eq!(SlowStart::new(Exit::Loss).on_ack(&unused, 10_000, 1000).bytes, 0);
    }
}
