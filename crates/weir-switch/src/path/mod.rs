//! The path of a packet through the blocks of an architecture.
//!
//! An architecture describes the path once, as data: the [`Step`]s in order, its [`Metadata`], and
//! the operations of its externs ([`Operations`]). Two implementations execute the same steps:
//!
//! - the slow path (`slow`) runs one step at a time, with queues, clones and traces;
//! - the fast path ([`FastPath`]) runs all steps as one pipeline of the executor. A packet that
//!   cannot continue there leaves the pipeline at a step, and the slow path continues there.

mod copies;
mod deferred;
mod early_ends;
mod env;
mod extern_context;
mod facts;
mod fast;
mod frame;
mod metadata;
mod operation;
mod pipeline;
mod queue_visibility;
mod runner;
mod side_effects;
mod slow;
mod steps;

use weir_device::Nanos;
use weir_exec::{Executor, Fault};
use weir_ir::Program;

use crate::config::SwitchConfig;
use crate::state::{ControlView, ThreadState};
use crate::stats::DropReason;
use crate::trace::Recorder;

pub(crate) use crate::packet::PacketKind;
pub(crate) use deferred::Deferred;
pub(crate) use extern_context::ExternContext;
pub(crate) use facts::{Fact, Reading};
pub(crate) use fast::FastPath;
pub(crate) use frame::{low_bits, number, valid_values, write_value};
pub(crate) use metadata::{CopyChoiceVars, Metadata, Recirculation};
pub(crate) use operation::{Effect, Operations, ResolvedCall};
pub(crate) use runner::PathRunner;
pub(crate) use steps::{CloneOf, CopyTo, Extent, Fate, Rule, Step, StepSource, When};

/// An architecture's path for packets, made for a program.
pub(crate) struct PacketPath {
    /// The steps: first those of ingress, then those of egress. The last step of each decides
    /// where the packet goes.
    pub steps: Vec<Step>,
    /// The position of the first step of egress.
    pub first_of_egress: usize,
    pub metadata: Metadata,
    pub operations: Operations,
}

impl PacketPath {
    /// Returns the largest number of a clone session that each field of the program for such
    /// numbers can hold.
    pub(crate) fn last_session(&self, program: &Program) -> u32 {
        let fields = self.steps.iter().filter_map(|step| match step {
            Step::Decide(Rule { fate: Fate::Clone { session, .. }, .. }) => *session,
            _ => None,
        });
        let narrowest = fields.map(|field| program.vars[field].ty.width()).min().unwrap_or(u32::BITS);
        u32::MAX >> u32::BITS.saturating_sub(narrowest)
    }

    /// Returns the largest class of service that the program's field for classes can hold.
    pub(crate) fn last_class(&self, program: &Program) -> Option<usize> {
        let width = program.vars[self.queue_priority()?].ty.width().min(32);
        Some((1 << width) - 1)
    }
}

/// Everything that a pass uses apart from its packet.
pub(crate) struct PathContext<'a> {
    /// Runs the blocks.
    pub executor: &'a dyn Executor,
    /// Tables, extern objects, groups and sessions.
    pub control: ControlView<'a>,
    /// The state of this thread.
    pub thread: &'a mut ThreadState,
    /// The switch's settings, such as its ports and the drop port.
    pub config: &'a SwitchConfig,
    /// The time of the step.
    pub now: Nanos,
    /// Records the steps of traced packets.
    pub trace: &'a mut Recorder,
}

/// Returns the reason for which a packet with this fault is dropped.
fn reason(fault: Fault) -> DropReason {
    match fault {
        Fault::LoopLimit => DropReason::LoopLimit,
        Fault::AssertionFailed => DropReason::AssertionFailed,
        Fault::ExternFailed => DropReason::ExternFailed,
    }
}
