//! Running a network.

use std::mem;

use weir_switch::{Nanos, Packet, Port};

use super::{AppId, Event, Kind, Network};
use crate::capture::Way;
use crate::link::{Direction, DropReason, Offered, Started};

/// How far to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Until this time: all events up to and at it happen, and the clock then shows it.
    Time(Nanos),
    /// Until nothing is left to happen, but not beyond `limit`. The clock then shows the last event's time.
    Idle {
        /// The latest time.
        limit: Nanos,
    },
    /// Until all applications have finished, but not beyond `limit`. The clock then shows the last event's time.
    Finished {
        /// The latest time.
        limit: Nanos,
    },
    /// Until one application has finished, but not beyond `limit`. The clock then shows the last event's time.
    AppFinished {
        /// The application; one that is not of this network counts as finished.
        app: AppId,
        /// The latest time.
        limit: Nanos,
    },
}

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The goal is reached.
    Reached,
    /// As many events as allowed have happened; call again to go on.
    Budget,
    /// The goal's limit is reached before the goal; the clock shows the limit.
    Limit,
    /// Nothing is left to happen, so the goal will never be reached.
    Stuck,
    /// A program on a host, or a watch on a link, wants its caller to look: see [`crate::HostContext::ask_stop`] and [`Network::watch`].
    /// All that belongs to the event at hand has been done; call again to go on.
    Asked,
}

/// How far a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The time now.
    pub now: Nanos,
    /// Events that happened in this run.
    pub events: u64,
    /// Why it stopped.
    pub stop: Stop,
}

impl Network {
    /// Runs until a time; see [`Goal::Time`].
    pub fn run_until(&mut self, time: Nanos) -> Progress {
        self.run_slice(Goal::Time(time), u64::MAX)
    }

    /// Runs for a time from now.
    pub fn run_for(&mut self, duration: Nanos) -> Progress {
        self.run_until(self.now.saturating_add(duration))
    }

    /// Runs until nothing is left to happen, or a time; see [`Goal::Idle`].
    pub fn run_until_idle(&mut self, limit: Nanos) -> Progress {
        self.run_slice(Goal::Idle { limit }, u64::MAX)
    }

    /// Runs until all applications have finished, or a time; see [`Goal::Finished`].
    pub fn run_until_finished(&mut self, limit: Nanos) -> Progress {
        self.run_slice(Goal::Finished { limit }, u64::MAX)
    }

    /// Runs towards a goal for at most `max_events` events, so that a caller can show progress, stop, and go on.
    pub fn run_slice(&mut self, goal: Goal, max_events: u64) -> Progress {
        self.look_after_touched();
        let until = match goal {
            Goal::Time(limit)
            | Goal::Idle { limit }
            | Goal::Finished { limit }
            | Goal::AppFinished { limit, .. } => limit,
        };
        let mut events = 0;
        let stop = loop {
            let reached = match goal {
                Goal::Finished { .. } => self.running == 0,
                Goal::AppFinished { app, .. } => self.app_finished(app),
                Goal::Time(_) | Goal::Idle { .. } => false,
            };
            if mem::take(&mut self.asked) {
                break Stop::Asked;
            }
            if reached {
                break Stop::Reached;
            }
            if events == max_events && self.events.next_time().is_some_and(|time| time <= until) {
                break Stop::Budget;
            }
            match self.events.pop_until(until.min(self.samplers.next_time())) {
                Some((time, event)) => {
                    self.now = time;
                    self.handle(event);
                    events += 1;
                }
                None if self.sample_until(goal, until) => {}
                None => break self.rest(goal, until),
            }
        };
        self.handled += events;
        Progress { now: self.now, events, stop }
    }

    /// Sees to the nodes that a caller has changed since the last run.
    pub(super) fn look_after_touched(&mut self) {
        for node in mem::take(&mut self.touched) {
            match self.nodes.get_mut(node).map(|state| &mut state.kind) {
                Some(Kind::Host(host)) => {
                    host.recount_apps();
                    self.after_host(node);
                }
                Some(Kind::Device(_)) => self.after_device(node),
                None => {}
            }
        }
    }

    /// No event is left up to `until`.
    fn rest(&mut self, goal: Goal, until: Nanos) -> Stop {
        let idle = self.events.len() == 0;
        let stop = match goal {
            Goal::Time(_) => Stop::Reached,
            Goal::Idle { .. } if idle => return Stop::Reached,
            Goal::Finished { .. } | Goal::AppFinished { .. } if idle => return Stop::Stuck,
            Goal::Idle { .. } | Goal::Finished { .. } | Goal::AppFinished { .. } => Stop::Limit,
        };
        self.now = self.now.max(until);
        stop
    }

    fn handle(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Sent { link, direction, epoch } => {
                let transmitter = &mut self.links[link].transmitters[direction.index()];
                if transmitter.epoch == epoch
                    && let Some(started) = transmitter.done(now)
                {
                    self.started(link, direction, started);
                }
            }
            Event::Arrived { link, direction, epoch, lost, packet } => {
                self.arrived(link, direction, epoch, lost, packet);
            }
            Event::Noticed { node, port, packet } => self.notice(node, port, packet),
            Event::Loopback { node, packet } => {
                if let Kind::Host(host) = &mut self.nodes[node].kind {
                    host.receive_packet(now, packet);
                    self.after_host(node);
                }
            }
            Event::Transmit { node, port, packet } => self.send(node, port, packet),
            Event::Wake { node } => {
                self.nodes[node].wakes.remove(&now);
                self.wake(node);
            }
            Event::AppStart { app } => self.with_host(app, |host, slot| host.start_app(now, slot)),
            Event::AppWake { app, token } => {
                self.with_host(app, |host, slot| host.wake_app(now, slot, token));
            }
        }
    }

    fn with_host<T>(&mut self, app: AppId, run: impl FnOnce(&mut crate::Host, usize) -> T) {
        if let Kind::Host(host) = &mut self.nodes[app.node].kind {
            run(host, app.slot);
            self.after_host(app.node);
        }
    }

    fn arrived(&mut self, link: usize, direction: Direction, epoch: u32, lost: bool, packet: Packet) {
        let transmitter = &mut self.links[link].transmitters[direction.index()];
        if transmitter.epoch != epoch {
            transmitter.count_dropped(DropReason::Down);
            return;
        }
        if lost {
            transmitter.count_dropped(DropReason::Loss);
            return;
        }
        transmitter.count_delivered(packet.bytes.len());
        let receiver = 1 - direction.index();
        self.tap(link, receiver, Way::Inbound, &packet.bytes);
        let (node, port) = self.links[link].ends[receiver];
        match &mut self.nodes[node].kind {
            Kind::Host(host) => match host.config().processing_delay {
                0 => self.notice(node, port, packet),
                delay => {
                    self.events.push(self.now.saturating_add(delay), Event::Noticed { node, port, packet });
                }
            },
            Kind::Device(state) => {
                state.received += 1;
                *state.inside.entry(packet.id).or_default() += 1;
                state.device.receive(self.now, port, packet);
                self.after_device(node);
            }
        }
    }

    fn notice(&mut self, node: usize, port: Port, packet: Packet) {
        if let Kind::Host(host) = &mut self.nodes[node].kind {
            host.receive_frame(self.now, port, packet.bytes);
            self.after_host(node);
        }
    }

    /// A node's own deadline may have come.
    fn wake(&mut self, node: usize) {
        let now = self.now;
        match &mut self.nodes[node].kind {
            Kind::Host(host) => {
                host.advance(now);
                self.after_host(node);
            }
            Kind::Device(state) => {
                if state.device.next_deadline().is_some_and(|deadline| deadline <= now) {
                    let mut out = Vec::new();
                    state.device.advance(now, &mut out);
                    state.transmitted += out.len() as u64;
                    for transmission in out {
                        self.left_device(node, transmission.packet.id);
                        let (port, packet) = (transmission.port, transmission.packet);
                        if transmission.time > now {
                            self.events.push(transmission.time, Event::Transmit { node, port, packet });
                        } else {
                            self.send(node, port, packet);
                        }
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

    /// Looks after a device that was called: its drops and when to come back.
    pub(super) fn after_device(&mut self, node: usize) {
        self.note_device_drops(node);
        self.schedule(node, self.now);
    }

    /// Looks after a host that was called: what leaves it, its applications' wake-ups and when to come back.
    pub(super) fn after_host(&mut self, node: usize) {
        let now = self.now;
        loop {
            let Kind::Host(host) = &mut self.nodes[node].kind else { return };
            let Some((port, frame)) = host.out.pop_front() else { break };
            let packet = self.nodes[node].name_packet(node, frame);
            self.send(node, port, packet);
        }
        let Kind::Host(host) = &mut self.nodes[node].kind else { return };
        for packet in host.loopback.drain(..) {
            self.events.push(now, Event::Loopback { node, packet });
        }
        for (time, slot, token) in host.wakes.drain(..) {
            self.events.push(time, Event::AppWake { app: AppId { node, slot }, token });
        }
        self.asked |= mem::take(&mut host.asked);
        self.schedule(node, now);
        self.count_running(node);
    }

    /// Puts a node's next deadline into the queue, unless a wake-up at that time or before is there already.
    fn schedule(&mut self, node: usize, earliest: Nanos) {
        let state = &mut self.nodes[node];
        let deadline = match &state.kind {
            Kind::Host(host) => host.next_deadline(),
            Kind::Device(device) => device.device.next_deadline(),
        };
        let Some(time) = deadline.map(|deadline| deadline.max(earliest)) else { return };
        if state.wakes.first().is_none_or(|first| time < *first) {
            state.wakes.insert(time);
            self.events.push(time, Event::Wake { node });
        }
    }

    /// Puts a packet on the link at a node's port.
    fn send(&mut self, node: usize, port: Port, packet: Packet) {
        let Some(&(link, direction)) = self.nodes[node].ports.get(&port) else {
            *self.nodes[node].unconnected.entry(port).or_default() += 1;
            return;
        };
        match self.links[link].transmitters[direction.index()].offer(self.now, packet) {
            Offered::Started(started) => self.started(link, direction, started),
            Offered::Queued | Offered::Dropped => {}
        }
    }

    fn started(&mut self, link: usize, direction: Direction, started: Started) {
        let Started { packet, done, arrival, lost } = started;
        self.tap(link, direction.index(), Way::Outbound, &packet.bytes);
        let epoch = self.links[link].transmitters[direction.index()].epoch;
        if let Some(done) = done {
            self.events.push(done, Event::Sent { link, direction, epoch });
        }
        self.events.push(arrival, Event::Arrived { link, direction, epoch, lost, packet });
    }
}
