//! What a host works on and leaves behind while it is called.

use weir_device::{Nanos, Port};

use crate::host::ids::AppKey;
use crate::qdisc::QdiscConfig;

/// Buffers of frames that were received, kept to be sent in.
const MAX_SPARE: usize = 64;

/// A frame that is to leave an interface now.
pub(crate) struct OutgoingFrame {
    pub(crate) port: Port,
    pub(crate) bytes: Vec<u8>,
    /// The connection that wants to know when it leaves the interface's queue, as it names itself; 0 if none does.
    pub(crate) socket: u32,
    /// Not to leave the queue before, if that heeds it.
    pub(crate) earliest: Nanos,
}

/// What a network lends to the one host that it calls, so that all hosts use the same memory, which caches hold: what the host wants done
/// when the call is over. Empty between calls.
#[derive(Default)]
pub(crate) struct HostOutbox {
    /// Buffers to write frames into.
    spare: Vec<Vec<u8>>,
    /// Frames that are to leave now, in order.
    pub(crate) frames: Vec<OutgoingFrame>,
    /// Frames to one of the host's own addresses, to be received now.
    pub(crate) loopback: Vec<Vec<u8>>,
    /// Queueing disciplines that applications asked for; they have been checked.
    pub(crate) queue_changes: Vec<(Port, QdiscConfig)>,
    /// Wake-ups that applications asked for: when, who, and their token.
    pub(crate) wakes: Vec<(Nanos, AppKey, u64)>,
    /// Whether an application has asked the run to stop.
    pub(crate) stop_requested: bool,
    /// Whether an application has been called.
    pub(crate) app_called: bool,
}

impl HostOutbox {
    /// Bytes to write a frame into.
    pub(super) fn buffer(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = self.spare.pop().unwrap_or_default();
        // All of them are written, so what they held does no harm.
        bytes.resize(length, 0);
        bytes
    }

    /// Takes bytes back that a frame was written into.
    pub(crate) fn recycle(&mut self, bytes: Vec<u8>) {
        if self.spare.len() < MAX_SPARE {
            self.spare.push(bytes);
        }
    }
}
