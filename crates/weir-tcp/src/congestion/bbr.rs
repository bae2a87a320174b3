//! BBR version 1 as in Linux (net/ipv4/tcp_bbr.c).
//!
//! BBR does not react to losses but models the path: the bottleneck's bandwidth is the maximum
//! delivery rate of the last ten round trips, the propagation delay is the minimum RTT of the last
//! ten seconds. The pacing rate alternates between slightly more and slightly less than the
//! bandwidth, so that changes are detected. At most two BDPs are in flight.
//!
//! Linux adds to the draft ([`BbrDraft`](super::BbrDraft)): pacing at 1 % less than the bandwidth,
//! room in the window for bursts and for aggregated acknowledgements, a window that starts from the
//! amount in flight in recovery, and the detection of policers. Its segments leave in bursts of
//! about a millisecond, which the pacing of the host spaces.

mod aggregation;
mod modes;
mod policer;
#[cfg(test)]
mod tests;

use super::round_max::RoundMax;
use super::{Acked, Cause, Congestion, CongestionControl, MAX_WINDOW, Start};
use crate::Nanos;
use crate::math::{bytes_in, mul_div, rate_of};
use crate::rate::RateSample;
use aggregation::Aggregation;
use modes::Mode;
use policer::Policer;

/// A millisecond in nanoseconds.
const MS: Nanos = 1_000_000;
/// The unit of gains: a gain of 256 is 1.
const GAIN_UNIT: u64 = 256;
/// The gain 2/ln 2 as Linux rounds it.
const HIGH_GAIN: u64 = GAIN_UNIT * 2885 / 1000 + 1;
/// The number of round trips for which a bandwidth is stored.
const BANDWIDTH_ROUNDS: usize = 10;
/// The minimum window in segments.
const MIN_SEGMENTS: u64 = 4;
/// The window in segments that Linux uses if no RTT is known, and up to which the window always
/// grows.
const INITIAL_SEGMENTS: u64 = 10;
/// The percentage of the bandwidth by which pacing is slower.
const PACING_MARGIN_PERCENT: u64 = 1;
/// The pacing rate, in bits per second, below which segments leave one by one. Above it, they leave
/// at least in pairs.
const MIN_RATE_FOR_PAIRS: u64 = 1_200_000;
/// The largest burst of Linux in bytes (GSO_LEGACY_MAX_SIZE).
const MAX_BURST: u64 = 65_536;
/// The maximum size of a burst in the window formula: the largest burst without headers.
const MAX_BUDGET: u64 = MAX_BURST - 1 - 320;

/// Paces at the measured bandwidth. Responds to losses only by conserving packets for a round trip,
/// and does not respond to ECN.
#[derive(Clone, Debug)]
pub struct Bbr {
    mss: u64,
    window: u64,
    /// The pacing rate in bits per second.
    pacing: u64,
    random: u64,
    mode: Mode,
    pacing_gain: u64,
    window_gain: u64,

    bandwidth: RoundMax<BANDWIDTH_ROUNDS>,
    rounds: u64,
    /// The round trip ends when a segment is delivered that was sent after this many bytes had been
    /// delivered.
    round_end: u64,
    round_start: bool,
    /// The bytes that were delivered, and the bytes that were marked lost, since the start.
    delivered: u64,
    lost: u64,
    aggregation: Aggregation,
    policer: Policer,

    rtprop: Option<Nanos>,
    /// The time at which the propagation delay was measured. `None` until the first event, because
    /// the time is unknown before.
    rtprop_at: Option<Nanos>,
    /// Minimum RTT of the connection, 0 if unknown.
    min_rtt: Nanos,
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
    /// Whether congestion was reported and has not ended.
    recovering: bool,
    /// Whether recovery begins with the current ACK.
    entering: bool,
    conserving: bool,
    /// The window that is restored after recovery.
    prior: u64,
}

impl Bbr {
    /// Creates a controller in Startup.
    pub fn new(start: &Start) -> Self {
        let mss = u64::from(start.mss).max(1);
        let window = start.initial_window.clamp(mss, MAX_WINDOW.max(mss));
        let mut bbr = Bbr {
            mss,
            window,
            pacing: 1,
            random: start.random,
            mode: Mode::Startup,
            pacing_gain: HIGH_GAIN,
            window_gain: HIGH_GAIN,
            bandwidth: RoundMax::default(),
            rounds: 0,
            round_end: 0,
            round_start: false,
            delivered: 0,
            lost: 0,
            aggregation: Aggregation::default(),
            policer: Policer::default(),
            rtprop: (start.srtt > 0).then_some(start.srtt),
            rtprop_at: None,
            min_rtt: start.srtt,
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
            entering: false,
            conserving: false,
            prior: 0,
        };
        bbr.pace_by_window(if start.srtt > 0 { start.srtt } else { MS });
        bbr
    }

    /// Returns the bandwidth in bits per second. If there is a policer, this is the policer's rate.
    fn bandwidth(&self) -> u64 {
        self.policer.rate().unwrap_or_else(|| self.bandwidth.max())
    }

    fn paced_rate(bandwidth: u64, gain: u64) -> u64 {
        mul_div(mul_div(bandwidth, gain, GAIN_UNIT), 100 - PACING_MARGIN_PERCENT, 100).max(1)
    }

    /// Sets the first pacing rate: one window per round trip.
    fn pace_by_window(&mut self, rtt: Nanos) {
        self.pacing = Self::paced_rate(rate_of(self.window, rtt), HIGH_GAIN);
    }

    /// Returns the minimum number of segments in a burst (bbr_min_tso_segs).
    fn least_burst(&self) -> u64 {
        if self.pacing < MIN_RATE_FOR_PAIRS { 1 } else { 2 }
    }

    /// Returns the bytes of a millisecond (2⁻¹⁰ s) at the pacing rate.
    fn burst_bytes(&self) -> u64 {
        (self.pacing / 8) >> 10
    }

    /// Returns the segments of a burst as the window formulas count them (bbr_tso_segs_goal).
    fn burst_segments(&self) -> u64 {
        (self.burst_bytes().min(MAX_BUDGET) / self.mss).max(self.least_burst()).min(127)
    }

    /// Returns `gain` bandwidth-delay products (BDPs) in bytes, in whole segments (bbr_bdp).
    fn bdp_bytes(&self, bandwidth: u64, gain: u64) -> u64 {
        match self.rtprop {
            Some(rtprop) => mul_div(bytes_in(bandwidth, rtprop), gain, GAIN_UNIT)
                .div_ceil(self.mss)
                .saturating_mul(self.mss),
            None => INITIAL_SEGMENTS * self.mss,
        }
    }

    /// Adds room to a window (bbr_quantization_budget): room for bursts on both ends, an even
    /// number of segments, so that none waits for a delayed acknowledgement, and two more segments
    /// while probing for bandwidth.
    fn budget(&self, bytes: u64) -> u64 {
        let bytes = bytes.min(MAX_WINDOW);
        let segments = (bytes.div_ceil(self.mss) + 3 * self.burst_segments()).next_multiple_of(2);
        let probe = if self.mode == Mode::ProbeBandwidth && self.cycle == 0 { 2 } else { 0 };
        (segments + probe).saturating_mul(self.mss).min(MAX_WINDOW)
    }

    /// Returns the target for the bytes in flight (bbr_inflight).
    fn inflight(&self, bandwidth: u64, gain: u64) -> u64 {
        self.budget(self.bdp_bytes(bandwidth, gain))
    }

    /// Returns the number of bytes that will be in the network when the next segment leaves
    /// (bbr_packets_in_net_at_edt). As in Linux, only whole segments will have been delivered by
    /// then.
    fn in_network(&self, acked: &Acked, in_flight: u64) -> u64 {
        let until = acked.departure.saturating_sub(acked.now);
        let burst = if self.pacing_gain > GAIN_UNIT { self.burst_segments() * self.mss } else { 0 };
        let delivered = bytes_in(self.bandwidth(), until) / self.mss * self.mss;
        in_flight.saturating_add(burst).saturating_sub(delivered)
    }

    fn least_window(&self) -> u64 {
        MIN_SEGMENTS * self.mss
    }

    fn held_down(&self, rate: &RateSample) -> bool {
        rate.app_limited || rate.prior_delivered < self.held_down_until
    }

    /// Updates the measured bandwidth (bbr_update_bw).
    fn update_bandwidth(&mut self, acked: &Acked) {
        self.round_start = false;
        let Some(rate) = &acked.rate else { return };
        self.delivered = self.delivered.max(rate.prior_delivered.saturating_add(rate.delivered));
        if rate.prior_delivered >= self.round_end {
            self.round_end = self.delivered;
            self.rounds = self.rounds.saturating_add(1);
            self.round_start = true;
            self.conserving = false;
        }
        let held_down = self.held_down(rate);
        self.sample_policer(acked.now, acked.newly_lost, held_down);
        if !held_down || rate.bits_per_second >= self.bandwidth.max() {
            self.bandwidth.update(self.rounds, rate.bits_per_second);
        }
    }

    fn sample_policer(&mut self, now: Nanos, newly_lost: u64, held_down: bool) {
        let totals = policer::Totals { now, delivered: self.delivered, lost: self.lost };
        if self.policer.rate().is_some() {
            if self.mode == Mode::ProbeBandwidth && self.round_start && self.policer.expires() {
                self.enter_probe_bandwidth(now);
            }
        } else if self.policer.sample(&totals, self.round_start, newly_lost > 0, held_down) {
            self.pacing_gain = GAIN_UNIT;
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

    /// Sets the pacing rate, which only grows until the pipe is full (bbr_set_pacing_rate).
    fn set_pacing(&mut self, srtt: Nanos) {
        if !self.seen_rtt && srtt > 0 {
            self.seen_rtt = true;
            self.pace_by_window(srtt);
        }
        let rate = Self::paced_rate(self.bandwidth(), self.pacing_gain);
        if self.filled || rate > self.pacing {
            self.pacing = rate;
        }
    }

    /// Updates the window (bbr_set_cwnd).
    fn update_window(&mut self, acked: &Acked) {
        if acked.delivered > 0 {
            self.set_window(self.window.saturating_sub(acked.newly_lost));
            let conserved = acked.in_flight.saturating_add(acked.delivered);
            if std::mem::take(&mut self.entering) {
                self.set_window(conserved);
            }
            if self.conserving {
                self.set_window(self.window.max(conserved));
            } else {
                self.grow(acked.delivered);
            }
        }
        if self.mode == Mode::ProbeRtt {
            self.set_window(self.window.min(self.least_window()));
        }
    }

    /// Grows the window after an acknowledgement.
    fn grow(&mut self, delivered: u64) {
        let bandwidth = self.bandwidth();
        let extra = if self.filled { self.aggregation.extra(bandwidth) } else { 0 };
        let target = self.budget(self.bdp_bytes(bandwidth, self.window_gain).saturating_add(extra));
        let grown = self.window.saturating_add(delivered);
        if self.filled {
            self.set_window(grown.min(target));
        } else if self.window < target || self.delivered < INITIAL_SEGMENTS * self.mss {
            self.set_window(grown);
        }
        self.set_window(self.window.max(self.least_window()));
    }
}

impl CongestionControl for Bbr {
    fn name(&self) -> &'static str {
        "bbr"
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

    fn burst(&self) -> Option<u64> {
        // As in tcp_tso_autosize: bursts are longer on short paths, where they disturb little.
        let shift = (self.min_rtt / 1000) >> 9;
        let near = if self.min_rtt > 0 && shift < 32 { MAX_BURST >> shift } else { 0 };
        let bytes = (self.burst_bytes() + near).min(MAX_BUDGET);
        Some((bytes / self.mss).max(self.least_burst()) * self.mss)
    }

    fn reduces_by_prr(&self) -> bool {
        false
    }

    fn on_sent(&mut self, now: Nanos, bytes: u64, in_flight: u64, app_limited: bool) {
        self.rtprop_at.get_or_insert(now);
        let limited = app_limited || self.delivered < self.held_down_until;
        if in_flight <= bytes && limited && self.delivered > 0 {
            self.idle_restart = true;
            self.aggregation.restart(now);
            match self.mode {
                Mode::ProbeBandwidth => self.pacing = Self::paced_rate(self.bandwidth(), GAIN_UNIT),
                Mode::ProbeRtt => self.end_probe_rtt(now),
                Mode::Startup | Mode::Drain => {}
            }
        }
    }

    fn on_ack(&mut self, acked: &Acked) {
        self.lost = self.lost.saturating_add(acked.newly_lost);
        if acked.min_rtt > 0 {
            self.min_rtt = acked.min_rtt;
        }
        self.update_bandwidth(acked);
        if acked.rate.is_some() {
            let (bandwidth, window) = (self.bandwidth(), self.window);
            self.aggregation.update(acked.now, acked.delivered, bandwidth, window, self.round_start);
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
        self.entering = true;
        self.conserving = true;
        self.round_end = self.delivered;
    }

    fn on_recovered(&mut self, _now: Nanos) {
        if self.recovering {
            self.recovering = false;
            self.entering = false;
            self.conserving = false;
            self.restore_window();
        }
    }

    fn on_timeout(&mut self, event: &Congestion) {
        self.save_window();
        self.recovering = true;
        self.entering = false;
        self.conserving = false;
        self.full_bandwidth = 0;
        self.set_window(self.mss);
        self.round_start = true;
        self.sample_policer(event.now, event.lost.max(1), false);
    }

    fn undo(&mut self) {
        // If a pause was detected wrongly, it contains no information about the pipe.
        self.full_bandwidth = 0;
        self.full_rounds = 0;
        self.policer.reset();
        self.on_recovered(0);
    }

    fn on_mss(&mut self, mss: u32) {
        self.mss = u64::from(mss).max(1);
        self.set_window(self.window);
    }
}
