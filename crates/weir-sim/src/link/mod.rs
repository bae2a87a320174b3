//! Links: two directions, each with a transmitter, a queue and a wire of its own.

mod transmitter;

pub(crate) use transmitter::{DropReason, Offered, Started, Transmitter};
use weir_switch::Nanos;

use crate::Error;

/// Longest delay and jitter a link takes: about 146 years, so that sums of times stay far below 2^64.
const LONGEST: Nanos = 1 << 62;

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
    /// Adds to each frame's delay a uniform random time from 0 to this many nanoseconds. Frames never overtake: one that would arrives
    /// at the same time as the one before it, after it.
    pub jitter: Nanos,
    /// Probability from 0 to 1 that a frame that was sent does not arrive. It takes its time on the wire all the same.
    pub loss: f64,
    /// Frames that may wait behind the one being sent; one more is dropped. 1000 by default, as Linux interfaces have it.
    pub queue_packets: usize,
}

impl Default for LinkConfig {
    /// Unlimited, without delay, jitter or loss.
    fn default() -> Self {
        LinkConfig { rate: None, delay: 0, jitter: 0, loss: 0.0, queue_packets: 1000 }
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
        if !(0.0..=1.0).contains(&self.loss) {
            return bad("loss", self.loss.to_string(), "a probability from 0 to 1");
        }
        if self.delay > LONGEST {
            return bad("delay", format!("{} ns", self.delay), "at most 2^62 ns");
        }
        if self.jitter > LONGEST {
            return bad("jitter", format!("{} ns", self.jitter), "at most 2^62 ns");
        }
        Ok(())
    }

    /// The time to put a frame of this many bytes on an idle wire, in nanoseconds: bytes · 8 / rate, rounded up. Frames that follow one
    /// another without a gap carry the rounding's remainder on, so that n of them take n · bytes · 8 / rate, rounded up once.
    pub fn serialisation(&self, bytes: usize) -> Nanos {
        self.rate.map_or(0, |rate| transmitter::serialisation(bytes, rate, 0).0)
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
    /// Frames lost on the wire by chance ([`LinkConfig::loss`]).
    pub dropped_loss: u64,
    /// Frames offered to, waiting at, or travelling on a link that was down or went down.
    pub dropped_down: u64,
    /// Time for which the transmitter has been sending or has committed to send, in nanoseconds.
    pub busy: Nanos,
    /// The most frames that ever waited at once, not counting the one being sent.
    pub queue_max: usize,
    /// Frames waiting now.
    pub queue_now: usize,
}

impl DirectionCounters {
    /// All drops of this direction.
    pub fn dropped_packets(&self) -> u64 {
        self.dropped_queue_full + self.dropped_loss + self.dropped_down
    }
}
