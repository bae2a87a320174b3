//! Runs the slow path, on which events drive the input queue, passes, egress queues and ports.

use weir_device::{Drop, Nanos, Packet, Port, Transmission};

use super::{Event, Switch};
use crate::generators::GeneratedPacket;
use crate::packet::{Arrival, Deflection, Origin, PacketId, Verdict};
use crate::stats::{DropPlace, DropReason};
use crate::trace::StepKind;
use crate::traffic_manager::LostPacket;

/// The id of packets that generators make.
const GENERATED: u64 = u64::MAX;

impl Switch {
    pub(super) fn drop_packet(&mut self, time: Nanos, place: DropPlace, reason: DropReason, id: PacketId) {
        self.runner.trace.record(time, id, || StepKind::Dropped { place, reason });
        self.runner.stats.record_drops(place, reason, 1);
        self.runner.stats.in_flight -= 1;
        if let Some(drops) = &mut self.recorded_drops {
            let (place, reason) = (place.to_string(), reason.to_string());
            drops.push(Drop { time, place, reason, packet: id.packet });
        }
    }

    /// Drops the packets that the disciplines of queues have dropped.
    #[inline]
    fn drop_lost(&mut self, now: Nanos) {
        for LostPacket { port, id, reason } in self.queues.take_lost() {
            self.drop_packet(now, DropPlace::Queue(port), reason, id);
        }
    }

    /// Puts a packet that is already counted as in flight into the input queue.
    pub(super) fn wait_for_pass(&mut self, now: Nanos, arrival: Arrival) {
        if self.input.len() >= self.runner.config.input_queue {
            return self.drop_packet(now, DropPlace::Input, DropReason::InputQueueFull, arrival.id);
        }
        self.input.push_back((now, arrival));
        if self.input.len() == 1 {
            self.events.add_first(self.passes.ready().max(now), Event::Pass);
        }
    }

    /// Handles what the packet generators do next. A packet that they make waits for its pass.
    fn receive_generated(&mut self, now: Nanos) {
        let Some(generated) = self.state.generators.take_due(now) else { return };
        let GeneratedPacket { time, port, bytes } = generated;
        self.runner.stats.copied += 1;
        self.runner.stats.in_flight += 1;
        let id = PacketId { packet: GENERATED, copy: self.runner.trace.received() };
        self.runner.trace.record(time, id, || StepKind::Received { port, bytes: bytes.clone() });
        if !self.has_program {
            return self.drop_packet(time, DropPlace::Input, DropReason::NoProgram, id);
        }
        let origin = Origin::Port { port, received: time };
        self.wait_for_pass(time, Arrival { id, offload: None, bytes, origin, preserved: Vec::new() });
    }

    fn start_pass(&mut self, now: Nanos) {
        let Some((_, arrival)) = self.input.pop_front() else { return };
        self.passes.occupy(now, 1);
        if let Some((arrived, _)) = self.input.front() {
            self.events.add_first(self.passes.ready().max(*arrived), Event::Pass);
        }
        self.runner.stats.passes += 1;
        self.runner.trace.record(now, arrival.id, || StepKind::PassStarted);
        let mut verdicts = Vec::new();
        self.run(now, |path, context, _| path.ingress(context, arrival, &mut verdicts));
        for verdict in verdicts {
            match verdict {
                Verdict::Drop { place, reason, id } => self.drop_packet(now, place, reason, id),
                verdict => {
                    self.events
                        .add(now.saturating_add(self.runner.config.pass_latency), Event::Arrived(verdict));
                }
            }
        }
    }

    /// Applies a verdict on a packet.
    pub(super) fn apply_verdict(&mut self, now: Nanos, verdict: Verdict, out: &mut Vec<Transmission>) {
        match verdict {
            Verdict::Queue { mut port, mut priority, mut packet } => {
                let id = packet.id;
                if packet.deflection == Deflection::Allowed
                    && let Some(to) = self.queues.settings.deflection
                    && self.queues.is_full(now, port, priority)
                {
                    packet.deflection = Deflection::Done;
                    (port, priority) = to;
                }
                let queued = self.queues.enqueue(now, port, priority, *packet);
                self.drop_lost(now);
                match queued {
                    Ok(()) => {
                        self.runner.trace.record(now, id, || StepKind::Queued { port, priority });
                        self.take_from_queues(now, port, out);
                    }
                    Err(reason) => self.drop_packet(now, DropPlace::Queue(port), reason, id),
                }
            }
            Verdict::NextPass(arrival) => {
                let id = arrival.id;
                match arrival.origin {
                    Origin::Resubmitted(_) => {
                        self.runner.stats.resubmitted += 1;
                        self.runner.trace.record(now, id, || StepKind::Resubmitted);
                    }
                    Origin::Recirculated { port, .. } | Origin::Port { port, .. } => {
                        self.runner.stats.recirculated += 1;
                        self.runner.trace.record(now, id, || StepKind::Recirculated);
                        self.state.generators.recirculated(now, port, &arrival.bytes);
                    }
                }
                if self.runner.stats.in_flight > self.runner.config.repeat_limit {
                    return self.drop_packet(now, DropPlace::Input, DropReason::InputQueueFull, id);
                }
                match &mut self.repeats {
                    Some(repeats) => repeats.push_back(arrival),
                    None => self.wait_for_pass(now, arrival),
                }
            }
            Verdict::Transmit { port, id, offload, bytes } => {
                if !self.runner.config.ports.contains(&port) {
                    return self.drop_packet(now, DropPlace::Port(port), DropReason::NoSuchPort, id);
                }
                self.runner.stats.record_sent(port, bytes.len());
                self.runner.trace.record(now, id, || StepKind::Transmitted { port, bytes: bytes.clone() });
                out.push(Transmission { time: now, port, packet: Packet { bytes, id: id.packet, offload } });
            }
            Verdict::Drop { place, reason, id } => self.drop_packet(now, place, reason, id),
        }
    }

    /// Runs egress for all packets that may leave the port's queues now, and adds an event for the
    /// next packet.
    fn take_from_queues(&mut self, now: Nanos, port: Port, out: &mut Vec<Transmission>) {
        while let Some(ready) = self.queues.next_departure(port) {
            if ready > now {
                let wake = self.wakes.entry(port).or_insert(Nanos::MAX);
                if ready < *wake {
                    *wake = ready;
                    self.events.add(ready, Event::Wake(port));
                }
                return;
            }
            let departure = self.queues.dequeue(now, port);
            self.drop_lost(now);
            // The discipline of a queue may keep its packets longer, or drop them.
            let Some(departure) = departure else { continue };
            let waited = departure.dequeued - departure.enqueued;
            self.runner.trace.record(now, departure.packet.id, || StepKind::Dequeued { port, waited });
            let (priority, length) = (departure.priority, departure.packet.length);
            let is_marked = departure.marked;
            let mut verdicts = Vec::new();
            self.run(now, |path, context, _| path.egress(context, departure, &mut verdicts));
            if is_marked {
                verdicts.iter_mut().for_each(Verdict::mark_congestion);
            }
            let sent = verdicts.iter().find_map(|verdict| match verdict {
                Verdict::Transmit { bytes, .. } => Some(bytes.len()),
                _ => None,
            });
            self.queues.set_busy(now, port, priority, sent.unwrap_or(length));
            for verdict in verdicts {
                match verdict {
                    // The clones are not processed immediately, because clones of clones would nest
                    // endlessly.
                    Verdict::Queue { .. } => self.events.add(now, Event::Arrived(verdict)),
                    verdict => self.apply_verdict(now, verdict, out),
                }
            }
        }
    }

    /// Handles the events that are due, at most [`SwitchConfig::events_at_once`] at each instant.
    ///
    /// [`SwitchConfig::events_at_once`]: crate::config::SwitchConfig::events_at_once
    pub(super) fn run_events(&mut self, now: Nanos, out: &mut Vec<Transmission>) {
        if self.handled.0 < now {
            self.handled = (now, 0);
        }
        loop {
            if self.handled.1 >= self.runner.config.events_at_once {
                // Packets that arrive later are queued after the waiting packets.
                return self.passes.occupy(now, 0);
            }
            self.handled.1 += 1;
            // A hit at the exact end of a time-out comes before the timer.
            let (event, generated) = (self.events.next_time(), self.state.generators.next_time());
            let idle = self.state.idle.next_time().filter(|time| *time <= now);
            if let Some(idle) = idle
                && [event, generated].into_iter().flatten().all(|other| other > idle)
            {
                self.state.handle_idle_timer();
                continue;
            }
            if generated.is_some_and(|time| time <= now && event.is_none_or(|event| event > time)) {
                self.receive_generated(now);
                continue;
            }
            let Some((time, event)) = self.events.take_due(now) else { return };
            match event {
                Event::Pass => self.start_pass(time),
                Event::Arrived(verdict) => self.apply_verdict(time, verdict, out),
                Event::Wake(port) => {
                    self.wakes.remove(&port);
                    self.take_from_queues(time, port, out);
                }
            }
        }
    }
}
