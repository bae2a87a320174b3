//! The way of a packet: parse, verify, ingress — queue — egress, update, deparse.

use weir_device::{Buffer, Port};
use weir_exec::{Fault, Pipeline};
use weir_ir::{Bits, ControlId, Layout, Program, State, ValidProgram, VarId};

use super::Blocks;
use super::env::{Bytes, Signals, V1Env};
use super::meanings::Calls;
use super::metadata::{Fields, Instance, get, micros, set};
use super::support::Enumerations;
use crate::config::SwitchConfig;
use crate::packet::{Arrival, Dequeued, Keep, Origin, PacketId, PipelinePacket, Verdict};
use crate::path::{Extent, PacketPath, PathContext, Straight};
use crate::state::Replica;
use crate::stats::{DropPlace, DropReason};
use crate::trace::{CopyKind, StepKind, assigned};

/// How long a chain of egress clones that make egress clones may become. They take no time, so an endless one would stop the clock.
const MOST_GENERATIONS: u32 = 64;

pub(super) struct V1Path {
    pub(super) blocks: Blocks,
    pub(super) fields: Fields,
    pub(super) enums: Enumerations,
    /// Whether the program calls externs of [`ASKING`](super::env::ASKING).
    pub(super) asks: bool,
    /// What is known of them all.
    pub(super) calls: Calls,
}

/// What a block needs to know of its packet beside the state.
pub(super) struct Step<'a> {
    pub(super) id: PacketId,
    pub(super) length: usize,
    pub(super) bytes: Bytes<'a>,
    pub(super) parsed: usize,
}

impl PacketPath for V1Path {
    fn ingress(&self, context: &mut PathContext<'_>, arrival: Arrival, verdicts: &mut Vec<Verdict>) {
        let Arrival { id, bytes, origin, preserved } = arrival;
        let length = bytes.len();
        let (port, instance) = match origin {
            Origin::Port(port) => (port, Instance::Normal),
            Origin::Resubmitted(port) => (port, Instance::Resubmitted),
            Origin::Recirculated => (0, Instance::Recirculated),
        };
        let mut state = self.beginning(context, &preserved, port, instance, length);
        let parsed = match self.parse(context, id, &bytes, &mut state) {
            Ok(parsed) => parsed,
            Err(fault) => return verdicts.push(dropped(DropPlace::Parser, reason(fault), id)),
        };
        let step = Step { id, length, bytes: Bytes::Slice(&bytes), parsed };
        let signals = match self
            .control(context, (self.blocks.verify, "verify checksums"), &step, &mut state)
            .and_then(|_| self.control(context, (self.blocks.ingress, "ingress"), &step, &mut state))
        {
            Ok(signals) => signals,
            Err(fault) => return verdicts.push(dropped(DropPlace::Ingress, reason(fault), id)),
        };
        let frame = PipelinePacket {
            id,
            bytes,
            parsed,
            state,
            length,
            truncate: None,
            recirculate: None,
            generation: 0,
        };
        self.after_ingress(context, (port, &preserved), frame, signals, verdicts);
    }

    fn egress(&self, context: &mut PathContext<'_>, departure: Dequeued, verdicts: &mut Vec<Verdict>) {
        let layout = context.executor.layout();
        let fields = &self.fields;
        let Dequeued { packet: mut frame, port, enqueued, enq_depth, dequeued, deq_depth } = departure;
        let state = &mut frame.state;
        set(layout, state, fields.egress_port, u64::from(port));
        // Anything but the drop port; simple_switch writes drop port + 1, of which 9 bits are 0 for the usual 511.
        set(layout, state, fields.egress_spec, u64::from(context.config.drop_port) + 1);
        set(layout, state, fields.packet_length, frame.length as u64);
        set(layout, state, fields.egress_global_timestamp, micros(context.now));
        set(layout, state, fields.enq_timestamp, micros(enqueued));
        set(layout, state, fields.enq_qdepth, enq_depth as u64);
        set(layout, state, fields.deq_timedelta, micros(dequeued - enqueued));
        set(layout, state, fields.deq_qdepth, deq_depth as u64);

        let id = frame.id;
        let step = Step { id, length: frame.length, bytes: Bytes::Slice(&frame.bytes), parsed: frame.parsed };
        let signals = match self.control(context, (self.blocks.egress, "egress"), &step, state) {
            Ok(signals) => signals,
            Err(fault) => return verdicts.push(dropped(DropPlace::Egress, reason(fault), id)),
        };
        self.after_egress(context, port, frame, signals, verdicts);
    }

    fn pipeline(&self, program: &ValidProgram, config: &SwitchConfig, extent: Extent) -> Option<Pipeline> {
        self.plan(program, config, extent)
    }

    fn late_part_is_alone(&self, program: &Program) -> bool {
        self.looks_at_nothing_late(program)
    }

    fn forward(
        &self,
        context: &mut PathContext<'_>,
        straight: &mut Straight,
        buffers: &mut [Buffer],
        verdicts: &mut Vec<Verdict>,
    ) -> usize {
        self.run(context, straight, buffers, verdicts)
    }
}

impl V1Path {
    /// What the parser finds of a packet whose pass begins now.
    fn beginning(
        &self,
        context: &PathContext<'_>,
        preserved: &[(VarId, Bits)],
        port: Port,
        instance: Instance,
        length: usize,
    ) -> State {
        let (layout, fields) = (context.executor.layout(), &self.fields);
        let mut state = layout.state();
        for (var, value) in preserved {
            layout.set(&mut state, *var, value);
        }
        set(layout, &mut state, fields.ingress_port, u64::from(port));
        set(layout, &mut state, fields.instance_type, instance as u64);
        set(layout, &mut state, fields.packet_length, length as u64);
        set(layout, &mut state, fields.ingress_global_timestamp, micros(context.now));
        state
    }

    /// What becomes of a packet at the end of ingress, which came from `port` with the `preserved` metadata.
    pub(super) fn after_ingress(
        &self,
        context: &mut PathContext<'_>,
        (port, preserved): (Port, &[(VarId, Bits)]),
        mut frame: PipelinePacket,
        signals: Signals,
        verdicts: &mut Vec<Verdict>,
    ) {
        let layout = context.executor.layout();
        let fields = &self.fields;
        let id = frame.id;
        if let Some((session, keep)) = &signals.clone {
            self.clone_of_ingress(context, (*session, keep), (port, preserved), &frame, verdicts);
        }
        if let Some(keep) = &signals.resubmit {
            return verdicts.push(Verdict::NextPass(Arrival {
                preserved: fields.preserve(keep, layout, &frame.state),
                id,
                bytes: frame.bytes,
                origin: Origin::Resubmitted(port),
            }));
        }
        (frame.truncate, frame.recirculate) = (signals.truncate, signals.recirculate);
        let group = get(layout, &frame.state, fields.mcast_grp) as u16;
        if group != 0 {
            let frame = PipelinePacket { recirculate: None, ..frame };
            return self.replicate(context, group, frame, Instance::Replicated, DropPlace::Ingress, verdicts);
        }
        let egress_spec = get(layout, &frame.state, fields.egress_spec) as Port;
        if egress_spec == context.config.drop_port {
            return verdicts.push(dropped(DropPlace::Ingress, DropReason::DropPort, id));
        }
        set(layout, &mut frame.state, fields.instance_type, Instance::Normal as u64);
        verdicts.push(self.queue(layout, context.config, egress_spec, frame));
    }

    /// What becomes of a packet at the end of egress, on its way to `port`.
    pub(super) fn after_egress(
        &self,
        context: &mut PathContext<'_>,
        port: Port,
        mut frame: PipelinePacket,
        signals: Signals,
        verdicts: &mut Vec<Verdict>,
    ) {
        let layout = context.executor.layout();
        let fields = &self.fields;
        let id = frame.id;
        frame.truncate = [signals.truncate, frame.truncate].into_iter().flatten().min();
        if let Some((session, keep)) = &signals.clone {
            self.clone_of_egress(context, *session, keep, &frame, verdicts);
        }
        if get(layout, &frame.state, fields.egress_spec) as Port == context.config.drop_port {
            return verdicts.push(dropped(DropPlace::Egress, DropReason::DropPort, id));
        }
        let mut bytes = Vec::with_capacity(frame.bytes.len() + 64);
        if let Err(fault) = self.deparse(context, &mut frame, &mut bytes) {
            return verdicts.push(dropped(DropPlace::Egress, reason(fault), id));
        }
        verdicts.push(match signals.recirculate.as_ref().or(frame.recirculate.as_ref()) {
            Some(keep) => Verdict::NextPass(Arrival {
                id,
                bytes,
                origin: Origin::Recirculated,
                preserved: fields.preserve(keep, layout, &frame.state),
            }),
            None => Verdict::Transmit { port, id, bytes },
        });
    }

    fn begin(context: &mut PathContext<'_>, id: PacketId, block: &'static str) {
        context.trace.record(context.now, id, || StepKind::Block(block));
    }

    pub(super) fn env<'a, 'b>(&'a self, context: &'a mut PathContext<'b>, step: &Step<'a>) -> V1Env<'a, 'b> {
        V1Env {
            context,
            fields: &self.fields,
            enums: &self.enums,
            calls: &self.calls.words,
            id: step.id,
            length: step.length,
            bytes: step.bytes,
            parsed: step.parsed,
            batch: (&[], &[]),
            asks: self.asks,
            signals: Signals::default(),
            key: Vec::new(),
            hashed: Vec::new(),
            colours: Vec::new(),
        }
    }

    /// Parses, notes the parser error in the metadata, and returns how many bytes were taken.
    fn parse(
        &self,
        context: &mut PathContext<'_>,
        id: PacketId,
        bytes: &[u8],
        state: &mut State,
    ) -> Result<usize, Fault> {
        let executor = context.executor;
        let step = Step { id, length: bytes.len(), bytes: Bytes::Slice(bytes), parsed: bytes.len() };
        Self::begin(context, id, "parser");
        let parsed = executor.parse(self.blocks.parser, bytes, state, &mut self.env(context, &step));
        context.thread.register_lock.release();
        if let Some(fault) = parsed.fault {
            return Err(fault);
        }
        if let (Some(var), true) = (self.fields.parser_error, parsed.error != 0) {
            let layout = executor.layout();
            let old = layout.get(state, var);
            layout.set_u64(state, var, u64::from(parsed.error));
            let new = layout.get(state, var);
            context.trace.record(context.now, id, || assigned(executor.program(), var, &old, &new));
        }
        Ok(parsed.consumed.min(bytes.len()))
    }

    /// Runs a control other than the deparser.
    fn control(
        &self,
        context: &mut PathContext<'_>,
        (control, name): (ControlId, &'static str),
        step: &Step<'_>,
        state: &mut State,
    ) -> Result<Signals, Fault> {
        let executor = context.executor;
        Self::begin(context, step.id, name);
        let mut env = self.env(context, step);
        let ended = executor.control(control, state, &mut Vec::new(), &mut env);
        let signals = env.signals;
        context.thread.register_lock.release();
        ended.map(|()| signals)
    }

    /// Updates the checksums and writes headers and payload.
    fn deparse(
        &self,
        context: &mut PathContext<'_>,
        frame: &mut PipelinePacket,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let PipelinePacket { id, ref bytes, parsed, length, .. } = *frame;
        let step = Step { id, length, bytes: Bytes::Slice(bytes), parsed };
        self.control(context, (self.blocks.update, "update checksums"), &step, &mut frame.state)?;
        self.emit(context, frame, out)
    }

    /// Writes headers and payload.
    pub(super) fn emit(
        &self,
        context: &mut PathContext<'_>,
        frame: &mut PipelinePacket,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let PipelinePacket { id, ref bytes, parsed, length, .. } = *frame;
        let step = Step { id, length, bytes: Bytes::Slice(bytes), parsed };
        let executor = context.executor;
        Self::begin(context, id, "deparser");
        let mut env = self.env(context, &step);
        let ended = executor.control(self.blocks.deparser, &mut frame.state, out, &mut env);
        context.thread.register_lock.release();
        ended?;
        out.extend_from_slice(&bytes[parsed..]);
        out.truncate(frame.truncate.unwrap_or(usize::MAX));
        Ok(())
    }

    fn queue(&self, layout: &Layout, config: &SwitchConfig, port: Port, frame: PipelinePacket) -> Verdict {
        let priority = get(layout, &frame.state, self.fields.priority) as usize;
        // With a single queue, the priority does not matter.
        let priority = if config.priorities > 1 { priority } else { 0 };
        Verdict::Queue { port, priority, packet: Box::new(frame) }
    }

    /// A copy for each member of the group, or a drop if there is none.
    fn replicate(
        &self,
        context: &mut PathContext<'_>,
        group: u16,
        mut frame: PipelinePacket,
        instance: Instance,
        place: DropPlace,
        verdicts: &mut Vec<Verdict>,
    ) {
        let layout = context.executor.layout();
        let Some((last, others)) =
            context.control.settings.groups.get(&group).and_then(|replicas| replicas.split_last())
        else {
            return verdicts.push(dropped(place, DropReason::EmptyGroup, frame.id));
        };
        let (original, copies) = (frame.id, others.len() + 1);
        context.trace.record(context.now, original, || StepKind::Multicast { group, copies });
        set(layout, &mut frame.state, self.fields.instance_type, instance as u64);
        let mut send = |mut copy: PipelinePacket, replica: &Replica| {
            let how = CopyKind::Replica { port: replica.port, rid: replica.rid };
            copy.id = context.trace.copied(context.now, original, how);
            set(layout, &mut copy.state, self.fields.egress_rid, u64::from(replica.rid));
            verdicts.push(self.queue(layout, context.config, replica.port, copy));
        };
        for replica in others {
            send(frame.clone(), replica);
        }
        send(frame, last);
    }

    /// Sends a clone to the destinations of its session; without a session there is no clone.
    fn send_clone(
        &self,
        context: &mut PathContext<'_>,
        session: u32,
        mut frame: PipelinePacket,
        instance: Instance,
        place: DropPlace,
        verdicts: &mut Vec<Verdict>,
    ) {
        let number = session;
        let Some(session) = context.control.settings.sessions.get(&number).copied() else { return };
        frame.truncate = session.truncate;
        let layout = context.executor.layout();
        set(layout, &mut frame.state, self.fields.instance_type, instance as u64);
        match (session.group, session.port) {
            (Some(group), None) => self.replicate(context, group, frame, instance, place, verdicts),
            (Some(group), Some(port)) => {
                let how = match instance {
                    Instance::IngressClone => CopyKind::IngressClone { session: number },
                    _ => CopyKind::EgressClone { session: number },
                };
                let id = context.trace.copied(context.now, frame.id, how);
                self.replicate(
                    context,
                    group,
                    PipelinePacket { id, ..frame.clone() },
                    instance,
                    place,
                    verdicts,
                );
                verdicts.push(self.queue(layout, context.config, port, frame));
            }
            (None, Some(port)) => verdicts.push(self.queue(layout, context.config, port, frame)),
            (None, None) => {}
        }
    }

    /// The packet as it came into the pass, parsed again, with nothing but the field list's metadata. The parser finds what it found
    /// of the original but for `instance_type`.
    fn clone_of_ingress(
        &self,
        context: &mut PathContext<'_>,
        (session, keep): (u32, &Keep),
        (port, preserved): (Port, &[(VarId, Bits)]),
        original: &PipelinePacket,
        verdicts: &mut Vec<Verdict>,
    ) {
        let bytes = &original.bytes;
        if !context.control.settings.sessions.contains_key(&session) {
            return context.trace.record(context.now, original.id, || StepKind::NotCloned { session });
        }
        let id = context.trace.copied(context.now, original.id, CopyKind::IngressClone { session });
        let layout = context.executor.layout();
        let mut state = self.beginning(context, preserved, port, Instance::IngressClone, bytes.len());
        let parsed = match self.parse(context, id, bytes, &mut state) {
            Ok(parsed) => parsed,
            Err(fault) => return verdicts.push(dropped(DropPlace::Parser, reason(fault), id)),
        };
        self.fields.reset(layout, &mut state);
        for (var, value) in self.fields.preserve(keep, layout, &original.state) {
            layout.set(&mut state, var, &value);
        }
        let frame = PipelinePacket {
            id,
            bytes: bytes.clone(),
            parsed,
            state,
            length: bytes.len(),
            truncate: None,
            recirculate: None,
            generation: 0,
        };
        self.send_clone(context, session, frame, Instance::IngressClone, DropPlace::Ingress, verdicts);
    }

    /// The packet as egress left it, with nothing but the field list's metadata.
    fn clone_of_egress(
        &self,
        context: &mut PathContext<'_>,
        session: u32,
        keep: &Keep,
        original: &PipelinePacket,
        verdicts: &mut Vec<Verdict>,
    ) {
        if !context.control.settings.sessions.contains_key(&session) {
            return context.trace.record(context.now, original.id, || StepKind::NotCloned { session });
        }
        let id = context.trace.copied(context.now, original.id, CopyKind::EgressClone { session });
        if original.generation >= MOST_GENERATIONS {
            return verdicts.push(dropped(DropPlace::Egress, DropReason::CloneLimit, id));
        }
        let layout = context.executor.layout();
        let preserved = self.fields.preserve(keep, layout, &original.state);
        let mut frame = PipelinePacket {
            id,
            generation: original.generation + 1,
            recirculate: None,
            truncate: None,
            ..original.clone()
        };
        self.fields.reset(layout, &mut frame.state);
        for (var, value) in preserved {
            layout.set(&mut frame.state, var, &value);
        }
        self.send_clone(context, session, frame, Instance::EgressClone, DropPlace::Egress, verdicts);
    }
}

pub(super) fn dropped(place: DropPlace, reason: DropReason, id: PacketId) -> Verdict {
    Verdict::Drop { place, reason, id }
}

pub(super) fn reason(fault: Fault) -> DropReason {
    match fault {
        Fault::LoopLimit => DropReason::LoopLimit,
        Fault::AssertionFailed => DropReason::AssertionFailed,
    }
}
