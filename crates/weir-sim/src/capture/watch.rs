//! Watches: what passes the ends of links, kept for a program that reacts to it.

use weir_switch::Nanos;

use super::Way;

/// A frame that passed an end that is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// When it did, in nanoseconds: when the first bit left, or when the last bit arrived.
    pub time: Nanos,
    /// Which of the watched ends, counted from 0 in the order given.
    pub end: u32,
    /// Whether the node there sent it; otherwise it received it.
    pub outbound: bool,
    /// From its Ethernet header on.
    pub bytes: Vec<u8>,
}

/// Frames kept until they are taken.
pub(crate) struct Watch {
    seen: Vec<Seen>,
    stops: bool,
}

impl Watch {
    /// Keeps frames; `stops` says whether each asks the run to stop.
    pub(crate) fn new(stops: bool) -> Self {
        Watch { seen: Vec::new(), stops }
    }

    /// Shows it a frame; whether the run is to stop for it.
    pub(crate) fn frame(&mut self, end: u32, way: Way, now: Nanos, bytes: &[u8]) -> bool {
        let outbound = matches!(way, Way::Outbound);
        self.seen.push(Seen { time: now, end, outbound, bytes: bytes.to_vec() });
        self.stops
    }

    pub(crate) fn take(&mut self) -> Vec<Seen> {
        std::mem::take(&mut self.seen)
    }
}
