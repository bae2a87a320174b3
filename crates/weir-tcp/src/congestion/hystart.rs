//! Slow start: doubling per round trip by bytes acknowledged (RFC 5681, RFC 3465), and HyStart++
//! (RFC 9406), which leaves the first slow start when RTTs grow instead of when segments are lost.

use super::Acked;
use crate::Nanos;

const MIN_RTT_THRESH: Nanos = 4_000_000;
const MAX_RTT_THRESH: Nanos = 16_000_000;
const MIN_RTT_DIVISOR: Nanos = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: u64 = 4;
const CSS_ROUNDS: u32 = 5;
/// RFC 9406's L for senders that do not pace.
const HYSTART_LIMIT: u64 = 8;

/// The effect of an ACK on a window below its threshold.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Step {
    /// Growth in bytes.
    pub bytes: u64,
    /// Slow start is over: the threshold is set to the window.
    pub leave: bool,
}

/// Growth of a window below its threshold.
#[derive(Clone, Debug)]
pub(super) struct SlowStart {
    /// Used only before the first congestion (RFC 9406, section 4.3).
    hystart: Option<HyStart>,
    after_timeout: bool,
}

impl SlowStart {
    pub fn new(hystart: bool) -> Self {
        SlowStart { hystart: hystart.then(HyStart::new), after_timeout: false }
    }

    /// Handles an ACK outside fast recovery.
    pub fn step(&mut self, acked: &Acked, mss: u64) -> Step {
        let (divisor, leave) = match &mut self.hystart {
            Some(hystart) => hystart.observe(acked),
            None => (1, false),
        };
        if leave {
            self.hystart = None;
        }
        if !acked.cwnd_limited {
            return Step { bytes: 0, leave };
        }
        // RFC 3465, sections 2.2 and 2.3: at most two segments per ACK, and one after a time-out,
        // when a cumulative ACK may cover segments that arrived long before.
        let segments = match self.hystart {
            _ if self.after_timeout => 1,
            Some(_) => HYSTART_LIMIT,
            None => 2,
        };
        Step { bytes: acked.acked.min(mss.saturating_mul(segments)) / divisor, leave }
    }

    /// Notes that the window has reached its threshold.
    pub fn passed(&mut self) {
        self.after_timeout = false;
    }

    pub fn congested(&mut self) {
        self.hystart = None;
        self.after_timeout = false;
    }

    pub fn timed_out(&mut self) {
        self.hystart = None;
        self.after_timeout = true;
    }
}

/// RFC 9406, section 4.2. RTTs are None where the RFC uses infinity.
#[derive(Clone, Debug)]
struct HyStart {
    last_round: Option<Nanos>,
    this_round: Option<Nanos>,
    samples: u32,
    conservative: Option<Conservative>,
}

/// Conservative slow start: a quarter of the growth, to see whether the longer RTTs persist.
#[derive(Clone, Debug)]
struct Conservative {
    baseline: Nanos,
    rounds: u32,
}

impl HyStart {
    fn new() -> Self {
        HyStart { last_round: None, this_round: None, samples: 0, conservative: None }
    }

    /// The divisor of the growth, and whether slow start is over.
    fn observe(&mut self, acked: &Acked) -> (u64, bool) {
        if acked.round_start {
            self.last_round = self.this_round.take();
            self.samples = 0;
            if let Some(css) = &mut self.conservative {
                css.rounds += 1;
                if css.rounds >= CSS_ROUNDS {
                    return (CSS_GROWTH_DIVISOR, true);
                }
            }
        }
        if let Some(rtt) = acked.rtt {
            self.this_round = Some(self.this_round.map_or(rtt, |least| least.min(rtt)));
            self.samples = self.samples.saturating_add(1);
        }
        if self.samples >= N_RTT_SAMPLE
            && let Some(this) = self.this_round
        {
            match &self.conservative {
                Some(css) if this < css.baseline => self.conservative = None,
                Some(_) => {}
                None => {
                    if let Some(last) = self.last_round {
                        let threshold = (last / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
                        if this >= last.saturating_add(threshold) {
                            self.conservative = Some(Conservative { baseline: this, rounds: 0 });
                        }
                    }
                }
            }
        }
        (if self.conservative.is_some() { CSS_GROWTH_DIVISOR } else { 1 }, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    fn ack(rtt: Nanos, round_start: bool) -> Acked {
        Acked { acked: 1000, rtt: Some(rtt), round_start, cwnd_limited: true, ..Acked::default() }
    }

    /// A round of ten ACKs. Returns the step of the last one.
    fn round(slow_start: &mut SlowStart, rtt: Nanos) -> Step {
        let mut last = slow_start.step(&ack(rtt, true), 1000);
        for _ in 0..9 {
            if last.leave {
                break;
            }
            last = slow_start.step(&ack(rtt, false), 1000);
        }
        last
    }

    #[test]
    fn css_ends_slow_start_after_five_rounds() {
        let mut slow_start = SlowStart::new(true);
        assert_eq!(round(&mut slow_start, 40 * MS), Step { bytes: 1000, leave: false });
        assert_eq!(
            round(&mut slow_start, 44 * MS),
            Step { bytes: 1000, leave: false },
            "40/8 = 5 ms are allowed"
        );
        assert_eq!(round(&mut slow_start, 50 * MS), Step { bytes: 250, leave: false });
        for _ in 0..4 {
            assert_eq!(round(&mut slow_start, 50 * MS), Step { bytes: 250, leave: false });
        }
        assert!(round(&mut slow_start, 50 * MS).leave);
    }

    #[test]
    fn shorter_round_trips_resume_it() {
        let mut slow_start = SlowStart::new(true);
        round(&mut slow_start, 40 * MS);
        assert_eq!(round(&mut slow_start, 50 * MS).bytes, 250);
        assert_eq!(round(&mut slow_start, 41 * MS).bytes, 1000);
    }

    #[test]
    fn thresholds_have_bounds() {
        let mut short = SlowStart::new(true);
        round(&mut short, MS);
        assert_eq!(round(&mut short, 4 * MS).bytes, 1000, "less than 4 ms more is noise");
        let mut long = SlowStart::new(true);
        round(&mut long, 400 * MS);
        assert_eq!(round(&mut long, 416 * MS).bytes, 250, "16 ms are enough on any path");
    }

    #[test]
    fn large_acks_grow_the_window_little() {
        let much = Acked { acked: 50_000, cwnd_limited: true, ..Acked::default() };
        let mut slow_start = SlowStart::new(false);
        assert_eq!(slow_start.step(&much, 1000).bytes, 2000);
        slow_start.timed_out();
        assert_eq!(slow_start.step(&much, 1000).bytes, 1000);
        slow_start.passed();
        assert_eq!(slow_start.step(&much, 1000).bytes, 2000);
        assert_eq!(SlowStart::new(true).step(&much, 1000).bytes, 8000);
    }

    #[test]
    fn an_unused_window_does_not_grow() {
        let unused = Acked { acked: 1000, ..Acked::default() };
        assert_eq!(SlowStart::new(false).step(&unused, 1000).bytes, 0);
    }
}
