//! Copies of packets: members of multicast groups, and clones.

use smallvec::SmallVec;
use weir_device::Port;
use weir_ir::VarId;

use super::slow::{PassStart, Walk, drop_verdict};
use super::{Deferred, Fate, PacketKind, PacketPath, PathContext, Rule, Step, reason};
use crate::packet::{Keep, PacketId, PipelinePacket, Verdict};
use crate::state::Replica;
use crate::stats::{DropPlace, DropReason};
use crate::trace::{CopyKind, StepKind};

/// The maximum length of a chain of egress clones at one point in time. Egress clones take no time,
/// so an endless chain would stop the clock.
const MAX_GENERATIONS: u32 = 64;

impl PacketPath {
    /// Puts a packet into the queue of a port.
    pub(super) fn queue(&self, context: &PathContext<'_>, port: Port, packet: PipelinePacket) -> Verdict {
        let layout = context.executor.layout();
        // With a single queue, the priority does not matter.
        let priority = self.queue_priority().filter(|_| context.config.priorities > 1);
        let priority = priority.map_or(0, |var| layout.get_u64(&packet.state, var) as usize);
        Verdict::Queue { port, priority, packet: Box::new(packet) }
    }

    /// The variable that selects the priority queue of a packet.
    fn queue_priority(&self) -> Option<VarId> {
        self.steps.iter().find_map(|step| match step {
            Step::Decide(Rule { fate: Fate::Unicast { priority, .. }, .. }) => *priority,
            _ => None,
        })
    }

    /// Copies the packet for each member of the group. Drops the packet if the group has no
    /// members.
    pub(super) fn replicate(
        &self,
        context: &mut PathContext<'_>,
        group: u16,
        mut packet: PipelinePacket,
        (kind, place): (PacketKind, DropPlace),
        verdicts: &mut Vec<Verdict>,
    ) {
        let layout = context.executor.layout();
        let members = context.control.settings.groups.get(&group);
        let Some((last, others)) = members.and_then(|members| members.split_last()) else {
            context.thread.keep_dropped(place, DropReason::EmptyGroup, &packet.bytes);
            return verdicts.push(drop_verdict(place, DropReason::EmptyGroup, packet.id));
        };
        let (original, copies) = (packet.id, others.len() + 1);
        context.trace.record(context.now, original, || StepKind::Multicast { group, copies });
        self.metadata.set_kind(layout, &mut packet.state, kind);
        let down = &*context.control.settings.down_ports;
        let mut send = |mut copy: PipelinePacket, replica: &Replica| {
            let (port, rid) = replica.destination(down);
            copy.id = context.trace.copied(context.now, original, CopyKind::Replica { port, rid });
            self.metadata.set_replication_id(layout, &mut copy.state, rid);
            verdicts.push(self.queue(context, port, copy));
        };
        for replica in others {
            send(packet.clone(), replica);
        }
        send(packet, last);
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
        clone.truncate = session.truncate;
        let layout = context.executor.layout();
        self.metadata.set_kind(layout, &mut clone.state, kind);
        if let (Some(var), Some(priority)) = (self.queue_priority(), session.priority) {
            let width = context.executor.program().vars[var].ty.width().min(32);
            layout.set_u64(&mut clone.state, var, priority.min((1 << width) - 1) as u64);
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
                return self.replicate(context, group, clone, (kind, place), verdicts);
            }
            let copy = another(context, &clone);
            self.replicate(context, group, copy, (kind, place), verdicts);
        }
        let mut send = |context: &PathContext<'_>, mut clone: PipelinePacket, (port, rid)| {
            if let Some(rid) = rid {
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

    /// The identity of a new clone; `None` if there is no such session.
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
        if original.generation >= MAX_GENERATIONS || original.clone_budget == 0 {
            return verdicts.push(drop_verdict(DropPlace::Egress, DropReason::CloneLimit, id));
        }
        let layout = context.executor.layout();
        let preserved = self.metadata.preserved_fields(keep, layout, &original.state);
        let mut clone = PipelinePacket {
            id,
            generation: original.generation + 1,
            clone_budget: original.clone_budget / context.control.settings.clone_count(session).max(1),
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
