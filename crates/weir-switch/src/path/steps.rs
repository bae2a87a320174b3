//! The steps of a pass as data, and the part of them that runs as one pipeline.

use weir_exec::{Condition, PipelineSpec, Source, Stage};
use weir_ir::visit::reached_statements;
use weir_ir::{ControlId, PackageArg, ParserId, Program, Stmt, StmtKind, Table, VarId};

use super::facts::Unit;
use super::{Effect, Fact, PacketKind, PacketPath, Reading};
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
    /// Runs a control that emits, and puts the headers before the payload. At the end of ingress,
    /// egress parses the result.
    Deparse { control: ControlId, name: &'static str, place: DropPlace },
    /// Applies a rule about what happens to the packet.
    Decide(Rule),
}

/// A value for [`Step::Set`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepSource {
    Const(u64),
    Fact(Reading),
    /// Another variable.
    Var(VarId),
}

/// A rule about what happens to packets at the end of ingress or egress. The rules of an
/// architecture form a table: the packet meets them in order. [`Fate::Clone`] adds packets, and the
/// original continues with the next rule; every other fate ends ingress or egress for the packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rule {
    pub when: When,
    pub fate: Fate,
}

/// The packets to which a [`Rule`] applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// All packets.
    Always,
    /// Packets for which a call has deferred this work.
    Called,
    /// Packets in which the variable has this value.
    Is(VarId, u64),
    /// Packets in which the variable has another value.
    IsNot(VarId, u64),
    /// Packets in which the variable names no port of the switch, and not the port that
    /// recirculates packets.
    IsNoPort(VarId),
}

/// What happens to a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    /// Clones are made and go to the destinations of their sessions. The session of a clone is in
    /// this variable; without a variable, calls have deferred the clones.
    Clone { of: CloneOf, session: Option<VarId> },
    /// The packet goes into another pass with the bytes that it had at the start of this one.
    Resubmit,
    /// The deparsed packet goes into another pass.
    Recirculate,
    /// A copy of the packet goes to each member of the multicast group that this variable names.
    Multicast(VarId),
    /// The packet goes into the queue of the port in this variable, and egress begins when it
    /// leaves the queue. The priority may be in a variable, too.
    Unicast { port: VarId, priority: Option<VarId> },
    /// The packet is dropped.
    Drop(DropPlace),
    /// The deparsed packet leaves through the port of its queue.
    Transmit,
}

/// The packet that [`Fate::Clone`] clones. If egress parses packets again, it parses the clone,
/// too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloneOf {
    /// The packet as it was when its pass began, parsed again.
    Original,
    /// The packet with its current headers, or the bytes that its deparser has made.
    Current,
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
    /// The unit of the times among the [inputs](INPUTS).
    pub time_unit: Unit,
    /// The place in which a packet is dropped if a stage fails.
    pub places: Vec<DropPlace>,
    /// The codes with which a packet is dropped, as a set of bits.
    pub drop_codes: u64,
}

impl PacketPath {
    /// The steps as one pipeline. A packet that leaves the pipeline early returns the position of
    /// the step as its code. `None` if the metadata lacks one of the inputs, or has times of
    /// several units.
    pub(super) fn pipeline(
        &self,
        program: &Program,
        config: &SwitchConfig,
        extent: Extent,
    ) -> Option<PipelineOfSteps> {
        let input = |fact| self.metadata.inputs.iter().find(|(_, reading)| reading.fact == fact);
        // The time of egress has no variable at the start of the pass. It takes the one of ingress,
        // which is set after it.
        let input_of = |fact| input(if fact == Fact::EgressTime { Fact::IngressTime } else { fact });
        let inputs = INPUTS.into_iter().map(|fact| Some(input_of(fact)?.0)).collect::<Option<Vec<_>>>()?;
        let time_unit = input(Fact::IngressTime)?.1.unit;
        let queue_port = self.queue_port()?;
        // The next packet must find the entry that a packet has added.
        if self.operations.can_change_entries() {
            return None;
        }
        let mut made = PipelineOfSteps {
            pipeline: PipelineSpec { inputs, outputs: 1, ..PipelineSpec::default() },
            time_unit,
            places: Vec::new(),
            drop_codes: 0,
        };
        let mut place = DropPlace::Ingress;
        // Whether the blocks since the last check may have deferred work.
        let mut may_defer = false;
        for (position, step) in self.steps.iter().enumerate() {
            let code = position as u32;
            let leave_if = |condition| Stage::LeaveIf { condition, code, keep: true };
            let leave = leave_if(Condition::AtLeast(queue_port, 0));
            if extent == Extent::ToQueues && matches!(step, Step::Decide(_)) {
                made.push(leave, place);
                made.push(Stage::Output(queue_port, 0), place);
                break;
            }
            match *step {
                Step::Parse { parser, error } => {
                    may_defer |= self.defers(program, &PackageArg::Parser(parser));
                    made.push(Stage::Parse { parser, error }, DropPlace::Parser);
                }
                Step::Control { control, place, .. } => {
                    may_defer |= self.defers(program, &PackageArg::Control(control));
                    made.push(Stage::Control(control), place);
                }
                Step::Set(var, source) => {
                    made.push(Stage::Set(var, self.pipeline_source(source, queue_port, time_unit)?), place);
                }
                Step::Decide(Rule { when: When::Called, .. }) => {
                    if std::mem::take(&mut may_defer) {
                        made.push(Stage::LeaveIfDeferred { code }, place);
                    }
                }
                Step::Decide(Rule { when: When::Always, fate: Fate::Unicast { port, priority } }) => {
                    if let (Some(priority), 2..) = (priority, config.priorities) {
                        made.push(leave_if(Condition::AtLeast(priority, config.priorities as u64)), place);
                    }
                    made.push(Stage::Output(port, 0), place);
                    place = DropPlace::Egress;
                }
                Step::Decide(Rule { when: When::Always, fate: Fate::Transmit }) => {}
                Step::Decide(Rule { when, fate }) => {
                    let condition = match when {
                        When::Is(var, value) => Condition::Is(var, value),
                        When::IsNot(var, value) => Condition::IsNot(var, value),
                        When::Always | When::Called | When::IsNoPort(_) => Condition::AtLeast(queue_port, 0),
                    };
                    if let Fate::Drop(place) = fate {
                        made.drop_codes |= 1 << code;
                        made.push(Stage::LeaveIf { condition, code, keep: false }, place);
                    } else {
                        made.push(leave_if(condition), place);
                    }
                }
                Step::Deparse { control, .. } if self.defers(program, &PackageArg::Control(control)) => {
                    made.push(leave, place);
                    break;
                }
                Step::Deparse { control, .. } => made.push(Stage::Deparse(control), place),
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

    /// Whether a block makes calls that defer work to its end.
    fn defers(&self, program: &Program, block: &PackageArg) -> bool {
        let defers = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Extern(call) => self.operations.effect(call) == Effect::Deferred,
            _ => false,
        };
        self.operations.can_defer() && reached_statements(program, block).into_iter().any(defers)
    }

    /// The variable of the port to whose queue a packet goes.
    fn queue_port(&self) -> Option<VarId> {
        self.steps.iter().find_map(|step| match step {
            Step::Decide(Rule { fate: Fate::Unicast { port, .. }, .. }) => Some(*port),
            _ => None,
        })
    }

    /// The source of a value for a packet that no queue delays; `None` if it is a time in another
    /// unit than the inputs of the pipeline.
    fn pipeline_source(&self, source: StepSource, queue_port: VarId, time_unit: Unit) -> Option<Source> {
        let Reading { fact, unit } = match source {
            StepSource::Const(value) => return Some(Source::Const(value)),
            StepSource::Var(from) => return Some(Source::Var(from)),
            StepSource::Fact(Reading { fact: Fact::EnqueueTime, unit }) => {
                Reading { fact: Fact::EgressTime, unit }
            }
            StepSource::Fact(reading) => reading,
        };
        Some(match fact {
            Fact::EgressTime | Fact::IngressTime if unit != time_unit => return None,
            Fact::EgressPort => Source::Var(queue_port),
            // Pipelines do not have this input, which differs between packets.
            Fact::FromHost => return None,
            Fact::Kind => Source::Const((self.metadata.kind_number)(PacketKind::Normal)),
            _ => match INPUTS.iter().position(|input| *input == fact) {
                Some(input) => Source::Input(input),
                // The queue was empty, and the packet left it at once.
                None => Source::Const(0),
            },
        })
    }
}

impl PipelineOfSteps {
    /// Adds a stage, with the place of the packets that it drops.
    fn push(&mut self, stage: Stage, place: DropPlace) {
        self.pipeline.stages.push(stage);
        self.places.push(place);
    }
}
