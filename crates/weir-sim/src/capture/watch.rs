//! Watches: what passes the ends of links, kept for a program that reacts to it.

use weir_device::Nanos;

use super::TapDirection;
use crate::Filter;

/// A frame that passed an end that is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedFrame {
    /// When it did, in nanoseconds: when the first bit left, or when the last bit arrived.
    pub time: Nanos,
    /// Which of the watched ends, counted from 0 in the order given.
    pub end: u32,
    /// Whether the node there sent it; otherwise it received it.
    pub outbound: bool,
    /// From its Ethernet header on.
    pub bytes: Vec<u8>,
}

/// What to watch for.
#[derive(Clone, Debug)]
pub struct WatchConfig {
    /// Which frames to keep; none keeps all.
    pub filter: Option<Filter>,
    /// Frames that the node at the end receives.
    pub inbound: bool,
    /// Frames that it sends.
    pub outbound: bool,
    /// Whether each frame that is kept asks the run to stop ([`crate::StopReason::Requested`]).
    pub stops: bool,
}

impl Default for WatchConfig {
    /// All frames, without stopping.
    fn default() -> Self {
        WatchConfig { filter: None, inbound: true, outbound: true, stops: false }
    }
}

/// Frames kept until they are taken.
pub(crate) struct Watch {
    seen: Vec<WatchedFrame>,
    config: WatchConfig,
}

impl Watch {
    pub(crate) fn new(config: WatchConfig) -> Self {
        Watch { seen: Vec::new(), config }
    }

    /// Shows it a frame; whether the run is to stop for it.
    pub(crate) fn frame(&mut self, end: u32, direction: TapDirection, now: Nanos, bytes: &[u8]) -> bool {
        let outbound = matches!(direction, TapDirection::Outbound);
        let wanted = if outbound { self.config.outbound } else { self.config.inbound };
        if !wanted || self.config.filter.as_ref().is_some_and(|filter| !filter.matches(bytes)) {
            return false;
        }
        self.seen.push(WatchedFrame { time: now, end, outbound, bytes: bytes.to_vec() });
        self.config.stops
    }

    pub(crate) fn take(&mut self) -> Vec<WatchedFrame> {
        std::mem::take(&mut self.seen)
    }
}
