//! CUBIC: RFC 9438, optionally with HyStart++ (RFC 9406) in slow start.

use super::hystart::SlowStart;
use super::{Acked, Cause, Congestion, CongestionControl, MAX_WINDOW, Marks, Start};
use crate::Nanos;
use crate::math::{cbrt, scale, seconds};

/// Segments per second cubed (section 5).
const C: f64 = 0.4;
/// The fraction of the window that remains after a reduction (section 4.6).
const BETA: f64 = 0.7;
/// The growth in segments per round trip at which additive increase with a decrease to β is as fast
/// as Reno (section 4.3).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// The window is a cubic function of the time since the last reduction: it grows fast towards its
/// value before the reduction, slowly around it, then fast again, and never more slowly than Reno.
#[derive(Clone, Debug)]
pub struct Cubic {
    mss: f64,
    initial_window: f64,
    /// Bytes, with a fraction.
    window: f64,
    /// The window in whole bytes.
    whole: u64,
    threshold: u64,
    fast_convergence: bool,
    curve: Curve,
    /// The time up to which the curve has been evaluated.
    last_ack: Nanos,
    slow_start: SlowStart,
    marks: Marks,
    /// No new data has been acknowledged since the last time-out.
    backed_off: bool,
    before: Option<Before>,
}

/// Growth after a reduction (section 4.2), in bytes and seconds.
#[derive(Clone, Copy, Debug)]
struct Curve {
    /// W_max: the window at the plateau. 0 after a time-out and before the first congestion, when
    /// the plateau is where growth begins.
    plateau: f64,
    /// K: the time at which the plateau is reached.
    reached: f64,
    /// The start of congestion avoidance, moved forward by times in which the window was not fully
    /// used. None before it.
    epoch: Option<Nanos>,
    /// W_est: Reno's window.
    reno: f64,
    /// cwnd_prior: the window before the reduction.
    prior: f64,
}

impl Curve {
    /// Begins congestion avoidance.
    fn begin(&mut self, now: Nanos, window: f64, mss: f64) {
        self.epoch = Some(now);
        self.reno = window;
        if window < self.plateau {
            self.reached = cbrt((self.plateau - window) / (C * mss));
        } else {
            self.plateau = window;
            self.reached = 0.0;
        }
    }

    /// W_cubic(t).
    fn at(&self, t: f64, mss: f64) -> f64 {
        let t = t - self.reached;
        self.plateau + C * mss * t * t * t
    }
}

/// What `undo` restores (section 4.9).
#[derive(Clone, Copy, Debug)]
struct Before {
    window: f64,
    threshold: u64,
    curve: Curve,
}

impl Cubic {
    /// A controller in slow start.
    pub fn new(start: &Start) -> Self {
        let mss = f64::from(start.mss.max(1));
        let initial_window = (start.initial_window as f64).min(MAX_WINDOW as f64).max(mss);
        Cubic {
            mss,
            initial_window,
            window: initial_window,
            whole: initial_window as u64,
            threshold: u64::MAX,
            fast_convergence: start.fast_convergence,
            curve: Curve { plateau: 0.0, reached: 0.0, epoch: None, reno: 0.0, prior: 0.0 },
            last_ack: 0,
            slow_start: SlowStart::new(start.hystart),
            marks: Marks::default(),
            backed_off: false,
            before: None,
        }
    }

    fn set_window(&mut self, bytes: f64) {
        self.window = bytes.min(MAX_WINDOW as f64).max(self.mss);
        self.whole = self.window as u64;
    }

    fn save(&mut self) {
        self.before = Some(Before { window: self.window, threshold: self.threshold, curve: self.curve });
    }

    /// The new threshold (section 4.6).
    fn reduced(&self, in_flight: u64) -> u64 {
        let least = 2.0 * self.mss;
        scale(in_flight.min(MAX_WINDOW), BETA).max(least as u64)
    }

    /// Excludes times in which the window was not fully used from the time of the curve (section
    /// 4.2).
    fn skip(&mut self, now: Nanos) {
        let unused = now.saturating_sub(self.last_ack);
        if let Some(epoch) = &mut self.curve.epoch {
            *epoch = epoch.saturating_add(unused).min(now.max(*epoch));
        }
        self.last_ack = self.last_ack.max(now);
    }

    fn avoid(&mut self, now: Nanos, srtt: Nanos, bytes: u64) {
        let Some(epoch) = self.curve.epoch else {
            self.curve.begin(now, self.window, self.mss);
            return;
        };
        let t = seconds(now.saturating_sub(epoch));
        // An ACK counts for at most one window, because growth is per round trip.
        let share = (bytes as f64 / self.window).min(1.0);
        let alpha = if self.curve.reno >= self.curve.prior { 1.0 } else { ALPHA };
        self.curve.reno = (self.curve.reno + alpha * self.mss * share).min(MAX_WINDOW as f64);
        if self.curve.at(t, self.mss) < self.curve.reno {
            self.set_window(self.window.max(self.curve.reno));
        } else {
            let ahead = self.curve.at(t + seconds(srtt), self.mss);
            let target = ahead.max(self.window).min(1.5 * self.window);
            self.set_window(self.window + (target - self.window) * share);
        }
    }
}

impl CongestionControl for Cubic {
    fn name(&self) -> &'static str {
        "cubic"
    }

    fn window(&self) -> u64 {
        self.whole
    }

    fn slow_start_threshold(&self) -> u64 {
        self.threshold
    }

    fn on_sent(&mut self, now: Nanos, bytes: u64, in_flight: u64) {
        if in_flight <= bytes {
            self.skip(now);
        }
    }

    fn on_ack(&mut self, acked: &Acked) {
        self.marks.acked(acked.acked);
        if acked.acked > 0 {
            self.backed_off = false;
        }
        if acked.in_recovery {
            self.last_ack = self.last_ack.max(acked.now);
            return;
        }
        let mut bytes = acked.acked;
        if self.window() < self.threshold {
            let step = self.slow_start.step(acked, self.mss as u64);
            let grown = step.bytes.min(self.threshold - self.window());
            self.set_window(self.window + grown as f64);
            if step.leave {
                self.threshold = self.window();
            }
            self.last_ack = self.last_ack.max(acked.now);
            if self.window() < self.threshold {
                return;
            }
            self.slow_start.passed();
            bytes = step.bytes - grown;
        }
        if !acked.cwnd_limited {
            self.skip(acked.now);
            return;
        }
        self.last_ack = self.last_ack.max(acked.now);
        self.avoid(acked.now, acked.srtt, bytes);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if !self.marks.reduces(event) {
            return;
        }
        self.save();
        // Section 4.7: a window smaller than the last maximum means that another flow needs
        // capacity.
        let yields = self.fast_convergence && self.window < self.curve.plateau;
        self.curve.plateau = if yields { self.window * (1.0 + BETA) / 2.0 } else { self.window };
        self.curve.prior = self.window;
        self.curve.epoch = None;
        let flight = scale(event.in_flight.min(MAX_WINDOW), BETA) as f64;
        self.threshold = self.reduced(event.in_flight);
        self.set_window(match event.cause {
            Cause::Loss => self.threshold as f64,
            // With ECN the window may go down to one segment (section 4.6).
            Cause::Ecn => flight,
        });
        self.slow_start.congested();
    }

    fn on_timeout(&mut self, event: &Congestion) {
        // RFC 5681, section 3.1: a repeated time-out of a segment says nothing new about the amount
        // in flight before the first.
        if !self.backed_off {
            self.save();
            self.threshold = self.reduced(event.in_flight);
            self.curve.prior = self.window;
        }
        self.backed_off = true;
        self.marks.outstanding = event.in_flight;
        // Section 4.8: K = 0, and W_max is the window at which congestion avoidance begins.
        self.curve.plateau = 0.0;
        self.curve.epoch = None;
        self.set_window(self.mss);
        self.slow_start.timed_out();
    }

    fn on_idle(&mut self, now: Nanos, _idle: Nanos) {
        self.set_window(self.window.min(self.initial_window));
        self.curve.epoch = None;
        self.last_ack = self.last_ack.max(now);
    }

    fn undo(&mut self) {
        if let Some(before) = self.before.take() {
            if before.window > self.window {
                self.set_window(before.window);
                self.curve = before.curve;
            }
            self.threshold = self.threshold.max(before.threshold);
            self.backed_off = false;
            self.slow_start.passed();
        }
    }

    fn on_mss(&mut self, mss: u32) {
        self.mss = f64::from(mss.max(1));
        self.set_window(self.window);
        self.initial_window = self.initial_window.max(self.mss);
        // The curve is in segments, so it starts again.
        self.curve.epoch = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SECOND;

    const MSS: u64 = 1000;

    fn cubic(fast_convergence: bool) -> Cubic {
        Cubic::new(&Start {
            mss: 1000,
            initial_window: 10_000,
            srtt: 0,
            random: 0,
            hystart: false,
            fast_convergence,
        })
    }

    fn loss(in_flight: u64) -> Congestion {
        Congestion { now: 0, cause: Cause::Loss, in_flight, srtt: 0, lost: MSS }
    }

    /// A window of 100 segments, then congestion.
    fn reduced(cubic: &mut Cubic) {
        cubic.set_window(100_000.0);
        cubic.on_congestion(&loss(100_000));
    }

    fn ack(cubic: &mut Cubic, now: Nanos) {
        let acked = Acked { now, acked: MSS, srtt: SECOND / 5, cwnd_limited: true, ..Acked::default() };
        cubic.on_ack(&acked);
    }

    #[test]
    fn the_plateau_is_reached_at_k() {
        let mut cubic = cubic(true);
        reduced(&mut cubic);
        assert_eq!(cubic.window(), 70_000);
        // K = ∛(30/0.4) = 4.217 s; round trips of 200 ms, whose ACKs are spread evenly.
        let mut now = 0;
        while now < 4_217_000_000 {
            ack(&mut cubic, now);
            now += 200_000_000 * MSS / cubic.window();
        }
        assert!((cubic.window() as f64 - 100_000.0).abs() < 500.0, "{}", cubic.window());
        assert!((cubic.curve.reached - 4.217).abs() < 0.001);
    }

    #[test]
    fn growth_targets_the_curve_one_rtt_ahead() {
        let mut cubic = cubic(true);
        reduced(&mut cubic);
        ack(&mut cubic, 0);
        ack(&mut cubic, SECOND / 5);
        // W_cubic(0.4 s) = 100 + 0.4 · (0.4 − 4.217)³ = 77.75 segments. One of 70 ACKs adds a 70th
        // of the difference.
        assert!((cubic.window - 70_110.7).abs() < 0.5, "{}", cubic.window);
        let before = cubic.window;
        ack(&mut cubic, 60 * SECOND);
        assert!((cubic.window - before - 500.0).abs() < 0.001);
    }

    #[test]
    fn a_smaller_window_than_last_time_gives_way() {
        for (fast_convergence, plateau) in [(true, 80_000.0 * 0.85), (false, 80_000.0)] {
            let mut cubic = cubic(fast_convergence);
            reduced(&mut cubic);
            cubic.set_window(80_000.0);
            cubic.on_congestion(&loss(80_000));
            assert_eq!(cubic.curve.plateau, plateau);
            assert_eq!(cubic.window(), 56_000);
        }
    }

    #[test]
    fn time_without_data_is_not_time_of_the_curve() {
        let (mut busy, mut pausing) = (cubic(true), cubic(true));
        for cubic in [&mut busy, &mut pausing] {
            reduced(cubic);
            for i in 0..100 {
                ack(cubic, i * 10_000_000);
            }
        }
        pausing.on_sent(31 * SECOND, MSS, MSS);
        ack(&mut busy, 1_000_000_000);
        ack(&mut pausing, 31_010_000_000);
        assert_eq!(busy.window(), pausing.window());
    }

    #[test]
    fn a_late_segment_restores_everything() {
        let mut cubic = cubic(true);
        reduced(&mut cubic);
        for i in 0..300 {
            ack(&mut cubic, i * 10_000_000);
        }
        let (window, threshold, plateau) = (cubic.window, cubic.threshold, cubic.curve.plateau);
        cubic.on_congestion(&loss(50_000));
        assert!(cubic.window < window);
        cubic.undo();
        assert_eq!((cubic.window, cubic.threshold, cubic.curve.plateau), (window, threshold, plateau));
        cubic.undo();
        assert_eq!(cubic.window, window);
    }

    #[test]
    fn timeouts_reset_the_window_and_plateau() {
        let mut cubic = cubic(true);
        reduced(&mut cubic);
        cubic.on_timeout(&loss(70_000));
        assert_eq!((cubic.window(), cubic.slow_start_threshold()), (1000, 49_000));
        cubic.on_timeout(&loss(1000));
        assert_eq!(cubic.slow_start_threshold(), 49_000, "the same flight is not halved twice");
        let mut now = 0;
        while cubic.window() < 49_000 {
            now += 10_000_000;
            ack(&mut cubic, now);
        }
        ack(&mut cubic, now + 1);
        assert_eq!((cubic.curve.reached, cubic.curve.plateau), (0.0, 49_000.0));
    }

    #[test]
    fn marks_reduce_the_window_once() {
        let mut cubic = cubic(true);
        cubic.set_window(100_000.0);
        let mark = |in_flight| Congestion { cause: Cause::Ecn, ..loss(in_flight) };
        cubic.on_congestion(&mark(100_000));
        cubic.on_congestion(&mark(100_000));
        assert_eq!(cubic.window(), 70_000);
        cubic.on_ack(&Acked { acked: 100_000, ..Acked::default() });
        cubic.on_congestion(&mark(70_000));
        assert_eq!(cubic.window(), 49_000);
        cubic.on_ack(&Acked { acked: 70_000, ..Acked::default() });
        cubic.on_congestion(&mark(1000));
        assert_eq!((cubic.window(), cubic.slow_start_threshold()), (1000, 2000));
    }
}
