//! The work of nodes that share a computer.
//!
//! The work of a node takes processor time. So a frame that reaches a node first waits for one of
//! the node's threads, and so does a frame that leaves a node. The scheduler of
//! [`crate::computer`] says when each piece of work is done; then the network continues as it does
//! at once without a computer.

use std::collections::BTreeMap;

use weir_device::{Nanos, Port};

use super::{Event, Network, NodeKind};
use crate::computer::{ComputerConfig, Scheduler, ThreadId};
use crate::frames::FrameId;
use crate::host::FrameClass;
use crate::{Cost, Error};

/// A piece of work. The frames of [`Job::Arrive`] and [`Job::Process`] come in by `port`, the
/// others leave by the port in their buffer.
#[derive(Clone, Copy)]
enum Job {
    /// A switch's thread receives a frame.
    Receive { node: u32, port: Port, frame: FrameId },
    /// Ingress of a frame. If there is no frame, ingress of the first packet that the switch
    /// processes again.
    Ingress { node: u32, frame: Option<(Port, FrameId)> },
    /// Egress, after which the switch has the frame.
    Egress { node: u32, frame: Option<(Port, FrameId)> },
    /// A host processes a frame.
    Process { node: u32, port: Port, frame: FrameId },
    /// A node sends a frame.
    Send { node: u32, frame: FrameId },
    /// An application is started or woken up.
    App { node: u32, wake: u32, starts: bool },
    /// An application has written bytes of a TCP connection.
    Write,
    /// An application reads all data of TCP connections that has arrived.
    Read { node: u32 },
}

/// Frames of a node that wait for its threads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeFrames {
    pub(super) arriving: u64,
    pub(super) leaving: u64,
}

/// The threads of a node, by number.
#[derive(Clone, Copy)]
enum ThreadRole {
    /// A switch's receiving thread, its only thread, or a host's process.
    First,
    Ingress,
    Egress,
    Send,
    /// The kernel's work for a host.
    Kernel,
}

/// The number of roles that a node's threads have.
const ROLES: usize = 5;

/// The computer that all devices of the network share.
pub(super) struct Computing {
    config: ComputerConfig,
    scheduler: Scheduler<Job>,
    frames: Vec<NodeFrames>,
    /// The frames between ingress and egress, by node and the port that they came from.
    before_egress: BTreeMap<(u32, Port), usize>,
    /// The number of repeated packets of each node that already have a piece of work.
    repeats: Vec<usize>,
    /// The node whose application is running now.
    app_of: Option<usize>,
}

impl Computing {
    /// Iterates over the frames that wait for the computer, by node.
    pub(super) fn frames(&self) -> impl Iterator<Item = &NodeFrames> {
        self.frames.iter()
    }

    /// Adds the threads of all nodes up to this one.
    fn add_threads(&mut self, node: usize) {
        while self.frames.len() <= node {
            self.frames.push(NodeFrames::default());
            self.repeats.push(0);
            for role in 0..ROLES {
                self.scheduler.add_thread(role == ThreadRole::Kernel as usize);
            }
        }
    }

    fn thread(&self, node: usize, role: ThreadRole) -> ThreadId {
        let role = match role {
            ThreadRole::Ingress | ThreadRole::Egress | ThreadRole::Send if !self.config.pipelined => {
                ThreadRole::First
            }
            role => role,
        };
        ThreadId(node * ROLES + role as usize)
    }

    /// Gives work to a thread of a node. `follows` says that the work continues the current work,
    /// if the same thread does it.
    fn submit(
        &mut self,
        now: Nanos,
        (node, role): (usize, ThreadRole),
        job: Job,
        cost: Nanos,
        follows: bool,
    ) {
        let thread = self.thread(node, role);
        self.scheduler.submit(now, thread, job, cost, follows);
    }
}

fn total_time(costs: &[Cost], bytes: usize) -> Nanos {
    costs.iter().fold(0, |sum: Nanos, cost| sum.saturating_add(cost.packet_time(bytes)))
}

impl Network {
    /// Lets all nodes share a computer. Their own times stay: a switch's pass latency and capacity,
    /// a host's processing delay.
    ///
    /// # Errors
    /// A setting is out of range, or the network already has nodes.
    pub fn share_computer(&mut self, config: ComputerConfig) -> Result<(), Error> {
        config.check()?;
        if !self.nodes.is_empty() {
            return Err(Error::ComputerTooLate);
        }
        let scheduler = Scheduler::new(&config, self.seed);
        self.computing = Some(Box::new(Computing {
            config,
            scheduler,
            frames: Vec::new(),
            before_egress: BTreeMap::new(),
            repeats: Vec::new(),
            app_of: None,
        }));
        Ok(())
    }

    /// Adds events for the work that has begun.
    fn schedule_work(&mut self) {
        let Some(computing) = &mut self.computing else { return };
        while let Some((time, processor)) = computing.scheduler.take_started_work() {
            self.events.push(time, Event::Processor { processor });
        }
    }

    /// Queues a frame that has arrived at a node. The node gets it when a thread has time.
    pub(super) fn compute_receive(&mut self, (at, port): (usize, Port), frame: FrameId) {
        let Some(computing) = &mut self.computing else { return };
        computing.add_threads(at);
        let NodeFrames { arriving, leaving } = computing.frames[at];
        if arriving + leaving >= computing.config.buffer as u64 {
            self.nodes[at].unread += 1;
            self.frames.release(frame);
            return;
        }
        computing.frames[at].arriving += 1;
        let (node, bytes) = (at as u32, self.frames.bytes(frame));
        let ComputerConfig { receive, stack, app, stream, .. } = computing.config;
        let length = bytes.len();
        match &self.nodes[at].kind {
            NodeKind::Device(_) => {
                let cost = receive.packet_time(length);
                computing.submit(
                    self.now,
                    (at, ThreadRole::First),
                    Job::Receive { node, port, frame },
                    cost,
                    false,
                );
            }
            NodeKind::Host(_) => {
                let job = Job::Process { node, port, frame };
                let (in_app, in_kernel) = (total_time(&[stack, app], length), stack.packet_time(length));
                let stream = stream.packet_time(length);
                match FrameClass::of_frame(bytes) {
                    FrameClass::Application => {
                        computing.submit(self.now, (at, ThreadRole::First), job, in_app, false);
                    }
                    FrameClass::Kernel => {
                        computing.submit(self.now, (at, ThreadRole::Kernel), job, in_kernel, false);
                    }
                    FrameClass::Stream => {
                        computing.submit(self.now, (at, ThreadRole::Kernel), job, in_kernel, false);
                        let read = Job::Read { node };
                        computing.submit(self.now, (at, ThreadRole::First), read, stream, false);
                    }
                }
            }
        }
        self.schedule_work();
    }

    /// Lets a switch send a frame when a thread has time.
    pub(super) fn compute_send(&mut self, at: usize, frame: FrameId) {
        let Some(computing) = &mut self.computing else { return };
        computing.add_threads(at);
        computing.frames[at].leaving += 1;
        let ComputerConfig { send, link, pipelined, .. } = computing.config;
        let cost = total_time(&[send, link], self.frames.bytes(frame).len());
        let job = Job::Send { node: at as u32, frame };
        computing.submit(self.now, (at, ThreadRole::Send), job, cost, !pipelined);
        self.schedule_work();
    }

    /// Lets a host send a frame when a thread has time: the kernel's thread, or the thread of the
    /// application that sends the frame.
    pub(super) fn compute_host_send(&mut self, at: usize, frame: FrameId) {
        let Some(computing) = &mut self.computing else { return };
        computing.add_threads(at);
        computing.frames[at].leaving += 1;
        let ComputerConfig { stack, link, app, stream, .. } = computing.config;
        let (bytes, node) = (self.frames.bytes(frame), at as u32);
        let class = FrameClass::of_frame(bytes);
        let (in_kernel, in_app) = (total_time(&[stack, link], bytes.len()), app.packet_time(bytes.len()));
        let job = Job::Send { node, frame };
        let by_app = computing.app_of == Some(at);
        if by_app || class == FrameClass::Application {
            computing.submit(
                self.now,
                (at, ThreadRole::First),
                job,
                in_kernel.saturating_add(in_app),
                by_app,
            );
        } else {
            computing.submit(self.now, (at, ThreadRole::Kernel), job, in_kernel, false);
            if class == FrameClass::Stream {
                let cost = stream.packet_time(bytes.len());
                computing.submit(self.now, (at, ThreadRole::First), Job::Write, cost, false);
            }
        }
        self.schedule_work();
    }

    /// Calls an application when its host's process has time.
    pub(super) fn compute_app(&mut self, at: usize, wake: u32, starts: bool) {
        let Some(computing) = &mut self.computing else { return };
        computing.add_threads(at);
        let job = Job::App { node: at as u32, wake, starts };
        computing.submit(self.now, (at, ThreadRole::First), job, 0, false);
        self.schedule_work();
    }

    /// Queues the passes of packets that a switch processes again.
    pub(super) fn compute_repeats(&mut self, at: usize) {
        let (Some(computing), NodeKind::Device(state)) = (&mut self.computing, &self.nodes[at].kind) else {
            return;
        };
        computing.add_threads(at);
        let waiting = state.device.repeats_waiting();
        if computing.repeats[at] >= waiting {
            return;
        }
        let cost = computing.config.ingress.packet_time(state.device.waiting_frame().map_or(0, <[u8]>::len));
        while computing.repeats[at] < waiting {
            computing.repeats[at] += 1;
            let job = Job::Ingress { node: at as u32, frame: None };
            computing.submit(self.now, (at, ThreadRole::Ingress), job, cost, false);
        }
        self.schedule_work();
    }

    /// Handles a piece of work that a processor has finished.
    pub(super) fn finish_work(&mut self, processor: u32) {
        let Some(job) = self.computing.as_mut().and_then(|computing| computing.scheduler.complete(processor))
        else {
            return;
        };
        self.do_work(job);
        if let Some(computing) = &mut self.computing {
            computing.scheduler.choose_next(processor, self.now);
        }
        self.schedule_work();
    }

    /// Does what follows from a piece of work.
    fn do_work(&mut self, job: Job) {
        let Some(computing) = &mut self.computing else { return };
        let ComputerConfig { ingress, egress, pipelined, .. } = computing.config;
        let now = self.now;
        match job {
            Job::Receive { node, port, frame } => {
                let cost = ingress.packet_time(self.frames.bytes(frame).len());
                let job = Job::Ingress { node, frame: Some((port, frame)) };
                computing.submit(now, (node as usize, ThreadRole::Ingress), job, cost, !pipelined);
            }
            Job::Ingress { node, frame } => {
                if let Some((port, frame)) = frame {
                    let waiting = computing.before_egress.entry((node, port)).or_default();
                    if *waiting >= computing.config.egress_queue {
                        computing.frames[node as usize].arriving -= 1;
                        self.nodes[node as usize].unread += 1;
                        return self.frames.release(frame);
                    }
                    *waiting += 1;
                }
                let length = frame.map_or(0, |(_, frame)| self.frames.bytes(frame).len());
                let job = Job::Egress { node, frame };
                computing.submit(
                    now,
                    (node as usize, ThreadRole::Egress),
                    job,
                    egress.packet_time(length),
                    !pipelined,
                );
            }
            Job::Egress { node, frame: Some((port, frame)) } => {
                computing.frames[node as usize].arriving -= 1;
                if let Some(waiting) = computing.before_egress.get_mut(&(node, port)) {
                    *waiting -= 1;
                }
                self.deliver_to_device((node as usize, port), frame);
                self.continue_device(node as usize);
            }
            Job::Egress { node, frame: None } => {
                computing.repeats[node as usize] -= 1;
                if let NodeKind::Device(state) = &mut self.nodes[node as usize].kind {
                    state.device.start_next_pass(now);
                }
                self.update_device(node as usize);
                self.continue_device(node as usize);
            }
            Job::Process { node, port, frame } => {
                computing.frames[node as usize].arriving -= 1;
                let class = FrameClass::of_frame(self.frames.bytes(frame));
                self.call_host(node as usize, class == FrameClass::Application, |network| {
                    network.deliver_to_host((node as usize, port), frame);
                });
            }
            Job::Send { node, frame } => {
                computing.frames[node as usize].leaving -= 1;
                self.send_at_port(node as usize, frame);
            }
            Job::App { node, wake, starts } => self.call_host(node as usize, true, |network| match starts {
                true => network.start_woken_app(node as usize, wake),
                false => network.wake_app(node as usize, wake),
            }),
            Job::Read { node } => self.call_host(node as usize, false, |network| {
                let now = network.now;
                network.with_host(node as usize, |host| host.read_all(now));
            }),
            Job::Write => {}
        }
    }

    /// Lets a device process the events that are due now, so that the thread continues with the
    /// resulting work.
    fn continue_device(&mut self, node: usize) {
        let NodeKind::Device(state) = &self.nodes[node].kind else { return };
        if state.device.next_deadline().is_some_and(|deadline| deadline <= self.now) {
            self.wake(node);
        }
    }

    /// Calls a host in the context of its application or of its kernel.
    fn call_host(&mut self, node: usize, is_app: bool, act: impl FnOnce(&mut Self)) {
        let app_of = |network: &mut Self, of| {
            if let Some(computing) = &mut network.computing {
                computing.app_of = of;
            }
        };
        app_of(self, is_app.then_some(node));
        act(self);
        app_of(self, None);
    }
}
