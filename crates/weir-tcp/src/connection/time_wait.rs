//! A connection in TIME-WAIT: a small record that the host keeps instead of the connection.

use super::{Connection, State};
use crate::Nanos;
use crate::options::Options;
use crate::segment::{Flags, Header, Reply, Segment};
use crate::seq::Seq;

/// A connection in TIME-WAIT.
#[derive(Clone, Debug)]
pub struct TimeWait {
    /// This end's port and the peer's.
    pub ports: (u16, u16),
    /// The time at which TIME-WAIT ends.
    pub until: Nanos,
    length: Nanos,
    next_sent: Seq,
    next_expected: Seq,
    window: u16,
    /// The offset of this end's timestamp clock, and the peer's most recent timestamp.
    stamps: Option<(u32, u32)>,
}

/// The answer to a segment for a connection in TIME-WAIT.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum TimeWaitAnswer {
    /// Ignore the segment.
    Ignore,
    /// Send this reply. [`TimeWait::until`] may have changed.
    Reply(Reply),
    /// A new connection may replace the record (RFC 6191, RFC 9293 section 3.10.7.4): drop the
    /// record, and accept the SYN with an initial sequence number after this number.
    Reopen(Seq),
}

impl TimeWait {
    /// Processes a segment that arrives in TIME-WAIT.
    pub fn on_segment(&mut self, now: Nanos, segment: &Segment<'_>) -> TimeWaitAnswer {
        if segment.flags.contains(Flags::RST) {
            // In RFC 1337, a reset does not end TIME-WAIT.
            return TimeWaitAnswer::Ignore;
        }
        if segment.flags.contains(Flags::SYN) && !segment.flags.contains(Flags::ACK) {
            let newer = match (self.stamps, segment.options.timestamps) {
                (Some((_, recent)), Some((value, _))) if value != recent => {
                    Seq(value).distance_from(Seq(recent)) > 0
                }
                _ => segment.seq.distance_from(self.next_expected) > 0,
            };
            if newer {
                return TimeWaitAnswer::Reopen(self.next_sent.plus(65536));
            }
        }
        if segment.sequence_length() == 0 {
            return TimeWaitAnswer::Ignore;
        }
        if segment.flags.contains(Flags::FIN) {
            self.until = now + self.length;
        }
        let stamps = self
            .stamps
            .map(|(base, recent)| (((now / crate::MILLISECOND) as u32).wrapping_add(base), recent));
        TimeWaitAnswer::Reply(Reply {
            header: Header {
                source: self.ports.0,
                destination: self.ports.1,
                seq: self.next_sent,
                ack: self.next_expected,
                flags: Flags::ACK,
                window: self.window,
                options: Options { timestamps: stamps, ..Options::default() },
            },
        })
    }
}

impl Connection {
    /// Returns the record that replaces this connection, if the connection is in TIME-WAIT. The
    /// connection may be dropped when its bytes have been read and its last acknowledgement has
    /// been sent.
    pub fn time_wait(&self) -> Option<TimeWait> {
        let until = self.time_wait_until.filter(|_| self.state == State::TimeWait)?;
        Some(TimeWait {
            ports: self.ports,
            until,
            length: self.config.time_wait,
            next_sent: self.iss.plus(self.nxt),
            next_expected: self.irs.plus(self.receive.next()),
            window: (self.advertised_edge.saturating_sub(self.receive.next()) >> self.agreed.receive_scale)
                .min(65535) as u16,
            stamps: self.agreed.timestamps.then_some(((self.random >> 32) as u32, self.ts_recent.0)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(stamps: Option<(u32, u32)>) -> TimeWait {
        TimeWait {
            ports: (1, 2),
            until: 100,
            length: 100,
            next_sent: Seq(u32::MAX),
            next_expected: Seq(500),
            window: 9,
            stamps,
        }
    }

    fn segment(flags: Flags, seq: u32, value: Option<u32>) -> Segment<'static> {
        let options = Options { timestamps: value.map(|value| (value, 0)), ..Options::default() };
        Segment {
            source: 2,
            destination: 1,
            seq: Seq(seq),
            ack: Seq(0),
            flags,
            window: 0,
            urgent: 0,
            options,
            payload: &[],
        }
    }

    #[test]
    fn repeated_fins_restart_time_wait() {
        let mut record = record(None);
        let answer = record.on_segment(50, &segment(Flags::FIN.union(Flags::ACK), 499, None));
        let TimeWaitAnswer::Reply(reply) = answer else { panic!("{answer:?}") };
        assert_eq!(
            (reply.header.seq, reply.header.ack, reply.header.flags),
            (Seq(u32::MAX), Seq(500), Flags::ACK)
        );
        assert_eq!(record.until, 150);
    }

    #[test]
    fn resets_change_nothing() {
        let mut record = record(None);
        assert_eq!(record.on_segment(50, &segment(Flags::RST, 500, None)), TimeWaitAnswer::Ignore);
        assert_eq!(record.on_segment(50, &segment(Flags::ACK, 500, None)), TimeWaitAnswer::Ignore);
        assert_eq!(record.until, 100);
    }

    #[test]
    fn newer_syns_replace_older_ones() {
        let reopen = TimeWaitAnswer::Reopen(Seq(65535));
        assert_eq!(record(None).on_segment(0, &segment(Flags::SYN, 501, None)), reopen);
        assert_ne!(record(None).on_segment(0, &segment(Flags::SYN, 499, None)), reopen);
        // With timestamps, the sequence numbers do not matter (RFC 6191).
        assert_eq!(record(Some((0, 7))).on_segment(0, &segment(Flags::SYN, 499, Some(8))), reopen);
        assert_ne!(record(Some((0, 7))).on_segment(0, &segment(Flags::SYN, 501, Some(6))), reopen);
    }
}
