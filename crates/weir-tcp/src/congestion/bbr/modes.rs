//! The modes of BBR: filling the pipe, draining the queue, probing for bandwidth and for the RTT.

use super::{Acked, Bbr, GAIN_UNIT, HIGH_GAIN, MS, RateSample};
use crate::Nanos;
use crate::math::{SECOND, mul_div, splitmix};

const DRAIN_GAIN: u64 = GAIN_UNIT * 1000 / 2885;
const WINDOW_GAIN: u64 = 2 * GAIN_UNIT;
/// The pacing gains of a cycle in ProbeBW.
const CYCLE: [u64; 8] =
    [GAIN_UNIT * 5 / 4, GAIN_UNIT * 3 / 4, GAIN_UNIT, GAIN_UNIT, GAIN_UNIT, GAIN_UNIT, GAIN_UNIT, GAIN_UNIT];
const RTPROP_FILTER: Nanos = 10 * SECOND;
const PROBE_RTT: Nanos = 200 * MS;

/// The modes of BBR's state machine.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Mode {
    Startup,
    Drain,
    ProbeBandwidth,
    ProbeRtt,
}

impl Bbr {
    /// Moves to the next phase of the gain cycle if it is time (bbr_update_cycle_phase).
    pub(super) fn update_cycle(&mut self, acked: &Acked) {
        if self.mode != Mode::ProbeBandwidth {
            return;
        }
        let full = acked.now.saturating_sub(self.cycle_at) > self.rtprop.unwrap_or(Nanos::MAX);
        let flight = self.in_network(acked, acked.prior_in_flight);
        let bandwidth = self.bandwidth.max();
        let next = match self.pacing_gain {
            GAIN_UNIT => full,
            gain if gain > GAIN_UNIT => {
                full && (acked.newly_lost > 0 || flight >= self.inflight(bandwidth, gain))
            }
            _ => full || flight <= self.inflight(bandwidth, GAIN_UNIT),
        };
        if next {
            self.next_phase(acked.now);
        }
    }

    fn next_phase(&mut self, now: Nanos) {
        self.cycle = (self.cycle + 1) % CYCLE.len();
        self.cycle_at = now;
        self.set_probe_gain();
    }

    fn set_probe_gain(&mut self) {
        self.pacing_gain = if self.policer.rate().is_some() { GAIN_UNIT } else { CYCLE[self.cycle] };
    }

    pub(super) fn enter_probe_bandwidth(&mut self, now: Nanos) {
        self.mode = Mode::ProbeBandwidth;
        self.window_gain = WINDOW_GAIN;
        // The cycle begins with a random phase, but never with the phase that drains the queue of
        // the phase before it.
        self.cycle = CYCLE.len() - 1 - (splitmix(&mut self.random) % (CYCLE.len() as u64 - 1)) as usize;
        self.next_phase(now);
    }

    /// Detects that the pipe is full, that is, that the bandwidth has not grown by 25 % in three
    /// round trips (bbr_check_full_bw_reached).
    pub(super) fn check_full(&mut self, rate: Option<&RateSample>) {
        let Some(rate) = rate else { return };
        if self.filled || !self.round_start || self.held_down(rate) {
            return;
        }
        let best = self.bandwidth.max();
        if best >= mul_div(self.full_bandwidth, 5, 4) {
            self.full_bandwidth = best;
            self.full_rounds = 0;
            return;
        }
        self.full_rounds += 1;
        self.filled = self.full_rounds >= 3;
    }

    /// Begins and ends the draining of the queue (bbr_check_drain).
    pub(super) fn check_drain(&mut self, acked: &Acked) {
        if self.mode == Mode::Startup && self.filled {
            self.mode = Mode::Drain;
            self.pacing_gain = DRAIN_GAIN;
            self.window_gain = HIGH_GAIN;
        }
        if self.mode == Mode::Drain
            && self.in_network(acked, acked.in_flight) <= self.inflight(self.bandwidth.max(), GAIN_UNIT)
        {
            self.enter_probe_bandwidth(acked.now);
        }
    }

    /// Updates the minimum RTT (bbr_update_min_rtt). An RTT equal to the minimum does not renew it.
    pub(super) fn update_rtprop(&mut self, acked: &Acked) {
        let measured_at = *self.rtprop_at.get_or_insert(acked.now);
        let expired = acked.now > measured_at.saturating_add(RTPROP_FILTER);
        if let Some(rtt) = acked.rtt
            && (expired || self.rtprop.is_none_or(|rtprop| rtt < rtprop))
        {
            self.rtprop = Some(rtt);
            self.rtprop_at = Some(acked.now);
        }
        if self.mode != Mode::ProbeRtt && expired && !self.idle_restart {
            self.save_window();
            self.mode = Mode::ProbeRtt;
            self.pacing_gain = GAIN_UNIT;
            self.window_gain = GAIN_UNIT;
            self.probe_ends = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(acked);
        }
        if acked.delivered > 0 {
            self.idle_restart = false;
        }
    }

    fn probe_rtt(&mut self, acked: &Acked) {
        self.held_down_until = self.delivered.saturating_add(acked.in_flight).max(1);
        if self.probe_ends.is_some() {
            self.probed_a_round |= self.round_start;
            if self.probed_a_round {
                self.end_probe_rtt(acked.now);
            }
        } else if acked.in_flight <= self.least_window() {
            self.probe_ends = Some(acked.now.saturating_add(PROBE_RTT));
            self.probed_a_round = false;
            self.round_end = self.delivered;
        }
    }

    /// Ends the RTT probe if it is time (bbr_check_probe_rtt_done).
    pub(super) fn end_probe_rtt(&mut self, now: Nanos) {
        if self.probe_ends.is_none_or(|ends| now <= ends) {
            return;
        }
        self.rtprop_at = Some(now);
        self.restore_window();
        if self.filled {
            self.enter_probe_bandwidth(now);
        } else {
            self.mode = Mode::Startup;
            self.pacing_gain = HIGH_GAIN;
            self.window_gain = HIGH_GAIN;
        }
    }
}
