//! CUBIC: RFC 9438 with HyStart++ (RFC 9406), or as in Linux (net/ipv4/tcp_cubic.c) with HyStart.
//!
//! Linux computes the target from the curve one minimum RTT ahead, and not one RTT ahead. While
//! there is a queue, the minimum RTT is smaller than the RTT. As long as no maximum is known, its
//! window grows by 5 % per round trip or more. Its estimate of Reno's window grows by the same
//! amount in each round trip. Linux counts in whole segments: the distance of the curve from its
//! plateau is rounded down, so the window is half a segment larger before the plateau and half a
//! segment smaller after it.

#[cfg(test)]
mod tests;

use super::hystart::HyStart;
use super::hystart_plus_plus::HyStartPlusPlus;
use super::slow_start::{Exit, SlowStart, SlowStartEnd};
use super::{Acked, Cause, Congestion, CongestionControl, MAX_WINDOW, Marks, Start};
use crate::Nanos;
use crate::math::{cbrt, scale, seconds};

/// The constant C, in segments per second cubed (section 5).
const C: f64 = 0.4;
/// The fraction of the window that remains after a reduction (section 4.6).
const BETA: f64 = 0.7;
/// The growth in segments per round trip at which additive increase with a decrease to β is as fast
/// as Reno (section 4.3).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// Linux lets the window grow by a segment for at most this many acknowledged segments while no
/// maximum is known.
const MAX_COUNT_WITHOUT_MAXIMUM: f64 = 20.0;
/// If the curve is not above the window, Linux lets the window grow by a segment for this many
/// acknowledged windows.
const WINDOWS_PER_SEGMENT_BELOW_CURVE: f64 = 100.0;
/// Linux lets the window grow by a segment for at least this many acknowledged segments.
const MIN_COUNT: f64 = 2.0;

/// Which rules apply where Linux and the RFC differ.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Rules {
    Linux,
    Rfc,
}

/// The window is a cubic function of the time since the last reduction: it grows fast towards its
/// value before the reduction, slowly around it, then fast again, and never more slowly than Reno.
#[derive(Clone, Debug)]
pub struct Cubic {
    rules: Rules,
    mss: f64,
    initial_window: f64,
    /// The window in bytes, with a fraction.
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
    /// Whether no new data has been acknowledged since the last time-out.
    backed_off: bool,
    before_reduction: Option<BeforeReduction>,
}

/// The cubic curve of growth after a reduction (section 4.2), in bytes and seconds.
#[derive(Clone, Copy, Debug)]
struct Curve {
    /// W_max: the window at the plateau. 0 after a time-out and before the first congestion, when
    /// growth begins at the plateau.
    plateau: f64,
    /// Whether there has been congestion since the start and since the last time-out.
    has_maximum: bool,
    /// K: the time at which the plateau is reached.
    reached: f64,
    /// The start of congestion avoidance, moved forward by the times in which the window was not
    /// fully used. `None` before congestion avoidance.
    epoch: Option<Nanos>,
    /// W_est: Reno's window.
    reno: f64,
    /// cwnd_prior: the window before the reduction.
    prior: f64,
}

impl Curve {
    /// Begins congestion avoidance with a new curve.
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

    /// Returns the value of the curve at a time: W_cubic(t).
    fn window_at(&self, t: f64, mss: f64) -> f64 {
        let t = t - self.reached;
        self.plateau + C * mss * t * t * t
    }

    /// Returns the value of the curve in whole segments, rounded as in Linux: W_cubic(t).
    fn segments_at(&self, t: f64, mss: f64) -> f64 {
        let t = t - self.reached;
        (self.plateau / mss).floor() + (C * t * t * t).trunc()
    }

    /// Returns the number of segments that Linux wants acknowledged before the window grows by one
    /// (bictcp_update).
    fn count(&self, t: f64, window: f64, mss: f64) -> f64 {
        let window = (window / mss).floor();
        let ahead = self.segments_at(t, mss).max((self.reno / mss).floor()) - window;
        let count =
            if ahead > 0.0 { (window / ahead).floor() } else { WINDOWS_PER_SEGMENT_BELOW_CURVE * window };
        if self.has_maximum { count } else { count.min(MAX_COUNT_WITHOUT_MAXIMUM) }.max(MIN_COUNT)
    }
}

/// The state that `undo` restores (section 4.9).
#[derive(Clone, Copy, Debug)]
struct BeforeReduction {
    window: f64,
    threshold: u64,
    curve: Curve,
}

impl Cubic {
    /// Creates a controller in slow start with Linux' HyStart.
    pub fn new(start: &Start) -> Self {
        Self::with_rules(Rules::Linux, Exit::HyStart(HyStart::new(start.paced)), start)
    }

    /// Creates a controller in slow start with the HyStart++ of RFC 9406, which RFC 9438
    /// recommends.
    pub fn rfc(start: &Start) -> Self {
        Self::with_rules(Rules::Rfc, Exit::HyStartPlusPlus(HyStartPlusPlus::new()), start)
    }

    fn with_rules(rules: Rules, exit: Exit, start: &Start) -> Self {
        let mss = f64::from(start.mss.max(1));
        let initial_window = (start.initial_window as f64).min(MAX_WINDOW as f64).max(mss);
        Cubic {
            rules,
            mss,
            initial_window,
            window: initial_window,
            whole: initial_window as u64,
            threshold: u64::MAX,
            fast_convergence: start.fast_convergence,
            curve: Curve {
                plateau: 0.0,
                has_maximum: false,
                reached: 0.0,
                epoch: None,
                reno: 0.0,
                prior: 0.0,
            },
            last_ack: 0,
            slow_start: SlowStart::new(if start.hystart { exit } else { Exit::Loss }),
            marks: Marks::default(),
            backed_off: false,
            before_reduction: None,
        }
    }

    fn set_window(&mut self, bytes: f64) {
        self.window = bytes.min(MAX_WINDOW as f64).max(self.mss);
        self.whole = self.window as u64;
    }

    /// Saves the state before a reduction, so that it can be undone.
    fn save(&mut self) {
        self.before_reduction =
            Some(BeforeReduction { window: self.window, threshold: self.threshold, curve: self.curve });
    }

    /// Returns the new slow-start threshold after congestion (RFC 9438, section 4.6).
    fn reduced_threshold(&self, in_flight: u64) -> u64 {
        let least = 2.0 * self.mss;
        let reduced = scale(in_flight.min(MAX_WINDOW), BETA);
        (self.round_window(reduced as f64) as u64).max(least as u64)
    }

    /// Rounds a window to whole segments if the rules are those of Linux.
    fn round_window(&self, bytes: f64) -> f64 {
        match self.rules {
            Rules::Linux => (bytes / self.mss).floor() * self.mss,
            Rules::Rfc => bytes,
        }
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

    /// Grows the window in congestion avoidance, after `bytes` have been acknowledged.
    fn avoid(&mut self, acked: &Acked, bytes: u64) {
        let now = acked.now;
        let Some(epoch) = self.curve.epoch else {
            self.curve.begin(now, self.window, self.mss);
            return;
        };
        let t = seconds(now.saturating_sub(epoch));
        // An ACK counts for at most one window, because growth is per round trip.
        let share = (bytes as f64 / self.window).min(1.0);
        let as_reno = self.rules == Rules::Rfc && self.curve.reno >= self.curve.prior;
        let alpha = if as_reno { 1.0 } else { ALPHA };
        self.curve.reno = (self.curve.reno + alpha * self.mss * share).min(MAX_WINDOW as f64);
        let window = match self.rules {
            Rules::Rfc if self.curve.window_at(t, self.mss) < self.curve.reno => {
                self.window.max(self.curve.reno)
            }
            Rules::Rfc => {
                let growth = self.curve.window_at(t + seconds(acked.srtt), self.mss) - self.window;
                self.window + growth.clamp(0.0, self.window / 2.0) * share
            }
            Rules::Linux => {
                let ahead = t + seconds(acked.min_rtt);
                self.window + share * self.window / self.curve.count(ahead, self.window, self.mss)
            }
        };
        self.set_window(window);
    }
}

impl CongestionControl for Cubic {
    fn name(&self) -> &'static str {
        match self.rules {
            Rules::Linux => "cubic",
            Rules::Rfc => "cubic-rfc",
        }
    }

    fn window(&self) -> u64 {
        self.whole
    }

    fn slow_start_threshold(&self) -> u64 {
        self.threshold
    }

    fn on_sent(&mut self, now: Nanos, bytes: u64, in_flight: u64, _app_limited: bool) {
        if in_flight <= bytes {
            self.skip(now);
        }
    }

    fn on_ack(&mut self, acked: &Acked) {
        self.marks.record_acked(acked.acked);
        if acked.acked > 0 {
            self.backed_off = false;
        }
        if acked.in_recovery {
            self.last_ack = self.last_ack.max(acked.now);
            return;
        }
        let mut bytes = acked.acked;
        if self.window() < self.threshold {
            let step = self.slow_start.on_ack(acked, self.window(), self.mss as u64);
            if step.leave == SlowStartEnd::BeforeGrowth {
                self.threshold = self.window();
            }
            let grown = step.bytes.min(self.threshold - self.window());
            self.set_window(self.window + grown as f64);
            if step.leave == SlowStartEnd::AfterGrowth {
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
        self.avoid(acked, bytes);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if !self.marks.reduces(event) {
            return;
        }
        self.save();
        // According to section 4.7, a window smaller than the last maximum shows that another flow
        // needs capacity.
        let yields = self.fast_convergence && self.window < self.curve.plateau;
        let plateau = if yields { self.window * (1.0 + BETA) / 2.0 } else { self.window };
        self.curve.plateau = self.round_window(plateau);
        self.curve.has_maximum = true;
        self.curve.prior = self.window;
        self.curve.epoch = None;
        let flight = scale(event.in_flight.min(MAX_WINDOW), BETA) as f64;
        self.threshold = self.reduced_threshold(event.in_flight);
        self.set_window(match event.cause {
            Cause::Loss => self.threshold as f64,
            // With ECN the window may go down to one segment (section 4.6).
            Cause::Ecn => flight,
        });
        self.slow_start.note_congestion();
    }

    fn on_timeout(&mut self, event: &Congestion) {
        // In RFC 5681, section 3.1, a repeated time-out of a segment gives no new information about
        // the amount in flight before the first time-out.
        if !self.backed_off {
            self.save();
            self.threshold = self.reduced_threshold(event.in_flight);
            self.curve.prior = self.window;
        }
        self.backed_off = true;
        self.marks.outstanding = event.in_flight;
        // Section 4.8: K = 0, and W_max is the window at which congestion avoidance begins.
        self.curve.plateau = 0.0;
        self.curve.has_maximum = false;
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
        if let Some(before) = self.before_reduction.take() {
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
        // The curve counts in segments, so it starts again when the size of segments changes.
        self.curve.epoch = None;
    }
}
