//! Tail loss probes (RFC 8985 section 7): the last segments of a flight have none behind them that would tell of their loss.

use super::Connection;
use super::output::Candidate;
use crate::congestion::{Cause, Congestion};
use crate::recovery::Phase;
use crate::{Nanos, SECOND};

/// A probe that left and whose outcome is not known.
#[derive(Copy, Clone, Debug)]
pub(super) struct Tail {
    /// The end of all that had been sent (TLP.end_seq).
    end: u64,
    /// Where the segment that was sent again begins (TLP.is_retrans); `None` where the probe was new data.
    again: Option<u64>,
    /// Bytes outstanding when it left.
    flight: u64,
}

impl Connection {
    /// A segment left, or an acknowledgement told of something: the probe is due two round trips later, but not after the
    /// time-out (section 7.2).
    pub(super) fn arm_tail(&mut self, now: Nanos) {
        self.tail_at = None;
        let quiet = matches!(self.phase, Phase::Open | Phase::Marked(_)) && !self.board.has_lost();
        if !self.config.tail_loss_probe
            || !self.agreed.sack
            || self.tail.is_some()
            || self.una == self.nxt
            || !quiet
        {
            return;
        }
        let wait = if self.rtt.smoothed == 0 {
            SECOND
        } else if self.nxt - self.una <= u64::from(self.mss) {
            // A lonely segment may be acknowledged late.
            2 * self.rtt.smoothed + self.config.delayed_ack.timeout
        } else {
            2 * self.rtt.smoothed
        };
        let at = now.saturating_add(wait);
        self.tail_at = Some(self.retransmit_at.map_or(at, |time_out| at.min(time_out)));
    }

    /// The probe: new data where there is some, whatever the congestion window says, else the last segment once more.
    pub(super) fn probe_tail(&mut self, now: Nanos) -> Option<Candidate> {
        self.tail_due = false;
        let quiet = matches!(self.phase, Phase::Open | Phase::Marked(_)) && !self.board.has_lost();
        if !quiet || self.una == self.nxt {
            return None;
        }
        let candidate = match self.new_data(now) {
            Some((start, len)) => Candidate { start, len, again: false },
            None => {
                let (start, len) = self.board.last_unheard()?;
                Candidate { start, len, again: true }
            }
        };
        self.counters.tail_probes += 1;
        let end = self.nxt.max(candidate.start + u64::from(candidate.len));
        let again = candidate.again.then_some(candidate.start);
        self.tail = Some(Tail { end, again, flight: self.nxt - self.una });
        self.retransmit_at = None;
        Some(candidate)
    }

    /// An acknowledgement up to `ack`; `duplicate` is what it says arrived twice, `plain` that it told of nothing new at all
    /// (section 7.4).
    pub(super) fn judge_tail(&mut self, now: Nanos, ack: u64, duplicate: Option<(u64, u64)>, plain: bool) {
        let Some(tail) = self.tail.filter(|tail| ack >= tail.end) else { return };
        let Some(start) = tail.again else {
            self.tail = None;
            return;
        };
        if plain || duplicate.is_some_and(|(left, right)| left <= start && start < right) {
            self.tail = None;
        } else if ack > tail.end {
            // Nobody got the segment twice: the probe repaired a loss that the window has to answer for.
            self.tail = None;
            let event = Congestion {
                now,
                cause: Cause::Loss,
                in_flight: tail.flight,
                srtt: self.rtt.smoothed,
                lost: u64::from(self.mss),
            };
            self.controller.on_congestion(&event);
            self.controller.on_recovered(now);
        }
    }
}
