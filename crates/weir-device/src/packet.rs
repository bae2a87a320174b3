//! A packet with its id, as devices pass it on.

use crate::CarriedOffload;

/// A packet outside a program: its bytes and its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The frame from its first header on, without preamble and frame check sequence.
    pub bytes: Vec<u8>,
    /// Chosen by the code that creates the packet and kept by every device that forwards it. Copies
    /// (clones, multicast) have the id of their original. A world uses it to account for every
    /// packet.
    pub id: u64,
    /// The offloads that are not done yet. Devices keep them, and copies of the packet inherit
    /// them.
    pub offload: Option<CarriedOffload>,
}

impl Packet {
    /// Creates a packet without offloads, as on a wire.
    pub fn new(id: u64, bytes: Vec<u8>) -> Self {
        Self { bytes, id, offload: None }
    }
}
