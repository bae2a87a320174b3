//! Runs a network in several threads, with exactly the results of one thread.
//!
//! For a while, the network is taken apart: each thread gets a part of the nodes, as a network of
//! its own in which everything else is a placeholder. Afterwards, the network is put together
//! again, so that everything outside of runs is the same for any number of threads. Decision 72
//! gives the reasons.

mod absent;
mod barrier;
mod order;
mod part;
mod partition;
mod windows;

use std::mem::{swap, take};
use std::sync::Arc;

use weir_device::Nanos;

use self::order::Birth;
pub(super) use self::part::Part;
use self::partition::{Graph, GraphLink, Partition};
use self::windows::Limits;
pub use self::windows::{RunTasks, Task};
use super::{Event, LinkState, Network, NodeKind, NodeState, StopCondition};
use crate::event_queue::EventQueue;
use crate::frames::{FrameId, Frames};
use crate::tcp::Algorithm;

/// The maximum number of threads.
pub const MAX_THREADS: usize = 256;
/// The number of events between two attempts to use several threads.
const EVENTS_UNTIL_RETRY: u64 = 20_000;
/// The number of events between two attempts if the last windows were too small for several threads
/// to pay.
const EVENTS_AFTER_SMALL_WINDOWS: u64 = 200_000;
/// The number of events after which a packet probably has reached a device.
const EVENTS_UNTIL_PACKET: u64 = 100;
/// The minimum number of events for which it pays to take a network apart.
const MIN_EVENTS: u64 = 10_000;
/// The length of the very first window in nanoseconds, before the rate of events is known.
const FIRST_WINDOW: Nanos = 10_000;

/// The work of several threads so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParallelWork {
    /// The number of times that the network was taken apart.
    pub runs: u64,
    /// The number of windows, in which each thread works without the others.
    pub windows: u64,
    /// The number of events handled in these windows, by the thread.
    pub events: Vec<u64>,
    /// The critical path: the sum over all windows of the events of the busiest thread. One thread
    /// would need as long for this number of events if waiting and messages were free.
    pub critical_events: u64,
    /// The number of frames that passed from one thread to another, and their bytes.
    pub messages: u64,
    /// The bytes of these frames.
    pub message_bytes: u64,
}

/// The threads of a network, and what it keeps between their runs.
pub(super) struct Parallel {
    /// The maximum number of threads, and the caller's function that starts them.
    threads: usize,
    run: RunTasks,
    /// Networks of placeholders, one for each part.
    parts: Vec<Network>,
    partition: Option<Partition>,
    /// The number of handled events from which on the network is divided again, because loads have
    /// changed.
    divide_at: u64,
    /// The length of the next window.
    length: Nanos,
    /// If set, the network is taken apart wherever that is possible, even if it does not pay, and
    /// its parts run in this number of threads.
    eager: Option<usize>,
    work: ParallelWork,
}

/// The results of a run of all parts.
#[derive(Default)]
struct RunCounts {
    events: u64,
    /// Whether the run ended because windows were small.
    are_small: bool,
}

impl Parallel {
    fn new(threads: usize, run: RunTasks) -> Self {
        Parallel {
            threads,
            run,
            parts: Vec::new(),
            partition: None,
            divide_at: 0,
            length: 0,
            eager: None,
            work: ParallelWork::default(),
        }
    }

    /// Returns the minimum number of events for which the network is taken apart.
    fn min_events(&self) -> u64 {
        if self.eager.is_some() { 1 } else { MIN_EVENTS }
    }
}

impl Network {
    /// Sets the number of threads that simulate the network, from 1 to [`MAX_THREADS`]; `run`
    /// starts them. Results do not depend on the number. Several threads are used while a run has
    /// only a time as its end ([`StopCondition::Time`], [`StopCondition::Idle`]), and while every
    /// application and device is self-contained; see [`crate::App::is_self_contained`].
    pub fn set_threads(&mut self, threads: usize, run: RunTasks) {
        let threads = threads.clamp(1, MAX_THREADS);
        self.parallel = (threads > 1).then(|| Box::new(Parallel::new(threads, run)));
        self.parallel_from = if threads > 1 { 0 } else { u64::MAX };
    }

    /// Takes the network apart wherever that is possible, even if it does not pay, and runs the
    /// parts in this number of threads. This is for tests of small networks.
    #[doc(hidden)]
    pub fn run_parts_eagerly(&mut self, threads: usize) {
        if let Some(parallel) = &mut self.parallel {
            parallel.eager = Some(threads);
        }
    }

    /// Returns the number of threads that simulate the network.
    pub fn threads(&self) -> usize {
        self.parallel.as_ref().map_or(1, |parallel| parallel.threads)
    }

    /// Returns the work of several threads so far.
    pub fn parallel_work(&self) -> ParallelWork {
        self.parallel.as_ref().map(|parallel| parallel.work.clone()).unwrap_or_default()
    }

    /// Keeps these nodes in one part, because their applications share data.
    pub(super) fn keep_together(&mut self, nodes: impl IntoIterator<Item = usize>) {
        let mut nodes = nodes.into_iter();
        if let Some(first) = nodes.next() {
            self.together.extend(nodes.map(|other| (first.min(other), first.max(other))));
        }
    }

    /// Handles some of the events up to `until` in several threads, if that is possible and pays.
    /// `done` events were handled in this slice before, and about `budget` events are left. Returns
    /// the number of events that were handled.
    pub(super) fn run_in_parallel(
        &mut self,
        goal: StopCondition,
        until: Nanos,
        done: u64,
        mut budget: u64,
    ) -> u64 {
        let handled = self.handled + done;
        if let Some(left) = self.loops.events_until_check(handled) {
            budget = budget.min(left);
        }
        let Some(mut parallel) = self.parallel.take() else { return 0 };
        let end = until.min(self.samplers.next_time()).saturating_add(1);
        let mut events = 0;
        let pause = if !self.loops.knows_packet() {
            EVENTS_UNTIL_PACKET
        } else if budget < parallel.min_events() {
            budget + 1
        } else if self.can_run_in_parallel(goal) && self.divide(&mut parallel, handled) {
            let counts = self.run_parts(&mut parallel, end, budget);
            events = counts.events;
            match events {
                _ if counts.are_small => EVENTS_AFTER_SMALL_WINDOWS,
                0..MIN_EVENTS => EVENTS_UNTIL_RETRY,
                _ => 1,
            }
        } else {
            EVENTS_UNTIL_RETRY
        };
        self.parallel_from = handled + events + if parallel.eager.is_some() { 1 } else { pause };
        self.parallel = Some(parallel);
        events
    }

    /// Returns whether nothing but the messages of links affects several nodes, and nothing can
    /// stop the run before its end.
    fn can_run_in_parallel(&self, goal: StopCondition) -> bool {
        let is_timed = matches!(goal, StopCondition::Time(_) | StopCondition::Idle { .. });
        is_timed
            && self.computing.is_none()
            && self.captures.iter().flatten().all(|tap| !tap.stops())
            && self.nodes.iter().all(|node| match &node.kind {
                NodeKind::Host(host) => {
                    host.apps_are_self_contained()
                        && !matches!(host.config().tcp.congestion, Algorithm::Custom(_))
                }
                NodeKind::Device(state) => state.device.is_self_contained(),
            })
    }

    /// Runs the parts of the network until the end, or until about `budget` events are handled.
    fn run_parts(&mut self, parallel: &mut Parallel, end: Nanos, budget: u64) -> RunCounts {
        let Some(partition) = &parallel.partition else { return RunCounts::default() };
        let shape = (self.nodes.len(), self.links.len());
        let fits = |part: &Network| (part.nodes.len(), part.links.len()) == shape;
        if parallel.parts.len() != partition.parts || !parallel.parts.iter().all(fits) {
            parallel.parts = (0..partition.parts).map(|_| self.placeholders()).collect();
        }
        let lookahead = partition.lookahead;
        let length = parallel.length.clamp(FIRST_WINDOW.min(lookahead), lookahead);
        self.take_apart(&mut parallel.parts, partition);
        let limits =
            Limits { end, events: budget, lookahead, length, may_be_small: parallel.eager.is_some() };
        let threads = parallel.eager.unwrap_or(parallel.parts.len());
        let windows = windows::run(&mut parallel.parts, threads, parallel.run, limits);
        let work = &mut parallel.work;
        work.events.resize(parallel.parts.len().max(work.events.len()), 0);
        let mut events = 0;
        let parts = parallel.parts.iter().filter_map(|part| part.part.as_ref());
        for (counts, total) in parts.map(|part| part.counts).zip(&mut work.events) {
            *total += counts.events;
            events += counts.events;
            work.messages += counts.messages;
            work.message_bytes += counts.message_bytes;
        }
        (work.runs, work.windows) = (work.runs + 1, work.windows + windows.windows);
        work.critical_events += windows.critical_events;
        parallel.length = windows.length;
        self.put_together(&mut parallel.parts, partition);
        RunCounts { events, are_small: windows.are_small }
    }

    /// Divides the network into parts, unless the current division is still good. Returns false if
    /// there is no good division.
    fn divide(&self, parallel: &mut Parallel, handled: u64) -> bool {
        let mut graph = Graph { loads: vec![1; self.nodes.len()], links: Vec::new(), together: Vec::new() };
        for link in &self.links {
            let ends = link.ends.map(|(node, _)| node);
            let load: u64 = link.transmitters.iter().map(|transmitter| transmitter.load()).sum();
            let delay = link.transmitters.iter().map(|transmitter| transmitter.min_delay()).min();
            ends.iter().for_each(|node| graph.loads[*node] += load);
            graph.links.push(GraphLink { ends, delay: delay.unwrap_or(0), load: load + 1 });
        }
        graph.together.extend(&self.together);
        // The order of frames in a capture is that of events.
        let mut nodes_of = vec![Vec::new(); self.captures.len()];
        for link in &self.links {
            for (taps, (node, _)) in link.taps.iter().zip(link.ends) {
                taps.iter().for_each(|(tap, _)| nodes_of[*tap].push(node));
            }
        }
        graph
            .together
            .extend(nodes_of.iter().flat_map(|nodes| nodes.windows(2)).map(|pair| (pair[0], pair[1])));
        let keeps = parallel.partition.as_mut().is_some_and(|partition| graph.still_fits(partition));
        if !keeps || handled >= parallel.divide_at {
            parallel.partition = graph.divide(parallel.threads);
            parallel.divide_at = 2 * handled.max(MIN_EVENTS);
        }
        parallel.partition.is_some()
    }

    /// Creates a network with placeholders for all nodes and links of this one.
    fn placeholders(&self) -> Network {
        let mut part = Network::new(self.seed);
        part.nodes.extend(self.nodes.iter().map(|_| NodeState::absent()));
        part.links.extend(self.links.iter().map(LinkState::absent));
        part.hosts_at.clone_from(&self.hosts_at);
        part
    }

    /// Moves everything of this network into its parts.
    fn take_apart(&mut self, parts: &mut [Network], partition: &Partition) {
        let part_of = |node: usize| usize::from(partition.part_of[node]);
        let receivers: Arc<[u16]> = (self.links.iter())
            .flat_map(|link| [link.ends[1], link.ends[0]].map(|(node, _)| partition.part_of[node]))
            .collect();
        let count = parts.len();
        for (number, part) in (0..).zip(&mut *parts) {
            part.part = Some(Box::new(Part::new(number, count, Arc::clone(&receivers))));
            (part.now, part.events) = (self.now, EventQueue::starting_at(self.now));
            (part.hops, part.running) = (0, 0);
            part.tracks_packet_ids = self.tracks_packet_ids;
            part.reads_messages = self.reads_messages;
            part.loops.packet = self.loops.packet.of_same_packet();
            part.captures.resize_with(self.captures.len(), || None);
        }
        for link in &self.links {
            for (taps, (node, _)) in link.taps.iter().zip(link.ends) {
                let captures = &mut parts[part_of(node)].captures;
                for (tap, _) in taps {
                    let moved = self.captures[*tap].take();
                    captures[*tap] = moved.or(captures[*tap].take());
                }
            }
        }
        self.swap_nodes_and_links(parts, partition);
        for link in 0..self.links.len() {
            for side in 0..2 {
                let [sender, receiver] = [side, 1 - side].map(|side| part_of(self.links[link].ends[side].0));
                if let Ok([sender, receiver]) = parts.get_disjoint_mut([sender, receiver]) {
                    let transmitter = &sender.links[link].transmitters[side];
                    transmitter.prepare_receiver(&mut receiver.links[link].transmitters[side]);
                }
                let sender = &mut parts[sender];
                let frames = &mut sender.frames;
                sender.links[link].transmitters[side]
                    .visit_frames(&mut |frame| *frame = frames.move_from(&mut self.frames, *frame));
            }
        }
        for (order, (time, event)) in (0..).zip(take_all(&mut self.events)) {
            let part = &mut parts[part_of(self.node_of(event))];
            let event = move_event(event, self, part);
            part.add_born(time, event, Birth::initial(order));
        }
    }

    /// Moves everything of the parts back into this network.
    fn put_together(&mut self, parts: &mut [Network], partition: &Partition) {
        let part_of = |node: usize| usize::from(partition.part_of[node]);
        let mut events = Vec::new();
        for (number, part) in parts.iter_mut().enumerate() {
            while let Some((time, birth, event)) = part.take_born() {
                events.push((time, birth, number, event));
            }
            self.now = self.now.max(part.now);
            self.hops += part.hops;
            self.stop_requested |= take(&mut part.stop_requested);
            self.loops.packet.add_arrivals(&part.loops.packet);
            for (own, capture) in self.captures.iter_mut().zip(&mut part.captures) {
                *own = capture.take().or(own.take());
            }
        }
        events.sort_unstable_by_key(|(time, birth, ..)| (*time, *birth));
        self.events = EventQueue::starting_at(self.now);
        for (time, _, number, event) in events {
            let event = move_event(event, &mut parts[number], self);
            self.events.push(time, event);
        }
        for link in 0..self.links.len() {
            for side in 0..2 {
                let [sender, receiver] = [side, 1 - side].map(|side| part_of(self.links[link].ends[side].0));
                if let Ok([sender, receiver]) = parts.get_disjoint_mut([sender, receiver]) {
                    let receiver = &mut receiver.links[link].transmitters[side];
                    sender.links[link].transmitters[side].add_received(receiver);
                }
                let sender = &mut parts[sender];
                sender.links[link].transmitters[side]
                    .visit_frames(&mut |frame| *frame = self.frames.move_from(&mut sender.frames, *frame));
            }
        }
        self.swap_nodes_and_links(parts, partition);
        self.running = self.nodes.iter().map(|node| node.running).sum();
        for part in parts {
            debug_assert_eq!(part.frames.in_use(), 0, "all frames were moved");
            part.part = None;
        }
    }

    /// Exchanges the nodes, transmitters and taps of the parts with the placeholders.
    fn swap_nodes_and_links(&mut self, parts: &mut [Network], partition: &Partition) {
        for (node, part) in partition.part_of.iter().enumerate() {
            let part = &mut parts[usize::from(*part)];
            part.running += self.nodes[node].running;
            swap(&mut self.nodes[node], &mut part.nodes[node]);
        }
        for (number, link) in self.links.iter_mut().enumerate() {
            for (side, (node, _)) in link.ends.into_iter().enumerate() {
                let other = &mut parts[usize::from(partition.part_of[node])].links[number];
                swap(&mut link.transmitters[side], &mut other.transmitters[side]);
                swap(&mut link.taps[side], &mut other.taps[side]);
            }
        }
    }

    /// Returns the node that handles an event.
    fn node_of(&self, event: Event) -> usize {
        match event {
            Event::Sent { wire } => self.links[wire.link()].ends[wire.side()].0,
            Event::Arrived { wire, .. } | Event::Process { wire, .. } => {
                self.links[wire.link()].ends[1 - wire.side()].0
            }
            Event::Loopback { node, .. }
            | Event::Transmit { node, .. }
            | Event::Wake { node }
            | Event::AppStart { node, .. }
            | Event::AppWake { node, .. } => node as usize,
            Event::Processor { .. } => unreachable!("nodes that share a computer run in one thread"),
        }
    }
}

/// Takes all events from a queue, in order.
fn take_all(events: &mut EventQueue<Event>) -> Vec<(Nanos, Event)> {
    std::iter::from_fn(|| events.pop_until(Nanos::MAX)).collect()
}

/// Moves the frame or the wake-up of an event from one network to another.
fn move_event(event: Event, from: &mut Network, to: &mut Network) -> Event {
    let frame = |frame: FrameId, from: &mut Frames, to: &mut Frames| to.move_from(from, frame);
    match event {
        Event::Arrived { wire, frame: moved } => {
            Event::Arrived { wire, frame: frame(moved, &mut from.frames, &mut to.frames) }
        }
        Event::Process { wire, frame: moved } => {
            Event::Process { wire, frame: frame(moved, &mut from.frames, &mut to.frames) }
        }
        Event::Loopback { node, packet } => {
            Event::Loopback { node, packet: frame(packet, &mut from.frames, &mut to.frames) }
        }
        Event::Transmit { node, frame: moved } => {
            Event::Transmit { node, frame: frame(moved, &mut from.frames, &mut to.frames) }
        }
        Event::AppStart { node, wake } => {
            let (app, token) = from.app_wakes.take_wake(wake);
            Event::AppStart { node, wake: to.app_wakes.add(app, token) }
        }
        Event::AppWake { node, wake } => {
            let (app, token) = from.app_wakes.take_wake(wake);
            Event::AppWake { node, wake: to.app_wakes.add(app, token) }
        }
        Event::Sent { .. } | Event::Wake { .. } | Event::Processor { .. } => event,
    }
}
