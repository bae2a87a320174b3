//! The part of a pass that runs as one pipeline.

use std::collections::BTreeSet;

use weir_exec::{Condition, NumberSet, PipelineSpec, Source, Stage};
use weir_ir::visit::reached_statements;
use weir_ir::{ArgValue, ControlId, PackageArg, Place, Program, Stmt, StmtKind, Table, VarId};

use super::facts::Unit;
use super::{Effect, Extent, Fact, Fate, PacketKind, PacketPath, Reading, Rule, Step, StepSource, When};
use crate::config::SwitchConfig;
use crate::stats::DropPlace;
use crate::tables::{limit_of_added, supports_timeout};

/// The number of inputs of a pipeline for a packet: the port on which it arrived, and the times at
/// which egress and ingress begin. Instead of the former time, there may be [`Fact::FromHost`].
pub(super) const INPUTS: usize = 3;

/// A pipeline of steps, and how its stages and codes relate to them.
pub(super) struct PipelineOfSteps {
    pub pipeline: PipelineSpec,
    pub times: Times,
    /// Whether there is [`Fact::FromHost`] among the inputs.
    pub from_host: bool,
    /// The place in which a packet is dropped if a stage fails.
    pub places: Vec<DropPlace>,
    /// The codes with which a packet is dropped, as a set of bits.
    pub drop_codes: u64,
    /// The codes with which a packet leaves the switch, as a set of bits.
    pub transmit_codes: u64,
    /// The step of the deparser, or of the prefix, that each stage emits.
    pub deparsers: Vec<(usize, usize)>,
}

/// The times among the inputs of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Times {
    pub unit: Unit,
    /// The time at which ingress begins: [`Fact::IngressTime`] or [`Fact::PassTime`].
    pub ingress: Fact,
}

/// A deparser whose step comes before the rules that decide about the packet. In the pipeline, the
/// deparser comes after these rules. A packet that leaves the pipeline by one of them continues
/// with the deparser.
struct PendingDeparser {
    step: usize,
    control: ControlId,
    place: DropPlace,
    /// Whether it has no effect on anything but the packet. Then it need not run for dropped
    /// packets.
    is_pure: bool,
    written_vars: BTreeSet<VarId>,
}

impl PacketPath {
    /// Converts the steps to one pipeline; returns `None` if the steps need facts that the pipeline
    /// does not have. The code of a packet that leaves the pipeline early is the position of the
    /// step.
    pub(super) fn pipeline(
        &self,
        program: &Program,
        config: &SwitchConfig,
        extent: Extent,
    ) -> Option<PipelineOfSteps> {
        let queue_port = self.queue_port()?;
        let mut made = PipelineOfSteps::new(self.times()?, config);
        made.from_host = self.readings().any(|reading| reading.fact == Fact::FromHost);
        made.pipeline.kept.clone_from(&self.metadata.kept_at_prefix);
        let vars_read = self.steps.iter().flat_map(Step::vars_read).chain(self.metadata.vars_read());
        made.pipeline.read_by_caller = vars_read.collect();
        self.set_inputs(&mut made)?;
        let mut place = DropPlace::Ingress;
        // Whether the blocks since the last check may have deferred work.
        let mut may_defer = false;
        let mut pending: Option<PendingDeparser> = None;
        for (position, step) in self.steps.iter().enumerate() {
            let (is_rule, is_deparser) =
                (matches!(step, Step::Decide(_)), matches!(step, Step::Deparse { .. }));
            // Rules after a deparser send packets to its step.
            let code = pending.as_ref().map_or(position, |deparser| deparser.step) as u32;
            let leave_if = |condition| Stage::LeaveIf { condition, code, keep: true };
            let leave = leave_if(Condition::AtLeast(queue_port, 0));
            if extent == Extent::ToQueues && (is_rule || is_deparser) {
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
                    let source = self.pipeline_source(source, &made, position)?;
                    made.push(Stage::Set(var, source), place);
                }
                Step::Deparse { control, .. } if self.defers(program, &PackageArg::Control(control)) => {
                    made.push(leave, place);
                    break;
                }
                Step::Deparse { control, place, .. } => {
                    if std::mem::take(&mut may_defer) {
                        made.push(Stage::LeaveIfDeferred { code }, place);
                    }
                    pending = Some(PendingDeparser {
                        step: position,
                        control,
                        place,
                        is_pure: self.may_be_skipped(program, control),
                        written_vars: written_vars(program, control),
                    });
                }
                Step::Prefix { control, .. } => {
                    made.deparsers.push((made.pipeline.stages.len(), position));
                    made.push(Stage::Deparse(control), DropPlace::Parser);
                    made.push(Stage::Restart, place);
                }
                Step::Decide(rule) if pending.as_ref().is_some_and(|of| of.writes(rule)) => {
                    made.push(leave, place);
                    break;
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
                    if let Some(deparser) = pending.take() {
                        made.deparse(&deparser);
                        made.push(Stage::Restart, place);
                        let carried = self.metadata.carried_vars(PacketKind::Unicast);
                        made.pipeline.kept.extend(carried.chain([port]).chain(priority));
                    }
                    place = DropPlace::Egress;
                }
                Step::Decide(Rule { when: When::Always, fate: Fate::Transmit }) => {
                    if let Some(deparser) = pending.take() {
                        made.deparse(&deparser);
                    }
                }
                Step::Decide(Rule { when, fate }) => {
                    let condition = match when {
                        When::Is(var, value) => Condition::Is(var, value),
                        When::IsNot(var, value) => Condition::IsNot(var, value),
                        // The slow path decides about ports that the set does not contain.
                        When::IsNoPort(var) => {
                            made.push(leave_if(Condition::NotIn(var, PORTS)), place);
                            continue;
                        }
                        When::Always | When::Called => Condition::AtLeast(queue_port, 0),
                    };
                    match fate {
                        Fate::Drop(place) if pending.as_ref().is_none_or(|deparser| deparser.is_pure) => {
                            made.drop_codes |= 1 << position;
                            let code = position as u32;
                            made.push(Stage::LeaveIf { condition, code, keep: false }, place);
                        }
                        Fate::Transmit if pending.is_none() && position >= self.first_of_egress => {
                            made.transmit_codes |= 1 << position;
                            let code = position as u32;
                            made.push(Stage::LeaveIf { condition, code, keep: false }, place);
                        }
                        _ => made.push(leave_if(condition), place),
                    }
                }
            }
        }
        made.pipeline.ends_batches = self.changes_entries();
        made.pipeline.extern_semantics = self.operations.semantics(program);
        let plain = |table: &Table| {
            let is_changed = supports_timeout(table) || limit_of_added(table).is_some();
            table.implementation.is_none() && table.attached.is_empty() && !is_changed
        };
        let tables = program.tables.iter();
        made.pipeline.cacheable_tables = tables.filter(|(_, table)| plain(table)).map(|(id, _)| id).collect();
        Some(made)
    }

    /// Returns whether packets add entries to tables, or change the times at which entries expire.
    /// All packets of such a program run on the owner's thread, and the next packet finds the
    /// changes.
    pub(crate) fn changes_entries(&self) -> bool {
        self.operations.can_change_entries()
    }

    /// Returns the facts that steps read.
    fn readings(&self) -> impl Iterator<Item = Reading> {
        let inputs = self.metadata.inputs.iter().map(|(_, reading)| *reading);
        inputs.chain(self.steps.iter().filter_map(|step| match step {
            Step::Set(_, StepSource::Fact(reading)) => Some(*reading),
            _ => None,
        }))
    }

    /// Returns the times that steps read; `None` if these times are in several units, or if ingress
    /// begins at several times.
    fn times(&self) -> Option<Times> {
        let is_time = |fact: Fact| {
            matches!(fact, Fact::IngressTime | Fact::PassTime | Fact::EgressTime | Fact::EnqueueTime)
        };
        let mut times = self.readings().filter(|reading| is_time(reading.fact));
        let unit = times.next().map_or(Unit::Own, |reading| reading.unit);
        let reads = |fact| self.readings().any(|reading| reading.fact == fact);
        let ingress = if reads(Fact::PassTime) { Fact::PassTime } else { Fact::IngressTime };
        let is_one =
            times.all(|reading| reading.unit == unit) && !(reads(Fact::PassTime) && reads(Fact::IngressTime));
        is_one.then_some(Times { unit, ingress })
    }

    /// Sets the variables that a pass sets before its first step: to inputs, or to constants.
    fn set_inputs(&self, made: &mut PipelineOfSteps) -> Option<()> {
        made.pipeline.inputs = vec![None; INPUTS];
        for (var, reading) in &self.metadata.inputs {
            match self.pipeline_source(StepSource::Fact(*reading), made, 0)? {
                Source::Input(input) if made.pipeline.inputs[input].is_none() => {
                    made.pipeline.inputs[input] = Some(*var);
                }
                Source::Const(0) => {}
                source => made.push(Stage::Set(*var, source), DropPlace::Ingress),
            }
        }
        Some(())
    }

    /// Returns whether a block makes calls that defer work to its end.
    fn defers(&self, program: &Program, block: &PackageArg) -> bool {
        let defers = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Extern(call) => self.operations.effect(call) == Effect::Deferred,
            _ => false,
        };
        self.operations.can_defer() && reached_statements(program, block).into_iter().any(defers)
    }

    /// Returns the variable of the port to whose queue a packet goes.
    fn queue_port(&self) -> Option<VarId> {
        self.steps.iter().find_map(|step| match step {
            Step::Decide(Rule { fate: Fate::Unicast { port, .. }, .. }) => Some(*port),
            _ => None,
        })
    }

    /// Returns the source of a value at a step, for a packet that no queue delays; `None` if the
    /// pipeline does not know the value.
    fn pipeline_source(&self, source: StepSource, made: &PipelineOfSteps, position: usize) -> Option<Source> {
        let fact = match source {
            StepSource::Const(value) => return Some(Source::Const(value)),
            StepSource::Fact(Reading { fact, .. }) => fact,
        };
        let is_egress = position >= self.first_of_egress;
        Some(match fact {
            Fact::IngressPort => Source::Input(0),
            Fact::Length => Source::Length,
            Fact::FromHost => Source::Input(1),
            Fact::EgressTime | Fact::EnqueueTime if made.from_host => return None,
            Fact::EgressTime | Fact::EnqueueTime => Source::Input(1),
            Fact::IngressTime | Fact::PassTime => Source::Input(2),
            Fact::EgressPort => Source::Var(self.queue_port()?),
            Fact::Priority => self.queue_priority().map_or(Source::Const(0), Source::Var),
            Fact::Kind => {
                let kind = if is_egress { PacketKind::Unicast } else { PacketKind::Normal };
                Source::Const((self.metadata.kind_number)(kind))
            }
            // The queue was empty, and the packet left it at once.
            Fact::EnqueueDepth | Fact::QueueTime | Fact::DequeueDepth | Fact::Deflected => Source::Const(0),
            // The packet is not a copy, and was not recirculated.
            Fact::Instance | Fact::Pass => Source::Const(0),
        })
    }
}

/// The position of the set of the switch's ports among the sets of a pipeline.
const PORTS: usize = 0;

impl PipelineOfSteps {
    /// Creates a pipeline without stages.
    fn new(times: Times, config: &SwitchConfig) -> Self {
        let ports = NumberSet::new(config.ports.iter().map(|port| u64::from(*port)));
        let pipeline = PipelineSpec { outputs: 1, sets: vec![ports], ..PipelineSpec::default() };
        Self {
            pipeline,
            times,
            from_host: false,
            places: Vec::new(),
            drop_codes: 0,
            transmit_codes: 0,
            deparsers: Vec::new(),
        }
    }

    /// Adds a stage, with the place of the packets that it drops.
    fn push(&mut self, stage: Stage, place: DropPlace) {
        self.pipeline.stages.push(stage);
        self.places.push(place);
    }

    /// Adds a deparser.
    fn deparse(&mut self, deparser: &PendingDeparser) {
        self.deparsers.push((self.pipeline.stages.len(), deparser.step));
        self.push(Stage::Deparse(deparser.control), deparser.place);
    }
}

impl PendingDeparser {
    /// Returns whether the deparser writes a variable that a rule reads.
    fn writes(&self, Rule { when, fate }: Rule) -> bool {
        let condition = match when {
            When::Is(var, _) | When::IsNot(var, _) | When::IsNoPort(var) => Some(var),
            When::Always | When::Called => None,
        };
        let result = match fate {
            Fate::Unicast { port, priority } => [Some(port), priority],
            _ => [None, None],
        };
        condition.into_iter().chain(result.into_iter().flatten()).any(|var| self.written_vars.contains(&var))
    }
}

/// Returns the variables that a control writes by assignments and extern calls.
fn written_vars(program: &Program, control: ControlId) -> BTreeSet<VarId> {
    let mut written = BTreeSet::new();
    for stmt in reached_statements(program, &PackageArg::Control(control)) {
        match &stmt.kind {
            StmtKind::Assign(Place::Var(var), _) => _ = written.insert(*var),
            StmtKind::Assign(Place::Indexed(vars, _), _) => written.extend(vars),
            StmtKind::Extern(call) => {
                written.extend(&call.result);
                for arg in &call.args {
                    if let ArgValue::Vars { vars, .. } = &arg.value {
                        written.extend(vars);
                    }
                }
            }
            _ => {}
        }
    }
    written
}
