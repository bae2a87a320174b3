//! Decides when a receiver acknowledges every segment at once, as Linux does (tcp_input.c).
//!
//! The first 16 segments are acknowledged at once, and so is each segment that lets the receive
//! window grow. Linux begins with a buffer of 128 KiB (tcp_rmem). Each full segment raises the
//! window by two segments until it has the size of the buffer, and once per round trip the buffer
//! grows if the application has read more than in any round trip before. In this crate, the buffer
//! has its full size from the start, and only the sizes that Linux would choose are computed. These
//! sizes matter because with them a sender in slow start gets twice as many acknowledgements, which
//! HyStart recognizes as a train.

use crate::segment::{Flags, Segment};
use crate::{MILLISECOND, Nanos};

/// The window that Linux offers in a buffer of 128 KiB at first.
const FIRST_WINDOW: u64 = 65_536;
/// The part of the buffer that is offered as window when segments of Ethernet's size have arrived:
/// 168/256.
const FIRST_LIMIT: u64 = (128 << 10) * 168 / 256;
/// The minimum payload of a segment that raises the window.
const MIN_GROWTH_PAYLOAD: u64 = 128;
/// The number of segments that the application is assumed to read in its first round trip.
const FIRST_ROUND_SEGMENTS: u64 = 10;

/// The state of acknowledging without delay (quick ACKs).
#[derive(Clone, Debug)]
pub(super) struct QuickAcks {
    quick_acks_left: u32,
    /// Whether acknowledgements are ever sent without delay.
    is_enabled: bool,
    /// The window that Linux would offer (rcv_ssthresh), the limit of the window, and the maximum
    /// of that limit.
    window: u64,
    limit: u64,
    buffer: u64,
    /// The maximum number of bytes that the application has read in a round trip; 0 before the
    /// first segment.
    read: u64,
    /// The position and the time at which this round trip began.
    round_trip_start: (u64, Nanos),
    rtt: Nanos,
}

impl QuickAcks {
    /// Creates the state of a new connection.
    ///
    /// The first `first` segments are acknowledged at once; with 0, no segment is ever acknowledged
    /// at once. `buffer` is in bytes.
    pub fn new(first: u32, buffer: u32) -> Self {
        let buffer = u64::from(buffer);
        QuickAcks {
            quick_acks_left: first,
            is_enabled: first > 0,
            window: FIRST_WINDOW.min(buffer),
            limit: FIRST_LIMIT.min(buffer),
            buffer,
            read: 0,
            round_trip_start: (0, 0),
            rtt: 0,
        }
    }

    /// Returns whether the next acknowledgement is sent at once.
    pub fn acknowledges_at_once(&self) -> bool {
        self.quick_acks_left > 0
    }

    /// Returns whether this segment is acknowledged as soon as the application has read it. This
    /// holds for a full segment that was pushed (tcp_measure_rcv_mss, tcp_cleanup_rbuf).
    pub fn answers_push(&self, segment: &Segment<'_>, mss: u32) -> bool {
        self.is_enabled && segment.flags.contains(Flags::PSH) && segment.payload.len() >= mss as usize
    }

    /// Notes that data was acknowledged.
    pub fn acknowledged(&mut self) {
        self.quick_acks_left = self.quick_acks_left.saturating_sub(1);
    }

    /// Returns whether the window of Linux is smaller than the buffer, so that segments may raise
    /// it.
    pub fn can_grow(&self) -> bool {
        self.is_enabled && self.window < self.buffer
    }

    /// Notes an RTT measured by a timestamp. The minimum counts (tcp_rcv_rtt_measure_ts).
    pub fn on_rtt(&mut self, rtt: Nanos) {
        let rtt = rtt.max(MILLISECOND);
        self.rtt = if self.rtt == 0 { rtt } else { self.rtt.min(rtt) };
    }

    /// Notes that everything before `position` has been received in order, with the last segment of
    /// `length` bytes.
    pub fn received(&mut self, now: Nanos, position: u64, length: u64) {
        if !self.can_grow() {
            return;
        }
        if self.read == 0 {
            self.read = FIRST_ROUND_SEGMENTS * length;
            self.round_trip_start = (position - length.min(position), now);
        }
        self.grow_limit(now, position);
        if length >= MIN_GROWTH_PAYLOAD && self.window < self.limit {
            self.window = (self.window + 2 * length).min(self.limit);
            self.quick_acks_left |= 1;
        }
    }

    /// Raises the limit of the window to twice the bytes that were read in a round trip, and
    /// further if this number has grown (tcp_rcv_space_adjust).
    fn grow_limit(&mut self, now: Nanos, position: u64) {
        if self.rtt == 0 || now.saturating_sub(self.round_trip_start.1) < self.rtt {
            return;
        }
        let read = position.saturating_sub(self.round_trip_start.0);
        if read > self.read {
            let twice = 2 * read;
            let more = (u128::from(twice) * u128::from(read - self.read) / u128::from(self.read)) as u64;
            self.limit = self.limit.max(twice.saturating_add(more.saturating_mul(2))).min(self.buffer);
            self.read = read;
        }
        self.round_trip_start = (position, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends segments of 1448 bytes, one each millisecond. Returns how many of them are
    /// acknowledged at once.
    fn quick(acks: &mut QuickAcks, from: u64, segments: u64) -> u64 {
        (from..from + segments)
            .filter(|i| {
                acks.received(i * MILLISECOND, (i + 1) * 1448, 1448);
                let quick = acks.acknowledges_at_once();
                acks.acknowledged();
                quick
            })
            .count() as u64
    }

    #[test]
    fn quick_acks_for_sixteen_segments_and_the_first_buffer() {
        // (86 016 − 65 536) / 2896 segments, and then 16.
        assert_eq!(quick(&mut QuickAcks::new(16, 6 << 20), 0, 100), 8 + 16);
        assert_eq!(quick(&mut QuickAcks::new(16, 60_000), 0, 100), 16);
        assert_eq!(quick(&mut QuickAcks::new(0, 6 << 20), 0, 100), 0);
    }

    #[test]
    fn a_round_trip_with_more_data_raises_the_limit() {
        let mut acks = QuickAcks::new(16, 6 << 20);
        acks.on_rtt(50 * MILLISECOND);
        // 51 segments instead of 10 in the first round trip: 102 segments, and 2 · 41/10 times
        // that.
        quick(&mut acks, 0, 51);
        assert_eq!(acks.limit, 51 * 1448 * 2 + 51 * 1448 * 2 * 41 / 10 * 2);
        assert!(quick(&mut acks, 51, 400) > 390);
        assert!(quick(&mut acks, 451, 100) < 60, "the rate does not grow any more");
        assert_eq!(quick(&mut acks, 551, 100), 0);
    }
}
