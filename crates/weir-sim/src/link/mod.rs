//! Links: two directions, each with a transmitter, a queue and a wire of its own.

mod transmitter;

pub(crate) use transmitter::{DropReason, StartedFrame, Step, Transmitter};
use weir_device::Nanos;

use crate::impair::Impairments;
use crate::qdisc::QUEUE_FULL;
use crate::time::{MAX_DURATION, transmission_time};
use crate::{Error, QdiscConfig};

/// How one direction of a link behaves. Used for both directions unless they are set apart.
///
/// A frame counts with its bytes as captured: from the first byte of its first header to the last of its payload; no preamble, no
/// frame check sequence, no gap, no padding.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfig {
    /// Bits per second; `None` is unlimited: a frame takes no time to send and none ever waits.
    pub rate: Option<u64>,
    /// Propagation delay: from a bit's leaving one end to its arriving at the other, in nanoseconds.
    pub delay: Nanos,
    /// What else the wire does to frames.
    pub impairments: Impairments,
    /// Where frames wait behind the one being sent.
    pub queue: QdiscConfig,
    /// The longest packet behind an Ethernet header and VLAN tags, in bytes; a longer one is dropped. `None` takes all.
    pub mtu: Option<usize>,
}

impl Default for LinkConfig {
    /// Unlimited, without delay or impairments, with a queue of 1000 frames.
    fn default() -> Self {
        LinkConfig {
            rate: None,
            delay: 0,
            impairments: Impairments::default(),
            queue: QdiscConfig::default(),
            mtu: None,
        }
    }
}

impl LinkConfig {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let bad = |setting, value: String, expected| Err(Error::BadLink { setting, value, expected });
        if self.rate == Some(0) {
            return bad(
                "rate",
                "0 bit/s".into(),
                "1 bit/s or more, or none for unlimited; to stop a link set it down",
            );
        }
        if self.delay > MAX_DURATION {
            return bad("delay", format!("{} ns", self.delay), "at most 2^62 ns");
        }
        if self.mtu == Some(0) {
            return bad("mtu", "0 bytes".into(), "1 byte or more, or none for unlimited");
        }
        self.impairments.check()?;
        self.queue.check()
    }

    /// The time to put a frame of this many bytes on an idle wire, in nanoseconds: bytes · 8 / rate, rounded up. Frames that follow one
    /// another without a gap carry the rounding's remainder on, so that n of them take n · bytes · 8 / rate, rounded up once.
    pub fn serialisation(&self, bytes: usize) -> Nanos {
        self.rate.map_or(0, |rate| transmission_time(bytes, rate, 0).0)
    }
}

/// One of a link's two directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the end named first in [`crate::Network::connect`] to the other.
    Forward,
    /// From the end named second to the first.
    Backward,
}

impl Direction {
    /// Both, forward first.
    pub const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

    pub(crate) fn index(self) -> usize {
        match self {
            Direction::Forward => 0,
            Direction::Backward => 1,
        }
    }
}

/// What one direction of a link has seen since the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectionCounters {
    /// Frames handed to this end, with those then dropped.
    pub offered_packets: u64,
    /// Their bytes.
    pub offered_bytes: u64,
    /// Frames whose sending began.
    pub sent_packets: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Frames that arrived at the other end.
    pub delivered_packets: u64,
    /// Their bytes.
    pub delivered_bytes: u64,
    /// Frames dropped because the queue was full.
    pub dropped_queue_full: u64,
    /// Frames dropped by the queueing discipline for other reasons: each reason and how many, in the order of their first times.
    pub dropped_by_queue: Vec<(&'static str, u64)>,
    /// Times that the queueing discipline noted congestion in a frame (ECN, RFC 3168) instead of dropping it.
    pub marked: u64,
    /// Frames dropped for being longer than [`LinkConfig::mtu`] allows.
    pub dropped_mtu: u64,
    /// Frames lost on the wire by chance ([`Impairments::loss`]).
    pub dropped_loss: u64,
    /// Frames offered to, waiting at, or travelling on a link that was down or went down.
    pub dropped_down: u64,
    /// Time for which the transmitter has been sending or has committed to send, in nanoseconds.
    pub busy: Nanos,
    /// The most frames that ever waited at once, not counting the one being sent.
    pub queue_max: usize,
    /// Frames waiting now.
    pub queue_now: usize,
    /// Their bytes.
    pub queue_now_bytes: u64,
    /// Frames that this direction made: the second ones of those that arrive twice.
    pub duplicates: u64,
}

impl DirectionCounters {
    /// All drops of this direction.
    pub fn dropped_packets(&self) -> u64 {
        let by_queue = self.dropped_by_queue.iter().map(|(_, packets)| packets).sum::<u64>();
        self.dropped_queue_full + by_queue + self.dropped_mtu + self.dropped_loss + self.dropped_down
    }

    fn count_queue_drop(&mut self, reason: &'static str) {
        if reason == QUEUE_FULL {
            self.dropped_queue_full += 1;
            return;
        }
        match self.dropped_by_queue.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, packets)) => *packets += 1,
            None => self.dropped_by_queue.push((reason, 1)),
        }
    }
}
