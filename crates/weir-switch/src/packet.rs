//! The packets in a switch, before a pass and between ingress and egress, and the verdicts on them.

use weir_device::{CarriedOffload, Nanos, Port};
use weir_ir::{Bits, State, VarId};

use crate::stats::{DropPlace, DropReason};

/// The identity of a packet inside the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PacketId {
    /// The id outside the switch; copies share it.
    pub packet: u64,
    /// The number of this packet or copy in traces; 0 if it is not traced.
    pub copy: u64,
}

/// A packet that waits for its pass.
#[derive(Debug)]
pub(crate) struct Arrival {
    /// The packet's identity.
    pub id: PacketId,
    /// The packet's offloads.
    pub offload: Option<CarriedOffload>,
    /// The bytes to be parsed.
    pub bytes: Vec<u8>,
    /// The origin of the packet.
    pub origin: Origin,
    /// The metadata that the packet keeps from its last pass.
    pub preserved: Vec<(VarId, Bits)>,
}

/// The origin of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The packet arrived at this port at this time.
    Port { port: Port, received: Nanos },
    /// The packet was recirculated at the end of a pass. It arrives at this port, after so many
    /// recirculations.
    Recirculated { port: Port, pass: u32 },
    /// The packet was resubmitted at the end of ingress. It first arrived at this port.
    Resubmitted(Port),
}

/// The way in which a packet entered its pass, or came from ingress to egress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PacketKind {
    /// The packet came from a port.
    Normal,
    /// The packet went from ingress to egress without being copied.
    Unicast,
    IngressClone,
    EgressClone,
    Recirculated,
    Replicated,
    Resubmitted,
}

/// The metadata that a packet keeps in its next pass, or that a copy keeps of its original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The packet keeps no metadata.
    Nothing,
    /// The packet keeps the fields of this list.
    List(u64),
    /// The packet keeps these fields.
    Vars(Vec<VarId>),
}

/// A packet in a pass, from the end of ingress on.
#[derive(Clone, Debug)]
pub(crate) struct PipelinePacket {
    /// The packet's identity.
    pub id: PacketId,
    /// The packet's offloads.
    pub offload: Option<CarriedOffload>,
    /// The packet's bytes when its pass began.
    pub bytes: Vec<u8>,
    /// The number of bytes that the parser consumed; the remaining bytes are payload.
    pub parsed: usize,
    /// The packet's headers and metadata.
    pub state: State,
    /// The packet's length in bytes when its pass began, for `packet_length` and counters. If
    /// egress parses packets again: the length when egress begins.
    pub length: usize,
    /// The path on which the packet came to egress.
    pub kind: PacketKind,
    /// The number that the packet got as a copy.
    pub instance: u16,
    /// The priority of the packet in its queue.
    pub priority: usize,
    /// The length in bytes to which the packet is cut when it leaves.
    pub truncate: Option<usize>,
    /// The metadata that the packet keeps if it is recirculated; `None` if it is not recirculated.
    pub recirculate: Option<Keep>,
    /// The number of clones of clones in egress that led to this packet at the current time.
    pub generation: u32,
    /// The maximum number of egress clones of one generation that may descend from this packet.
    pub clone_budget: u32,
    pub deflection: Deflection,
}

/// Whether a packet goes into another queue if its own queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deflection {
    /// The packet is dropped.
    Forbidden,
    /// The packet goes into the queue of deflected packets, if there is one.
    Allowed,
    /// The packet is in that queue.
    Done,
}

/// The maximum number of egress clones of a packet in the same generation. The clones of a session
/// share the limit of their original. Therefore clones of clones end after some generations if a
/// session makes several copies, for example after 12 generations with two copies.
const MAX_OF_A_GENERATION: u32 = 1 << 12;

impl PipelinePacket {
    /// Creates a packet at the start of a pass.
    pub(crate) fn new(id: PacketId, offload: Option<CarriedOffload>, bytes: Vec<u8>, state: State) -> Self {
        let length = bytes.len();
        let clone_budget = MAX_OF_A_GENERATION;
        let (truncate, recirculate) = (None, None);
        Self {
            id,
            offload,
            bytes,
            parsed: 0,
            state,
            length,
            kind: PacketKind::Unicast,
            instance: 0,
            priority: 0,
            truncate,
            recirculate,
            generation: 0,
            clone_budget,
            deflection: Deflection::Forbidden,
        }
    }
}

/// The next step of a packet, or of a copy of it, after ingress or egress.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// The packet goes to an egress queue.
    Queue {
        /// The port of the queue.
        port: Port,
        /// The number of the queue.
        priority: usize,
        /// The packet.
        packet: Box<PipelinePacket>,
    },
    /// The packet goes into another pass: it is recirculated or resubmitted.
    NextPass(Arrival),
    /// The packet leaves the switch.
    Transmit {
        /// The port.
        port: Port,
        /// The packet's identity.
        id: PacketId,
        /// The packet's offloads.
        offload: Option<CarriedOffload>,
        /// The packet's bytes.
        bytes: Vec<u8>,
    },
    /// The packet is dropped.
    Drop {
        /// The part of the pass in which it is dropped.
        place: DropPlace,
        /// The reason.
        reason: DropReason,
        /// The packet's identity.
        id: PacketId,
    },
}

impl Verdict {
    /// Returns the bytes of the packet; `None` if it was dropped.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Queue { packet, .. } => Some(&packet.bytes),
            Self::NextPass(arrival) => Some(&arrival.bytes),
            Self::Transmit { bytes, .. } => Some(bytes),
            Self::Drop { .. } => None,
        }
    }

    /// Marks congestion in a packet that leaves egress, if its transport is ECN-capable.
    pub fn mark_congestion(&mut self) {
        match self {
            Self::Transmit { bytes, .. } | Self::NextPass(Arrival { bytes, .. }) => {
                weir_qdisc::mark_congestion(bytes);
            }
            Self::Queue { .. } | Self::Drop { .. } => {}
        }
    }

    /// Returns the packet to which the verdict applies.
    pub fn packet(&self) -> PacketId {
        match self {
            Self::Queue { packet, .. } => packet.id,
            Self::NextPass(arrival) => arrival.id,
            Self::Transmit { id, .. } | Self::Drop { id, .. } => *id,
        }
    }
}

/// A packet that leaves its queue.
#[derive(Debug)]
pub(crate) struct Dequeued {
    /// The packet.
    pub packet: PipelinePacket,
    /// The port of the queue.
    pub port: Port,
    /// The priority of the queue.
    pub priority: usize,
    /// The time at which the packet was put into the queue.
    pub enqueued: Nanos,
    /// The number of packets in the queue when the packet was put in.
    pub enq_depth: usize,
    /// The time at which the packet was removed from the queue.
    pub dequeued: Nanos,
    /// The number of packets left in the queue when the packet was removed.
    pub deq_depth: usize,
    /// Whether the queue's discipline has marked congestion in the packet.
    pub marked: bool,
}
