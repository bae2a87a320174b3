//! The outbox: what a host asks the network to do after a call.

use weir_device::{Nanos, Port};

use crate::host::ids::AppKey;
use weir_qdisc::QdiscConfig;

/// The maximum number of spare buffers.
const MAX_SPARE: usize = 64;

/// A frame to send from an interface now.
pub(crate) struct OutgoingFrame {
    pub(crate) port: Port,
    pub(crate) bytes: Vec<u8>,
    /// The token of the connection that is notified when the frame leaves the interface's queue; 0
    /// for none.
    pub(crate) socket: u32,
    /// The earliest time at which the frame may leave the queue, if its discipline supports that.
    pub(crate) earliest: Nanos,
}

/// Everything that a host wants the network to do after the current call. A network has only one
/// outbox and lends it to the host that it calls, so that all hosts use the same memory, which
/// stays in the cache. The outbox is empty between calls.
#[derive(Default)]
pub(crate) struct HostOutbox {
    /// The reusable buffers for frames.
    spare: Vec<Vec<u8>>,
    /// The frames to send now, in order.
    pub(crate) frames: Vec<OutgoingFrame>,
    /// The packets to the host's own addresses, to be received now.
    pub(crate) loopback: Vec<Vec<u8>>,
    /// The requested queueing disciplines; their settings have been checked.
    pub(crate) queue_changes: Vec<(Port, QdiscConfig)>,
    /// Requested wake-ups: time, application, token.
    pub(crate) wakes: Vec<(Nanos, AppKey, u64)>,
    /// Whether an application has requested to stop the run.
    pub(crate) stop_requested: bool,
    /// Whether an application has been called.
    pub(crate) app_called: bool,
}

impl HostOutbox {
    /// Returns a buffer for a frame of this length.
    pub(super) fn buffer(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = self.spare.pop().unwrap_or_default();
        // The caller overwrites all bytes, so old contents do not matter.
        bytes.resize(length, 0);
        bytes
    }

    /// Keeps a frame's buffer for reuse.
    pub(crate) fn recycle(&mut self, bytes: Vec<u8>) {
        if self.spare.len() < MAX_SPARE {
            self.spare.push(bytes);
        }
    }
}
