//! The event loop.

use std::mem;

use weir_capture::Direction;
use weir_device::{ForwardingMetadata, Nanos, Packet, Port, ReceiveOutcome, Transmission};

use super::{Event, LinkEnd, Network, NodeKind, RunResult, StopCondition, StopReason, Wire};
use crate::frames::{Departure, FrameId};
use crate::host::{Host, HostOutbox, OutgoingFrame};
use crate::link::{DropReason, StartedFrame, Step};

impl Network {
    /// Runs until a time; see [`StopCondition::Time`].
    pub fn run_until(&mut self, time: Nanos) -> RunResult {
        self.run_slice(StopCondition::Time(time), u64::MAX)
    }

    /// Runs for a time from now.
    pub fn run_for(&mut self, duration: Nanos) -> RunResult {
        self.run_until(self.now.saturating_add(duration))
    }

    /// Runs until there are no more events, or until a time; see [`StopCondition::Idle`].
    pub fn run_until_idle(&mut self, limit: Nanos) -> RunResult {
        self.run_slice(StopCondition::Idle { limit }, u64::MAX)
    }

    /// Runs until all applications have finished, or until a time; see [`StopCondition::Finished`].
    pub fn run_until_finished(&mut self, limit: Nanos) -> RunResult {
        self.run_slice(StopCondition::Finished { limit }, u64::MAX)
    }

    /// Runs until a condition holds, but for at most `max_events` events, so that a caller can show
    /// progress, interrupt, and continue.
    pub fn run_slice(&mut self, goal: StopCondition, max_events: u64) -> RunResult {
        self.refresh_touched();
        let until = match goal {
            StopCondition::Time(limit)
            | StopCondition::Idle { limit }
            | StopCondition::Finished { limit }
            | StopCondition::AppFinished { limit, .. } => limit,
        };
        let (mut events, mut sampled) = (0, 0);
        self.app_called = true;
        let stop = loop {
            let reached = match goal {
                StopCondition::Finished { .. } => self.running == 0,
                // Whether an application has finished can only change when some application is
                // called.
                StopCondition::AppFinished { app, .. } => {
                    mem::take(&mut self.app_called) && self.app_finished(app)
                }
                StopCondition::Time(_) | StopCondition::Idle { .. } => false,
            };
            if mem::take(&mut self.stop_requested) {
                break StopReason::Requested;
            }
            if reached {
                break StopReason::Reached;
            }
            if events + sampled >= max_events && self.next_time().is_some_and(|time| time <= until) {
                break StopReason::EventLimit;
            }
            if self.loops.is_due(self.handled + events) && self.look_for_loops(self.handled + events) {
                break StopReason::Loop;
            }
            if self.parallel_from <= self.handled + events {
                let budget = max_events - events - sampled;
                events += self.run_in_parallel(goal, until, events, budget);
            }
            match self.events.pop_until(until.min(self.samplers.next_time())) {
                Some((time, event)) => {
                    self.handle_at(time, event);
                    events += 1;
                }
                None if self.sample_until(goal, until) => {
                    sampled += 1;
                    if mem::take(&mut self.samplers.full) {
                        break StopReason::SampleLimit;
                    }
                }
                None => break self.stop_without_events(goal, until),
            }
        };
        self.handled += events;
        RunResult { now: self.now, events, stop }
    }

    /// Returns when the next event or sample is due, if there is one.
    fn next_time(&self) -> Option<Nanos> {
        let sample = Some(self.samplers.next_time()).filter(|time| *time < Nanos::MAX);
        self.events.next_time().into_iter().chain(sample).min()
    }

    /// Processes the changes that a caller has made since the last run.
    pub(super) fn refresh_touched(&mut self) {
        self.report_departures();
        for node in mem::take(&mut self.changed_nodes) {
            match self.nodes.get_mut(node).map(|state| &mut state.kind) {
                Some(NodeKind::Host(_)) => {
                    self.with_host(node, Host::update_finished_apps);
                }
                Some(NodeKind::Device(_)) => self.update_device(node),
                None => {}
            }
        }
    }

    /// Handles the case that there is no event up to `until`.
    fn stop_without_events(&mut self, goal: StopCondition, until: Nanos) -> StopReason {
        let idle = self.events.len() == 0;
        let stop = match goal {
            StopCondition::Time(_) => StopReason::Reached,
            StopCondition::Idle { .. } if idle => return StopReason::Reached,
            StopCondition::Finished { .. } | StopCondition::AppFinished { .. } if idle => {
                return StopReason::NothingLeft;
            }
            StopCondition::Idle { .. }
            | StopCondition::Finished { .. }
            | StopCondition::AppFinished { .. } => StopReason::TimeLimit,
        };
        self.now = self.now.max(until);
        stop
    }

    /// Handles an event and what follows from it at once.
    #[inline]
    pub(super) fn handle_at(&mut self, time: Nanos, event: Event) {
        self.now = time;
        self.prefetch(event);
        self.handle(event);
        self.report_departures();
    }

    fn handle(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Sent { wire } => {
                if self.links[wire.link()].transmitters[wire.side()].is_due(now) {
                    self.transmit_waiting(wire);
                }
            }
            Event::Arrived { wire, frame } => self.frame_arrived(wire, frame),
            Event::Process { wire, frame } => {
                let to = self.links[wire.link()].transmitters[wire.side()].receiving_end();
                self.handle_frame_at_host(to, frame);
            }
            Event::Loopback { node, packet } => {
                let buffer = self.frames.take_buffer(packet);
                self.with_host(node as usize, |host| host.receive_loopback(now, buffer.bytes()));
                self.frames.restore_buffer(packet, buffer);
                self.frames.release(packet);
            }
            Event::Transmit { node, frame } => self.send_out(node as usize, frame),
            Event::Wake { node } => {
                if self.nodes[node as usize].alarm.take_event(now) {
                    self.wake(node as usize);
                }
            }
            Event::AppStart { node, wake } if self.computing.is_some() => {
                self.compute_app(node as usize, wake, true);
            }
            Event::AppWake { node, wake } if self.computing.is_some() => {
                self.compute_app(node as usize, wake, false);
            }
            Event::AppStart { node, wake } => self.start_woken_app(node as usize, wake),
            Event::AppWake { node, wake } => self.wake_app(node as usize, wake),
            Event::Processor { processor } => self.finish_work(processor),
        }
    }

    pub(super) fn start_woken_app(&mut self, node: usize, wake: u32) {
        let (now, (app, _)) = (self.now, self.app_wakes.take_wake(wake));
        self.with_host(node, |host| host.start_app(now, app));
    }

    pub(super) fn wake_app(&mut self, node: usize, wake: u32) {
        let (now, (app, token)) = (self.now, self.app_wakes.take_wake(wake));
        self.with_host(node, |host| host.wake_app(now, app, token));
    }

    /// Calls a host and processes the results: its outbox, the number of running applications, its
    /// next deadline. Returns `None` if the node is not a host.
    pub(super) fn with_host<T>(&mut self, node: usize, run: impl FnOnce(&mut Host) -> T) -> Option<T> {
        let state = self.nodes.get_mut(node)?;
        let NodeKind::Host(host) = &mut state.kind else { return None };
        host.outbox = self.outbox.take();
        let result = run(host);
        host.process_ready_connections(self.now);
        let outbox = host.outbox.take();
        let running = host.apps_running();
        self.running = self.running + running - state.running;
        state.running = running;
        self.outbox = outbox.map(|outbox| self.process_outbox(node, outbox));
        self.schedule(node, self.now);
        Some(result)
    }

    /// Executes what a host has put into its outbox.
    fn process_outbox(&mut self, node: usize, mut outbox: Box<HostOutbox>) -> Box<HostOutbox> {
        let now = self.now;
        for at in 0..outbox.frames.len() {
            let OutgoingFrame { port, ref mut bytes, socket, earliest } = outbox.frames[at];
            let bytes = mem::take(bytes);
            let frame = self.frames.allocate_copy(&bytes);
            outbox.recycle(bytes);
            let meta = self.frames.meta(frame);
            (meta.socket, meta.earliest) = (socket, earliest);
            self.frames.buffer(frame).metadata.id = self.nodes[node].next_id(node);
            if self.computing.is_some() {
                self.frames.buffer(frame).metadata.egress_port = Some(port);
                self.compute_host_send(node, frame);
            } else {
                self.send(node, port, frame);
            }
        }
        outbox.frames.clear();
        for packet in outbox.loopback.drain(..) {
            let packet = self.frames.allocate_copy(&packet);
            self.add_event(now, Event::Loopback { node: node as u32, packet });
        }
        for (time, app, token) in outbox.wakes.drain(..) {
            let wake = self.app_wakes.add(app, token);
            self.add_event(time, Event::AppWake { node: node as u32, wake });
        }
        self.stop_requested |= mem::take(&mut outbox.stop_requested);
        self.app_called |= mem::take(&mut outbox.app_called);
        for (port, queue) in outbox.queue_changes.drain(..) {
            let end = LinkEnd::new(self.nodes[node].name.clone(), port);
            let result = self.set_queue(&end, queue);
            debug_assert!(result.is_ok(), "checked when it was asked for: {result:?}");
        }
        outbox
    }

    fn frame_arrived(&mut self, wire: Wire, frame: FrameId) {
        let transmitter = &mut self.links[wire.link()].transmitters[wire.side()];
        let (meta, bytes) = self.frames.meta_and_len(frame);
        if transmitter.epoch != meta.epoch || meta.lost {
            let down = transmitter.epoch != meta.epoch;
            transmitter.count_dropped(if down { DropReason::Down } else { DropReason::Loss });
            self.frames.release(frame);
            return;
        }
        transmitter.count_delivered(bytes);
        let (node, port) = transmitter.receiving_end();
        let tapped = transmitter.tapped[1];
        self.hops += 1;
        if tapped {
            self.tap(wire.link(), 1 - wire.side(), Direction::Inbound, frame);
        }
        match &mut self.nodes[node].kind {
            NodeKind::Host(host) => match host.processing_time(self.now) {
                None => self.handle_frame_at_host((node, port), frame),
                Some(time) => self.add_event(time, Event::Process { wire, frame }),
            },
            NodeKind::Device(_) if self.computing.is_some() => self.compute_receive((node, port), frame),
            NodeKind::Device(_) => self.deliver_to_device((node, port), frame),
        }
    }

    pub(super) fn deliver_to_device(&mut self, (node, port): (usize, Port), frame: FrameId) {
        let NodeKind::Device(state) = &mut self.nodes[node].kind else { return };
        let buffer = self.frames.buffer(frame);
        let id = buffer.metadata.id;
        self.loops.packet.count_arrival(self.now, node, buffer);
        if let Some(inside) = &mut state.inside {
            *inside.entry(id).or_default() += 1;
        }
        match state.device.receive_in_place(self.now, port, buffer) {
            ReceiveOutcome::Forwarded { time, port } => {
                buffer.metadata.egress_port = Some(port);
                self.device_output(node, time, frame);
            }
            ReceiveOutcome::Held | ReceiveOutcome::Dropped => self.frames.release(frame),
        }
        self.update_device(node);
    }

    /// Handles a frame that reaches a host. The host processes it immediately, or when its computer
    /// has time.
    fn handle_frame_at_host(&mut self, to: (usize, Port), frame: FrameId) {
        if self.computing.is_some() {
            self.compute_receive(to, frame);
        } else {
            self.deliver_to_host(to, frame);
        }
    }

    pub(super) fn deliver_to_host(&mut self, (node, port): (usize, Port), frame: FrameId) {
        let (now, buffer) = (self.now, self.frames.take_buffer(frame));
        self.with_host(node, |host| host.receive_frame(now, port, buffer.bytes()));
        self.frames.restore_buffer(frame, buffer);
        self.frames.release(frame);
    }

    /// Handles the deadline of a node.
    pub(super) fn wake(&mut self, node: usize) {
        let now = self.now;
        match &mut self.nodes[node].kind {
            NodeKind::Host(_) => {
                self.with_host(node, |host| host.advance(now));
            }
            NodeKind::Device(state) => {
                if state.device.next_deadline().is_some_and(|deadline| deadline <= now) {
                    let mut transmissions = Vec::new();
                    state.device.advance(now, &mut transmissions);
                    for Transmission { time, port, packet } in transmissions {
                        let frame = self.frames.allocate_copy(&packet.bytes);
                        let Packet { id, offload, .. } = packet;
                        self.frames.buffer(frame).metadata =
                            ForwardingMetadata { id, offload, egress_port: Some(port), ingress_port: 0 };
                        self.device_output(node, time, frame);
                    }
                    // Everything due now has been done, so a device that still reports a deadline
                    // now waits until the time has advanced.
                    self.note_device_drops(node);
                    self.schedule(node, now.saturating_add(1));
                    return;
                }
                self.update_device(node);
            }
        }
    }

    /// Handles a frame that leaves a device through the port in its buffer, now or at an announced
    /// time.
    fn device_output(&mut self, node: usize, time: Nanos, frame: FrameId) {
        let NodeKind::Device(state) = &mut self.nodes[node].kind else { return };
        state.transmitted += 1;
        state.forget_packet(self.frames.buffer(frame).metadata.id);
        if time > self.now {
            self.add_event(time, Event::Transmit { node: node as u32, frame });
        } else {
            self.send_out(node, frame);
        }
    }

    /// Records a device's drops and schedules its next deadline.
    pub(super) fn update_device(&mut self, node: usize) {
        self.note_device_drops(node);
        self.schedule(node, self.now);
    }

    /// Schedules a node's next deadline, unless an event at or before that time is pending.
    fn schedule(&mut self, node: usize, earliest: Nanos) {
        if self.computing.is_some() {
            self.compute_repeats(node);
        }
        let state = &mut self.nodes[node];
        let deadline = match &mut state.kind {
            NodeKind::Host(host) => host.next_deadline(),
            NodeKind::Device(device) => {
                self.stop_requested |= self.reads_messages && device.device.has_messages();
                device.device.next_deadline()
            }
        };
        let Some(time) = deadline.map(|deadline| deadline.max(earliest)) else { return };
        if state.alarm.set(time) {
            self.add_event(time, Event::Wake { node: node as u32 });
        }
    }

    fn send_out(&mut self, node: usize, frame: FrameId) {
        if self.computing.is_some() {
            return self.compute_send(node, frame);
        }
        self.send_at_port(node, frame);
    }

    /// Sends a frame through the port in its buffer.
    pub(super) fn send_at_port(&mut self, node: usize, frame: FrameId) {
        match self.frames.buffer(frame).metadata.egress_port {
            Some(port) => self.send(node, port, frame),
            None => debug_assert!(false, "a device says where a frame leaves"),
        }
    }

    /// Sends a frame on the link at a node's port.
    fn send(&mut self, node: usize, port: Port, frame: FrameId) {
        let Some(wire) = self.nodes[node].ports.get(port) else {
            *self.nodes[node].unconnected.entry(port).or_default() += 1;
            self.frames.release(frame);
            return;
        };
        if self.links[wire.link()].transmitters[wire.side()].can_send(self.now) {
            self.transmit_waiting(wire);
        }
        let transmitter = &mut self.links[wire.link()].transmitters[wire.side()];
        let step = transmitter.accept_frame(self.now, frame, &mut self.frames);
        self.run_transmitter(wire, step);
    }

    /// Sends the frames that can be sent now.
    pub(super) fn transmit_waiting(&mut self, wire: Wire) {
        let transmitter = &mut self.links[wire.link()].transmitters[wire.side()];
        let step = transmitter.next(self.now, &mut self.frames);
        self.run_transmitter(wire, step);
    }

    /// Executes the steps of a transmitter until it has nothing to do.
    fn run_transmitter(&mut self, wire: Wire, mut step: Step) {
        loop {
            match step {
                Step::Only(started) => return self.handle_start(wire, started),
                Step::Start(started) => self.handle_start(wire, started),
                Step::Wait(time) => return self.add_event(time, Event::Sent { wire }),
                Step::Idle => return,
            }
            let transmitter = &mut self.links[wire.link()].transmitters[wire.side()];
            step = transmitter.next(self.now, &mut self.frames);
        }
    }

    /// Notifies connections about frames that left their hosts' queues; they may then send more.
    fn report_departures(&mut self) {
        while let Some(Departure { node, socket, bytes }) = self.frames.next_departure() {
            if let NodeKind::Host(host) = &mut self.nodes[node].kind
                && host.handle_departure(socket, bytes)
            {
                // Lets the host send more segments.
                self.with_host(node, |_| ());
            }
        }
    }

    fn handle_start(&mut self, wire: Wire, started: StartedFrame) {
        let StartedFrame { frame, arrival, duplicated, tapped } = started;
        self.frames.record_departure(frame);
        if tapped {
            self.tap(wire.link(), wire.side(), Direction::Outbound, frame);
        }
        // A frame that arrives in another part of the network leaves the pool with its event.
        let duplicate = duplicated.then(|| self.frames.duplicate(frame));
        self.add_event(arrival, Event::Arrived { wire, frame });
        if let Some(frame) = duplicate {
            self.add_event(arrival, Event::Arrived { wire, frame });
        }
    }
}
