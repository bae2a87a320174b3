//! Pipelines: several blocks that run one after another over a packet in memory, as one unit.
//!
//! If there is no queue between an architecture's blocks, the architecture describes their order as
//! data, in a [`PipelineSpec`]. An executor makes a [`CompiledPipeline`](crate::CompiledPipeline)
//! from the description. [`StagedPipeline`](crate::StagedPipeline) runs the stages one by one with
//! any executor, and so defines the meaning of a pipeline. A compiling executor may run all stages
//! in one function, read headers in the packet and write back only what changed.

use weir_ir::{ControlId, ExternCall, Layout, ParserId, State, TableId, VarId};

use crate::extern_semantics::ExternSemantics;

/// Describes a pipeline of a program's blocks; [`Pipeline::new`](crate::Pipeline::new) checks it.
///
/// Variables that are read have at most 64 bits and are not varbits. Variables that are written are
/// numbers or booleans as well, and [plain](weir_ir::VarRole::Plain).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PipelineSpec {
    /// The variables that get their values from [`PipelineIo::inputs`](crate::PipelineIo::inputs)
    /// before the first stage; all others begin at 0.
    pub inputs: Vec<VarId>,
    /// The stages, in order: at most one parser, then controls, then at most one deparser, with any
    /// other stages between them.
    pub stages: Vec<Stage>,
    /// The number of values that [`Stage::Output`] writes
    /// ([`PipelineIo::outputs`](crate::PipelineIo::outputs)).
    pub outputs: usize,
    /// The effects of extern calls in the pipeline's blocks.
    pub extern_semantics: Vec<(ExternCall, ExternSemantics)>,
    /// The tables with lookups that executors may cache while the table's
    /// [version](crate::Environment::table_version) stays the same.
    pub cacheable_tables: Vec<TableId>,
}

impl PipelineSpec {
    /// The maximum number of inputs, and also of outputs, of a pipeline.
    pub const MAX_VALUES: usize = 4096;
}

/// One step of a [`PipelineSpec`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Runs a parser over the packet.
    Parse {
        /// The parser.
        parser: ParserId,
        /// The variable that gets the position of the parser's error in the program's errors.
        error: Option<VarId>,
    },
    /// Runs a control that does not emit.
    Control(ControlId),
    /// Sets a variable to the source, truncated to the variable's width.
    Set(VarId, Source),
    /// Writes the variable's current value to the output at this position.
    Output(VarId, usize),
    /// Ends the run with [`PipelineEnd::Left`](crate::PipelineEnd::Left) if the condition holds.
    LeaveIf {
        /// The condition.
        condition: Condition,
        /// The code that the caller receives.
        code: u32,
        /// Whether the caller continues with the packet, and therefore needs all variables in
        /// [`PipelineIo::state`](crate::PipelineIo::state) after the run.
        keep: bool,
    },
    /// Ends the run with [`PipelineEnd::Left`](crate::PipelineEnd::Left), keeping the state, if
    /// [`Environment::has_deferred_work`](crate::Environment::has_deferred_work).
    LeaveIfDeferred {
        /// The code that the caller receives.
        code: u32,
    },
    /// Runs a control that emits, and replaces the parsed headers before the payload by the emitted
    /// ones.
    Deparse(ControlId),
}

/// The value that a [`Stage::Set`] assigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A constant.
    Const(u64),
    /// A variable's value.
    Var(VarId),
    /// The value of the input at this position.
    Input(usize),
}

/// A condition of a [`Stage::LeaveIf`]. Numbers are compared as unsigned numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The variable has this value.
    Is(VarId, u64),
    /// The variable has another value.
    IsNot(VarId, u64),
    /// The variable has this value or a larger one.
    AtLeast(VarId, u64),
}

impl Condition {
    /// Returns whether the condition holds in a state.
    pub(crate) fn holds(self, layout: &Layout, state: &State) -> bool {
        match self {
            Self::Is(var, value) => layout.get_u64(state, var) == value,
            Self::IsNot(var, value) => layout.get_u64(state, var) != value,
            Self::AtLeast(var, value) => layout.get_u64(state, var) >= value,
        }
    }
}
