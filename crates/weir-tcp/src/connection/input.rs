//! Segment arrival (RFC 9293 section 3.10.7.3 and 3.10.7.4).

use super::{AckDue, Closed, Connection, Event, State};
use crate::segment::{Flags, Segment};
use crate::seq::{Seq, unwrap};
use crate::{MILLISECOND, Nanos, SECOND};

/// The age from which on timestamps are invalid (RFC 7323 section 5.5).
const MAX_TIMESTAMP_AGE: Nanos = 24 * 24 * 3600 * SECOND;

impl Connection {
    /// Processes a segment for this connection. `ce` is true if a router marked the segment's
    /// packet as having experienced congestion (RFC 3168).
    pub fn on_segment(&mut self, now: Nanos, segment: &Segment<'_>, ce: bool) {
        self.counters.segments_in += 1;
        match self.state {
            State::Closed => {}
            State::SynSent => self.in_syn_sent(now, segment),
            _ => self.process_syn(now, segment, ce),
        }
    }

    fn in_syn_sent(&mut self, now: Nanos, segment: &Segment<'_>) {
        let acked = segment.flags.contains(Flags::ACK);
        if acked && segment.ack != self.iss.plus(1) {
            if !segment.flags.contains(Flags::RST) {
                self.reset_due = Some((segment.ack, Seq(0), Flags::RST));
            }
            return;
        }
        if segment.flags.contains(Flags::RST) {
            if acked {
                self.end(Closed::Refused);
            }
            return;
        }
        if !segment.flags.contains(Flags::SYN) {
            return;
        }
        self.process_syn_options(now, segment);
        if acked {
            self.handshake_acknowledged(now, segment);
            self.ack = AckDue::Now;
        } else {
            // Simultaneous open: the SYN is sent again with an acknowledgement.
            self.state = State::SynReceived;
            self.board.mark_all_lost();
        }
    }

    fn process_syn(&mut self, now: Nanos, segment: &Segment<'_>, ce: bool) {
        let next = self.receive.next();
        let flags = segment.flags;
        let start = unwrap(segment.seq, self.irs, next);
        let repeated_syn = flags.contains(Flags::SYN) && start == Some(0);
        if repeated_syn && self.state == State::SynReceived && !flags.contains(Flags::ACK) {
            self.board.mark_all_lost();
            return;
        }
        if self.is_old_by_timestamp(now, segment) {
            self.answer_out_of_window(now, segment);
            return;
        }
        let Some(start) = start.filter(|start| self.acceptable(*start, segment.sequence_length())) else {
            self.answer_out_of_window(now, segment);
            return;
        };
        if flags.contains(Flags::RST) {
            // RFC 5961 section 3: a reset must have exactly the expected number.
            if start == next {
                self.end(Closed::Reset);
            } else {
                self.send_challenge_ack(now);
            }
            return;
        }
        if flags.contains(Flags::SYN) {
            self.send_challenge_ack(now);
            return;
        }
        if !flags.contains(Flags::ACK) {
            return;
        }
        let Some(ack) = unwrap(segment.ack, self.iss, self.una) else { return };
        if self.state == State::SynReceived {
            if ack == 0 || ack > self.nxt {
                self.reset_due = Some((segment.ack, Seq(0), Flags::RST));
                return;
            }
            self.handshake_acknowledged(now, segment);
            self.window_at = (start, ack);
        }
        // This check is from RFC 5961 section 5.
        if ack > self.nxt || ack + self.max_window < self.una {
            self.send_challenge_ack(now);
            return;
        }
        self.remember_timestamp(now, start, segment);
        self.acknowledged(now, start, ack, segment);
        if self.state == State::Closed {
            return;
        }
        self.take_payload(now, start, segment, ce);
    }

    /// Returns whether a segment is acceptable: the four cases of RFC 9293 section 3.10.7.4, first
    /// step, and window probes, which are one number below the window.
    fn acceptable(&self, start: u64, space: u64) -> bool {
        let next = self.receive.next();
        let edge = self.advertised_edge.max(next);
        if space == 0 {
            return start == next || (start > next && start < edge);
        }
        start < edge && start + space > next || (start == next && edge == next && self.state.receives())
    }

    fn is_old_by_timestamp(&self, now: Nanos, segment: &Segment<'_>) -> bool {
        if !self.agreed.timestamps || segment.flags.contains(Flags::RST) {
            return false;
        }
        segment.options.timestamps.is_some_and(|(value, _)| {
            Seq(value).distance_from(Seq(self.ts_recent.0)) < 0
                && now.saturating_sub(self.ts_recent.1) < MAX_TIMESTAMP_AGE
        })
    }

    fn remember_timestamp(&mut self, now: Nanos, start: u64, segment: &Segment<'_>) {
        if let (true, Some((value, _))) = (self.agreed.timestamps, segment.options.timestamps)
            && start <= self.last_ack_sent.max(1)
            && (Seq(value).distance_from(Seq(self.ts_recent.0)) >= 0
                || now.saturating_sub(self.ts_recent.1) >= MAX_TIMESTAMP_AGE)
        {
            self.ts_recent = (value, now);
        }
    }

    /// Answers a segment outside the window with an acknowledgement. Not every empty segment is
    /// answered; otherwise, two ends in inconsistent states would answer each other forever.
    fn answer_out_of_window(&mut self, now: Nanos, segment: &Segment<'_>) {
        if segment.flags.contains(Flags::RST) {
            return;
        }
        if segment.sequence_length() > 0 {
            if let Some(start) = unwrap(segment.seq, self.irs, self.receive.next())
                && !segment.payload.is_empty()
                && start + segment.payload.len() as u64 <= self.receive.next()
            {
                self.duplicate = Some((start, start + segment.payload.len() as u64));
            }
            if self.state == State::TimeWait && segment.flags.contains(Flags::FIN) {
                self.time_wait_until = Some(now + self.config.time_wait);
            }
            // The segment's acknowledgement may be new: both FINs may have crossed and been lost.
            if let (true, Some(ack)) =
                (segment.flags.contains(Flags::ACK), unwrap(segment.ack, self.iss, self.una))
                && ack > self.una
                && ack <= self.nxt
                && !segment.flags.contains(Flags::SYN)
                && self.state != State::SynReceived
            {
                self.acknowledged(now, 0, ack, segment);
            }
            if self.state != State::Closed {
                self.ack = AckDue::Now;
            }
        } else if now >= self.out_of_window_answer_at {
            self.out_of_window_answer_at = now + 100 * MILLISECOND;
            self.ack = AckDue::Now;
        }
    }

    /// Sends a challenge acknowledgement (RFC 5961), at most one per second. An honest peer learns
    /// the state from it; an attacker learns nothing.
    fn send_challenge_ack(&mut self, now: Nanos) {
        if now >= self.challenge_at {
            self.challenge_at = now + SECOND;
            self.ack = AckDue::Now;
        }
    }

    fn take_payload(&mut self, now: Nanos, start: u64, segment: &Segment<'_>, ce: bool) {
        if segment.sequence_length() == 0 {
            return;
        }
        if self.agreed.ecn {
            self.process_ecn_marks(segment, ce);
        }
        if !self.state.receives() {
            self.ack = AckDue::Now;
            return;
        }
        if self.released && !segment.payload.is_empty() {
            self.abort();
            return;
        }
        let before = self.receive.next();
        let (had_gap, unread) = (self.receive.has_gap(), self.receive.unread() > 0);
        // The peer sends no data after its FIN.
        let edge = self.advertised_edge.max(before).min(self.receive.end().unwrap_or(u64::MAX));
        let accepted = edge.saturating_sub(start).min(segment.payload.len() as u64) as usize;
        let payload = &segment.payload[..accepted];
        if !payload.is_empty() && start + accepted as u64 <= before {
            self.duplicate = Some((start, start + accepted as u64));
        }
        let whole = accepted == segment.payload.len();
        let mut advanced = self.receive.insert(start, payload);
        if segment.flags.contains(Flags::FIN) && whole {
            self.receive.end_at(start + accepted as u64);
        }
        let fin_arrived = self.receive.finished();
        if advanced > 0 {
            self.events.push_back(Event::Readable);
        }
        advanced += u64::from(fin_arrived);
        self.unacknowledged += u32::from(advanced > 0);
        self.grow_window(now, advanced, segment);
        let at_once = advanced == 0
            || had_gap
            || self.receive.has_gap()
            || fin_arrived
            || !whole
            || self.quick_acks.acknowledges_at_once()
            || (self.quick_acks.answers_push(segment, self.mss) && !unread)
            || (self.unacknowledged >= self.config.delayed_ack.every && !self.config.ack_on_read)
            || ce != self.last_ce;
        self.last_ce = ce;
        if at_once {
            self.ack = AckDue::Now;
        } else if self.ack == AckDue::No {
            self.ack = AckDue::At(now + self.config.delayed_ack.timeout);
        }
        if fin_arrived {
            self.peer_closed(now);
        }
    }

    fn grow_window(&mut self, now: Nanos, advanced: u64, segment: &Segment<'_>) {
        let length = segment.payload.len() as u64;
        if advanced == 0 || length == 0 || !self.quick_acks.can_grow() {
            return;
        }
        if let (true, Some((_, echo))) = (self.agreed.timestamps, segment.options.timestamps)
            && let Ok(elapsed) = Nanos::try_from(Seq(self.timestamp(now)).distance_from(Seq(echo)))
        {
            self.quick_acks.on_rtt(elapsed * MILLISECOND);
        }
        self.quick_acks.received(now, self.receive.next(), length);
    }

    fn process_ecn_marks(&mut self, segment: &Segment<'_>, ce: bool) {
        if segment.flags.contains(Flags::CWR) {
            self.echo_congestion = false;
        }
        if ce {
            self.echo_congestion = true;
        }
    }

    fn peer_closed(&mut self, now: Nanos) {
        self.events.push_back(Event::PeerClosed);
        self.state = match self.state {
            State::Established => State::CloseWait,
            State::FinWait1 => State::Closing,
            other => other,
        };
        if self.state == State::FinWait2 {
            self.enter_time_wait(now);
        }
    }

    pub(super) fn enter_time_wait(&mut self, now: Nanos) {
        self.state = State::TimeWait;
        self.retransmit_at = None;
        self.persist_at = None;
        self.time_wait_until = Some(now + self.config.time_wait);
        self.events.push_back(Event::Closed(Closed::Both));
    }
}
