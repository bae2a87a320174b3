//! Timers: retransmission, tail loss probe, persist, delayed acknowledgement, FIN-WAIT-2,
//! TIME-WAIT.

use super::{AckDue, Closed, Connection, State};
use crate::Nanos;
use crate::congestion::{Cause, Congestion};
use crate::info::TraceKind;
use crate::recovery::Phase;

impl Connection {
    /// Returns the time at which [`Connection::on_timer`] must be called next: the earliest of all
    /// timers and of the departure of a paced segment.
    pub fn next_deadline(&self) -> Option<Nanos> {
        let ack = match self.ack {
            AckDue::At(time) => time,
            AckDue::No | AckDue::Now => Nanos::MAX,
        };
        let or_never = |time: Option<Nanos>| time.unwrap_or(Nanos::MAX);
        let sending = or_never(self.retransmit_at)
            .min(or_never(self.persist_at))
            .min(or_never(self.tail_at))
            .min(or_never(self.paced_until));
        let ending = or_never(self.time_wait_until).min(or_never(self.fin_wait_until));
        Some(sending.min(ending).min(ack)).filter(|time| *time < Nanos::MAX)
    }

    /// Handles every timer that has expired.
    pub fn on_timer(&mut self, now: Nanos) {
        let due = |time: Option<Nanos>| time.is_some_and(|time| time <= now);
        if due(self.time_wait_until) {
            self.time_wait_until = None;
            self.ack = AckDue::No;
            self.state = State::Closed;
            return;
        }
        if due(self.fin_wait_until) {
            self.end(Closed::TimedOut);
            return;
        }
        if let AckDue::At(time) = self.ack
            && time <= now
        {
            self.ack = AckDue::Now;
        }
        if due(self.paced_until) {
            self.paced_until = None;
        }
        if due(self.tail_at) {
            self.tail_at = None;
            self.tail_due = true;
        } else if due(self.retransmit_at) {
            self.time_out(now);
        }
        if due(self.persist_at) {
            self.persist_at = None;
            if self.probes >= self.config.data_retries {
                self.end(Closed::TimedOut);
                return;
            }
            self.probes += 1;
            self.rtt.back_off();
            self.probe_due = true;
        }
    }

    fn time_out(&mut self, now: Nanos) {
        self.retransmit_at = None;
        let opening = matches!(self.state, State::SynSent | State::SynReceived);
        let most = if opening { self.config.syn_retries } else { self.config.data_retries };
        if self.retries >= most {
            self.end(Closed::TimedOut);
            return;
        }
        self.retries += 1;
        self.counters.timeouts += 1;
        let flight = (self.nxt - self.una).min(self.cwnd());
        let lost = self.board.mark_all_lost();
        self.dup_acked = 0;
        self.prr = None;
        (self.tail, self.tail_at, self.tail_due) = (None, None, false);
        self.paced_until = None;
        self.rtt.back_off();
        self.syn_lost |= opening;
        // A repeated time-out of the same segment does not reduce the window again (RFC 5681
        // section 3.1).
        if !opening && self.retries == 1 {
            self.begin_undo();
            let event =
                Congestion { now, cause: Cause::Loss, in_flight: flight, srtt: self.rtt.smoothed, lost };
            self.controller.on_timeout(&event);
        }
        if !opening {
            self.phase = Phase::TimedOut(self.nxt);
        }
        self.retransmit_at = Some(now + self.rtt.rto());
        self.record_trace(now, TraceKind::Timeout, self.una, 0);
    }
}
