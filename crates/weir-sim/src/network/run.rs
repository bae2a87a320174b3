//! Running a network.

use std::mem;

use weir_device::{Nanos, Port, ReceiveOutcome, Transmission};

use super::{Event, Kind, LinkEnd, Network, RunResult, StopCondition, StopReason, Wire};
use crate::capture::Way;
use crate::frames::{Departure, FrameId};
use crate::host::{Desk, Host, Leaving};
use crate::link::{DropReason, Started, Step};

impl Network {
    /// Runs until a time; see [`StopCondition::Time`].
    pub fn run_until(&mut self, time: Nanos) -> RunResult {
        self.run_slice(StopCondition::Time(time), u64::MAX)
    }

    /// Runs for a time from now.
    pub fn run_for(&mut self, duration: Nanos) -> RunResult {
        self.run_until(self.now.saturating_add(duration))
    }

    /// Runs until nothing is left to happen, or a time; see [`StopCondition::Idle`].
    pub fn run_until_idle(&mut self, limit: Nanos) -> RunResult {
        self.run_slice(StopCondition::Idle { limit }, u64::MAX)
    }

    /// Runs until all applications have finished, or a time; see [`StopCondition::Finished`].
    pub fn run_until_finished(&mut self, limit: Nanos) -> RunResult {
        self.run_slice(StopCondition::Finished { limit }, u64::MAX)
    }

    /// Runs towards a goal for at most `max_events` events, so that a caller can show progress, stop, and go on.
    pub fn run_slice(&mut self, goal: StopCondition, max_events: u64) -> RunResult {
        self.look_after_touched();
        let until = match goal {
            StopCondition::Time(limit)
            | StopCondition::Idle { limit }
            | StopCondition::Finished { limit }
            | StopCondition::AppFinished { limit, .. } => limit,
        };
        let mut events = 0;
        self.called = true;
        let stop = loop {
            let reached = match goal {
                StopCondition::Finished { .. } => self.running == 0,
                // Whether it has finished changes only where applications are called, be it others.
                StopCondition::AppFinished { app, .. } => {
                    mem::take(&mut self.called) && self.app_finished(app)
                }
                StopCondition::Time(_) | StopCondition::Idle { .. } => false,
            };
            if mem::take(&mut self.asked) {
                break StopReason::Requested;
            }
            if reached {
                break StopReason::Reached;
            }
            if events == max_events && self.events.next_time().is_some_and(|time| time <= until) {
                break StopReason::EventLimit;
            }
            match self.events.pop_until(until.min(self.samplers.next_time())) {
                Some((time, event)) => {
                    self.now = time;
                    self.fetch(event);
                    self.handle(event);
                    self.tell_departures();
                    events += 1;
                }
                None if self.sample_until(goal, until) => {}
                None => break self.rest(goal, until),
            }
        };
        self.handled += events;
        RunResult { now: self.now, events, stop }
    }

    /// Sees to the nodes that a caller has changed since the last run.
    pub(super) fn look_after_touched(&mut self) {
        self.tell_departures();
        for node in mem::take(&mut self.touched) {
            match self.nodes.get_mut(node).map(|state| &mut state.kind) {
                Some(Kind::Host(_)) => {
                    self.with_host(node, Host::recount_apps);
                }
                Some(Kind::Device(_)) => self.after_device(node),
                None => {}
            }
        }
    }

    /// No event is left up to `until`.
    fn rest(&mut self, goal: StopCondition, until: Nanos) -> StopReason {
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

    fn handle(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Sent { wire } => {
                if self.links[wire.link()].transmitters[wire.side()].due(now) {
                    self.pump(wire);
                }
            }
            Event::Arrived { wire, frame } => self.arrived(wire, frame),
            Event::Noticed { wire, frame } => {
                let to = self.links[wire.link()].transmitters[wire.side()].to();
                self.notice(to, frame);
            }
            Event::Loopback { node, packet } => {
                let buffer = self.frames.lend(packet);
                self.with_host(node as usize, |host| host.receive_own(now, buffer.bytes()));
                self.frames.take_back(packet, buffer);
                self.frames.give_back(packet);
            }
            Event::Transmit { node, frame } => self.send_out(node as usize, frame),
            Event::Wake { node } => {
                if self.nodes[node as usize].alarm.rings(now) {
                    self.wake(node as usize);
                }
            }
            Event::AppStart { node, wake } => {
                let (app, _) = self.app_wakes.take(wake);
                self.with_host(node as usize, |host| host.start_app(now, app));
            }
            Event::AppWake { node, wake } => {
                let (app, token) = self.app_wakes.take(wake);
                self.with_host(node as usize, |host| host.wake_app(now, app, token));
            }
        }
    }

    /// Calls a host, and looks after it: what leaves it, its applications' wake-ups and when to come back. None if there is no such host.
    pub(super) fn with_host<T>(&mut self, node: usize, run: impl FnOnce(&mut Host) -> T) -> Option<T> {
        let state = self.nodes.get_mut(node)?;
        let Kind::Host(host) = &mut state.kind else { return None };
        host.desk = self.desk.take();
        let result = run(host);
        host.settle(self.now);
        let desk = host.desk.take();
        let running = host.apps_running();
        self.running = self.running + running - state.running;
        state.running = running;
        self.desk = desk.map(|desk| self.clear_desk(node, desk));
        self.schedule(node, self.now);
        Some(result)
    }

    /// Does what a host wants done.
    fn clear_desk(&mut self, node: usize, mut desk: Box<Desk>) -> Box<Desk> {
        let now = self.now;
        for at in 0..desk.out.len() {
            let Leaving { port, ref mut bytes, socket, earliest } = desk.out[at];
            let bytes = mem::take(bytes);
            let frame = self.frames.copy(&bytes);
            desk.give_back(bytes);
            let meta = self.frames.meta(frame);
            (meta.socket, meta.earliest) = (socket, earliest);
            self.frames.buffer(frame).id = self.nodes[node].next_id(node);
            self.send(node, port, frame);
        }
        desk.out.clear();
        for packet in desk.loopback.drain(..) {
            let packet = self.frames.copy(&packet);
            self.events.push(now, Event::Loopback { node: node as u32, packet });
        }
        for (time, app, token) in desk.wakes.drain(..) {
            let wake = self.app_wakes.add(app, token);
            self.events.push(time, Event::AppWake { node: node as u32, wake });
        }
        self.asked |= mem::take(&mut desk.asked);
        self.called |= mem::take(&mut desk.called);
        for (port, queue) in desk.queue_changes.drain(..) {
            let end = LinkEnd::new(self.nodes[node].name.clone(), port);
            let done = self.set_queue(&end, queue);
            debug_assert!(done.is_ok(), "checked when it was asked for: {done:?}");
        }
        desk
    }

    fn arrived(&mut self, wire: Wire, frame: FrameId) {
        let transmitter = &mut self.links[wire.link()].transmitters[wire.side()];
        let (meta, bytes) = self.frames.arrived(frame);
        if transmitter.epoch != meta.epoch || meta.lost {
            let down = transmitter.epoch != meta.epoch;
            transmitter.count_dropped(if down { DropReason::Down } else { DropReason::Loss });
            self.frames.give_back(frame);
            return;
        }
        transmitter.count_delivered(bytes);
        let (node, port) = transmitter.to();
        let tapped = transmitter.tapped[1];
        self.hops += 1;
        if tapped {
            self.tap(wire.link(), 1 - wire.side(), Way::Inbound, frame);
        }
        match &mut self.nodes[node].kind {
            Kind::Host(host) => match host.notices_at(self.now) {
                None => self.notice((node, port), frame),
                Some(time) => self.events.push(time, Event::Noticed { wire, frame }),
            },
            Kind::Device(state) => {
                let buffer = self.frames.buffer(frame);
                let id = buffer.id;
                if let Some(inside) = &mut state.inside {
                    *inside.entry(id).or_default() += 1;
                }
                match state.device.receive_in_place(self.now, port, buffer) {
                    ReceiveOutcome::Forwarded { time, port } => {
                        buffer.egress_port = Some(port);
                        self.left(node, time, frame);
                    }
                    ReceiveOutcome::Held | ReceiveOutcome::Dropped => self.frames.give_back(frame),
                }
                self.after_device(node);
            }
        }
    }

    fn notice(&mut self, (node, port): (usize, Port), frame: FrameId) {
        let (now, buffer) = (self.now, self.frames.lend(frame));
        self.with_host(node, |host| host.receive_frame(now, port, buffer.bytes()));
        self.frames.take_back(frame, buffer);
        self.frames.give_back(frame);
    }

    /// A device's own deadline or a host's has come.
    fn wake(&mut self, node: usize) {
        let now = self.now;
        match &mut self.nodes[node].kind {
            Kind::Host(_) => {
                self.with_host(node, |host| host.advance(now));
            }
            Kind::Device(state) => {
                if state.device.next_deadline().is_some_and(|deadline| deadline <= now) {
                    let mut out = Vec::new();
                    state.device.advance(now, &mut out);
                    for Transmission { time, port, packet } in out {
                        let frame = self.frames.copy(&packet.bytes);
                        let buffer = self.frames.buffer(frame);
                        (buffer.id, buffer.egress_port) = (packet.id, Some(port));
                        self.left(node, time, frame);
                    }
                    // What is due now was done now, so a device that still says so has to wait for time to pass.
                    self.note_device_drops(node);
                    self.schedule(node, now.saturating_add(1));
                    return;
                }
                self.after_device(node);
            }
        }
    }

    /// A frame comes out of a device, now or at an announced time, by the port in its buffer.
    fn left(&mut self, node: usize, time: Nanos, frame: FrameId) {
        let Kind::Device(state) = &mut self.nodes[node].kind else { return };
        state.transmitted += 1;
        state.strike_off(self.frames.buffer(frame).id);
        if time > self.now {
            self.events.push(time, Event::Transmit { node: node as u32, frame });
        } else {
            self.send_out(node, frame);
        }
    }

    /// Looks after a device that was called: its drops and when to come back.
    pub(super) fn after_device(&mut self, node: usize) {
        self.note_device_drops(node);
        self.schedule(node, self.now);
    }

    /// Puts a node's next deadline into the queue, unless a wake-up at that time or before is there already.
    fn schedule(&mut self, node: usize, earliest: Nanos) {
        let state = &mut self.nodes[node];
        let deadline = match &mut state.kind {
            Kind::Host(host) => host.next_deadline(),
            Kind::Device(device) => device.device.next_deadline(),
        };
        let Some(time) = deadline.map(|deadline| deadline.max(earliest)) else { return };
        if state.alarm.set(time) {
            self.events.push(time, Event::Wake { node: node as u32 });
        }
    }

    fn send_out(&mut self, node: usize, frame: FrameId) {
        match self.frames.buffer(frame).egress_port {
            Some(port) => self.send(node, port, frame),
            None => debug_assert!(false, "a device says where a frame leaves"),
        }
    }

    /// Puts a frame on the link at a node's port.
    fn send(&mut self, node: usize, port: Port, frame: FrameId) {
        let Some(wire) = self.nodes[node].ports.get(port) else {
            *self.nodes[node].unconnected.entry(port).or_default() += 1;
            self.frames.give_back(frame);
            return;
        };
        if self.links[wire.link()].transmitters[wire.side()].is_behind(self.now) {
            self.pump(wire);
        }
        let transmitter = &mut self.links[wire.link()].transmitters[wire.side()];
        let step = transmitter.offer(self.now, frame, &mut self.frames);
        self.follow(wire, step);
    }

    /// Sends what can be sent now.
    pub(super) fn pump(&mut self, wire: Wire) {
        let transmitter = &mut self.links[wire.link()].transmitters[wire.side()];
        let step = transmitter.next(self.now, &mut self.frames);
        self.follow(wire, step);
    }

    /// Does what a transmitter said, and what it says next, until it rests.
    fn follow(&mut self, wire: Wire, mut step: Step) {
        loop {
            match step {
                Step::Only(started) => return self.started(wire, started),
                Step::Start(started) => self.started(wire, started),
                Step::Wait(time) => return self.events.push(time, Event::Sent { wire }),
                Step::Rest => return,
            }
            let transmitter = &mut self.links[wire.link()].transmitters[wire.side()];
            step = transmitter.next(self.now, &mut self.frames);
        }
    }

    /// Tells connections what has left their hosts' queues; they may then send on.
    fn tell_departures(&mut self) {
        while let Some(Departure { node, socket, bytes }) = self.frames.next_departure() {
            if let Kind::Host(host) = &mut self.nodes[node].kind
                && host.departed(socket, bytes)
            {
                // It sends on.
                self.with_host(node, |_| ());
            }
        }
    }

    fn started(&mut self, wire: Wire, started: Started) {
        let Started { frame, arrival, twin, tapped } = started;
        self.frames.depart(frame);
        if tapped {
            self.tap(wire.link(), wire.side(), Way::Outbound, frame);
        }
        self.events.push(arrival, Event::Arrived { wire, frame });
        if twin {
            let frame = self.frames.twin(frame);
            self.events.push(arrival, Event::Arrived { wire, frame });
        }
    }
}
