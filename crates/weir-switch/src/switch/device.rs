//! Implements [`Device`] for the switch.

use std::collections::VecDeque;

use weir_device::{
    Buffer, Device, Drop, FailedLookups, Nanos, Packet, PacketAccount, Port, ReceiveOutcome, Transmission,
};

use super::{Event, Switch};
use crate::arch;
use crate::externs::profile::Outcome;
use crate::packet::{Arrival, Origin, PacketId};
use crate::state::Subscriptions;
use crate::stats::{DropPlace, DropReason};
use crate::tables::OwnedTable;
use crate::trace::StepKind;

impl Device for Switch {
    fn receive(&mut self, now: Nanos, port: Port, packet: Packet) {
        self.receive_from(now, now, port, packet);
    }

    fn receive_in_place(&mut self, now: Nanos, port: Port, frame: &mut Buffer<'_>) -> ReceiveOutcome {
        self.receive_fast(now, port, frame).unwrap_or_else(|| {
            self.receive(now, port, frame.to_packet());
            ReceiveOutcome::Held
        })
    }

    fn next_deadline(&self) -> Option<Nanos> {
        let own = [self.state.idle.next_time(), self.state.generators.next_time()];
        own.into_iter().chain([self.events.next_time()]).flatten().min()
    }

    fn advance(&mut self, now: Nanos, out: &mut Vec<Transmission>) {
        self.now = self.now.max(now);
        self.collect_reports();
        self.run_events(now, out);
        self.update_workers();
    }

    fn set_port_up(&mut self, now: Nanos, port: Port, up: bool) {
        self.now = self.now.max(now);
        if !up && !self.state.settings.down_ports.contains(&port) {
            self.state.generators.port_down(now, port);
        }
        self.state.set_port_up(port, up);
    }

    fn take_drops(&mut self) -> Vec<Drop> {
        self.recorded_drops.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn record_drops(&mut self, on: bool) {
        self.recorded_drops = on.then(|| self.recorded_drops.take().unwrap_or_default());
        self.update_workers();
    }

    fn queue_lengths(&self, port: Port) -> Vec<usize> {
        let priorities = 0..self.queues.settings.priorities;
        priorities.map(|priority| self.queues.waiting(port, priority)).collect()
    }

    fn wait_to_repeat(&mut self, on: bool) {
        let waiting = std::mem::replace(&mut self.repeats, on.then(VecDeque::new));
        for arrival in waiting.into_iter().flatten() {
            self.wait_for_pass(self.now, arrival);
        }
    }

    fn repeats_waiting(&self) -> usize {
        self.repeats.as_ref().map_or(0, VecDeque::len)
    }

    fn start_next_pass(&mut self, now: Nanos) {
        self.now = self.now.max(now);
        if let Some(arrival) = self.repeats.as_mut().and_then(VecDeque::pop_front) {
            self.wait_for_pass(now, arrival);
        }
    }

    fn has_messages(&self) -> bool {
        let Subscriptions { digests, log, idle } = self.subscriptions;
        let waiting = [&self.state.messages, &self.runner.thread.messages];
        digests && waiting.iter().any(|messages| !messages.digests.is_empty())
            || log && waiting.iter().any(|messages| !messages.log.is_empty())
            || idle && !self.state.idle.notices.is_empty()
    }

    /// Returns false if there are own externs, whose code belongs to the user, or a reader who
    /// wants messages at once.
    fn is_self_contained(&self) -> bool {
        self.runner.config.own_externs.is_empty() && self.subscriptions == Subscriptions::default()
    }

    /// Returns the first packet that waits for a pass, or otherwise a packet between ingress and
    /// egress.
    fn waiting_frame(&self) -> Option<&[u8]> {
        let decided = || {
            self.events.iter().find_map(|event| match event {
                Event::Arrived(verdict) => verdict.bytes(),
                Event::Pass | Event::Wake(_) => None,
            })
        };
        let repeated = || self.repeats.as_ref().and_then(VecDeque::front);
        let first = self.input.front().map(|(_, arrival)| arrival).or_else(repeated);
        first.map(|arrival| arrival.bytes.as_slice()).or_else(decided)
    }

    fn in_flight(&self) -> usize {
        self.runner.stats.in_flight as usize
    }

    fn account(&self) -> PacketAccount {
        PacketAccount {
            received: self.runner.stats.received,
            created: self.runner.stats.copied,
            transmitted: self.runner.stats.transmitted,
            dropped: self.runner.stats.dropped(),
            in_flight: self.runner.stats.in_flight,
            repeated: self.runner.stats.recirculated + self.runner.stats.resubmitted,
        }
    }

    fn drop_counts(&self) -> Vec<(String, String, u64)> {
        let drops = self.runner.stats.drops.iter();
        drops.map(|((place, reason), count)| (place.to_string(), reason.to_string(), *count)).collect()
    }

    fn dropped_frames(&self) -> Vec<(String, String, Vec<u8>)> {
        let frames = self.runner.thread.dropped_frames.iter();
        frames
            .map(|((place, reason), frame)| (place.to_string(), reason.to_string(), frame.clone()))
            .collect()
    }

    /// Returns the misses of tables on the owner's thread. Tables without a key are left out,
    /// because lookups in them always miss.
    fn failed_lookups(&self) -> Vec<FailedLookups> {
        let tables = self.program().tables.iter().filter(|(_, table)| !table.keys.is_empty());
        let in_egress = arch::egress_tables(self.program());
        let misses = tables.filter_map(|(id, table)| {
            let (owned, scratch) = (&self.state.tables[id.index()], &self.runner.thread.tables[id.index()]);
            let count = owned.misses + scratch.misses;
            (count > 0).then(|| FailedLookups {
                place: table.name.clone(),
                part: if in_egress.contains(&id) { "egress" } else { "ingress" },
                count,
                size: owned.entries.len(),
                then: self.default_name(owned),
            })
        });
        misses.collect()
    }
}

impl Switch {
    /// Returns the name of a table's default action, or `None` if the action does nothing.
    fn default_name(&self, table: &OwnedTable) -> Option<String> {
        let Outcome::Call(call) = table.default() else { return Some("an action profile".to_owned()) };
        let action = &self.program().actions[call.action];
        (!action.body.0.is_empty()).then(|| action.control_plane.as_ref().unwrap_or(&action.name).clone())
    }
}

impl Switch {
    /// Receives, at the time `now`, a packet that arrived at the port at the time `arrived`.
    /// Ingress sees the time `arrived`.
    pub(super) fn receive_from(&mut self, arrived: Nanos, now: Nanos, port: Port, packet: Packet) {
        self.now = self.now.max(now);
        self.runner.stats.received += 1;
        self.runner.stats.in_flight += 1;
        let Packet { bytes, id, offload } = packet;
        let id = PacketId { packet: id, copy: self.runner.trace.received() };
        self.runner.trace.record(now, id, || StepKind::Received { port, bytes: bytes.clone() });
        if !self.runner.config.ports.contains(&port) {
            return self.drop_packet(now, DropPlace::Port(port), DropReason::NoSuchPort, id);
        }
        let port_stats = self.runner.stats.ports.entry(port);
        port_stats.packets_in += 1;
        port_stats.bytes_in += bytes.len() as u64;
        if !self.has_program {
            return self.drop_packet(now, DropPlace::Input, DropReason::NoProgram, id);
        }
        let origin = Origin::Port { port, received: arrived };
        self.wait_for_pass(now, Arrival { id, offload, bytes, origin, preserved: Vec::new() });
    }
}
