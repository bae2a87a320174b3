//! The steps of a pass as data, and the part of them that runs as one pipeline.

use weir_exec::{Condition, PipelineSpec, Source, Stage};
use weir_ir::visit::reached_statements;
use weir_ir::{ControlId, PackageArg, ParserId, Program, Stmt, StmtKind, Table, VarId};

use super::{Effect, Fact, InstanceType, PacketPath};
use crate::config::SwitchConfig;
use crate::stats::DropPlace;
use crate::tables::supports_timeout;

/// One step of a pass. Variables named here have at most 64 bits and are not varbits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    /// Runs a parser. The position of its error is stored in `error`.
    Parse { parser: ParserId, error: Option<VarId> },
    /// Runs a control that does not emit. `name` is for traces, `place` for drops.
    Control { control: ControlId, name: &'static str, place: DropPlace },
    /// Sets a variable to as many low bits of the source as it has.
    Set(VarId, StepSource),
    /// Does the work that calls of ingress have deferred: a clone, and then a resubmission, which
    /// ends the pass.
    AfterIngress,
    /// Does the work that calls of egress have deferred: a clone.
    AfterEgress,
    /// Copies the packet for each member of the multicast group that this variable names, unless it
    /// is 0. Then the pass ends.
    Replicate(VarId),
    /// Drops the packet if the variable has this value.
    DropIf(VarId, u64, DropPlace),
    /// Puts the packet into a queue; egress begins when it leaves the queue. The port is in a
    /// variable, and the priority may be, too.
    Queue { port: VarId, priority: Option<VarId> },
    /// Runs a control that emits, and puts the headers before the payload.
    Deparse { control: ControlId, name: &'static str },
    /// Sends the packet out, or recirculates it if a call has deferred a recirculation.
    Depart,
}

/// A value for [`Step::Set`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepSource {
    Const(u64),
    Fact(Fact),
}

/// The steps of a pass that a pipeline covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All steps, for packets that no queue delays.
    Whole,
    /// The steps before the queues. Every packet that is not dropped leaves the pipeline with a
    /// verdict.
    ToQueues,
}

/// The inputs of the pipeline for a packet: [`Fact`]s that differ between packets or over time.
pub(super) const INPUTS: [Fact; 4] = [Fact::IngressPort, Fact::Length, Fact::EgressTime, Fact::IngressTime];

/// A pipeline of steps, and how its stages and codes relate to them.
pub(super) struct PipelineOfSteps {
    pub pipeline: PipelineSpec,
    /// The place in which a packet is dropped if a stage fails.
    pub places: Vec<DropPlace>,
    /// The codes with which a packet is dropped, as a set of bits.
    pub drop_codes: u64,
}

impl PacketPath {
    /// The steps as one pipeline. A packet that leaves the pipeline early returns the position of
    /// the step as its code. `None` if the metadata lacks one of the inputs.
    pub(super) fn pipeline(
        &self,
        program: &Program,
        config: &SwitchConfig,
        extent: Extent,
    ) -> Option<PipelineOfSteps> {
        let input = |fact| self.metadata.inputs.iter().find(|(_, of)| *of == fact).map(|(var, _)| *var);
        // The time of egress has no variable at the start of the pass. It takes the one of ingress,
        // which is set after it.
        let input_of = |fact| input(if fact == Fact::EgressTime { Fact::IngressTime } else { fact });
        let inputs = INPUTS.into_iter().map(input_of).collect::<Option<Vec<_>>>()?;
        let queue_port = self.queue_port()?;
        let mut made = PipelineOfSteps {
            pipeline: PipelineSpec { inputs, outputs: 1, ..PipelineSpec::default() },
            places: Vec::new(),
            drop_codes: 0,
        };
        let mut place = DropPlace::Ingress;
        for (position, step) in self.steps.iter().enumerate() {
            let code = position as u32;
            let leave_if = |condition| Stage::LeaveIf { condition, code, keep: true };
            if extent == Extent::ToQueues && *step == Step::AfterIngress {
                made.push(leave_if(Condition::AtLeast(queue_port, 0)), place);
                made.push(Stage::Output(queue_port, 0), place);
                break;
            }
            match *step {
                Step::Parse { parser, error } => made.push(Stage::Parse { parser, error }, DropPlace::Parser),
                Step::Control { control, place, .. } => made.push(Stage::Control(control), place),
                Step::Set(var, source) => {
                    made.push(Stage::Set(var, self.pipeline_source(source, queue_port)), place);
                }
                Step::AfterIngress | Step::AfterEgress => {
                    if self.operations.can_defer() {
                        made.push(Stage::LeaveIfDeferred { code }, place);
                    }
                }
                Step::Replicate(group) => made.push(leave_if(Condition::IsNot(group, 0)), place),
                Step::DropIf(var, value, place) => {
                    made.drop_codes |= 1 << code;
                    let condition = Condition::Is(var, value);
                    made.push(Stage::LeaveIf { condition, code, keep: false }, place);
                }
                Step::Queue { port, priority } => {
                    if let (Some(priority), 2..) = (priority, config.priorities) {
                        made.push(leave_if(Condition::AtLeast(priority, config.priorities as u64)), place);
                    }
                    made.push(Stage::Output(port, 0), place);
                    place = DropPlace::Egress;
                }
                Step::Deparse { control, .. } if self.has_deferred_calls(program, control) => {
                    made.push(leave_if(Condition::AtLeast(queue_port, 0)), place);
                    break;
                }
                Step::Deparse { control, .. } => made.push(Stage::Deparse(control), place),
                Step::Depart => {}
            }
        }
        made.pipeline.extern_semantics = self.operations.semantics(program);
        let plain = |table: &Table| {
            table.implementation.is_none() && table.attached.is_empty() && !supports_timeout(table)
        };
        let tables = program.tables.iter();
        made.pipeline.cacheable_tables = tables.filter(|(_, table)| plain(table)).map(|(id, _)| id).collect();
        Some(made)
    }

    /// Whether a control makes calls that defer work to its end.
    fn has_deferred_calls(&self, program: &Program, control: ControlId) -> bool {
        let defers = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Extern(call) => self.operations.effect(call) == Effect::Deferred,
            _ => false,
        };
        self.operations.can_defer()
            && reached_statements(program, &PackageArg::Control(control)).into_iter().any(defers)
    }

    /// The variable of the port to whose queue a packet goes.
    fn queue_port(&self) -> Option<VarId> {
        self.steps.iter().find_map(|step| match step {
            Step::Queue { port, .. } => Some(*port),
            _ => None,
        })
    }

    /// The source of a value for a packet that no queue delays.
    fn pipeline_source(&self, source: StepSource, queue_port: VarId) -> Source {
        let fact = match source {
            StepSource::Const(value) => return Source::Const(value),
            StepSource::Fact(Fact::EnqueueTime) => Fact::EgressTime,
            StepSource::Fact(fact) => fact,
        };
        match INPUTS.iter().position(|input| *input == fact) {
            Some(input) => Source::Input(input),
            None if fact == Fact::EgressPort => Source::Var(queue_port),
            None if fact == Fact::InstanceType => {
                Source::Const((self.metadata.instance_number)(InstanceType::Normal))
            }
            // The queue was empty, and the packet left it at once.
            None => Source::Const(0),
        }
    }
}

impl PipelineOfSteps {
    fn push(&mut self, stage: Stage, place: DropPlace) {
        self.pipeline.stages.push(stage);
        self.places.push(place);
    }
}
