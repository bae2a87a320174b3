//! The switch as a device: input queue, passes, egress queues, ports, all by events in time.

mod events;
mod forward;
mod pass;
mod worker;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use weir_device::{Buffer, Device, Drop, Nanos, Packet, PacketAccount, Port, ReceiveOutcome, Transmission};
use weir_exec::Executor;
use weir_ir::Program;

use crate::arch;
use crate::config::SwitchConfig;
use crate::control::{Control, Schema, Scratch as ControlScratch};
use crate::error::LoadError;
use crate::packet::{Arrival, Origin, PacketId, Verdict};
use crate::path::{PacketPath, PathContext};
use crate::state::{ControlState, ThreadState};
use crate::stats::{DropPlace, DropReason, Stats};
use crate::trace::{Recorder, Step, StepKind};
use crate::traffic_manager::{RateLimiter, TrafficManager};

use events::Events;
pub use worker::{Leftover, Worker};

/// A P4 program at work between ports. See [`SwitchConfig`] for how it spends its time.
///
/// [`Device::receive`] only queues; all work is done in [`Device::advance`], in the order of the times at which it is due.
pub struct Switch {
    executor: Arc<dyn Executor>,
    path: Arc<dyn PacketPath>,
    state: ControlState,
    /// Of the thread that owns the switch.
    thread: ThreadState,
    control_scratch: ControlScratch,
    schema: Schema,
    config: SwitchConfig,
    /// Packets waiting for their pass, with the time they came.
    input: VecDeque<(Nanos, Arrival)>,
    /// When the next pass may start.
    passes: RateLimiter,
    queues: TrafficManager,
    /// When each port was told to look at its queues, so that it is not told twice.
    wakes: BTreeMap<Port, Nanos>,
    events: Events<Event>,
    stats: Stats,
    noted: Option<Vec<Drop>>,
    trace: Recorder,
    /// The latest time that it was told.
    now: Nanos,
    /// What carries packets straight through, once that has been asked for.
    forwarding: Option<forward::Forwarding>,
    /// What carries packets up to the queues, once that has been asked for.
    to_queues: Option<forward::Forwarding>,
    /// Whether packets can go straight through in time, and whether up to the queues, once that has been asked for.
    ways: [Option<bool>; 2],
    /// Where workers hand in what they have done.
    mailboxes: Vec<Arc<Mutex<worker::Mail>>>,
    workers_made: u64,
}

enum Event {
    /// The first waiting packet starts its pass.
    Pass,
    /// A packet is through ingress, or was cloned in egress.
    Arrived(Verdict),
    /// The port takes packets from its queues.
    Wake(Port),
}

impl Switch {
    /// A switch that runs the executor's program, which [`arch::bind`] made ready.
    pub fn new(executor: Arc<dyn Executor>, config: SwitchConfig) -> Result<Self, LoadError> {
        let loaded = arch::load(executor.program())?;
        let schema = Schema::new(executor.program(), &loaded.externs);
        let state = ControlState::new(executor.program(), loaded.externs)?;
        Ok(Self {
            path: loaded.path,
            thread: ThreadState::new(state.tables.len(), config.seed),
            state,
            control_scratch: ControlScratch::default(),
            schema,
            input: VecDeque::new(),
            passes: RateLimiter::new(config.capacity),
            queues: TrafficManager::new(&config),
            wakes: BTreeMap::new(),
            events: Events::new(),
            stats: Stats::default(),
            noted: None,
            trace: Recorder::default(),
            now: 0,
            forwarding: None,
            to_queues: None,
            ways: [None; 2],
            mailboxes: Vec::new(),
            workers_made: 0,
            config,
            executor,
        })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.executor.program()
    }

    /// What runs the program.
    pub fn executor(&self) -> &Arc<dyn Executor> {
        &self.executor
    }

    /// The latest time that the switch was told.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// The settings.
    pub fn config(&self) -> &SwitchConfig {
        &self.config
    }

    /// What became of the packets so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// What can be controlled.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Access to tables, counters and the rest, at the latest time that the switch was told.
    pub fn control(&mut self) -> Control<'_> {
        self.control_at(self.now)
    }

    /// Access to tables, counters and the rest at `now`, from which new idle time-outs run. [`Device::next_deadline`] may come earlier
    /// afterwards.
    pub fn control_at(&mut self, now: Nanos) -> Control<'_> {
        self.now = self.now.max(now);
        self.collect();
        self.record_reports();
        self.tell_workers();
        Control {
            now: self.now,
            program: self.executor.program(),
            schema: &self.schema,
            state: &mut self.state,
            scratch: &mut self.control_scratch,
            queues: &mut self.queues,
            ports: &self.config.ports,
        }
    }

    /// Records the steps of the next `count` packets that come in, beside those recorded already, until all that becomes of them
    /// has left. [`u64::MAX`] means all packets from now on.
    pub fn trace_next(&mut self, count: u64) {
        self.trace.choose(count);
        self.tell_workers();
    }

    /// How many of the next packets will be recorded.
    pub fn trace_left(&self) -> u64 {
        self.trace.left()
    }

    /// Takes the steps recorded since the last call, and how many were lost because nobody took them (2^20 are kept).
    pub fn take_trace(&mut self) -> (Vec<Step>, u64) {
        self.trace.take()
    }

    /// Stops recording, also of packets that are in the switch; what was not taken is lost.
    pub fn stop_trace(&mut self) {
        self.trace.stop();
    }

    /// Where the next outcomes are open (a selector's group, an entry's weighted actions, `random`), takes these options in order,
    /// then again what hash and generator say. A trace tells of each decision how many options it had ([`Choice`](crate::Choice)).
    pub fn want_choices(&mut self, options: Vec<u32>) {
        self.thread.choices.force(options);
    }

    fn drop_packet(&mut self, time: Nanos, place: DropPlace, reason: DropReason, id: PacketId) {
        self.trace.record(time, id, || StepKind::Dropped { place, reason });
        self.stats.record_drops(place, reason, 1);
        self.stats.in_flight -= 1;
        if let Some(noted) = &mut self.noted {
            let (place, reason) = (place.to_string(), reason.to_string());
            noted.push(Drop { time, place, reason, packet: id.packet });
        }
    }

    /// Puts a packet that is counted as in flight in line for a pass.
    fn wait_for_pass(&mut self, now: Nanos, arrival: Arrival) {
        if self.input.len() >= self.config.input_queue {
            return self.drop_packet(now, DropPlace::Input, DropReason::InputQueueFull, arrival.id);
        }
        self.input.push_back((now, arrival));
        if self.input.len() == 1 {
            self.events.add(self.passes.ready().max(now), Event::Pass);
        }
    }

    fn start_pass(&mut self, now: Nanos) {
        let Some((_, arrival)) = self.input.pop_front() else { return };
        self.passes.take(now, 1);
        if let Some((arrived, _)) = self.input.front() {
            self.events.add(self.passes.ready().max(*arrived), Event::Pass);
        }
        self.stats.passes += 1;
        self.trace.record(now, arrival.id, || StepKind::PassStarted);
        let mut verdicts = Vec::new();
        let mut context = PathContext {
            executor: &*self.executor,
            control: self.state.view(),
            thread: &mut self.thread,
            config: &self.config,
            now,
            trace: &mut self.trace,
        };
        self.path.ingress(&mut context, arrival, &mut verdicts);
        self.record_hits();
        self.count_copies(&verdicts);
        for verdict in verdicts {
            match verdict {
                Verdict::Drop { place, reason, id } => self.drop_packet(now, place, reason, id),
                verdict => {
                    self.events.add(now.saturating_add(self.config.pass_latency), Event::Arrived(verdict))
                }
            }
        }
    }

    fn count_copies(&mut self, verdicts: &[Verdict]) {
        debug_assert!(!verdicts.is_empty(), "every packet has a verdict");
        let copies = verdicts.len() as u64 - 1;
        self.stats.copied += copies;
        self.stats.in_flight += copies;
    }

    /// Lets a packet meet its verdict.
    fn meet(&mut self, now: Nanos, verdict: Verdict, out: &mut Vec<Transmission>) {
        match verdict {
            Verdict::Queue { port, priority, packet } => {
                let id = packet.id;
                match self.queues.enqueue(now, port, priority, *packet) {
                    Ok(()) => {
                        self.trace.record(now, id, || StepKind::Queued { port, priority });
                        self.take_from_queues(now, port, out);
                    }
                    Err(reason) => self.drop_packet(now, DropPlace::Queue(port), reason, id),
                }
            }
            Verdict::NextPass(arrival) => {
                let id = arrival.id;
                match arrival.origin {
                    Origin::Resubmitted(_) => {
                        self.stats.resubmitted += 1;
                        self.trace.record(now, id, || StepKind::Resubmitted);
                    }
                    Origin::Recirculated | Origin::Port(_) => {
                        self.stats.recirculated += 1;
                        self.trace.record(now, id, || StepKind::Recirculated);
                    }
                }
                self.wait_for_pass(now, arrival);
            }
            Verdict::Transmit { port, id, bytes } => {
                if !self.config.ports.contains(&port) {
                    return self.drop_packet(now, DropPlace::Port(port), DropReason::NoSuchPort, id);
                }
                self.stats.record_sent(port, bytes.len());
                self.trace.record(now, id, || StepKind::Transmitted { port, bytes: bytes.clone() });
                out.push(Transmission { time: now, port, packet: Packet { bytes, id: id.packet } });
            }
            Verdict::Drop { place, reason, id } => self.drop_packet(now, place, reason, id),
        }
    }

    /// Runs egress for all that may leave the port's queues now, and sees to it that the rest is looked at in time.
    fn take_from_queues(&mut self, now: Nanos, port: Port, out: &mut Vec<Transmission>) {
        while let Some(ready) = self.queues.ready(port) {
            if ready > now {
                let told = self.wakes.entry(port).or_insert(Nanos::MAX);
                if ready < *told {
                    *told = ready;
                    self.events.add(ready, Event::Wake(port));
                }
                return;
            }
            let Some(departure) = self.queues.dequeue(now, port) else { return };
            let waited = departure.dequeued - departure.enqueued;
            self.trace.record(now, departure.packet.id, || StepKind::Dequeued { port, waited });
            let mut verdicts = Vec::new();
            let mut context = PathContext {
                executor: &*self.executor,
                control: self.state.view(),
                thread: &mut self.thread,
                config: &self.config,
                now,
                trace: &mut self.trace,
            };
            self.path.egress(&mut context, departure, &mut verdicts);
            self.record_hits();
            self.count_copies(&verdicts);
            for verdict in verdicts {
                match verdict {
                    // Not at once, or a clone's clones would nest without end.
                    Verdict::Queue { .. } => self.events.add(now, Event::Arrived(verdict)),
                    verdict => self.meet(now, verdict, out),
                }
            }
        }
    }

    /// Does what is due.
    fn pass_time(&mut self, now: Nanos, out: &mut Vec<Transmission>) {
        loop {
            // What hits an entry at the very end of its time-out comes in time.
            let idle = self.state.idle.next_time().filter(|time| *time <= now);
            if let Some(idle) = idle
                && self.events.next_time().is_none_or(|event| event > idle)
            {
                let ControlState { tables, idle, .. } = &mut self.state;
                idle.fire(tables);
                continue;
            }
            let Some((time, event)) = self.events.take_due(now) else { return };
            match event {
                Event::Pass => self.start_pass(time),
                Event::Arrived(verdict) => self.meet(time, verdict, out),
                Event::Wake(port) => {
                    self.wakes.remove(&port);
                    self.take_from_queues(time, port, out);
                }
            }
        }
    }
}

impl Device for Switch {
    fn receive(&mut self, now: Nanos, port: Port, packet: Packet) {
        self.now = self.now.max(now);
        self.stats.received += 1;
        self.stats.in_flight += 1;
        let Packet { bytes, id } = packet;
        let id = PacketId { packet: id, copy: self.trace.received() };
        self.trace.record(now, id, || StepKind::Received { port, bytes: bytes.clone() });
        if !self.config.ports.contains(&port) {
            return self.drop_packet(now, DropPlace::Port(port), DropReason::NoSuchPort, id);
        }
        let port_stats = self.stats.ports.entry(port);
        port_stats.packets_in += 1;
        port_stats.bytes_in += bytes.len() as u64;
        self.wait_for_pass(now, Arrival { id, bytes, origin: Origin::Port(port), preserved: Vec::new() });
    }

    fn receive_in_place(&mut self, now: Nanos, port: Port, frame: &mut Buffer) -> ReceiveOutcome {
        self.straight(now, port, frame).unwrap_or_else(|| {
            self.receive(now, port, Packet { bytes: frame.bytes().to_vec(), id: frame.id });
            ReceiveOutcome::Held
        })
    }

    fn next_deadline(&self) -> Option<Nanos> {
        [self.events.next_time(), self.state.idle.next_time()].into_iter().flatten().min()
    }

    fn advance(&mut self, now: Nanos, out: &mut Vec<Transmission>) {
        self.now = self.now.max(now);
        self.collect();
        self.pass_time(now, out);
        self.tell_workers();
    }

    fn take_drops(&mut self) -> Vec<Drop> {
        self.noted.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn record_drops(&mut self, on: bool) {
        self.noted = on.then(|| self.noted.take().unwrap_or_default());
        self.tell_workers();
    }

    fn queue_lengths(&self, port: Port) -> Vec<usize> {
        let priorities = 0..self.queues.settings.priorities;
        priorities.map(|priority| self.queues.waiting(port, priority)).collect()
    }

    fn in_flight(&self) -> usize {
        self.stats.in_flight as usize
    }

    fn account(&self) -> PacketAccount {
        PacketAccount {
            received: self.stats.received,
            created: self.stats.copied,
            transmitted: self.stats.transmitted,
            dropped: self.stats.dropped(),
            in_flight: self.stats.in_flight,
        }
    }

    fn drop_counts(&self) -> Vec<(String, String, u64)> {
        let drops = self.stats.drops.iter();
        drops.map(|((place, reason), count)| (place.to_string(), reason.to_string(), *count)).collect()
    }
}
