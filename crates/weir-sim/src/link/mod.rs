//! Links: each direction has its own transmitter, queue and wire.

mod transmitter;

pub(crate) use transmitter::{DropReason, StartedFrame, Step, Transmitter};
use weir_device::Nanos;

use crate::{Error, QdiscConfig};
use weir_impair::Impairments;
use weir_impair::MAX_DURATION;
use weir_qdisc::QUEUE_FULL;

/// Settings of one direction of a link. [`crate::Network::connect`] uses them for both directions.
///
/// The length of a frame is its number of captured bytes, from the first byte of the Ethernet
/// header to the last byte of the payload: no preamble, no frame check sequence, no inter-frame
/// gap, no padding.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfig {
    /// The rate in bits per second. `None` is unlimited: a frame takes no time to send and never
    /// waits.
    pub rate: Option<u64>,
    /// The propagation delay in nanoseconds: from the moment a bit leaves one end until it arrives
    /// at the other.
    pub delay: Nanos,
    /// Random effects on frames on the wire, such as jitter and loss.
    pub impairments: Impairments,
    /// The queue before the transmitter.
    pub queue: QdiscConfig,
    /// The longest packet after the Ethernet header and VLAN tags, in bytes; longer packets are
    /// dropped. `None` is unlimited.
    pub mtu: Option<usize>,
}

impl Default for LinkConfig {
    /// Returns the settings of an unlimited rate, no delay, no impairments, and a queue of 1000
    /// frames.
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
    /// Checks that the settings are valid.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refused = |setting, value: String, expected| Err(Error::BadLink { setting, value, expected });
        if self.rate == Some(0) {
            return refused(
                "rate",
                "0 bit/s".into(),
                "1 bit/s or more, or none for unlimited; to stop a link set it down",
            );
        }
        if self.delay > MAX_DURATION {
            return refused("delay", format!("{} ns", self.delay), "at most 2^62 ns");
        }
        if self.mtu == Some(0) {
            return refused("mtu", "0 bytes".into(), "1 byte or more, or none for unlimited");
        }
        self.impairments.check()?;
        Ok(self.queue.check()?)
    }
}

/// One of the two directions of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the first end given to [`crate::Network::connect`] to the second.
    Forward,
    /// From the second end to the first.
    Backward,
}

impl Direction {
    /// Both directions, forward first.
    pub const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

    /// Returns the direction's index in pairs: 0 or 1.
    pub(crate) fn index(self) -> usize {
        match self {
            Direction::Forward => 0,
            Direction::Backward => 1,
        }
    }
}

/// Counters of one direction of a link since its start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectionCounters {
    /// The number of frames offered to this end, including those that were then dropped.
    pub offered_packets: u64,
    /// The bytes of the offered frames.
    pub offered_bytes: u64,
    /// The number of frames whose transmission began.
    pub sent_packets: u64,
    /// The bytes of the sent frames.
    pub sent_bytes: u64,
    /// The number of frames that arrived at the other end.
    pub delivered_packets: u64,
    /// The bytes of the delivered frames.
    pub delivered_bytes: u64,
    /// The number of frames dropped because the queue was full.
    pub dropped_queue_full: u64,
    /// The frames that the queueing discipline dropped for other reasons: each reason and its
    /// count, in the order in which the reasons first occurred.
    pub dropped_by_queue: Vec<(&'static str, u64)>,
    /// The number of frames in which the queueing discipline marked congestion (ECN, RFC 3168)
    /// instead of dropping them.
    pub marked: u64,
    /// The number of frames dropped because they exceeded [`LinkConfig::mtu`].
    pub dropped_mtu: u64,
    /// The number of frames lost on the wire at random ([`Impairments::loss`]).
    pub dropped_loss: u64,
    /// The number of frames lost because the link was down or went down: offered, queued or on the
    /// wire.
    pub dropped_down: u64,
    /// The time in nanoseconds for which the transmitter has been sending, including the remaining
    /// time of the frame being sent.
    pub busy: Nanos,
    /// The maximum number of frames in the queue, without the one being sent.
    pub queue_max: usize,
    /// The number of frames in the queue now.
    pub queue_now: usize,
    /// The bytes of the frames in the queue now.
    pub queue_now_bytes: u64,
    /// The number of duplicates that this direction created ([`Impairments::duplicate`]).
    pub duplicates: u64,
}

impl DirectionCounters {
    /// Returns the number of all drops in this direction.
    pub fn dropped_packets(&self) -> u64 {
        let by_queue = self.dropped_by_queue.iter().map(|(_, packets)| packets).sum::<u64>();
        self.dropped_queue_full + by_queue + self.dropped_mtu + self.dropped_loss + self.dropped_down
    }

    /// Returns the reasons for drops, with the number of frames.
    pub fn drops(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let by_queue = self.dropped_by_queue.iter().copied();
        let effects = [
            ("larger than the link's MTU", self.dropped_mtu),
            ("lost on the wire", self.dropped_loss),
            ("link down", self.dropped_down),
        ];
        [(QUEUE_FULL, self.dropped_queue_full)].into_iter().chain(by_queue).chain(effects)
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
