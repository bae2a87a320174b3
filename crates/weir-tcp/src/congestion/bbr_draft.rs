//! BBR version 1 as in draft-cardwell-iccrg-bbr-congestion-control-00, without the additions of
//! Linux ([`Bbr`](super::Bbr)).
//!
//! BBR does not react to losses but models the path: the bottleneck's bandwidth is the maximum
//! delivery rate of the last ten round trips, the propagation delay is the minimum RTT of the last
//! ten seconds. The pacing rate alternates between slightly more and slightly less than the
//! bandwidth, so that changes are detected. At most two BDPs are in flight.

#[cfg(test)]
mod tests;

use super::round_max::RoundMax;
use super::{Acked, Cause, Congestion, CongestionControl, MAX_WINDOW, Start};
use crate::Nanos;
use crate::math::{SECOND, bytes_in, rate_of, scale, splitmix};
use crate::rate::RateSample;

/// A millisecond in nanoseconds.
const MS: Nanos = 1_000_000;
/// 2/ln 2: the smallest gain that doubles the sending rate each round trip.
const HIGH_GAIN: f64 = 2.885_390_081_777_927;
const WINDOW_GAIN: f64 = 2.0;
/// The pacing gains of a cycle in ProbeBW.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// The length of the bandwidth filter in round trips (BtlBwFilterLen).
const BANDWIDTH_ROUNDS: u64 = 10;
const RTPROP_FILTER: Nanos = 10 * SECOND;
const PROBE_RTT: Nanos = 200 * MS;
/// The minimum window in segments (BBRMinPipeCwnd).
const MIN_SEGMENTS: u64 = 4;

/// The modes of BBR's state machine.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Mode {
    Startup,
    Drain,
    ProbeBandwidth,
    ProbeRtt,
}

/// Paces at the measured bandwidth. Responds to losses only by conserving packets for a round trip,
/// and does not respond to ECN.
#[derive(Clone, Debug)]
pub struct BbrDraft {
    mss: u64,
    initial_window: u64,
    window: u64,
    /// The pacing rate in bits per second.
    pacing: u64,
    random: u64,
    mode: Mode,
    pacing_gain: f64,
    window_gain: f64,

    bandwidth: RoundMax<{ BANDWIDTH_ROUNDS as usize }>,
    rounds: u64,
    /// The round trip ends when a segment is delivered that was sent after this many bytes had been
    /// delivered.
    round_end: u64,
    round_start: bool,
    /// The number of bytes delivered since the start.
    delivered: u64,

    rtprop: Option<Nanos>,
    rtprop_at: Nanos,
    /// Samples of segments that were sent before this many bytes were delivered are limited by the
    /// RTT probe.
    held_down_until: u64,
    probe_ends: Option<Nanos>,
    probed_a_round: bool,

    full_bandwidth: u64,
    full_rounds: u32,
    filled: bool,

    cycle: usize,
    cycle_at: Nanos,

    seen_rtt: bool,
    idle_restart: bool,
    recovering: bool,
    conserving: bool,
    /// The window that is restored after recovery.
    prior: u64,
}

impl BbrDraft {
    /// Creates a controller in Startup.
    pub fn new(start: &Start) -> Self {
        let mss = u64::from(start.mss).max(1);
        let initial_window = start.initial_window.clamp(mss, MAX_WINDOW.max(mss));
        BbrDraft {
            mss,
            initial_window,
            window: initial_window,
            pacing: scale(rate_of(initial_window, if start.srtt > 0 { start.srtt } else { MS }), HIGH_GAIN)
                .max(1),
            random: start.random,
            mode: Mode::Startup,
            pacing_gain: HIGH_GAIN,
            window_gain: HIGH_GAIN,
            bandwidth: RoundMax::default(),
            rounds: 0,
            round_end: 0,
            round_start: false,
            delivered: 0,
            rtprop: None,
            rtprop_at: 0,
            held_down_until: 0,
            probe_ends: None,
            probed_a_round: false,
            full_bandwidth: 0,
            full_rounds: 0,
            filled: false,
            cycle: 0,
            cycle_at: 0,
            seen_rtt: start.srtt > 0,
            idle_restart: false,
            recovering: false,
            conserving: false,
            prior: 0,
        }
    }

    /// Computes BBRInflight: `gain` BDPs plus three segments, so that delayed ACKs do not stall the
    /// sender. (The draft adds three send quanta. Without segmentation offload, a quantum is a
    /// segment.)
    fn inflight(&self, gain: f64) -> u64 {
        match self.rtprop {
            Some(rtprop) if self.bandwidth.max() > 0 => {
                scale(bytes_in(self.bandwidth.max(), rtprop), gain).saturating_add(3 * self.mss)
            }
            _ => self.initial_window,
        }
    }

    fn least_window(&self) -> u64 {
        MIN_SEGMENTS * self.mss
    }

    /// Updates the round and the bandwidth (BBRUpdateRound and BBRUpdateBtlBw).
    fn update_bandwidth(&mut self, rate: Option<&RateSample>) {
        self.round_start = false;
        let Some(rate) = rate else { return };
        self.delivered = self.delivered.max(rate.prior_delivered.saturating_add(rate.delivered));
        if rate.prior_delivered >= self.round_end {
            self.round_end = self.delivered;
            self.rounds = self.rounds.saturating_add(1);
            self.round_start = true;
        }
        if !self.held_down(rate) || rate.bits_per_second >= self.bandwidth.max() {
            self.bandwidth.update(self.rounds, rate.bits_per_second);
        }
    }

    fn held_down(&self, rate: &RateSample) -> bool {
        rate.app_limited || rate.prior_delivered < self.held_down_until
    }

    /// Moves to the next phase of the gain cycle if it is time (BBRCheckCyclePhase).
    fn update_cycle(&mut self, acked: &Acked) {
        if self.mode != Mode::ProbeBandwidth {
            return;
        }
        let full = acked.now.saturating_sub(self.cycle_at) > self.rtprop.unwrap_or(0);
        let next = if self.pacing_gain > 1.0 {
            full && (acked.newly_lost > 0 || acked.prior_in_flight >= self.inflight(self.pacing_gain))
        } else if self.pacing_gain < 1.0 {
            full || acked.prior_in_flight <= self.inflight(1.0)
        } else {
            full
        };
        if next {
            self.next_phase(acked.now);
        }
    }

    fn next_phase(&mut self, now: Nanos) {
        self.cycle = (self.cycle + 1) % CYCLE.len();
        self.cycle_at = now;
        self.pacing_gain = CYCLE[self.cycle];
    }

    fn enter_probe_bandwidth(&mut self, now: Nanos) {
        self.mode = Mode::ProbeBandwidth;
        self.window_gain = WINDOW_GAIN;
        // The cycle begins with a random phase, but never with the phase that drains the queue of
        // the phase before it.
        self.cycle = CYCLE.len() - 1 - (splitmix(&mut self.random) % (CYCLE.len() as u64 - 1)) as usize;
        self.next_phase(now);
    }

    fn enter_startup(&mut self) {
        self.mode = Mode::Startup;
        self.pacing_gain = HIGH_GAIN;
        self.window_gain = HIGH_GAIN;
    }

    /// Detects that the pipe is full, that is, that the bandwidth has not grown by 25 % in three
    /// round trips (BBRCheckFullPipe).
    fn check_full(&mut self, rate: Option<&RateSample>) {
        let Some(rate) = rate else { return };
        if self.filled || !self.round_start || self.held_down(rate) {
            return;
        }
        let best = self.bandwidth.max();
        if best >= scale(self.full_bandwidth, 1.25) {
            self.full_bandwidth = best;
            self.full_rounds = 0;
            return;
        }
        self.full_rounds += 1;
        self.filled = self.full_rounds >= 3;
    }

    /// Begins and ends the draining of the queue (BBRCheckDrain).
    fn check_drain(&mut self, acked: &Acked) {
        if self.mode == Mode::Startup && self.filled {
            self.mode = Mode::Drain;
            self.pacing_gain = 1.0 / HIGH_GAIN;
            self.window_gain = HIGH_GAIN;
        }
        if self.mode == Mode::Drain && acked.in_flight <= self.inflight(1.0) {
            self.enter_probe_bandwidth(acked.now);
        }
    }

    /// Updates the propagation delay, and begins and ends RTT probes (BBRUpdateRTprop and
    /// BBRCheckProbeRTT).
    fn update_rtprop(&mut self, acked: &Acked) {
        let expired = self.rtprop.is_some() && acked.now > self.rtprop_at.saturating_add(RTPROP_FILTER);
        if let Some(rtt) = acked.rtt
            && (expired || self.rtprop.is_none_or(|rtprop| rtt <= rtprop))
        {
            self.rtprop = Some(rtt);
            self.rtprop_at = acked.now;
        }
        if self.mode != Mode::ProbeRtt && expired && !self.idle_restart {
            self.save_window();
            self.mode = Mode::ProbeRtt;
            self.pacing_gain = 1.0;
            self.window_gain = 1.0;
            self.probe_ends = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(acked);
        }
        if acked.delivered > 0 {
            self.idle_restart = false;
        }
    }

    /// Handles an RTT probe (BBRHandleProbeRTT).
    fn probe_rtt(&mut self, acked: &Acked) {
        self.held_down_until = self.delivered.saturating_add(acked.in_flight).max(1);
        match self.probe_ends {
            None if acked.in_flight <= self.least_window() => {
                self.probe_ends = Some(acked.now.saturating_add(PROBE_RTT));
                self.probed_a_round = false;
                self.round_end = self.delivered;
            }
            None => {}
            Some(ends) => {
                self.probed_a_round |= self.round_start;
                if self.probed_a_round && acked.now > ends {
                    self.rtprop_at = acked.now;
                    self.restore_window();
                    if self.filled {
                        self.enter_probe_bandwidth(acked.now);
                    } else {
                        self.enter_startup();
                    }
                }
            }
        }
    }

    fn save_window(&mut self) {
        let earlier = if self.recovering || self.mode == Mode::ProbeRtt { self.prior } else { 0 };
        self.prior = earlier.max(self.window);
    }

    fn restore_window(&mut self) {
        self.set_window(self.window.max(self.prior));
    }

    fn set_window(&mut self, bytes: u64) {
        self.window = bytes.min(MAX_WINDOW).max(self.mss);
    }

    /// Sets the pacing rate, which only grows until the pipe is full (BBRSetPacingRate).
    fn set_pacing(&mut self, srtt: Nanos) {
        if !self.seen_rtt && srtt > 0 {
            self.seen_rtt = true;
            self.pacing = scale(rate_of(self.window, srtt), HIGH_GAIN).max(1);
        }
        let rate = scale(self.bandwidth.max(), self.pacing_gain);
        if rate > 0 && (self.filled || rate > self.pacing) {
            self.pacing = rate;
        }
    }

    /// Updates the window (BBRSetCwnd).
    fn update_window(&mut self, acked: &Acked) {
        let target = self.inflight(self.window_gain);
        if acked.newly_lost > 0 {
            self.set_window(self.window.saturating_sub(acked.newly_lost));
        }
        if self.conserving {
            self.set_window(self.window.max(acked.in_flight.saturating_add(acked.delivered)));
        } else {
            let grown = self.window.saturating_add(acked.delivered);
            if self.filled {
                self.set_window(grown.min(target));
            } else if self.window < target || self.delivered < self.initial_window {
                self.set_window(grown);
            }
            self.set_window(self.window.max(self.least_window()));
        }
        if self.mode == Mode::ProbeRtt {
            self.set_window(self.window.min(self.least_window()));
        }
    }
}

impl CongestionControl for BbrDraft {
    fn name(&self) -> &'static str {
        "bbr-draft"
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn slow_start_threshold(&self) -> u64 {
        u64::MAX
    }

    fn pacing_rate(&self) -> Option<u64> {
        Some(self.pacing)
    }

    fn reduces_by_prr(&self) -> bool {
        false
    }

    fn on_sent(&mut self, _now: Nanos, bytes: u64, in_flight: u64, _app_limited: bool) {
        if in_flight <= bytes && self.delivered > 0 {
            self.idle_restart = true;
            if self.mode == Mode::ProbeBandwidth && self.bandwidth.max() > 0 {
                self.pacing = self.bandwidth.max();
            }
        }
    }

    fn on_ack(&mut self, acked: &Acked) {
        self.update_bandwidth(acked.rate.as_ref());
        if self.conserving && self.round_start {
            self.conserving = false;
        }
        self.update_cycle(acked);
        self.check_full(acked.rate.as_ref());
        self.check_drain(acked);
        self.update_rtprop(acked);
        self.set_pacing(acked.srtt);
        self.update_window(acked);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        // Version 1 does not respond to ECN.
        if event.cause == Cause::Ecn {
            return;
        }
        self.save_window();
        self.recovering = true;
        self.conserving = true;
        self.round_end = self.delivered;
        self.set_window(event.in_flight.saturating_sub(event.lost).saturating_add(self.mss));
    }

    fn on_recovered(&mut self, _now: Nanos) {
        if self.recovering {
            self.recovering = false;
            self.conserving = false;
            self.restore_window();
        }
    }

    fn on_timeout(&mut self, _event: &Congestion) {
        self.save_window();
        self.recovering = true;
        self.conserving = false;
        self.set_window(self.mss);
    }

    fn undo(&mut self) {
        // If a pause was detected wrongly, it contains no information about the pipe.
        self.full_bandwidth = 0;
        self.full_rounds = 0;
        self.on_recovered(0);
    }

    fn on_mss(&mut self, mss: u32) {
        self.mss = u64::from(mss).max(1);
        self.initial_window = self.initial_window.max(self.mss);
        self.set_window(self.window);
    }
}
