//! The seam between the switch, which knows queues and time, and an architecture, which knows what the blocks mean.

use weir_device::{Buffer, Nanos, Port};
use weir_exec::{CompiledPipeline, Executor, Pipeline, PipelineEnd};
use weir_ir::{Bits, Program, State, VarId};

use crate::config::SwitchConfig;
use crate::lanes::Lanes;
use crate::runtime::Runtime;
use crate::stats::{DropPlace, DropReason};
use crate::trace::Recorder;

/// Who a packet in the switch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Id {
    /// As the world knows it; copies share it.
    pub packet: u64,
    /// Its own number, or its copy's, while it is traced; 0 if it is not.
    pub copy: u64,
}

/// A packet that waits for its pass.
#[derive(Debug)]
pub(crate) struct Arrival {
    /// Who it is.
    pub id: Id,
    /// The bytes to be parsed.
    pub bytes: Vec<u8>,
    /// Where it comes from.
    pub origin: Origin,
    /// Metadata that it brings along from its last pass.
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

/// Which metadata a packet brings along from one pass, or a copy from its original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// None.
    Nothing,
    /// The fields of this list.
    List(u8),
    /// These fields.
    Vars(Vec<VarId>),
}

/// A packet between ingress and egress.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Who it is.
    pub id: Id,
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

/// What becomes of a packet, or of a copy of it, after ingress or egress.
#[derive(Debug)]
pub(crate) enum Fate {
    /// To an egress queue.
    Queue {
        /// Whose queue.
        port: Port,
        /// Which of the port's queues.
        priority: usize,
        /// The packet.
        frame: Box<Frame>,
    },
    /// Into another pass.
    Again(Arrival),
    /// Out.
    Transmit {
        /// Where.
        port: Port,
        /// Who it is.
        id: Id,
        /// What.
        bytes: Vec<u8>,
    },
    /// Nowhere.
    Drop {
        /// In which part of the pass.
        place: DropPlace,
        /// Why.
        reason: DropReason,
        /// Who it was.
        id: Id,
    },
}

/// All that a pass touches beside its packet.
pub(crate) struct Surroundings<'a> {
    /// Runs the blocks.
    pub executor: &'a dyn Executor,
    /// Tables, externs and their like.
    pub runtime: &'a mut Runtime,
    /// Ports, drop port.
    pub config: &'a SwitchConfig,
    /// The time of the step.
    pub now: Nanos,
    /// Records the steps of chosen packets.
    pub trace: &'a mut Recorder,
}

/// What packets go straight through with, batch after batch, without allocation.
pub(crate) struct Straight {
    /// The pipeline.
    pub fused: Box<dyn CompiledPipeline>,
    /// Room for a packet's variables.
    pub state: State,
    /// What becomes of packets that are dropped on the way, by how often. Who took them through empties it.
    pub drops: Vec<((DropPlace, DropReason), u64)>,
    /// Room for what is hashed.
    pub hashed: Vec<u8>,
    /// Of the packets of a batch.
    pub notes: Notes,
    /// By which packets leave.
    pub lanes: Lanes,
}

impl Straight {
    pub(crate) fn new(fused: Box<dyn CompiledPipeline>, state: State, lanes: Lanes) -> Self {
        Self { fused, state, drops: Vec::new(), hashed: Vec::new(), notes: Notes::default(), lanes }
    }
}

/// What goes into the pipeline and comes out of it, by packet. It is kept between batches: to clear room for many costs time.
#[derive(Default)]
pub(crate) struct Notes {
    pub ids: Vec<u64>,
    /// Inputs of all packets, and likewise outputs, of which there is one each.
    pub inputs: Vec<u64>,
    pub outputs: Vec<u64>,
    pub ends: Vec<PipelineEnd>,
}

impl Notes {
    /// Has room for so many packets with so many inputs.
    pub(crate) fn make_room(&mut self, packets: usize, inputs: usize) {
        if self.ids.len() < packets {
            self.ids.resize(packets, 0);
            self.inputs.resize(packets * inputs, 0);
            self.outputs.resize(packets, 0);
            self.ends.resize(packets, PipelineEnd::Done { start: 0 });
        }
    }
}

/// Which blocks a pipeline has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All, for packets that nothing holds up.
    Whole,
    /// Those before the queues. Each packet that is not given up leaves it with fates.
    ToQueues,
}

/// A packet's way through an architecture's blocks. Each step says what becomes of the packet: one fate, and one more for
/// each copy it makes.
pub(crate) trait PacketPath: Send + Sync {
    /// All before the queues.
    fn ingress(&self, around: &mut Surroundings<'_>, arrival: Arrival, fates: &mut Vec<Fate>);

    /// All after the queues.
    fn egress(
        &self,
        around: &mut Surroundings<'_>,
        departure: crate::traffic_manager::Departure,
        fates: &mut Vec<Fate>,
    );

    /// The blocks as one pipeline, if the program allows it.
    fn pipeline(&self, program: &Program, config: &SwitchConfig, extent: Extent) -> Option<Pipeline>;

    /// Whether all after the queues depends on the packet and the time alone, and changes nothing else: then it may as well run earlier, if
    /// it is told the time.
    fn late_part_is_alone(&self, program: &Program) -> bool;

    /// Takes packets through [`PacketPath::pipeline`], one after the other, where queues hold nothing up. One that leaves by a port tells so in
    /// its buffer; one that is dropped is counted in [`Straight::drops`]. Ends behind the first packet that goes another way: then it
    /// and its copies have fates. How many packets it took.
    fn forward(
        &self,
        around: &mut Surroundings<'_>,
        straight: &mut Straight,
        buffers: &mut [Buffer],
        fates: &mut Vec<Fate>,
    ) -> usize;
}
