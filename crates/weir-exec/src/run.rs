//! The inputs and results of a pipeline's run.

use weir_ir::State;

use crate::outcome::Fault;
use crate::packet_view::PacketView;

/// The maximum number of packets that an executor examines together before they run. A larger
/// number would not help, because a processor cannot have more memory accesses in flight.
pub const MAX_BATCH: usize = 64;

/// The memory that one packet's run of a pipeline uses besides the packet.
#[derive(Debug)]
pub struct PipelineIo<'a> {
    /// Memory for all variables. Its contents before the run do not matter. If a run ends with
    /// [`PipelineEnd::Left`] and keeps the state, the memory contains all variables after the run,
    /// except that variables that are [private](crate::Pipeline::private_vars) to a stage that ran
    /// may have any value of their type. After other runs, the contents have no meaning.
    pub state: &'a mut State,
    /// One value for each input of the pipeline, truncated to the variables' widths.
    pub inputs: &'a [u64],
    /// One value for each output of the pipeline. If a [`Stage::Output`](crate::Stage::Output) is
    /// not reached, its value does not change.
    pub outputs: &'a mut [u64],
}

/// The reason why a run of a pipeline ended.
///
/// In memory, the first 32 bits are the position of the variant, and the fields of the variant
/// follow as in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PipelineEnd {
    /// All stages ran. The packet's end is unchanged; its start may have moved.
    Done {
        /// The offset of the packet's first byte in [`PacketView::memory`].
        start: usize,
    },
    /// A stage ended the run.
    Left {
        /// The stage's code.
        code: u32,
        /// The number of bytes that the parser consumed.
        consumed: usize,
        /// The offset of the packet's first byte in [`PacketView::memory`], which a
        /// [`Stage::Restart`](crate::Stage::Restart) changes.
        start: usize,
    },
    /// A [`Stage::Deparse`](crate::Stage::Deparse) found too little free memory before the payload
    /// for its headers. The packet's bytes and the state are as before that stage. The state is
    /// kept.
    NoRoom {
        /// The position of the stage.
        stage: u32,
        /// The number of bytes that the parser consumed.
        consumed: usize,
        /// The offset of the packet's first byte in [`PacketView::memory`].
        start: usize,
    },
    /// The executor gave up on the packet.
    Fault {
        /// The reason.
        fault: Fault,
        /// The position of the stage that ran.
        stage: usize,
    },
}

/// Packets that run one after the other.
pub struct PacketBatch<'a> {
    /// The packets.
    pub packets: &'a [PacketView<'a>],
    /// The pipeline's inputs, packet by packet.
    pub inputs: &'a [u64],
    /// The pipeline's outputs, packet by packet.
    pub outputs: &'a mut [u64],
    /// The reason why each run ended.
    pub ends: &'a mut [PipelineEnd],
    /// Returns whether the batch stops after a packet whose run ended like this.
    pub stop: &'a dyn Fn(&PipelineEnd) -> bool,
}
