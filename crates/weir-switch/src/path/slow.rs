//! The slow path, which runs one step of a pass at a time.

use weir_device::{Nanos, Port};
use weir_exec::{Executor, Fault};
use weir_ir::{Bits, ControlId, Layout, ParserId, State, VarId};

use super::env::PacketEnv;
use super::extern_context::Bytes;
use super::{
    CloneOf, Deferred, ExternContext, Fact, Fate, PacketKind, PacketPath, PathContext, Reading, Rule, Step,
    StepSource, When, reason,
};
use crate::packet::{Arrival, Deflection, Dequeued, Keep, Origin, PacketId, PipelinePacket, Verdict};
use crate::state::CopyChoice;
use crate::stats::{DropPlace, DropReason};
use crate::trace::{StepKind, assignment_step};

/// The state of a packet at the start of its pass.
#[derive(Clone, Copy)]
pub(super) struct PassStart<'a> {
    pub port: Port,
    /// The time at which the packet arrived on the port; `None` if it is recirculated or
    /// resubmitted.
    pub received: Option<Nanos>,
    /// The number of recirculations before this pass.
    pub pass: u32,
    pub kind: PacketKind,
    /// The metadata that the packet keeps from its last pass.
    pub preserved: &'a [(VarId, Bits)],
    /// In egress: the number that the packet got as a copy, and its priority in the queue.
    pub copy: (u16, usize),
    /// In egress: whether the packet was deflected.
    pub is_deflected: bool,
}

/// A packet's time in its queue.
#[derive(Clone, Copy, Default)]
pub(super) struct QueueVisit {
    pub port: Port,
    enqueued: Nanos,
    enq_depth: usize,
    dequeued: Nanos,
    deq_depth: usize,
}

impl QueueVisit {
    /// Creates the queue visit of a packet that the queue did not delay.
    pub(super) fn without_delay(port: Port) -> Self {
        Self { port, ..Self::default() }
    }
}

/// A packet on its way through the steps.
pub(super) struct Walk<'a> {
    pub packet: PipelinePacket,
    pub start: PassStart<'a>,
    pub queue: QueueVisit,
    /// The work that the calls of the blocks have deferred so far.
    pub deferred: Deferred,
    /// The packet's new bytes, after the headers are deparsed.
    pub out: Option<Vec<u8>>,
    /// The number of bytes before the packet that are not part of it.
    pub prefix: usize,
    /// Whether [`Fate::Copy`] has sent copies.
    pub is_copied: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        packet: PipelinePacket,
        start: PassStart<'a>,
        queue: QueueVisit,
        deferred: Deferred,
    ) -> Self {
        Self { packet, start, queue, deferred, out: None, prefix: 0, is_copied: false }
    }

    /// Moves deferred work that may be due after the next queue to the packet.
    fn settle_deferred(&mut self) {
        let Deferred { recirculate, truncate, .. } = &mut self.deferred;
        self.packet.truncate = [truncate.take(), self.packet.truncate].into_iter().flatten().min();
        if let Some(keep) = recirculate.take() {
            self.packet.recirculate = Some(keep);
        }
    }

    /// Returns whether a rule applies to the packet.
    fn meets(&self, layout: &Layout, rule: Rule, has_port: impl Fn(Port) -> bool) -> bool {
        let value = |var| layout.get_u64(&self.packet.state, var);
        match (rule.when, rule.fate) {
            (When::Always, _) => true,
            (When::Called, Fate::Clone { .. }) => !self.deferred.clones.is_empty(),
            (When::Called, Fate::Resubmit) => self.deferred.resubmit.is_some(),
            (When::Called, Fate::Recirculate) => self.packet.recirculate.is_some(),
            (
                When::Called,
                Fate::Copy(_) | Fate::Multicast(_) | Fate::Unicast { .. } | Fate::Drop(_) | Fate::Transmit,
            ) => false,
            (When::Is(var, wanted), _) => value(var) == wanted,
            (When::IsNot(var, unwanted), _) => value(var) != unwanted,
            (When::IsNoPort(var), _) => !has_port(value(var) as Port),
        }
    }
}

impl PacketPath {
    /// Runs all steps before the queues. Adds a verdict for the packet and one for each copy.
    /// Returns the number of verdicts.
    pub(crate) fn ingress(
        &self,
        context: &mut PathContext<'_>,
        arrival: Arrival,
        verdicts: &mut Vec<Verdict>,
    ) -> usize {
        let Arrival { id, offload, bytes, origin, preserved } = arrival;
        let (port, received, kind, pass) = match origin {
            Origin::Port { port, received } => (port, Some(received), PacketKind::Normal, 0),
            Origin::Resubmitted(port) => (port, None, PacketKind::Resubmitted, 0),
            Origin::Recirculated { port, pass } => (port, None, PacketKind::Recirculated, pass),
        };
        let copy = (0, 0);
        let start =
            PassStart { port, received, pass, kind, preserved: &preserved, copy, is_deflected: false };
        let state = self.initial_state(context, start, bytes.len());
        let packet = PipelinePacket::new(id, offload, bytes, state);
        let walk = Walk::new(packet, start, QueueVisit::default(), Deferred::default());
        self.run(context, 0, walk, verdicts);
        verdicts.len()
    }

    /// Runs all steps after the queues. The verdicts are as in [`PacketPath::ingress`].
    pub(crate) fn egress(
        &self,
        context: &mut PathContext<'_>,
        departure: Dequeued,
        verdicts: &mut Vec<Verdict>,
    ) -> usize {
        let Dequeued { packet, port, enqueued, enq_depth, dequeued, deq_depth, .. } = departure;
        let copy = (packet.instance, packet.priority);
        let (kind, is_deflected) = (packet.kind, packet.deflection == Deflection::Done);
        let start = PassStart { port: 0, received: None, pass: 0, kind, preserved: &[], copy, is_deflected };
        let queue = QueueVisit { port, enqueued, enq_depth, dequeued, deq_depth };
        let walk = Walk::new(packet, start, queue, Deferred::default());
        self.run(context, self.first_of_egress, walk, verdicts);
        verdicts.len()
    }

    /// Creates the state at the start of a pass.
    pub(super) fn initial_state(
        &self,
        context: &PathContext<'_>,
        start: PassStart<'_>,
        length: usize,
    ) -> State {
        let layout = context.executor.layout();
        let mut state = layout.state();
        for (var, value) in start.preserved {
            layout.set(&mut state, *var, value);
        }
        for (var, reading) in &self.metadata.inputs {
            if reading.fact == Fact::IngressTime && start.received.is_none() {
                continue; // what the packet has kept, or 0
            }
            let value = self.read_fact(context, *reading, start, QueueVisit::default(), length);
            layout.set_u64(&mut state, *var, value);
        }
        state
    }

    fn read_fact(
        &self,
        context: &PathContext<'_>,
        Reading { fact, unit }: Reading,
        start: PassStart<'_>,
        queue: QueueVisit,
        length: usize,
    ) -> u64 {
        unit.convert(match fact {
            Fact::IngressPort => u64::from(start.port),
            Fact::FromHost => u64::from(context.config.is_host_port(start.port)),
            Fact::Pass => u64::from(start.pass),
            Fact::Kind => (self.metadata.kind_number)(start.kind),
            Fact::Length => length as u64,
            Fact::IngressTime => start.received.unwrap_or_default(),
            Fact::EgressTime | Fact::PassTime => context.now,
            Fact::EgressPort => u64::from(queue.port),
            Fact::Instance => u64::from(start.copy.0),
            Fact::Priority => start.copy.1 as u64,
            Fact::EnqueueTime => queue.enqueued,
            Fact::EnqueueDepth => queue.enq_depth as u64,
            Fact::QueueTime => queue.dequeued - queue.enqueued,
            Fact::DequeueDepth => queue.deq_depth as u64,
            Fact::Deflected => u64::from(start.is_deflected),
        })
    }

    /// Runs the steps from `first` on, up to the end of ingress or egress.
    pub(super) fn run(
        &self,
        context: &mut PathContext<'_>,
        first: usize,
        mut walk: Walk<'_>,
        verdicts: &mut Vec<Verdict>,
    ) {
        let layout = context.executor.layout();
        for step in &self.steps[first..] {
            let id = walk.packet.id;
            match *step {
                Step::Parse { parser, error } => {
                    let PipelinePacket { bytes, state, .. } = &mut walk.packet;
                    match self.parse(context, (parser, error), id, bytes, state, &mut walk.deferred) {
                        Ok(parsed) => walk.packet.parsed = parsed,
                        Err(fault) => {
                            return verdicts.push(drop_verdict(DropPlace::Parser, reason(fault), id));
                        }
                    }
                }
                Step::Control { control, name, place } => {
                    let done = self.control(context, (control, name), &mut walk, &mut Vec::new());
                    if let Err(fault) = done {
                        return verdicts.push(drop_verdict(place, reason(fault), id));
                    }
                }
                Step::Set(var, source) => {
                    let value = match source {
                        StepSource::Const(value) => value,
                        StepSource::Fact(reading) => {
                            self.read_fact(context, reading, walk.start, walk.queue, walk.packet.length)
                        }
                    };
                    layout.set_u64(&mut walk.packet.state, var, value);
                }
                Step::Deparse { control, name, place } => {
                    let mut out = Vec::with_capacity(walk.packet.bytes.len() + 64);
                    if let Err(fault) = self.control(context, (control, name), &mut walk, &mut out) {
                        return verdicts.push(drop_verdict(place, reason(fault), id));
                    }
                    let PipelinePacket { bytes, parsed, truncate, .. } = &walk.packet;
                    out.extend_from_slice(&bytes[*parsed..]);
                    let cuts = [*truncate, walk.deferred.truncate.take()];
                    out.truncate(cuts.into_iter().flatten().min().unwrap_or(usize::MAX));
                    walk.out = Some(out);
                }
                Step::Prefix { control, .. } => {
                    let mut out = Vec::with_capacity(walk.packet.bytes.len() + 64);
                    if let Err(fault) = self.control(context, (control, "metadata"), &mut walk, &mut out) {
                        return verdicts.push(drop_verdict(DropPlace::Parser, reason(fault), id));
                    }
                    walk.prefix = out.len();
                    out.append(&mut walk.packet.bytes);
                    (walk.packet.length, walk.packet.bytes) = (out.len(), out);
                }
                Step::Decide(rule) => {
                    walk.settle_deferred();
                    let has_port = |port: Port| {
                        self.metadata.recirculation.has_port(port) || context.config.ports.contains(&port)
                    };
                    if !walk.meets(layout, rule, has_port) {
                        continue;
                    }
                    let (of, session, headers) = match rule.fate {
                        Fate::Clone { of, session, headers } => (of, session, headers),
                        Fate::Copy(to) => {
                            walk.is_copied |= self.copy(context, to, &walk, verdicts);
                            continue;
                        }
                        _ => return self.decide(context, rule, walk, verdicts),
                    };
                    if let Some(session) = session {
                        let session = layout.get_u64(&walk.packet.state, session) as u32;
                        let mut emitted = Vec::new();
                        let done = headers.map_or(Ok(()), |headers| {
                            self.control(context, (headers, "headers"), &mut walk, &mut emitted)
                        });
                        if done.is_ok() {
                            self.clone_to_parser(context, session, (of, emitted), &walk, verdicts);
                        }
                        continue;
                    }
                    for (session, keep) in std::mem::take(&mut walk.deferred.clones).into_values() {
                        let session = (session, &keep);
                        match of {
                            _ if self.deparses_before_queues() => {
                                self.clone_to_parser(context, session.0, (of, Vec::new()), &walk, verdicts);
                            }
                            CloneOf::Original => self.clone_ingress(context, session, &walk, verdicts),
                            CloneOf::Current => self.clone_egress(context, session, &walk.packet, verdicts),
                        }
                    }
                }
            }
        }
    }

    /// Ends ingress or egress for a packet.
    fn decide(
        &self,
        context: &mut PathContext<'_>,
        Rule { when, fate }: Rule,
        Walk { mut packet, start, queue, deferred, out, prefix, is_copied }: Walk<'_>,
        verdicts: &mut Vec<Verdict>,
    ) {
        let layout = context.executor.layout();
        let PipelinePacket { id, offload, .. } = packet;
        let kept = |keep: Option<&Keep>, kind: PacketKind, state: &State| {
            let kept = keep.map_or_else(Vec::new, |keep| self.metadata.preserved_fields(keep, layout, state));
            kept.into_iter().chain(self.metadata.carried_values(kind, layout, state)).collect()
        };
        verdicts.push(match fate {
            Fate::Clone { .. } | Fate::Copy(_) => return,
            Fate::Resubmit => {
                let (kind, bytes) = (PacketKind::Resubmitted, packet.bytes.split_off(prefix));
                let preserved = kept(deferred.resubmit.as_ref(), kind, &packet.state);
                let origin = Origin::Resubmitted(start.port);
                Verdict::NextPass(Arrival { id, offload, bytes, origin, preserved })
            }
            Fate::Recirculate => {
                let kind = PacketKind::Recirculated;
                let preserved = kept(packet.recirculate.as_ref(), kind, &packet.state);
                let port = self.metadata.recirculation.port(start.port, queue.port);
                let pass = start.pass.wrapping_add(1);
                let (origin, bytes) = (Origin::Recirculated { port, pass }, out.unwrap_or(packet.bytes));
                Verdict::NextPass(Arrival { id, offload, bytes, origin, preserved })
            }
            Fate::Multicast(group) => {
                let group = u16::try_from(layout.get_u64(&packet.state, group)).unwrap_or(0);
                packet.recirculate = None;
                packet.priority = self.priority(context, &packet.state);
                let kind = PacketKind::Replicated;
                let packet = self.for_egress(layout, packet, out, kind);
                let to = (group, CopyChoice::default());
                return self.replicate(context, to, packet, (kind, DropPlace::Ingress), verdicts);
            }
            Fate::Drop(_) if is_copied => return,
            Fate::Drop(place) => {
                let reason = match when {
                    When::IsNoPort(_) => DropReason::NoSuchPort,
                    _ => DropReason::DropPort,
                };
                context.thread.keep_dropped(place, reason, &packet.bytes[prefix..]);
                drop_verdict(place, reason, id)
            }
            Fate::Unicast { port, .. } => {
                let port = layout.get_u64(&packet.state, port) as Port;
                packet.priority = self.priority(context, &packet.state);
                packet.deflection = self.metadata.deflection(layout, &packet.state);
                self.queue(context, port, self.for_egress(layout, packet, out, PacketKind::Unicast))
            }
            Fate::Transmit => {
                let bytes = out.unwrap_or(packet.bytes);
                Verdict::Transmit { port: queue.port, id, offload, bytes }
            }
        });
    }

    /// Prepares a packet that goes from ingress to egress. If ingress has deparsed the packet,
    /// egress parses the new bytes, and only the variables that packets of this kind carry keep
    /// their values. Otherwise, the headers and metadata stay unchanged.
    pub(super) fn for_egress(
        &self,
        layout: &Layout,
        mut packet: PipelinePacket,
        deparsed: Option<Vec<u8>>,
        kind: PacketKind,
    ) -> PipelinePacket {
        packet.kind = kind;
        if let Some(bytes) = deparsed {
            packet.state = self.carried_state(layout, kind, &packet.state);
            (packet.length, packet.bytes, packet.parsed) = (bytes.len(), bytes, 0);
        }
        packet
    }

    /// Returns the state of a packet of this kind before egress parses the packet.
    pub(super) fn carried_state(&self, layout: &Layout, kind: PacketKind, state: &State) -> State {
        let mut carried = layout.state();
        for (var, value) in self.metadata.carried_values(kind, layout, state) {
            layout.set(&mut carried, var, &value);
        }
        carried
    }

    /// Runs a parser, sets the variable of its error, and returns how many bytes it consumed.
    pub(super) fn parse(
        &self,
        context: &mut PathContext<'_>,
        (parser, error): (ParserId, Option<VarId>),
        id: PacketId,
        bytes: &[u8],
        state: &mut State,
        deferred: &mut Deferred,
    ) -> Result<usize, Fault> {
        let executor: &dyn Executor = context.executor;
        context.trace.record(context.now, id, || StepKind::Block("parser"));
        let mut packet = ExternContext::new(context, id, Bytes::Slice(bytes), bytes.len());
        packet.deferred = std::mem::take(deferred);
        let mut env = PacketEnv::new(packet, &self.operations);
        let parsed = executor.parse(parser, bytes, state, &mut env);
        *deferred = std::mem::take(&mut env.packet.deferred);
        context.thread.register_lock.release();
        if let Some(fault) = parsed.fault {
            return Err(fault);
        }
        if let (Some(var), true) = (error, parsed.error != 0) {
            let layout = executor.layout();
            let old = layout.get(state, var);
            layout.set_u64(state, var, u64::from(parsed.error));
            let new = layout.get(state, var);
            context.trace.record(context.now, id, || assignment_step(executor.program(), var, &old, &new));
        }
        Ok(parsed.consumed.min(bytes.len()))
    }

    /// Runs a P4 control, and adds the bytes that it emits to `out`.
    fn control(
        &self,
        context: &mut PathContext<'_>,
        (control, name): (ControlId, &'static str),
        walk: &mut Walk<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let executor: &dyn Executor = context.executor;
        let PipelinePacket { id, ref bytes, parsed, length, ref mut state, .. } = walk.packet;
        context.trace.record(context.now, id, || StepKind::Block(name));
        let mut packet = ExternContext::new(context, id, Bytes::Slice(bytes), parsed);
        packet.length = length;
        packet.deferred = std::mem::take(&mut walk.deferred);
        let mut env = PacketEnv::new(packet, &self.operations);
        let done = executor.control(control, state, out, &mut env);
        walk.deferred = std::mem::take(&mut env.packet.deferred);
        context.thread.register_lock.release();
        done
    }
}

pub(super) fn drop_verdict(place: DropPlace, reason: DropReason, id: PacketId) -> Verdict {
    Verdict::Drop { place, reason, id }
}
