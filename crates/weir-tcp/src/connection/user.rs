//! Calls of the application and of the host.

use super::{AckDue, Closed, Connection, Event, State};
use crate::Nanos;
use crate::config::{MIN_MSS, Pacing};
use crate::congestion::Algorithm;
use crate::segment::Flags;

impl Connection {
    /// Writes bytes and returns how many of them fit into the send buffer. Returns 0 after
    /// [`Connection::close`].
    pub fn write(&mut self, bytes: &[u8]) -> usize {
        if !self.may_write() {
            return 0;
        }
        let taken = self.send.write(bytes);
        self.writer_waits |= taken < bytes.len();
        taken
    }

    /// Writes this many bytes of [`crate::pattern`], which take no memory, and returns how many fit
    /// into the send buffer.
    pub fn write_pattern(&mut self, bytes: u64) -> u64 {
        if !self.may_write() {
            return 0;
        }
        let taken = self.send.write_pattern(bytes);
        self.writer_waits |= taken < bytes;
        taken
    }

    fn may_write(&self) -> bool {
        !self.closing && !matches!(self.state, State::Closed | State::TimeWait)
    }

    /// Reads bytes and returns their number. If bytes are only counted, the buffer is filled with
    /// zeros.
    pub fn read(&mut self, buffer: &mut [u8]) -> usize {
        let taken = self.receive.read(buffer);
        self.on_read(taken > 0);
        taken
    }

    /// Reads all bytes without storing them and returns their number.
    pub fn discard(&mut self) -> u64 {
        let taken = self.receive.discard();
        self.on_read(taken > 0);
        taken
    }

    /// Notes that the application has tried to read.
    fn on_read(&mut self, has_data: bool) {
        self.announce_window();
        if self.config.ack_on_read && has_data && self.unacknowledged >= self.config.delayed_ack.every {
            self.ack = AckDue::Now;
        }
    }

    /// Announces a window that has grown by half the buffer or two segments (RFC 9293 section
    /// 3.8.6.2.2).
    fn announce_window(&mut self) {
        if !self.state.receives() {
            return;
        }
        let told = self.advertised_edge.saturating_sub(self.receive.next());
        let half = u64::from(self.config.receive_buffer) / 2;
        let step = (2 * u64::from(self.mss)).min(half).max(1 << self.agreed.receive_scale);
        // While the peer has room for half the buffer, its next segments will be acknowledged with
        // the new window.
        if told < half && self.available_edge() >= self.advertised_edge + step {
            self.ack = AckDue::Now;
        }
    }

    /// Returns the right edge of the window that could be advertised now.
    pub(super) fn available_edge(&self) -> u64 {
        self.receive.window_end().min(self.receive.next() + (65535 << self.agreed.receive_scale))
    }

    /// Removes written bytes that have not been sent, and returns their number. Returns 0 after
    /// [`Connection::close`].
    pub fn remove_unsent(&mut self) -> u64 {
        if !self.may_write() {
            return 0;
        }
        self.writer_waits = false;
        self.send.truncate(self.nxt.max(1))
    }

    /// Closes this side: after the handshake, a FIN follows the written bytes. Receiving continues.
    pub fn close(&mut self) {
        self.closing = true;
    }

    /// Closes the connection when the application is gone and will neither read nor write. If there
    /// are unread bytes, or more arrive, the peer gets a reset (RFC 9293 section 3.10.4). Once this
    /// end's FIN is acknowledged, the peer has the time
    /// [`Config::fin_wait`](crate::Config::fin_wait) to send its own FIN.
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

    /// Aborts the connection: sends a reset and discards everything.
    pub fn abort(&mut self) {
        if self.state == State::Closed {
            return;
        }
        if !matches!(self.state, State::SynSent | State::TimeWait) {
            self.reset_due = Some((
                self.iss.plus(self.nxt),
                self.irs.plus(self.receive.next()),
                Flags::RST.union(Flags::ACK),
            ));
        }
        self.end(Closed::Aborted);
    }

    /// Limits payloads to `mss` bytes, including TCP options, because the path has a smaller MTU.
    /// Larger segments are split and retransmitted. Values below 64 count as 64.
    pub fn set_mss(&mut self, mss: u16) {
        // A connection that is not open yet takes the value into account in the handshake.
        self.config.mss = self.config.mss.min(mss);
        let mss = u32::from(mss.max(MIN_MSS)) - if self.agreed.timestamps { 12 } else { 0 };
        if mss < self.mss {
            self.mss = mss;
            self.board.split_to_mss(mss);
            self.force = self.board.has_lost();
            self.controller.on_mss(mss);
        }
    }

    /// Changes whether the connection paces its segments.
    pub fn set_pacing(&mut self, pacing: Pacing) {
        self.config.pacing = pacing;
    }

    /// Replaces the congestion control, for an application that accepted the connection. Returns
    /// false if data has already been sent.
    pub fn set_congestion(&mut self, congestion: Algorithm) -> bool {
        if self.nxt > 1 {
            return false;
        }
        self.config.congestion = congestion;
        self.controller = self.fresh_controller();
        true
    }

    /// Switches Nagle's algorithm on or off ([`Config::nagle`](crate::Config::nagle)).
    pub fn set_nagle(&mut self, on: bool) {
        self.config.nagle = on;
    }

    /// Changes the size of the send buffer, in bytes. Data beyond the new size stays in the buffer.
    pub fn set_send_buffer(&mut self, bytes: u32) {
        self.send.set_limit(bytes.max(1));
    }

    /// Changes [`Config::paced_ahead`](crate::Config::paced_ahead).
    pub fn set_paced_ahead(&mut self, ahead: Nanos) {
        self.config.paced_ahead = ahead;
    }

    /// Notes that this many bytes of segments ([`Outgoing::len`]) left the host's own queue.
    /// Returns whether a segment waits for the departure; if so, the caller takes segments again.
    pub fn on_departed(&mut self, bytes: u32) -> bool {
        self.queued = self.queued.saturating_sub(u64::from(bytes));
        std::mem::take(&mut self.waits_for_departure)
    }

    /// Returns the next event for the application.
    pub fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}
