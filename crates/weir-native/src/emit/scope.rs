//! The state of emission that a pipeline's function needs in addition to that of a block.

use cranelift_codegen::ir::{Block as Label, Value};
use cranelift_frontend::Variable;
use rustc_hash::FxHashMap;
use weir_exec::Condition;
use weir_ir::HeaderId;

use crate::analysis::Facts;

/// One of the two functions of a pipeline: the run, or the prediction of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PipelineFunction {
    /// Runs packets.
    Run,
    /// Guesses the table of each packet's first lookup and writes the key to the outputs. Returns
    /// the guess about the last packet: the table's position plus 1, or 0 if the table cannot be
    /// known without effects.
    PredictKeys,
}

/// The state of emitting a pipeline's function.
pub(super) struct PipelineScope {
    pub function: PipelineFunction,
    /// The location of each header in the packet (see `locations`).
    pub locations: FxHashMap<HeaderId, Variable>,
    /// The locations of the fields of headers that are read lazily (see `lazy`).
    pub field_locations: FxHashMap<HeaderId, Variable>,
    /// The facts of all stages up to the end or a restart.
    pub facts: Facts,
    /// The position of the stage that runs.
    pub stage: usize,
    pub packets: PacketLoop,
    /// The conditions under which the pipeline is left directly after the current stage.
    pub early_exits: Vec<EarlyExit>,
    /// The number of bytes that the parser consumed.
    pub consumed: Variable,
    /// The label at which the pipeline continues if the last stage before a restart has run; `None`
    /// after the last restart.
    pub restart: Option<Label>,
    /// The words of the variables that are kept at a restart.
    pub kept: Vec<Vec<Variable>>,
    /// Whether the state is 0 before the run, because code uses it.
    pub needs_clear_state: bool,
    /// Whether each state that accepts gets its own copy of the code after the parser.
    pub copies_rest: bool,
    /// The labels of the states that accept, including the label of the current state if it has
    /// one.
    pub accepts: Vec<Label>,
    pub accept: Option<Label>,
}

/// A condition on which a pipeline is left.
#[derive(Clone, Copy)]
pub(super) struct EarlyExit {
    pub condition: Condition,
    /// The value that the function returns.
    pub returns: u64,
    /// Whether the state is kept.
    pub keep: bool,
}

/// The loop over the packets of a batch.
pub(super) struct PacketLoop {
    /// The label at which a packet begins.
    pub head: Label,
    /// The label for a packet that has run through all stages.
    pub done: Label,
    /// The label that ends the function; its parameter is the return value.
    pub exit: Label,
    /// The position of the packet's first byte at the end of the run, relative to its initial
    /// position or its position at the last restart.
    pub start: Variable,
    /// The position of the packet's first byte at the last restart, relative to its initial
    /// position; `None` before the first restart.
    pub base: Option<Value>,
    pub inputs: usize,
    /// Whether code reads an input.
    pub reads_inputs: bool,
    pub outputs: usize,
}
