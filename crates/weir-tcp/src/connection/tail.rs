//! Tail loss probes (RFC 8985 section 7): they find the loss of the last segments in flight, which
//! no later segments reveal.

use super::Connection;
use super::output::Candidate;
use crate::congestion::{Cause, Congestion};
use crate::recovery::Phase;
use crate::{Nanos, SECOND};

/// A probe of the tail that was sent, with an unknown outcome.
#[derive(Copy, Clone, Debug)]
pub(super) struct TailProbe {
    /// The end of everything that had been sent (TLP.end_seq).
    end: u64,
    /// The start of the segment that was retransmitted as the probe (TLP.is_retrans); `None` if the
    /// probe was new data.
    again: Option<u64>,
    /// The bytes that were outstanding when the probe was sent.
    flight: u64,
}

impl Connection {
    /// Arms the probe timer after a segment was sent or an acknowledgement arrived: two round trips
    /// later, but not after the retransmission time-out (section 7.2).
    pub(super) fn arm_tail_probe(&mut self, now: Nanos) {
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
            // The acknowledgement of a single segment may be delayed.
            2 * self.rtt.smoothed + self.config.delayed_ack.timeout
        } else {
            2 * self.rtt.smoothed
        };
        let deadline = now.saturating_add(wait);
        self.tail_at = Some(self.retransmit_at.map_or(deadline, |time_out| deadline.min(time_out)));
    }

    /// Chooses the probe: new data if there is any, regardless of the congestion window; otherwise,
    /// the last segment again.
    pub(super) fn tail_probe(&mut self, now: Nanos) -> Option<Candidate> {
        self.tail_due = false;
        let quiet = matches!(self.phase, Phase::Open | Phase::Marked(_)) && !self.board.has_lost();
        if !quiet || self.una == self.nxt {
            return None;
        }
        let candidate = match self.next_new_data(now) {
            Some((start, len)) => Candidate { start, len, again: false },
            None => {
                let (start, len) = self.board.last_unsacked()?;
                Candidate { start, len, again: true }
            }
        };
        self.counters.tail_probes += 1;
        let end = self.nxt.max(candidate.start + u64::from(candidate.len));
        let again = candidate.again.then_some(candidate.start);
        self.tail = Some(TailProbe { end, again, flight: self.nxt - self.una });
        self.retransmit_at = None;
        Some(candidate)
    }

    /// Processes an acknowledgement up to `ack`. `duplicate` is the range that it reports as
    /// received twice; `plain` means that it reports nothing new at all (section 7.4).
    pub(super) fn check_tail_probe(
        &mut self,
        now: Nanos,
        ack: u64,
        duplicate: Option<(u64, u64)>,
        plain: bool,
    ) {
        let Some(tail) = self.tail.filter(|tail| ack >= tail.end) else { return };
        let Some(start) = tail.again else {
            self.tail = None;
            return;
        };
        if plain || duplicate.is_some_and(|(left, right)| left <= start && start < right) {
            self.tail = None;
        } else if ack > tail.end {
            // The peer did not receive the segment twice, so the probe repaired a loss, to which
            // the congestion control has to respond.
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
