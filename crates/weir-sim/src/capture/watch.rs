//! Watches: frames that pass link ends, stored for a program that reacts to them.

use weir_capture::Direction;
use weir_device::Nanos;

use crate::Filter;

/// A frame that passed a watched link end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedFrame {
    /// The time in nanoseconds: when the first bit left or when the last bit arrived.
    pub time: Nanos,
    /// The index of the link end in the list that the caller gave, from 0.
    pub end: u32,
    /// Whether the node at that end sent the frame; otherwise it received it.
    pub outbound: bool,
    /// The frame from its Ethernet header on.
    pub bytes: Vec<u8>,
}

/// The settings of a watch: the filter and the directions.
#[derive(Clone, Debug)]
pub struct WatchConfig {
    /// The frames to store; `None` stores all.
    pub filter: Option<Filter>,
    /// Whether to store frames that the node at that end receives.
    pub inbound: bool,
    /// Whether to store frames that the node at that end sends.
    pub outbound: bool,
    /// Whether each stored frame stops the run ([`crate::StopReason::Requested`]).
    pub stops: bool,
}

impl Default for WatchConfig {
    /// Stores all frames and does not stop the run.
    fn default() -> Self {
        WatchConfig { filter: None, inbound: true, outbound: true, stops: false }
    }
}

/// Stores the frames of a watch until they are taken.
pub(crate) struct Watch {
    seen: Vec<WatchedFrame>,
    config: WatchConfig,
}

impl Watch {
    pub(crate) fn new(config: WatchConfig) -> Self {
        Watch { seen: Vec::new(), config }
    }

    /// Stores a frame if it matches. Returns whether the run must stop.
    pub(crate) fn store_if_matching(
        &mut self,
        end: u32,
        direction: Direction,
        now: Nanos,
        bytes: &[u8],
    ) -> bool {
        let outbound = matches!(direction, Direction::Outbound);
        let wanted = if outbound { self.config.outbound } else { self.config.inbound };
        if !wanted || self.config.filter.as_ref().is_some_and(|filter| !filter.matches(bytes)) {
            return false;
        }
        self.seen.push(WatchedFrame { time: now, end, outbound, bytes: bytes.to_vec() });
        self.config.stops
    }

    pub(crate) fn stops(&self) -> bool {
        self.config.stops
    }

    pub(crate) fn take_frames(&mut self) -> Vec<WatchedFrame> {
        std::mem::take(&mut self.seen)
    }
}
