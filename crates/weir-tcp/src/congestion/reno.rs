//! The window of NewReno: RFC 5681 with the byte counting of RFC 3465.

use super::hystart_plus_plus::HyStartPlusPlus;
use super::slow_start::{Exit, SlowStart, SlowStartEnd};
use super::{Acked, Congestion, CongestionControl, MAX_WINDOW, Marks, Start};
use crate::Nanos;

/// The window doubles each round trip below the threshold, grows by one segment per round trip
/// above it, and is halved on congestion.
#[derive(Clone, Debug)]
pub struct Reno {
    mss: u64,
    initial_window: u64,
    window: u64,
    threshold: u64,
    /// The number of bytes acknowledged that count towards the next segment of growth in congestion
    /// avoidance.
    counted: u64,
    slow_start: SlowStart,
    marks: Marks,
    /// Whether no new data has been acknowledged since the last time-out.
    backed_off: bool,
    before_reduction: Option<BeforeReduction>,
}

/// The state that `undo` restores.
#[derive(Clone, Copy, Debug)]
struct BeforeReduction {
    window: u64,
    threshold: u64,
}

impl Reno {
    /// Creates a controller in slow start.
    pub fn new(start: &Start) -> Self {
        let mss = u64::from(start.mss).max(1);
        let initial_window = start.initial_window.clamp(mss, MAX_WINDOW.max(mss));
        let exit = match start.hystart {
            true => Exit::HyStartPlusPlus(HyStartPlusPlus::new()),
            false => Exit::Loss,
        };
        Reno {
            mss,
            initial_window,
            window: initial_window,
            threshold: u64::MAX,
            counted: 0,
            slow_start: SlowStart::new(exit),
            marks: Marks::default(),
            backed_off: false,
            before_reduction: None,
        }
    }

    /// Grows the window by a number of bytes.
    fn grow(&mut self, bytes: u64) {
        self.window = self.window.saturating_add(bytes).min(MAX_WINDOW).max(self.mss);
    }

    /// Returns half of the amount in flight (RFC 5681, equation 4).
    fn half_in_flight(&self, in_flight: u64) -> u64 {
        (in_flight / 2).clamp(2 * self.mss, MAX_WINDOW.max(2 * self.mss))
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
        self.marks.record_acked(acked.acked);
        if acked.acked > 0 {
            self.backed_off = false;
        }
        if acked.in_recovery {
            return;
        }
        let mut bytes = acked.acked;
        if self.window < self.threshold {
            let step = self.slow_start.on_ack(acked, self.window, self.mss);
            let grown = step.bytes.min(self.threshold - self.window);
            self.grow(grown);
            if step.leave == SlowStartEnd::AfterGrowth {
                self.threshold = self.window;
            }
            if self.window < self.threshold {
                return;
            }
            self.slow_start.passed();
            bytes = step.bytes - grown;
        }
        if !acked.cwnd_limited {
            return;
        }
        // As in RFC 3465, section 2.1, the window grows by one segment for each window
        // acknowledged, and at most by one per ACK.
        self.counted = self.counted.saturating_add(bytes);
        if self.counted >= self.window {
            self.counted = (self.counted - self.window).min(self.window);
            self.grow(self.mss);
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if !self.marks.reduces(event) {
            return;
        }
        self.before_reduction = Some(BeforeReduction { window: self.window, threshold: self.threshold });
        self.threshold = self.half_in_flight(event.in_flight);
        self.window = self.threshold;
        self.counted = 0;
        self.slow_start.note_congestion();
    }

    fn on_timeout(&mut self, event: &Congestion) {
        // In RFC 5681, section 3.1, a repeated time-out of a segment gives no new information about
        // the amount in flight before the first time-out.
        if !self.backed_off {
            self.before_reduction = Some(BeforeReduction { window: self.window, threshold: self.threshold });
            self.threshold = self.half_in_flight(event.in_flight);
        }
        self.backed_off = true;
        self.marks.outstanding = event.in_flight;
        self.window = self.mss;
        self.counted = 0;
        self.slow_start.timed_out();
    }

    fn on_idle(&mut self, _now: Nanos, _idle: Nanos) {
        self.window = self.window.min(self.initial_window);
        self.counted = 0;
    }

    fn undo(&mut self) {
        if let Some(before) = self.before_reduction.take() {
            self.window = self.window.max(before.window);
            self.threshold = self.threshold.max(before.threshold);
            self.backed_off = false;
            self.slow_start.passed();
        }
    }

    fn on_mss(&mut self, mss: u32) {
        self.mss = u64::from(mss).max(1);
        self.window = self.window.max(self.mss);
        self.initial_window = self.initial_window.max(self.mss);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::Cause;

    fn reno() -> Reno {
        Reno::new(&Start {
            mss: 1000,
            initial_window: 10_000,
            srtt: 0,
            paced: false,
            random: 0,
            hystart: false,
            fast_convergence: true,
        })
    }

    fn event(cause: Cause, in_flight: u64) -> Congestion {
        Congestion { now: 0, cause, in_flight, srtt: 0, lost: 0 }
    }

    fn ack(acked: u64) -> Acked {
        Acked { acked, cwnd_limited: true, ..Acked::default() }
    }

    #[test]
    fn congestion_halves_the_flight() {
        let mut reno = reno();
        reno.on_congestion(&event(Cause::Loss, 9000));
        assert_eq!((reno.window(), reno.slow_start_threshold()), (4500, 4500));
        reno.on_congestion(&event(Cause::Loss, 1000));
        assert_eq!((reno.window(), reno.slow_start_threshold()), (2000, 2000));
    }

    #[test]
    fn congestion_avoidance_adds_a_segment_per_window() {
        let mut reno = reno();
        reno.on_congestion(&event(Cause::Loss, 20_000));
        for _ in 0..9 {
            reno.on_ack(&ack(1000));
        }
        assert_eq!(reno.window(), 10_000);
        reno.on_ack(&ack(1000));
        assert_eq!(reno.window(), 11_000);
        // A single ACK for everything also adds one segment.
        reno.on_ack(&ack(11_000));
        assert_eq!(reno.window(), 12_000);
    }

    #[test]
    fn windows_stay_in_recovery_and_when_idle() {
        let mut reno = reno();
        reno.on_ack(&Acked { in_recovery: true, ..ack(1000) });
        reno.on_ack(&Acked { cwnd_limited: false, ..ack(1000) });
        assert_eq!(reno.window(), 10_000);
        reno.on_ack(&ack(1000));
        assert_eq!(reno.window(), 11_000);
    }

    #[test]
    fn timeouts_count_a_flight_once() {
        let mut reno = reno();
        reno.on_timeout(&event(Cause::Loss, 10_000));
        assert_eq!((reno.window(), reno.slow_start_threshold()), (1000, 5000));
        reno.on_timeout(&event(Cause::Loss, 1000));
        assert_eq!((reno.window(), reno.slow_start_threshold()), (1000, 5000));
        for window in [2000, 3000, 4000, 5000, 5000] {
            reno.on_ack(&ack(4000));
            assert_eq!(reno.window(), window, "a segment an ACK, up to the threshold");
        }
        reno.on_timeout(&event(Cause::Loss, 6000));
        assert_eq!(reno.slow_start_threshold(), 3000);
    }

    #[test]
    fn marks_reduce_once_a_window() {
        let mut reno = reno();
        reno.on_congestion(&event(Cause::Ecn, 10_000));
        reno.on_ack(&Acked { in_recovery: true, ..ack(9000) });
        reno.on_congestion(&event(Cause::Ecn, 5000));
        assert_eq!(reno.window(), 5000);
        reno.on_ack(&Acked { in_recovery: true, ..ack(1000) });
        reno.on_congestion(&event(Cause::Ecn, 5000));
        assert_eq!(reno.window(), 2500);
    }

    #[test]
    fn undo_restores_once() {
        let mut reno = reno();
        reno.on_timeout(&event(Cause::Loss, 10_000));
        reno.undo();
        assert_eq!((reno.window(), reno.slow_start_threshold()), (10_000, u64::MAX));
        reno.on_idle(0, 0);
        reno.undo();
        assert_eq!(reno.window(), 10_000);
    }

    #[test]
    fn a_pause_falls_back_to_the_initial_window() {
        let mut reno = reno();
        for _ in 0..20 {
            reno.on_ack(&ack(1000));
        }
        assert_eq!(reno.window(), 30_000);
        reno.on_idle(0, 0);
        assert_eq!((reno.window(), reno.slow_start_threshold()), (10_000, u64::MAX));
    }

    #[test]
    fn a_larger_segment_fits_the_window() {
        let mut reno = reno();
        reno.on_timeout(&event(Cause::Loss, 10_000));
        reno.on_mss(8948);
        assert_eq!(reno.window(), 8948);
    }
}
