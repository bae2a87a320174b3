//! What the application and the host ask for.

use super::{AckDue, Closed, Connection, Event, State};
use crate::Nanos;
use crate::config::{LEAST_MSS, Pacing};
use crate::congestion::Algorithm;
use crate::segment::Flags;

impl Connection {
    /// Bytes for the peer; returns how many there was room for. None after [`Connection::close`].
    pub fn write(&mut self, bytes: &[u8]) -> usize {
        if !self.may_write() {
            return 0;
        }
        let taken = self.send.write(bytes);
        self.wants_room |= taken < bytes.len();
        taken
    }

    /// So many bytes of [`crate::pattern`] for the peer, which take no memory; returns how many the send buffer allowed.
    pub fn write_pattern(&mut self, bytes: u64) -> u64 {
        if !self.may_write() {
            return 0;
        }
        let taken = self.send.write_pattern(bytes);
        self.wants_room |= taken < bytes;
        taken
    }

    fn may_write(&self) -> bool {
        !self.closing && !matches!(self.state, State::Closed | State::TimeWait)
    }

    /// Bytes received in order; returns how many were put into `room`. Zeros where bytes are only counted.
    pub fn read(&mut self, room: &mut [u8]) -> usize {
        let taken = self.receive.read(room);
        self.tell_room();
        taken
    }

    /// Reads all that is there without looking at it; returns the number of bytes.
    pub fn discard(&mut self) -> u64 {
        let taken = self.receive.discard();
        self.tell_room();
        taken
    }

    /// A window that opened by half the buffer or two segments is worth a segment of its own (RFC 9293 section 3.8.6.2.2).
    fn tell_room(&mut self) {
        if !self.state.receives() {
            return;
        }
        let told = self.told_edge.saturating_sub(self.receive.next());
        let half = u64::from(self.config.receive_buffer) / 2;
        let step = (2 * u64::from(self.mss)).min(half).max(1 << self.agreed.receive_scale);
        // While the peer has room for half the buffer its next segments carry the news.
        if told < half && self.offered_edge() >= self.told_edge + step {
            self.ack = AckDue::Now;
        }
    }

    /// The end of the window that could be told now.
    pub(super) fn offered_edge(&self) -> u64 {
        self.receive.edge().min(self.receive.next() + (65535 << self.agreed.receive_scale))
    }

    /// Takes back what was written and has not left yet, as if it had never been written; returns how many bytes that were. None after
    /// [`Connection::close`].
    pub fn take_back(&mut self) -> u64 {
        if !self.may_write() {
            return 0;
        }
        self.wants_room = false;
        self.send.truncate(self.nxt.max(1))
    }

    /// No more bytes follow: FIN behind what was written, once the handshake is complete. Receiving goes on.
    pub fn close(&mut self) {
        self.closing = true;
    }

    /// The application is gone and will neither write nor read: closes. Where bytes wait to be read, or come later, the peer gets
    /// a reset, for nobody will ever have them (RFC 9293 section 3.10.4); once our FIN is acknowledged the peer has
    /// [`Config::fin_wait`](crate::Config::fin_wait) to send its own.
    pub fn release(&mut self, now: Nanos) {
        if self.receive.unread() > 0 {
            self.abort();
            return;
        }
        self.released = true;
        self.closing = true;
        if self.state == State::FinWait2 {
            self.fin_wait_until = Some(now.saturating_add(self.config.fin_wait));
        }
    }

    /// Breaks off: a reset goes to the peer, what was not delivered is lost.
    pub fn abort(&mut self) {
        if self.state == State::Closed {
            return;
        }
        if !matches!(self.state, State::SynSent | State::TimeWait) {
            self.reset_due = Some((
                self.iss.plus(self.nxt),
                self.irs.plus(self.receive.next()),
                Flags::RST.and(Flags::ACK),
            ));
        }
        self.end(Closed::Aborted);
    }

    /// The path takes payloads of no more than `mss` bytes (options of TCP not taken off): larger segments are cut and sent again.
    /// Less than 64 counts as 64.
    pub fn set_mss(&mut self, mss: u16) {
        // Of a connection that is not open yet the handshake is still to take it down from what the configuration says.
        self.config.mss = self.config.mss.min(mss);
        let mss = u32::from(mss.max(LEAST_MSS)) - if self.agreed.timestamps { 12 } else { 0 };
        if mss < self.mss {
            self.mss = mss;
            self.board.cut(mss);
            self.force = self.board.has_lost();
            self.controller.on_mss(mss);
        }
    }

    /// Spaces segments in another way from now on.
    pub fn set_pacing(&mut self, pacing: Pacing) {
        self.config.pacing = pacing;
    }

    /// Takes another congestion control, as an application that accepted the connection may want; whether it did: not any more once data
    /// has left.
    pub fn set_congestion(&mut self, congestion: Algorithm) -> bool {
        if self.nxt > 1 {
            return false;
        }
        self.config.congestion = congestion;
        self.controller = self.fresh_controller();
        true
    }

    /// Whether Nagle's rule holds from now on ([`Config::nagle`](crate::Config::nagle)).
    pub fn set_nagle(&mut self, on: bool) {
        self.config.nagle = on;
    }

    /// The most that may wait here unsent or unacknowledged, in bytes, from now on. What is beyond it already stays.
    pub fn set_send_buffer(&mut self, bytes: u32) {
        self.send.set_limit(bytes.max(1));
    }

    /// How far ahead of its time a paced segment is handed over from now on ([`Config::paced_ahead`](crate::Config::paced_ahead)).
    pub fn set_paced_ahead(&mut self, ahead: Nanos) {
        self.config.paced_ahead = ahead;
    }

    /// So many bytes of this connection's segments ([`Outgoing::len`]) left the host's own queue. Whether a segment waits for that: then
    /// the caller takes segments again.
    pub fn departed(&mut self, bytes: u32) -> bool {
        self.queued = self.queued.saturating_sub(u64::from(bytes));
        std::mem::take(&mut self.held)
    }

    /// The next thing the application is to be told.
    pub fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}
