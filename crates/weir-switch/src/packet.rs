//! Packets inside a switch: before a pass, between ingress and egress, and what becomes of them.

use weir_device::{Nanos, Port};
use weir_ir::{Bits, State, VarId};

use crate::stats::{DropPlace, DropReason};

/// The identity of a packet in the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PacketId {
    /// As the world knows it; copies share it.
    pub packet: u64,
    /// Its own number, or its copy's, while it is traced; 0 if it is not.
    pub copy: u64,
}

/// A packet that waits for its pass.
#[derive(Debug)]
pub(crate) struct Arrival {
    /// Who it is.
    pub id: PacketId,
    /// The bytes to be parsed.
    pub bytes: Vec<u8>,
    /// Where it comes from.
    pub origin: Origin,
    /// Metadata that it keeps from its last pass.
    pub preserved: Vec<(VarId, Bits)>,
}

/// Where a packet comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// From outside.
    Port(Port),
    /// From the end of a pass.
    Recirculated,
    /// From the end of ingress; it had come from this port.
    Resubmitted(Port),
}

/// Which metadata a packet keeps in its next pass, or a copy of its original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// None.
    Nothing,
    /// The fields of this list.
    List(u8),
    /// These fields.
    Vars(Vec<VarId>),
}

/// A packet in a pass, from the end of ingress on.
#[derive(Clone, Debug)]
pub(crate) struct PipelinePacket {
    /// Who it is.
    pub id: PacketId,
    /// Its bytes when its pass began.
    pub bytes: Vec<u8>,
    /// How many of the bytes the parser took; the rest is payload.
    pub parsed: usize,
    /// Its headers and metadata.
    pub state: State,
    /// Bytes when its pass began, as `packet_length`, queues and counters have it.
    pub length: usize,
    /// Cut to so many bytes when it leaves.
    pub truncate: Option<usize>,
    /// Recirculation that ingress asked for, and what it keeps.
    pub recirculate: Option<Keep>,
    /// How many clones made it at this point in time.
    pub generation: u32,
}

impl PipelinePacket {
    /// A packet at the start of a pass.
    pub(crate) fn new(id: PacketId, bytes: Vec<u8>, state: State) -> Self {
        let length = bytes.len();
        Self { id, bytes, parsed: 0, state, length, truncate: None, recirculate: None, generation: 0 }
    }
}

/// What happens to a packet, or to a copy of it, after ingress or egress.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// To an egress queue.
    Queue {
        /// Whose queue.
        port: Port,
        /// Which of the port's queues.
        priority: usize,
        /// The packet.
        packet: Box<PipelinePacket>,
    },
    /// Into another pass: recirculated or resubmitted.
    NextPass(Arrival),
    /// Out.
    Transmit {
        /// Where.
        port: Port,
        /// Who it is.
        id: PacketId,
        /// What.
        bytes: Vec<u8>,
    },
    /// Dropped.
    Drop {
        /// In which part of the pass.
        place: DropPlace,
        /// Why.
        reason: DropReason,
        /// Who it is.
        id: PacketId,
    },
}

/// A packet that leaves its queue.
#[derive(Debug)]
pub(crate) struct Dequeued {
    /// The packet.
    pub packet: PipelinePacket,
    /// The queue's port.
    pub port: Port,
    /// When it came.
    pub enqueued: Nanos,
    /// How many packets it found in the queue.
    pub enq_depth: usize,
    /// When it leaves.
    pub dequeued: Nanos,
    /// How many packets it leaves behind.
    pub deq_depth: usize,
}
