//! Copies of packets: members of multicast groups, and clones.

use smallvec::SmallVec;
use weir_device::Port;
use weir_ir::{State, VarId};

use super::slow::{PassStart, Walk, drop_verdict};
use super::{CloneOf, CopyTo, Deferred, Fate, PacketKind, PacketPath, PathContext, Rule, Step, reason};
use crate::packet::{Keep, PacketId, PipelinePacket, Verdict};
use crate::state::CopyChoice;
use crate::stats::{DropPlace, DropReason};
use crate::trace::{CopyKind, StepKind};

/// The maximum length of a chain of egress clones at one point in time. Egress clones take no time,
/// so an endless chain would stop the clock.
const MAX_GENERATIONS: u32 = 64;

impl PacketPath {
    /// Puts a packet into the queue of a port.
    pub(super) fn queue(&self, context: &PathContext<'_>, port: Port, packet: PipelinePacket) -> Verdict {
        // With a single queue, the priority does not matter.
        let priority = if context.config.priorities > 1 { packet.priority } else { 0 };
        Verdict::Queue { port, priority, packet: Box::new(packet) }
    }

    /// Returns the priority of a packet at the end of ingress.
    pub(super) fn priority(&self, context: &PathContext<'_>, state: &State) -> usize {
        let layout = context.executor.layout();
        let priority = self.queue_priority().map_or(0, |var| layout.get_u64(state, var) as usize);
        let lowers = self.metadata.lowers_priorities && context.config.priorities > 1;
        if lowers && priority >= context.config.priorities { 0 } else { priority }
    }

    /// Returns whether packets are deparsed before they enter queues. Egress, if there is one,
    /// parses them again.
    pub(crate) fn deparses_before_queues(&self) -> bool {
        self.steps[..self.first_of_egress].iter().any(|step| matches!(step, Step::Deparse { .. }))
    }

    /// Returns the variable that selects the priority queue of a packet.
    pub(super) fn queue_priority(&self) -> Option<VarId> {
        self.steps.iter().find_map(|step| match step {
            Step::Decide(Rule { fate: Fate::Unicast { priority, .. }, .. }) => *priority,
            _ => None,
        })
    }

    /// Copies the packet for the members of the group that it wants. Drops the packet if there are
    /// none.
    pub(super) fn replicate(
        &self,
        context: &mut PathContext<'_>,
        (group, choice): (u16, CopyChoice),
        packet: PipelinePacket,
        (kind, place): (PacketKind, DropPlace),
        verdicts: &mut Vec<Verdict>,
    ) {
        let to = context.control.settings.destinations(group, choice);
        if to.is_empty() {
            context.thread.keep_dropped(place, DropReason::EmptyGroup, &packet.bytes);
            return verdicts.push(drop_verdict(place, DropReason::EmptyGroup, packet.id));
        }
        self.send_copies(context, (group, &to), packet, kind, verdicts);
    }

    /// Copies the packet of a group for these ports and replication ids.
    fn send_copies(
        &self,
        context: &mut PathContext<'_>,
        (group, to): (u16, &[(Port, u16)]),
        mut packet: PipelinePacket,
        kind: PacketKind,
        verdicts: &mut Vec<Verdict>,
    ) {
        let Some((last, others)) = to.split_last() else { return };
        let layout = context.executor.layout();
        let (original, copies) = (packet.id, to.len());
        context.trace.record(context.now, original, || StepKind::Multicast { group, copies });
        self.metadata.set_kind(layout, &mut packet.state, kind);
        let mut send = |mut copy: PipelinePacket, (port, rid): (Port, u16)| {
            copy.id = context.trace.copied(context.now, original, CopyKind::Replica { port, rid });
            copy.instance = rid;
            self.metadata.set_replication_id(layout, &mut copy.state, rid);
            verdicts.push(self.queue(context, port, copy));
        };
        for to in others {
            send(packet.clone(), *to);
        }
        send(packet, *last);
    }

    /// Puts copies of a packet into queues, for [`Fate::Copy`]. Returns whether there is a copy.
    pub(super) fn copy(
        &self,
        context: &mut PathContext<'_>,
        to: CopyTo,
        walk: &Walk<'_>,
        verdicts: &mut Vec<Verdict>,
    ) -> bool {
        let layout = context.executor.layout();
        let original = &walk.packet;
        let mut copy = PipelinePacket { recirculate: None, ..original.clone() };
        copy.priority = self.priority(context, &original.state);
        copy.deflection = self.metadata.deflection(layout, &original.state);
        let copy = self.for_egress(layout, copy, walk.out.clone(), PacketKind::Replicated);
        match to {
            CopyTo::Cpu(port) => {
                let port = context.control.settings.replication.cpu_port.unwrap_or(port);
                let kind = CopyKind::Replica { port, rid: 0 };
                let id = context.trace.copied(context.now, original.id, kind);
                verdicts.push(self.queue(context, port, PipelinePacket { id, ..copy }));
                true
            }
            CopyTo::Group(group) => {
                let group = u16::try_from(layout.get_u64(&original.state, group)).unwrap_or(0);
                let choice = self.metadata.copy_choice(layout, &original.state);
                let to = context.control.settings.destinations(group, choice);
                self.send_copies(context, (group, &to), copy, PacketKind::Replicated, verdicts);
                !to.is_empty()
            }
        }
    }

    /// Sends a clone to the destinations of its session. Does nothing if the session does not
    /// exist.
    fn send_clone(
        &self,
        context: &mut PathContext<'_>,
        number: u32,
        mut clone: PipelinePacket,
        (kind, place): (PacketKind, DropPlace),
        verdicts: &mut Vec<Verdict>,
    ) {
        let control = context.control;
        let Some(session) = control.settings.sessions.get(&number) else { return };
        let layout = context.executor.layout();
        clone.kind = kind;
        if self.deparses_before_queues() {
            clone.bytes.truncate(session.truncate.unwrap_or(usize::MAX));
            (clone.length, clone.priority) = (clone.bytes.len(), session.priority.unwrap_or(0));
        } else {
            clone.truncate = session.truncate;
            self.metadata.set_kind(layout, &mut clone.state, kind);
            if let (Some(var), Some(priority)) = (self.queue_priority(), session.priority) {
                let width = context.executor.program().vars[var].ty.width().min(32);
                layout.set_u64(&mut clone.state, var, priority.min((1 << width) - 1) as u64);
            }
            clone.priority = self.priority(context, &clone.state);
        }
        let to_port = session.port.map(|port| (port, None));
        let to_replicas = session.replicas.iter().map(|one| {
            let (port, rid) = one.destination(&control.settings.down_ports);
            (port, Some(rid))
        });
        let ports: SmallVec<[_; 4]> = to_port.into_iter().chain(to_replicas).collect();
        let another = |context: &mut PathContext<'_>, clone: &PipelinePacket| {
            let id = context.trace.copied(context.now, clone.id, clone_kind(kind, number));
            PipelinePacket { id, ..clone.clone() }
        };
        if let Some(group) = session.group {
            if ports.is_empty() {
                return self.replicate(context, (group, session.choice), clone, (kind, place), verdicts);
            }
            let copy = another(context, &clone);
            self.replicate(context, (group, session.choice), copy, (kind, place), verdicts);
        }
        let mut send = |context: &PathContext<'_>, mut clone: PipelinePacket, (port, rid)| {
            if let Some(rid) = rid {
                clone.instance = rid;
                self.metadata.set_replication_id(layout, &mut clone.state, rid);
            }
            verdicts.push(self.queue(context, port, clone));
        };
        let Some((last, others)) = ports.split_last() else { return };
        for to in others {
            let copy = another(context, &clone);
            send(context, copy, *to);
        }
        send(context, clone, *last);
    }

    /// Creates the identity of a new clone; returns `None` if there is no such session.
    fn clone_id(
        &self,
        context: &mut PathContext<'_>,
        session: u32,
        original: PacketId,
        kind: PacketKind,
    ) -> Option<PacketId> {
        if !context.control.settings.sessions.contains_key(&session) {
            context.trace.record(context.now, original, || StepKind::NotCloned { session });
            return None;
        }
        Some(context.trace.copied(context.now, original, clone_kind(kind, session)))
    }

    /// Clones the bytes of a packet, and puts headers before them. If egress parses the clone
    /// again, it has of the metadata only what clones carry.
    pub(super) fn clone_to_parser(
        &self,
        context: &mut PathContext<'_>,
        session: u32,
        (of, headers): (CloneOf, Vec<u8>),
        walk: &Walk<'_>,
        verdicts: &mut Vec<Verdict>,
    ) {
        let original = &walk.packet;
        let (kind, place) = match of {
            CloneOf::Original => (PacketKind::IngressClone, DropPlace::Ingress),
            CloneOf::Current => (PacketKind::EgressClone, DropPlace::Egress),
        };
        let Some(id) = self.clone_id(context, session, original.id, kind) else { return };
        let state = self.carried_state(context.executor.layout(), kind, &original.state);
        let clone = match of {
            CloneOf::Original => {
                let bytes = [&headers, &original.bytes[walk.prefix..]].concat();
                PipelinePacket::new(id, original.offload, bytes, state)
            }
            CloneOf::Current => {
                let bytes =
                    [&headers, walk.out.as_ref().unwrap_or(&original.bytes)].map(Vec::as_slice).concat();
                let clone = PipelinePacket::new(id, original.offload, bytes, state);
                match self.next_generation(context, session, original) {
                    Some((generation, clone_budget)) => PipelinePacket { generation, clone_budget, ..clone },
                    None => return verdicts.push(drop_verdict(place, DropReason::CloneLimit, id)),
                }
            }
        };
        self.send_clone(context, session, clone, (kind, place), verdicts);
    }

    /// Returns the generation of an egress clone, and the number of clones that may descend from
    /// it; `None` if there are too many.
    fn next_generation(
        &self,
        context: &PathContext<'_>,
        session: u32,
        original: &PipelinePacket,
    ) -> Option<(u32, u32)> {
        if original.generation >= MAX_GENERATIONS || original.clone_budget == 0 {
            return None;
        }
        let budget = original.clone_budget / context.control.settings.clone_count(session).max(1);
        Some((original.generation + 1, budget))
    }

    /// Clones the packet in the state at the start of the pass. The clone is parsed again. Of the
    /// metadata, it keeps only the fields of the list. The parser gets the same metadata as for the
    /// original, except for the kind.
    pub(super) fn clone_ingress(
        &self,
        context: &mut PathContext<'_>,
        (session, keep): (u32, &Keep),
        walk: &Walk<'_>,
        verdicts: &mut Vec<Verdict>,
    ) {
        let (original, kind) = (&walk.packet, PacketKind::IngressClone);
        let Some(id) = self.clone_id(context, session, original.id, kind) else { return };
        let layout = context.executor.layout();
        let start = PassStart { kind, ..walk.start };
        let bytes = original.bytes.clone();
        let mut state = self.initial_state(context, start, bytes.len());
        let mut parsed = 0;
        if let Some(Step::Parse { parser, error }) = self.steps.first() {
            let deferred = &mut Deferred::default();
            match self.parse(context, (*parser, *error), id, &bytes, &mut state, deferred) {
                Ok(consumed) => parsed = consumed,
                Err(fault) => return verdicts.push(drop_verdict(DropPlace::Parser, reason(fault), id)),
            }
        }
        self.metadata.reset(layout, &mut state);
        for (var, value) in self.metadata.preserved_fields(keep, layout, &original.state) {
            layout.set(&mut state, var, &value);
        }
        let clone = PipelinePacket { parsed, ..PipelinePacket::new(id, original.offload, bytes, state) };
        self.send_clone(context, session, clone, (kind, DropPlace::Ingress), verdicts);
    }

    /// Clones the packet in the state after egress. Of the metadata, the clone keeps only the
    /// fields of the list.
    pub(super) fn clone_egress(
        &self,
        context: &mut PathContext<'_>,
        (session, keep): (u32, &Keep),
        original: &PipelinePacket,
        verdicts: &mut Vec<Verdict>,
    ) {
        let kind = PacketKind::EgressClone;
        let Some(id) = self.clone_id(context, session, original.id, kind) else { return };
        let Some((generation, clone_budget)) = self.next_generation(context, session, original) else {
            return verdicts.push(drop_verdict(DropPlace::Egress, DropReason::CloneLimit, id));
        };
        let layout = context.executor.layout();
        let preserved = self.metadata.preserved_fields(keep, layout, &original.state);
        let mut clone = PipelinePacket {
            id,
            generation,
            clone_budget,
            recirculate: None,
            truncate: None,
            ..original.clone()
        };
        self.metadata.reset(layout, &mut clone.state);
        for (var, value) in preserved {
            layout.set(&mut clone.state, var, &value);
        }
        self.send_clone(context, session, clone, (kind, DropPlace::Egress), verdicts);
    }
}

fn clone_kind(kind: PacketKind, session: u32) -> CopyKind {
    match kind {
        PacketKind::IngressClone => CopyKind::IngressClone { session },
        _ => CopyKind::EgressClone { session },
    }
}
