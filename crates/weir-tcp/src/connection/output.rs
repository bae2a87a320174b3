//! The choice of the next segment to send.

use super::{AckDue, Connection, State};
use crate::Nanos;
use crate::checksum::PseudoSum;
use crate::info::TraceKind;
use crate::options::Options;
use crate::recovery::Phase;
use crate::segment::{Flags, Header, write_checksum};
use crate::seq::Seq;

/// A segment to be sent now. The caller writes it with [`Connection::emit`] before it calls the
/// connection again.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The bytes of header and payload.
    pub len: u32,
    /// The bytes of payload.
    pub payload: u32,
    /// Whether the packet must be marked as ECN-capable, ECT(0).
    pub ect: bool,
    /// The earliest departure, for a queue that spaces packets.
    pub earliest: Nanos,
    /// Whether this is the first transmission of a SYN, or of the answer to a SYN.
    pub first_syn: bool,
    header: Header,
    from: u64,
}

/// A range of the sequence space that may be sent as a segment.
pub(super) struct Candidate {
    pub start: u64,
    pub len: u32,
    /// Whether the segment is a retransmission.
    pub again: bool,
}

impl Connection {
    /// Returns the number of bytes that the peer's window allows in addition to those that were
    /// sent.
    pub(super) fn offered_bytes(&self) -> u64 {
        (self.una + self.window).saturating_sub(self.nxt)
    }

    /// Returns the next segment to send, or `None` if the connection has nothing to send until
    /// another call changes it.
    pub fn next_segment(&mut self, now: Nanos) -> Option<Outgoing> {
        if let Some((seq, ack, flags)) = self.reset_due.take() {
            return Some(self.empty_segment(now, seq, ack, flags));
        }
        if self.state == State::Closed {
            return None;
        }
        self.paced_until = None;
        if self.ack == AckDue::Now && (self.receive.has_gap() || self.duplicate.is_some()) {
            // Data carries no SACK blocks, and a segment with data is not a duplicate
            // acknowledgement (RFC 5681 section 2).
            return Some(self.acknowledgement(now, self.iss.plus(self.nxt)));
        }
        if let Some(outgoing) = self.next_data(now) {
            return Some(outgoing);
        }
        if std::mem::take(&mut self.probe_due) {
            // This is a probe with a number that the peer has acknowledged. The peer must answer
            // it, and the answer announces the peer's window.
            return Some(self.acknowledgement(now, self.iss.plus(self.una.saturating_sub(1))));
        }
        let due = match self.ack {
            AckDue::Now => true,
            AckDue::At(time) => time <= now,
            AckDue::No => false,
        };
        (due && !matches!(self.state, State::SynSent))
            .then(|| self.acknowledgement(now, self.iss.plus(self.nxt)))
    }

    /// Writes the segment to `buffer`, which has [`Outgoing::len`] bytes.
    pub fn emit(&self, outgoing: &Outgoing, pseudo: PseudoSum, buffer: &mut [u8]) {
        outgoing.header.emit(buffer);
        let start = buffer.len() - outgoing.payload as usize;
        let payload =
            if outgoing.payload > 0 { self.send.copy(outgoing.from, &mut buffer[start..]) } else { None };
        write_checksum(pseudo, buffer, start, payload);
    }

    /// Makes a segment without data and without options.
    fn empty_segment(&mut self, now: Nanos, seq: Seq, ack: Seq, flags: Flags) -> Outgoing {
        let header = Header {
            source: self.ports.0,
            destination: self.ports.1,
            seq,
            ack,
            flags,
            window: 0,
            options: Options::default(),
        };
        self.outgoing(now, header, 0, 0, false)
    }

    /// Makes a segment that leaves at a time or later.
    pub(super) fn outgoing(
        &mut self,
        earliest: Nanos,
        header: Header,
        from: u64,
        payload: u32,
        ect: bool,
    ) -> Outgoing {
        self.counters.segments_out += 1;
        let len = header.len() as u32 + payload;
        self.queued += u64::from(len);
        Outgoing { len, payload, ect, earliest, first_syn: false, header, from }
    }

    /// Makes an acknowledgement, with SACK blocks if there is something to report.
    fn acknowledgement(&mut self, now: Nanos, seq: Seq) -> Outgoing {
        let mut header = self.header(now, seq, Flags::ACK);
        if self.agreed.sack && self.receive.has_gap() || self.duplicate.is_some() {
            let most = if self.agreed.timestamps { 3 } else { 4 };
            let options = &mut header.options;
            let duplicate = self.duplicate.take().filter(|_| self.agreed.sack);
            let blocks = duplicate.into_iter().chain(self.receive.sack_blocks(most)).take(most);
            for (place, (left, right)) in options.sack.iter_mut().zip(blocks) {
                *place = (self.irs.plus(left), self.irs.plus(right));
                options.sack_blocks += 1;
            }
        }
        self.outgoing(now, header, 0, 0, false)
    }

    /// Makes a header that acknowledges the received data, and notes that the data was
    /// acknowledged.
    fn header(&mut self, now: Nanos, seq: Seq, mut flags: Flags) -> Header {
        if self.echo_congestion {
            flags = flags.union(Flags::ECE);
        }
        if self.ack != AckDue::No {
            self.quick_acks.acknowledged();
        }
        self.ack = AckDue::No;
        self.unacknowledged = 0;
        self.last_ack_sent = self.receive.next();
        Header {
            source: self.ports.0,
            destination: self.ports.1,
            seq,
            ack: self.irs.plus(self.receive.next()),
            flags,
            window: self.advertise_window(),
            options: Options { timestamps: self.stamps(now), ..Options::default() },
        }
    }

    /// Returns the window field. The right edge never moves back, and moves forward only in steps
    /// worth a segment (RFC 9293 section 3.8.6.2.2).
    fn advertise_window(&mut self) -> u16 {
        let next = self.receive.next();
        let step = u64::from(self.mss).min(u64::from(self.config.receive_buffer) / 2).max(1);
        let mut edge = self.advertised_edge.max(next);
        if self.receive.window_end() >= edge + step {
            edge = self.receive.window_end();
        }
        let scale = self.agreed.receive_scale;
        let field = ((edge - next) >> scale).min(65535);
        self.advertised_edge = self.advertised_edge.max(next + (field << scale));
        field as u16
    }

    fn next_data(&mut self, now: Nanos) -> Option<Outgoing> {
        if matches!(self.state, State::SynSent | State::SynReceived) {
            return self.next_syn(now);
        }
        if self.tail_due
            && let Some(candidate) = self.tail_probe(now)
        {
            return Some(self.send_candidate(now, now, &candidate));
        }
        let candidate = self.candidate(now)?;
        let departure = self.departure(now, candidate.len)?;
        Some(self.send_candidate(now, departure, &candidate))
    }

    /// Chooses the next segment to send.
    fn candidate(&mut self, now: Nanos) -> Option<Candidate> {
        if self.nxt >= self.send.end() && self.una == self.nxt && !self.closing {
            // Nothing is to be sent, and nothing is outstanding, as at an end that only receives.
            self.delivery.app_limited(0);
            return None;
        }
        let (pipe, cwnd) = (self.pipe(), self.cwnd());
        let fits = |len: u32| pipe == 0 || pipe + u64::from(len) <= cwnd;
        if let Some((start, len)) = self.board.next_lost() {
            return (self.force || fits(len)).then_some(Candidate { start, len, again: true });
        }
        if let Some((start, len)) = self.next_new_data(now) {
            if self.una == self.nxt && self.rtt.rto() < now.saturating_sub(self.last_sent) {
                self.controller.on_idle(now, now - self.last_sent);
                self.last_sent = now;
                return self.candidate(now);
            }
            self.cwnd_limited.0 |= !fits(len);
            return fits(len).then_some(Candidate { start, len, again: false });
        }
        if pipe < cwnd && self.nxt >= self.send.end() {
            self.delivery.app_limited(pipe);
        }
        if matches!(self.phase, Phase::Recovery(_))
            && self.agreed.sack
            && pipe + u64::from(self.mss) <= cwnd
            && self.board.rescue_retransmission() > 0
        {
            let (start, len) = self.board.next_lost()?;
            return Some(Candidate { start, len, again: true });
        }
        None
    }

    /// Chooses new data that the peer's window and Nagle's algorithm allow to be sent: start and
    /// length, including a FIN.
    pub(super) fn next_new_data(&mut self, now: Nanos) -> Option<(u64, u32)> {
        if !matches!(self.state, State::Established | State::CloseWait) {
            return None;
        }
        let end = self.send.end();
        let waiting = end - self.nxt.min(end);
        if waiting == 0 && !self.closing {
            return None;
        }
        let allowed = self.offered_bytes();
        let len = waiting.min(u64::from(self.mss)).min(allowed);
        let fin = self.closing && len == waiting && allowed > len;
        let idle = self.una == self.nxt;
        let held = if len == 0 && !fin {
            true
        } else if len == u64::from(self.mss) || fin {
            false
        } else if len == waiting {
            self.config.nagle && !idle && (!self.config.minshall || self.small_end > self.una)
        } else {
            // The data is less than a segment because of the peer's window (RFC 9293 section
            // 3.8.6.2.1). The persist timer overrides this rule.
            len < self.max_window.div_ceil(2) && !(idle && self.probe_due)
        };
        if held {
            if idle && self.persist_at.is_none() && !self.probe_due {
                self.persist_at = Some(now + self.rtt.rto());
            }
            return None;
        }
        self.persist_at = None;
        self.probe_due = false;
        Some((self.nxt, len as u32 + u32::from(fin)))
    }

    /// Sends a segment. `departure` is the time at which the segment leaves: now, or later if a
    /// queue holds the segment until then.
    fn send_candidate(&mut self, now: Nanos, departure: Nanos, candidate: &Candidate) -> Outgoing {
        let Candidate { start, len, again } = *candidate;
        let outstanding = self.nxt - self.una;
        let stamp = self.delivery.on_send(departure, outstanding);
        let end = start + u64::from(len);
        let fin = end > self.send.end();
        let payload = len - u32::from(fin);
        let mut flags = Flags::ACK;
        if again {
            self.board.note_retransmission(start, stamp);
            self.counters.retransmits += 1;
            self.force = false;
            if self.phase != Phase::Open {
                self.undo_retransmitted(now, start);
            }
            if start == self.una {
                // In RFC 6675 section 5 (4.3), the timer restarts at the retransmission.
                self.retransmit_at = Some(departure + self.rtt.rto());
            }
        } else {
            self.board.push(start, len, stamp);
            self.nxt = end;
            if len < self.mss {
                self.small_end = end;
            }
            if std::mem::take(&mut self.reduced) {
                flags = flags.union(Flags::CWR);
            }
            if fin {
                self.state = if self.state == State::CloseWait { State::LastAck } else { State::FinWait1 };
            }
        }
        if fin {
            flags = flags.union(Flags::FIN);
        }
        // Linux also pushes the last of several segments that it hands to the interface in one
        // piece.
        if end >= self.send.end() || (!again && self.ends_burst(now)) {
            flags = flags.union(Flags::PSH);
        }
        self.retransmit_at.get_or_insert(departure + self.rtt.rto());
        self.last_sent = departure;
        if let Some(prr) = &mut self.prr {
            prr.on_sent(u64::from(len));
        }
        self.max_in_flight.0 = self.max_in_flight.0.max(self.pipe());
        self.controller.on_sent(now, u64::from(len), self.pipe(), self.delivery.is_app_limited());
        let kind = if again { TraceKind::Retransmitted } else { TraceKind::Sent };
        self.record_trace(now, kind, start, len);
        let header = self.header(now, self.iss.plus(start), flags);
        let ect = self.agreed.ecn && !again && payload > 0;
        if !again {
            self.arm_tail_probe(departure);
        }
        self.outgoing(departure, header, start, payload, ect)
    }
}
