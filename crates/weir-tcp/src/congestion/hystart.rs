//! HyStart as in Linux (net/ipv4/tcp_cubic.c): slow start ends when RTTs grow, or when the train of
//! acknowledgements in a round trip is longer than half of the minimum RTT.
//!
//! After Ha and Rhee, "Hybrid Slow Start for High-Bandwidth and Long-Distance Networks" (2008).

use super::Acked;
use crate::Nanos;
use crate::math::mul_div;

/// A millisecond in nanoseconds.
const MS: Nanos = 1_000_000;
/// The minimum window, in segments, for the use of HyStart.
const LOW_WINDOW: u64 = 16;
/// The maximum time between two acknowledgements of a train.
const TRAIN_GAP: Nanos = 2 * MS;
/// The number of RTTs that must be measured before growth counts.
const MIN_SAMPLES: u32 = 8;
/// The bytes of four of the largest bursts. Their transmission time at the pacing rate, at most a
/// millisecond, is added to the minimum RTT, because a receiver that collects segments acknowledges
/// them late.
const COLLECTED_BYTES: u64 = 4 * 65_536;
/// Linux' default pacing rate in slow start, in windows per smoothed RTT.
const PACING_GAIN: u64 = 2;

/// The measurements of this round trip.
#[derive(Clone, Debug, Default)]
struct Round {
    start: Nanos,
    /// The last acknowledgement of the train.
    last_ack: Nanos,
    /// Minimum RTT of this round trip.
    rtt: Option<Nanos>,
    samples: u32,
}

/// Linux' HyStart. Unlike that of RFC 9406, it also works in slow start after a time-out.
#[derive(Clone, Debug)]
pub(super) struct HyStart {
    /// The host paces segments over up to half of a round trip, so trains are that much longer.
    paced: bool,
    /// Whether slow start has reached its end.
    is_finished: bool,
    min_rtt: Option<Nanos>,
    round: Option<Round>,
}

impl HyStart {
    pub fn new(paced: bool) -> Self {
        HyStart { paced, is_finished: false, min_rtt: None, round: None }
    }

    /// Forgets the measurements after a time-out.
    pub fn reset(&mut self) {
        *self = HyStart::new(self.paced);
    }

    /// Returns whether slow start is over.
    pub fn observe(&mut self, acked: &Acked, window: u64, mss: u64) -> bool {
        let Some(rtt) = acked.rtt.filter(|_| !self.is_finished) else { return false };
        let min_rtt = self.min_rtt.map_or(rtt, |min_rtt| min_rtt.min(rtt));
        self.min_rtt = Some(min_rtt);
        let now = acked.now;
        if acked.round_start || self.round.is_none() {
            self.round = Some(Round { start: now, last_ack: now, ..Round::default() });
        }
        let Some(round) = self.round.as_mut().filter(|_| window >= LOW_WINDOW * mss) else { return false };
        if now.saturating_sub(round.last_ack) <= TRAIN_GAP {
            round.last_ack = now;
            let train = now.saturating_sub(round.start);
            let train = if self.paced { train } else { 2 * train };
            if train > min_rtt {
                let collected = mul_div(COLLECTED_BYTES, acked.srtt, window.saturating_mul(PACING_GAIN));
                self.is_finished |= train > min_rtt.saturating_add(collected.min(MS));
            }
        }
        let least = round.rtt.map_or(rtt, |least| least.min(rtt));
        round.rtt = Some(least);
        if round.samples < MIN_SAMPLES {
            round.samples += 1;
        } else {
            self.is_finished |= least > min_rtt.saturating_add((min_rtt / 8).clamp(4 * MS, 16 * MS));
        }
        self.is_finished
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn ack(now: Nanos, rtt: Nanos, round_start: bool) -> Acked {
        Acked { now, acked: MSS, delivered: MSS, rtt: Some(rtt), srtt: rtt, round_start, ..Acked::default() }
    }

    /// Runs a round trip with an ACK every `gap`. Returns the time after which slow start is over.
    fn round(hystart: &mut HyStart, start: Nanos, acks: u64, gap: Nanos, rtt: Nanos) -> Option<Nanos> {
        (0..acks)
            .find(|i| hystart.observe(&ack(start + i * gap, rtt, *i == 0), 100 * MSS, MSS))
            .map(|i| i * gap)
    }

    #[test]
    fn a_train_longer_than_half_a_round_trip_ends_slow_start() {
        let mut hystart = HyStart::new(false);
        // 40 ms and the millisecond that collected acknowledgements may take, halved.
        assert_eq!(round(&mut hystart, 0, 20, MS, 40 * MS), None);
        assert_eq!(round(&mut hystart, 40 * MS, 40, MS, 40 * MS), Some(21 * MS));
        assert_eq!(round(&mut hystart, 80 * MS, 80, MS, 40 * MS), None, "it is over only once");
    }

    #[test]
    fn paced_trains_may_last_a_round_trip() {
        let mut hystart = HyStart::new(true);
        assert_eq!(round(&mut hystart, 0, 45, MS, 40 * MS), Some(42 * MS));
    }

    #[test]
    fn a_gap_ends_the_train() {
        let mut hystart = HyStart::new(false);
        for i in 0..10 {
            assert!(!hystart.observe(&ack(i * MS, 40 * MS, i == 0), 100 * MSS, MSS));
        }
        for i in 0..30 {
            assert!(!hystart.observe(&ack(12 * MS + i * MS, 40 * MS, false), 100 * MSS, MSS));
        }
    }

    #[test]
    fn acknowledgements_far_apart_do_not_form_a_train() {
        assert_eq!(round(&mut HyStart::new(false), 0, 30, 3 * MS, 40 * MS), None);
    }

    #[test]
    fn growing_rtts_end_slow_start_at_the_ninth_sample() {
        for (base, allowed) in [(8 * MS, 4 * MS), (80 * MS, 10 * MS), (400 * MS, 16 * MS)] {
            let mut hystart = HyStart::new(false);
            assert_eq!(round(&mut hystart, 0, 8, 3 * MS, base), None);
            assert_eq!(round(&mut hystart, base, 20, 3 * MS, base + allowed), None);
            assert_eq!(round(&mut hystart, 2 * base, 20, 3 * MS, base + allowed + 1), Some(24 * MS));
        }
    }

    #[test]
    fn small_windows_grow_in_any_case() {
        let mut hystart = HyStart::new(false);
        for i in 0..40 {
            assert!(!hystart.observe(&ack(i * MS, (40 + i) * MS, i == 0), 15 * MSS, MSS));
        }
    }

    #[test]
    fn hystart_works_again_after_a_timeout() {
        let mut hystart = HyStart::new(false);
        assert!(round(&mut hystart, 0, 80, MS, 40 * MS).is_some());
        hystart.reset();
        assert!(round(&mut hystart, 80 * MS, 80, MS, 40 * MS).is_some());
    }
}
