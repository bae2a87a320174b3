//! The way of a packet: parse, verify, ingress — queue — egress, update, deparse.

use weir_device::{Buffer, Port};
use weir_exec::{Fault, Pipeline};
use weir_ir::{Bits, ControlId, Layout, Program, State, VarId};

use super::Blocks;
use super::env::{Bytes, Signals, V1Env};
use super::meanings::Calls;
use super::metadata::{Fields, Instance, get, micros, set};
use super::support::Enumerations;
use crate::config::SwitchConfig;
use crate::control::Replica;
use crate::path::{Arrival, Extent, Fate, Frame, Id, Keep, Origin, PacketPath, Straight, Surroundings};
use crate::stats::{DropPlace, DropReason};
use crate::trace::{CopyKind, StepKind, assigned};
use crate::traffic_manager::Departure;

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
    pub(super) id: Id,
    pub(super) length: usize,
    pub(super) bytes: Bytes<'a>,
    pub(super) parsed: usize,
}

impl PacketPath for V1Path {
    fn ingress(&self, around: &mut Surroundings<'_>, arrival: Arrival, fates: &mut Vec<Fate>) {
        let Arrival { id, bytes, origin, preserved } = arrival;
        let length = bytes.len();
        let (port, instance) = match origin {
            Origin::Port(port) => (port, Instance::Normal),
            Origin::Resubmitted(port) => (port, Instance::Resubmitted),
            Origin::Recirculated => (0, Instance::Recirculated),
        };
        let mut state = self.beginning(around, &preserved, port, instance, length);
        let parsed = match self.parse(around, id, &bytes, &mut state) {
            Ok(parsed) => parsed,
            Err(fault) => return fates.push(dropped(DropPlace::Parser, reason(fault), id)),
        };
        let step = Step { id, length, bytes: Bytes::Slice(&bytes), parsed };
        let signals = match self
            .control(around, (self.blocks.verify, "verify checksums"), &step, &mut state)
            .and_then(|_| self.control(around, (self.blocks.ingress, "ingress"), &step, &mut state))
        {
            Ok(signals) => signals,
            Err(fault) => return fates.push(dropped(DropPlace::Ingress, reason(fault), id)),
        };
        let frame =
            Frame { id, bytes, parsed, state, length, truncate: None, recirculate: None, generation: 0 };
        self.after_ingress(around, (port, &preserved), frame, signals, fates);
    }

    fn egress(&self, around: &mut Surroundings<'_>, departure: Departure, fates: &mut Vec<Fate>) {
        let layout = around.executor.layout();
        let fields = &self.fields;
        let Departure { mut frame, port, enqueued, enq_depth, dequeued, deq_depth } = departure;
        let state = &mut frame.state;
        set(layout, state, fields.egress_port, u64::from(port));
        // Anything but the drop port; simple_switch writes drop port + 1, of which 9 bits are 0 for the usual 511.
        set(layout, state, fields.egress_spec, u64::from(around.config.drop_port) + 1);
        set(layout, state, fields.packet_length, frame.length as u64);
        set(layout, state, fields.egress_global_timestamp, micros(around.now));
        set(layout, state, fields.enq_timestamp, micros(enqueued));
        set(layout, state, fields.enq_qdepth, enq_depth as u64);
        set(layout, state, fields.deq_timedelta, micros(dequeued - enqueued));
        set(layout, state, fields.deq_qdepth, deq_depth as u64);

        let id = frame.id;
        let step = Step { id, length: frame.length, bytes: Bytes::Slice(&frame.bytes), parsed: frame.parsed };
        let signals = match self.control(around, (self.blocks.egress, "egress"), &step, state) {
            Ok(signals) => signals,
            Err(fault) => return fates.push(dropped(DropPlace::Egress, reason(fault), id)),
        };
        self.after_egress(around, port, frame, signals, fates);
    }

    fn pipeline(&self, program: &Program, config: &SwitchConfig, extent: Extent) -> Option<Pipeline> {
        self.plan(program, config, extent)
    }

    fn late_part_is_alone(&self, program: &Program) -> bool {
        self.looks_at_nothing_late(program)
    }

    fn forward(
        &self,
        around: &mut Surroundings<'_>,
        straight: &mut Straight,
        buffers: &mut [Buffer],
        fates: &mut Vec<Fate>,
    ) -> usize {
        self.run(around, straight, buffers, fates)
    }
}

impl V1Path {
    /// What the parser finds of a packet whose pass begins now.
    fn beginning(
        &self,
        around: &Surroundings<'_>,
        preserved: &[(VarId, Bits)],
        port: Port,
        instance: Instance,
        length: usize,
    ) -> State {
        let (layout, fields) = (around.executor.layout(), &self.fields);
        let mut state = layout.state();
        for (var, value) in preserved {
            layout.set(&mut state, *var, value);
        }
        set(layout, &mut state, fields.ingress_port, u64::from(port));
        set(layout, &mut state, fields.instance_type, instance as u64);
        set(layout, &mut state, fields.packet_length, length as u64);
        set(layout, &mut state, fields.ingress_global_timestamp, micros(around.now));
        state
    }

    /// What becomes of a packet at the end of ingress, which came from `port` with the `preserved` metadata.
    pub(super) fn after_ingress(
        &self,
        around: &mut Surroundings<'_>,
        (port, preserved): (Port, &[(VarId, Bits)]),
        mut frame: Frame,
        signals: Signals,
        fates: &mut Vec<Fate>,
    ) {
        let layout = around.executor.layout();
        let fields = &self.fields;
        let id = frame.id;
        if let Some((session, keep)) = &signals.clone {
            self.clone_of_ingress(around, (*session, keep), (port, preserved), &frame, fates);
        }
        if let Some(keep) = &signals.resubmit {
            return fates.push(Fate::Again(Arrival {
                preserved: fields.preserve(keep, layout, &frame.state),
                id,
                bytes: frame.bytes,
                origin: Origin::Resubmitted(port),
            }));
        }
        (frame.truncate, frame.recirculate) = (signals.truncate, signals.recirculate);
        let group = get(layout, &frame.state, fields.mcast_grp) as u16;
        if group != 0 {
            let frame = Frame { recirculate: None, ..frame };
            return self.replicate(around, group, frame, Instance::Replicated, DropPlace::Ingress, fates);
        }
        let egress_spec = get(layout, &frame.state, fields.egress_spec) as Port;
        if egress_spec == around.config.drop_port {
            return fates.push(dropped(DropPlace::Ingress, DropReason::DropPort, id));
        }
        set(layout, &mut frame.state, fields.instance_type, Instance::Normal as u64);
        fates.push(self.queue(layout, around.config, egress_spec, frame));
    }

    /// What becomes of a packet at the end of egress, on its way to `port`.
    pub(super) fn after_egress(
        &self,
        around: &mut Surroundings<'_>,
        port: Port,
        mut frame: Frame,
        signals: Signals,
        fates: &mut Vec<Fate>,
    ) {
        let layout = around.executor.layout();
        let fields = &self.fields;
        let id = frame.id;
        frame.truncate = [signals.truncate, frame.truncate].into_iter().flatten().min();
        if let Some((session, keep)) = &signals.clone {
            self.clone_of_egress(around, *session, keep, &frame, fates);
        }
        if get(layout, &frame.state, fields.egress_spec) as Port == around.config.drop_port {
            return fates.push(dropped(DropPlace::Egress, DropReason::DropPort, id));
        }
        let mut bytes = Vec::with_capacity(frame.bytes.len() + 64);
        if let Err(fault) = self.deparse(around, &mut frame, &mut bytes) {
            return fates.push(dropped(DropPlace::Egress, reason(fault), id));
        }
        fates.push(match signals.recirculate.as_ref().or(frame.recirculate.as_ref()) {
            Some(keep) => Fate::Again(Arrival {
                id,
                bytes,
                origin: Origin::Recirculated,
                preserved: fields.preserve(keep, layout, &frame.state),
            }),
            None => Fate::Transmit { port, id, bytes },
        });
    }

    fn begin(around: &mut Surroundings<'_>, id: Id, block: &'static str) {
        around.trace.record(around.now, id, || StepKind::Block(block));
    }

    pub(super) fn env<'a, 'b>(&'a self, around: &'a mut Surroundings<'b>, step: &Step<'a>) -> V1Env<'a, 'b> {
        V1Env {
            around,
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
        around: &mut Surroundings<'_>,
        id: Id,
        bytes: &[u8],
        state: &mut State,
    ) -> Result<usize, Fault> {
        let executor = around.executor;
        let step = Step { id, length: bytes.len(), bytes: Bytes::Slice(bytes), parsed: bytes.len() };
        Self::begin(around, id, "parser");
        let parsed = executor.parse(self.blocks.parser, bytes, state, &mut self.env(around, &step));
        around.runtime.turn.end();
        if let Some(fault) = parsed.fault {
            return Err(fault);
        }
        if let (Some(var), true) = (self.fields.parser_error, parsed.error != 0) {
            let layout = executor.layout();
            let old = layout.get(state, var);
            layout.set_u64(state, var, u64::from(parsed.error));
            let new = layout.get(state, var);
            around.trace.record(around.now, id, || assigned(executor.program(), var, &old, &new));
        }
        Ok(parsed.consumed.min(bytes.len()))
    }

    /// Runs a control other than the deparser.
    fn control(
        &self,
        around: &mut Surroundings<'_>,
        (control, name): (ControlId, &'static str),
        step: &Step<'_>,
        state: &mut State,
    ) -> Result<Signals, Fault> {
        let executor = around.executor;
        Self::begin(around, step.id, name);
        let mut env = self.env(around, step);
        let ended = executor.control(control, state, &mut Vec::new(), &mut env);
        let signals = env.signals;
        around.runtime.turn.end();
        ended.map(|()| signals)
    }

    /// Updates the checksums and writes headers and payload.
    fn deparse(
        &self,
        around: &mut Surroundings<'_>,
        frame: &mut Frame,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let Frame { id, ref bytes, parsed, length, .. } = *frame;
        let step = Step { id, length, bytes: Bytes::Slice(bytes), parsed };
        self.control(around, (self.blocks.update, "update checksums"), &step, &mut frame.state)?;
        self.emit(around, frame, out)
    }

    /// Writes headers and payload.
    pub(super) fn emit(
        &self,
        around: &mut Surroundings<'_>,
        frame: &mut Frame,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let Frame { id, ref bytes, parsed, length, .. } = *frame;
        let step = Step { id, length, bytes: Bytes::Slice(bytes), parsed };
        let executor = around.executor;
        Self::begin(around, id, "deparser");
        let mut env = self.env(around, &step);
        let ended = executor.control(self.blocks.deparser, &mut frame.state, out, &mut env);
        around.runtime.turn.end();
        ended?;
        out.extend_from_slice(&bytes[parsed..]);
        out.truncate(frame.truncate.unwrap_or(usize::MAX));
        Ok(())
    }

    fn queue(&self, layout: &Layout, config: &SwitchConfig, port: Port, frame: Frame) -> Fate {
        let priority = get(layout, &frame.state, self.fields.priority) as usize;
        // With a single queue, the priority does not matter.
        let priority = if config.priorities > 1 { priority } else { 0 };
        Fate::Queue { port, priority, frame: Box::new(frame) }
    }

    /// A copy for each member of the group, or a drop if there is none.
    fn replicate(
        &self,
        around: &mut Surroundings<'_>,
        group: u16,
        mut frame: Frame,
        instance: Instance,
        place: DropPlace,
        fates: &mut Vec<Fate>,
    ) {
        let layout = around.executor.layout();
        let Some((last, others)) =
            around.runtime.groups.get(&group).and_then(|replicas| replicas.split_last())
        else {
            return fates.push(dropped(place, DropReason::EmptyGroup, frame.id));
        };
        let (original, copies) = (frame.id, others.len() + 1);
        around.trace.record(around.now, original, || StepKind::Multicast { group, copies });
        set(layout, &mut frame.state, self.fields.instance_type, instance as u64);
        let mut send = |mut copy: Frame, replica: &Replica| {
            let how = CopyKind::Replica { port: replica.port, rid: replica.rid };
            copy.id = around.trace.copied(around.now, original, how);
            set(layout, &mut copy.state, self.fields.egress_rid, u64::from(replica.rid));
            fates.push(self.queue(layout, around.config, replica.port, copy));
        };
        for replica in others {
            send(frame.clone(), replica);
        }
        send(frame, last);
    }

    /// Sends a clone to the destinations of its session; without a session there is no clone.
    fn send_clone(
        &self,
        around: &mut Surroundings<'_>,
        session: u32,
        mut frame: Frame,
        instance: Instance,
        place: DropPlace,
        fates: &mut Vec<Fate>,
    ) {
        let number = session;
        let Some(session) = around.runtime.sessions.get(&number).copied() else { return };
        frame.truncate = session.truncate;
        let layout = around.executor.layout();
        set(layout, &mut frame.state, self.fields.instance_type, instance as u64);
        match (session.group, session.port) {
            (Some(group), None) => self.replicate(around, group, frame, instance, place, fates),
            (Some(group), Some(port)) => {
                let how = match instance {
                    Instance::IngressClone => CopyKind::IngressClone { session: number },
                    _ => CopyKind::EgressClone { session: number },
                };
                let id = around.trace.copied(around.now, frame.id, how);
                self.replicate(around, group, Frame { id, ..frame.clone() }, instance, place, fates);
                fates.push(self.queue(layout, around.config, port, frame));
            }
            (None, Some(port)) => fates.push(self.queue(layout, around.config, port, frame)),
            (None, None) => {}
        }
    }

    /// The packet as it came into the pass, parsed again, with nothing but the field list's metadata. The parser finds what it found
    /// of the original but for `instance_type`.
    fn clone_of_ingress(
        &self,
        around: &mut Surroundings<'_>,
        (session, keep): (u32, &Keep),
        (port, preserved): (Port, &[(VarId, Bits)]),
        original: &Frame,
        fates: &mut Vec<Fate>,
    ) {
        let bytes = &original.bytes;
        if !around.runtime.sessions.contains_key(&session) {
            return around.trace.record(around.now, original.id, || StepKind::NotCloned { session });
        }
        let id = around.trace.copied(around.now, original.id, CopyKind::IngressClone { session });
        let layout = around.executor.layout();
        let mut state = self.beginning(around, preserved, port, Instance::IngressClone, bytes.len());
        let parsed = match self.parse(around, id, bytes, &mut state) {
            Ok(parsed) => parsed,
            Err(fault) => return fates.push(dropped(DropPlace::Parser, reason(fault), id)),
        };
        self.fields.reset(layout, &mut state);
        for (var, value) in self.fields.preserve(keep, layout, &original.state) {
            layout.set(&mut state, var, &value);
        }
        let frame = Frame {
            id,
            bytes: bytes.clone(),
            parsed,
            state,
            length: bytes.len(),
            truncate: None,
            recirculate: None,
            generation: 0,
        };
        self.send_clone(around, session, frame, Instance::IngressClone, DropPlace::Ingress, fates);
    }

    /// The packet as egress left it, with nothing but the field list's metadata.
    fn clone_of_egress(
        &self,
        around: &mut Surroundings<'_>,
        session: u32,
        keep: &Keep,
        original: &Frame,
        fates: &mut Vec<Fate>,
    ) {
        if !around.runtime.sessions.contains_key(&session) {
            return around.trace.record(around.now, original.id, || StepKind::NotCloned { session });
        }
        let id = around.trace.copied(around.now, original.id, CopyKind::EgressClone { session });
        if original.generation >= MOST_GENERATIONS {
            return fates.push(dropped(DropPlace::Egress, DropReason::CloneLimit, id));
        }
        let layout = around.executor.layout();
        let preserved = self.fields.preserve(keep, layout, &original.state);
        let mut frame = Frame {
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
        self.send_clone(around, session, frame, Instance::EgressClone, DropPlace::Egress, fates);
    }
}

pub(super) fn dropped(place: DropPlace, reason: DropReason, id: Id) -> Fate {
    Fate::Drop { place, reason, id }
}

pub(super) fn reason(fault: Fault) -> DropReason {
    match fault {
        Fault::LoopLimit => DropReason::LoopLimit,
        Fault::AssertionFailed => DropReason::AssertionFailed,
    }
}
