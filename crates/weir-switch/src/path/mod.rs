//! The interface between the switch, which has queues and time, and an architecture, which gives the blocks their meaning.

use weir_device::{Buffer, Nanos};
use weir_exec::Executor;
use weir_exec::{CompiledPipeline, Pipeline, PipelineEnd};
use weir_ir::{Program, State, ValidProgram};

use crate::config::SwitchConfig;
use crate::packet::{Arrival, Dequeued, Verdict};
use crate::state::{ControlView, ThreadState};
use crate::stats::{DropPlace, DropReason, PortCounters};
use crate::trace::Recorder;

/// All that a pass uses apart from its packet.
pub(crate) struct PathContext<'a> {
    /// Runs the blocks.
    pub executor: &'a dyn Executor,
    /// Tables, extern objects, groups, sessions.
    pub control: ControlView<'a>,
    /// What this thread has of its own.
    pub thread: &'a mut ThreadState,
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
    pub ports: PortCounters,
}

impl Straight {
    pub(crate) fn new(fused: Box<dyn CompiledPipeline>, state: State, ports: PortCounters) -> Self {
        Self { fused, state, drops: Vec::new(), hashed: Vec::new(), notes: Notes::default(), ports }
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
    /// Those before the queues. Each packet that is not given up leaves it with verdicts.
    ToQueues,
}

/// A packet's way through an architecture's blocks. Each step says what becomes of the packet: one fate, and one more for
/// each copy it makes.
pub(crate) trait PacketPath: Send + Sync {
    /// All before the queues.
    fn ingress(&self, context: &mut PathContext<'_>, arrival: Arrival, verdicts: &mut Vec<Verdict>);

    /// All after the queues.
    fn egress(&self, context: &mut PathContext<'_>, departure: Dequeued, verdicts: &mut Vec<Verdict>);

    /// The blocks as one pipeline, if the program allows it.
    fn pipeline(&self, program: &ValidProgram, config: &SwitchConfig, extent: Extent) -> Option<Pipeline>;

    /// Whether all after the queues depends on the packet and the time alone, and changes nothing else: then it may as well run earlier, if
    /// it is told the time.
    fn late_part_is_alone(&self, program: &Program) -> bool;

    /// Takes packets through [`PacketPath::pipeline`], one after the other, where queues hold nothing up. One that leaves by a port tells so in
    /// its buffer; one that is dropped is counted in [`Straight::drops`]. Ends behind the first packet that goes another way: then it
    /// and its copies have verdicts. How many packets it took.
    fn forward(
        &self,
        context: &mut PathContext<'_>,
        straight: &mut Straight,
        buffers: &mut [Buffer],
        verdicts: &mut Vec<Verdict>,
    ) -> usize;
}
