//! Pipelines: several blocks that run one after another over a packet in memory, as one unit.
//!
//! If there is no queue between an architecture's blocks, the architecture describes their order as
//! data, in a [`PipelineSpec`]. An executor makes a [`CompiledPipeline`](crate::CompiledPipeline)
//! from the description. [`StagedPipeline`](crate::StagedPipeline) runs the stages one by one with
//! any executor, and so defines the meaning of a pipeline. A compiling executor may run all stages
//! in one function, read headers in the packet and write back only what changed.

use std::collections::BTreeSet;

use weir_ir::{ControlId, ExternCall, Layout, ParserId, State, TableId, VarId};

use crate::extern_semantics::ExternSemantics;

/// Describes a pipeline of a program's blocks; [`Pipeline::new`](crate::Pipeline::new) checks it.
///
/// Variables that are read have at most 64 bits and are not varbits. Variables that are written are
/// numbers or booleans as well, and [plain](weir_ir::VarRole::Plain).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PipelineSpec {
    /// The variables that get their values from [`PipelineIo::inputs`](crate::PipelineIo::inputs)
    /// before the first stage; all others begin at 0. An input without a variable is only for
    /// [`Source::Input`].
    pub inputs: Vec<Option<VarId>>,
    /// The stages, in order: at most one parser, then controls, then at most one deparser, with any
    /// other stages between them. After a [`Stage::Restart`], the same order begins again.
    pub stages: Vec<Stage>,
    /// The variables that keep their values at a [`Stage::Restart`]. These variables are
    /// [plain](weir_ir::VarRole::Plain) and not varbits.
    pub kept: Vec<VarId>,
    /// The variables that the caller reads in [`PipelineIo::state`](crate::PipelineIo::state) when a
    /// packet has left the pipeline, even if only one block uses them. See
    /// [`Pipeline::private_vars`](crate::Pipeline::private_vars).
    pub read_by_caller: Vec<VarId>,
    /// The sets of numbers that conditions name ([`Condition::NotIn`]).
    pub sets: Vec<NumberSet>,
    /// The number of values that [`Stage::Output`] writes
    /// ([`PipelineIo::outputs`](crate::PipelineIo::outputs)).
    pub outputs: usize,
    /// The effects of extern calls in the pipeline's blocks.
    pub extern_semantics: Vec<(ExternCall, ExternSemantics)>,
    /// Whether calls may change what later packets find in tables
    /// ([`Environment::ends_batch`](crate::Environment::ends_batch)).
    pub ends_batches: bool,
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
    /// Directly after a deparser: the emitted headers and the payload are the packet from now on,
    /// none of which is parsed yet. All variables are 0 again, except those that are
    /// [kept](PipelineSpec::kept).
    Restart,
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
    /// The number of bytes of the packet. After a [`Stage::Restart`], the headers of the deparser
    /// count.
    Length,
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
    /// The variable's value is not in the set at this position of [`PipelineSpec::sets`].
    NotIn(VarId, usize),
}

impl Condition {
    /// Returns the variable that the condition reads.
    pub fn var(self) -> VarId {
        match self {
            Self::Is(var, _) | Self::IsNot(var, _) | Self::AtLeast(var, _) | Self::NotIn(var, _) => var,
        }
    }

    /// Returns whether the condition holds in a state.
    pub(crate) fn holds(self, sets: &[NumberSet], layout: &Layout, state: &State) -> bool {
        let value = layout.get_u64(state, self.var());
        match self {
            Self::Is(_, wanted) => value == wanted,
            Self::IsNot(_, unwanted) => value != unwanted,
            Self::AtLeast(_, least) => value >= least,
            Self::NotIn(_, set) => !sets[set].contains(value),
        }
    }
}

/// A set of numbers that are close to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberSet {
    first: u64,
    /// The bits of the numbers from `first` on; the lowest bit of a word comes first.
    bits: Vec<u64>,
}

impl NumberSet {
    /// The maximum difference between two numbers of a set.
    pub const MAX_SPAN: u64 = (1 << 16) - 1;

    /// Returns the set of these numbers. Numbers that exceed the smallest one by more than
    /// [`NumberSet::MAX_SPAN`] are left out.
    pub fn new(numbers: impl IntoIterator<Item = u64>) -> Self {
        let numbers: BTreeSet<u64> = numbers.into_iter().collect();
        let first = numbers.first().copied().unwrap_or_default();
        let mut bits = Vec::new();
        for number in
            numbers.iter().map(|number| number - first).take_while(|number| *number <= Self::MAX_SPAN)
        {
            let word = (number / 64) as usize;
            bits.resize(word + 1, 0);
            bits[word] |= 1 << (number % 64);
        }
        Self { first, bits }
    }

    /// Returns the smallest number; 0 if the set is empty.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Returns the bits of the numbers from the smallest one on, the lowest bit of a word first.
    pub fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// Returns how many numbers the set contains if they follow one another; `None` otherwise.
    pub fn run_length(&self) -> Option<u64> {
        let count: u32 = self.bits.iter().map(|word| word.count_ones()).sum();
        let unused = self.bits.last().map_or(0, |last| last.leading_zeros());
        (64 * self.bits.len() as u64 - u64::from(unused) == u64::from(count)).then_some(u64::from(count))
    }

    /// Returns whether the set contains a number.
    pub fn contains(&self, number: u64) -> bool {
        let position = number.checked_sub(self.first);
        let word = |position: u64| self.bits.get(usize::try_from(position / 64).ok()?).copied();
        position.is_some_and(|position| word(position).is_some_and(|word| word >> (position % 64) & 1 == 1))
    }
}
