//! Queueing disciplines: where frames wait at the sending end of a link's direction, and which is next.

mod fifo;

use weir_switch::Nanos;

use self::fifo::Fifo;
pub(crate) use self::fifo::QUEUE_FULL;
use crate::Error;
use crate::frames::{FrameId, Frames};

/// Which discipline, with its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QdiscConfig {
    /// First in, first out; a frame that finds no room is dropped. What a link's queue is if nothing else is said.
    Fifo {
        /// Frames that may wait behind the one being sent; `None` is unlimited.
        packets: Option<usize>,
        /// Bytes of frames that may wait; `None` is unlimited.
        bytes: Option<u64>,
    },
}

impl QdiscConfig {
    /// First in, first out, with room for so many frames behind the one being sent.
    pub fn packets(packets: usize) -> Self {
        QdiscConfig::Fifo { packets: Some(packets), bytes: None }
    }

    /// First in, first out, with room for so many bytes behind the frame being sent.
    pub fn bytes(bytes: u64) -> Self {
        QdiscConfig::Fifo { packets: None, bytes: Some(bytes) }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        match self {
            QdiscConfig::Fifo { .. } => Ok(()),
        }
    }
}

impl Default for QdiscConfig {
    /// First in, first out, 1000 frames, as Linux interfaces have it.
    fn default() -> Self {
        QdiscConfig::packets(1000)
    }
}

/// A frame that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) frame: FrameId,
    /// Its bytes as captured.
    pub(crate) bytes: u32,
    /// See [`crate::frames::Meta::flow`]; 0 for frames of devices: a discipline by flows then looks into the frame.
    #[allow(dead_code, reason = "disciplines by flows read it")]
    pub(crate) flow: u64,
    /// Not to leave before.
    #[allow(dead_code, reason = "disciplines that pace read it")]
    pub(crate) earliest: Nanos,
}

/// What leaves a discipline next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// This one, now.
    Frame(Waiting),
    /// Something waits, but nothing leaves before this time, which is later than now.
    #[allow(dead_code, reason = "disciplines that shape answer it")]
    At(Nanos),
    /// Nothing waits.
    Empty,
}

/// A queueing discipline at work.
#[derive(Debug)]
pub(crate) enum Qdisc {
    Fifo(Fifo),
}

impl Qdisc {
    /// An empty one. Its randomness, if it has any, comes from the stream of `name` in the world of this seed.
    pub(crate) fn new(config: &QdiscConfig, _seed: u64, _name: &str) -> Self {
        match *config {
            QdiscConfig::Fifo { packets, bytes } => Qdisc::Fifo(Fifo::new(packets, bytes)),
        }
    }

    /// Takes over other settings without touching what waits; false if it cannot, being of another kind.
    pub(crate) fn change(&mut self, config: &QdiscConfig) -> bool {
        match (self, config) {
            (Qdisc::Fifo(fifo), QdiscConfig::Fifo { packets, bytes }) => fifo.set_limits(*packets, *bytes),
        }
        true
    }

    /// Whether a frame that meets an idle transmitter may leave without waiting here when nothing else waits: nothing is shaped,
    /// ordered or drawn.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Qdisc::Fifo(_) => true,
        }
    }

    /// Takes a frame in. Frames that are dropped for it, or it itself, are appended to `dropped` with the reason.
    pub(crate) fn enqueue(
        &mut self,
        _now: Nanos,
        waiting: Waiting,
        _frames: &mut Frames,
        dropped: &mut Vec<(FrameId, &'static str)>,
    ) {
        match self {
            Qdisc::Fifo(fifo) => fifo.enqueue(waiting, dropped),
        }
    }

    /// Takes the next frame out, or says when to ask again.
    pub(crate) fn dequeue(&mut self, _now: Nanos, _frames: &mut Frames) -> Next {
        match self {
            Qdisc::Fifo(fifo) => fifo.dequeue().map_or(Next::Empty, Next::Frame),
        }
    }

    /// Frames waiting.
    pub(crate) fn packets(&self) -> usize {
        match self {
            Qdisc::Fifo(fifo) => fifo.packets(),
        }
    }

    /// Their bytes.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Qdisc::Fifo(fifo) => fifo.bytes(),
        }
    }

    /// Takes all frames out, in the order in which they came.
    pub(crate) fn drain(&mut self) -> Vec<FrameId> {
        match self {
            Qdisc::Fifo(fifo) => fifo.drain(),
        }
    }

    /// Frames it made beside those it was given.
    pub(crate) fn made(&self) -> u64 {
        match self {
            Qdisc::Fifo(_) => 0,
        }
    }
}
