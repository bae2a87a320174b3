//! Workers: they receive frames and pass them to their engines.

use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::time::{ClockId, clock_gettime};
use smallvec::SmallVec;
use weir_device::{Nanos, Port};
use weir_ports::{Batch, ErrorLog, Link, LinkState, PortError, Receive, WaitOn};

use super::engine::Engine;
use super::loops::LoopWatch;
use super::panics::panic_message;
use super::port_errors::{report, warn_of_claim};
use super::receiving::ReceivingPort;
use super::{Outputs, Plane, PortCounts};
use crate::capture::Captures;

/// The maximum number of frames that a worker receives at a time.
const BATCH: usize = 64;
/// The time between two checks of the links of a worker's ports.
const LINK_INTERVAL: Nanos = 250_000_000;

/// The time for which workers continue after a request to stop if packets remain.
const MAX_DRAIN_TIME: Nanos = 1_000_000_000;

/// The number of descriptors up to which a wait needs no allocation.
const INLINE_DESCRIPTORS: usize = 16;

/// The number of batches that a thread may receive for busy switches before it checks its other
/// switches.
const MAX_BUSY_BATCHES: u32 = 8;

/// The ports of a worker, with its own sockets for each interface.
pub struct WorkerPorts {
    /// The receiving halves, by port number.
    pub receiving: Vec<(Port, Box<dyn Receive>)>,
    /// The watches over links, by port number.
    pub links: Vec<(Port, Box<dyn Link>)>,
    /// The sending halves.
    pub outputs: Outputs,
}

/// The parts of a worker before it starts. A thread has one or more workers.
pub struct WorkerSpec {
    /// The switch.
    pub plane: Arc<Plane>,
    /// The captures.
    pub captures: Arc<Captures>,
    /// The worker's number among those of the switch. Worker 0 also does the timed work of the
    /// switch.
    pub number: usize,
    /// The ports.
    pub ports: WorkerPorts,
}

/// The way in which threads wait for frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Waiting {
    /// Threads sleep until frames arrive.
    #[default]
    Blocking,
    /// Threads never sleep: frames are forwarded sooner, but each thread keeps a processor busy.
    Polling,
}

/// The threads of data planes.
pub struct Workers {
    threads: Vec<JoinHandle<()>>,
    /// The processor time of each thread in nanoseconds, as last published.
    pub times: Arc<[AtomicU64]>,
    /// Receives the reason why a thread has ended.
    pub ended: mpsc::Receiver<Result<(), String>>,
}

impl Workers {
    /// Starts a thread for each list of specs.
    ///
    /// # Errors
    /// The system cannot start a thread, or a switch has already failed.
    pub fn start(specs: Vec<Vec<WorkerSpec>>, waiting: Waiting) -> std::io::Result<Self> {
        let (tell, ended) = mpsc::channel();
        let mut threads = Vec::new();
        let times: Arc<[AtomicU64]> = specs.iter().map(|_| AtomicU64::new(0)).collect();
        for (number, specs) in specs.into_iter().enumerate() {
            let workers = specs.into_iter().map(Running::new).collect::<Option<_>>();
            let workers = workers.ok_or_else(|| std::io::Error::other("the switch has failed"))?;
            let mut thread = Thread { number, times: Arc::clone(&times), workers, waiting };
            let tell = tell.clone();
            let body = move || {
                let end = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| thread.run()));
                let _nobody_listens = tell.send(end.map_err(|panic| panic_message(&*panic)));
            };
            threads.push(std::thread::Builder::new().name(format!("worker {number}")).spawn(body)?);
        }
        Ok(Self { threads, times, ended })
    }

    /// Waits until all threads have ended.
    pub fn join(self) {
        for thread in self.threads {
            // Panics were already reported.
            let _ = thread.join();
        }
    }
}

/// A thread with its workers.
struct Thread {
    number: usize,
    times: Arc<[AtomicU64]>,
    workers: Vec<Running>,
    waiting: Waiting,
}

impl Thread {
    fn run(&mut self) {
        let mut busy_turns = 0;
        loop {
            let mut has_looked = false;
            for worker in self.workers.iter_mut().filter(|worker| worker.is_ready) {
                has_looked |= worker.run_turn();
            }
            if has_looked {
                self.times[self.number].store(processor_time(), Ordering::Relaxed);
            }
            self.workers.retain_mut(|worker| !worker.has_ended());
            if self.workers.is_empty() {
                return;
            }
            let is_busy = self.workers.iter().any(|worker| worker.is_ready);
            busy_turns = if is_busy { busy_turns + 1 } else { 0 };
            if self.waiting == Waiting::Polling {
                self.workers.iter_mut().for_each(Running::receive_on_all);
            } else if !is_busy || (self.workers.len() > 1 && busy_turns % MAX_BUSY_BATCHES == 0) {
                self.wait(is_busy);
            }
        }
    }

    /// Waits until a worker has something to do, and records which workers have. If a worker is
    /// already busy, only checks without waiting.
    fn wait(&mut self, is_busy: bool) {
        let mut left = if is_busy { 0 } else { Nanos::MAX };
        let mut waits: SmallVec<[_; INLINE_DESCRIPTORS]> = SmallVec::new();
        let mut polled: SmallVec<[_; INLINE_DESCRIPTORS]> = SmallVec::new();
        for (index, worker) in self.workers.iter().enumerate() {
            left = left.min(worker.register_waits(|reason, descriptor| {
                waits.push((index, reason));
                polled.push(PollFd::from_borrowed_fd(descriptor, PollFlags::IN));
            }));
        }
        let timeout =
            Timespec { tv_sec: (left / 1_000_000_000) as i64, tv_nsec: (left % 1_000_000_000) as _ };
        // A signal ends the wait early, which does no harm.
        let _ = poll(&mut polled, Some(&timeout));
        let is_ready = polled.iter().map(|polled| !polled.revents().is_empty());
        let ready: SmallVec<[_; INLINE_DESCRIPTORS]> =
            waits.into_iter().zip(is_ready).filter_map(|(wait, ready)| ready.then_some(wait)).collect();
        drop(polled);
        for (index, reason) in ready {
            self.workers[index].wake(reason);
        }
        for worker in &mut self.workers {
            worker.note_due_work();
        }
    }
}

/// The reason why a worker wakes up.
#[derive(Clone, Copy, Debug)]
enum WakeReason {
    /// The port at this index has frames.
    Port(usize),
    /// Another thread woke the first worker.
    Called,
}

/// Returns the processor time that this thread has used.
fn processor_time() -> Nanos {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as Nanos * 1_000_000_000 + time.tv_nsec as Nanos
}

/// A worker of one switch.
struct Running {
    plane: Arc<Plane>,
    captures: Arc<Captures>,
    /// The number among the workers of the switch.
    number: usize,
    /// Whether the worker also does timed work.
    is_first: bool,
    receiving: Vec<ReceivingPort>,
    links: Vec<(Port, Box<dyn Link>, ErrorLog)>,
    engine: Engine,
    batch: Batch<'static>,
    next_look: Nanos,
    loops: LoopWatch,
    /// The ports whose links are down, as last reported to the switch.
    down: Vec<Port>,
    /// Whether the worker may have something to do.
    is_ready: bool,
    /// The time at which the worker was asked to stop.
    stopping: Option<Nanos>,
}

impl Running {
    /// Creates a worker. Returns `None` if the switch has failed.
    fn new(spec: WorkerSpec) -> Option<Self> {
        let WorkerSpec { plane, captures, number, ports } = spec;
        let WorkerPorts { receiving, links, outputs } = ports;
        let receiving =
            receiving.into_iter().map(|(port, receive)| ReceivingPort::new(port, receive)).collect();
        let links = links.into_iter().map(|(port, link)| (port, link, ErrorLog::default())).collect();
        Some(Self {
            engine: Engine::new(Arc::clone(&plane), Arc::clone(&captures), outputs)?,
            plane,
            captures,
            number,
            is_first: number == 0,
            receiving,
            links,
            batch: Batch::new(BATCH),
            next_look: 0,
            loops: LoopWatch::default(),
            down: Vec::new(),
            is_ready: true,
            stopping: None,
        })
    }

    /// Notes that a descriptor that the worker waited for is readable.
    fn wake(&mut self, reason: WakeReason) {
        self.is_ready = true;
        match reason {
            WakeReason::Port(index) => self.receiving[index].may_have_frames = true,
            WakeReason::Called => self.plane.clear_event(),
        }
    }

    /// Receives on all ports in the next turn.
    fn receive_on_all(&mut self) {
        self.is_ready = true;
        self.receiving.iter_mut().for_each(|port| port.may_have_frames = true);
    }

    /// Receives a batch on each port that may have frames, and does the work that is due. If there
    /// was nothing to receive, the worker is no longer ready. Returns whether it was time to check
    /// the links.
    fn run_turn(&mut self) -> bool {
        if self.plane.failure().is_some() {
            return false;
        }
        self.engine.follow_program();
        let mut received = 0;
        for index in 0..self.receiving.len() {
            if self.receiving[index].may_have_frames {
                received += self.receive(index);
            }
        }
        if self.is_first {
            self.engine.catch_up();
        }
        let now = self.plane.clock.now();
        let looks = now >= self.next_look;
        if looks {
            self.next_look = now + LINK_INTERVAL;
            self.look_at_links();
            if self.is_first {
                self.loops.check(&self.plane);
            }
            self.publish_counts();
            // A port whose interface has disappeared closes it in `receive`.
            self.receive_on_all();
        }
        self.is_ready = received > 0 || looks;
        if received == 0 {
            self.captures.flush();
        }
        looks
    }

    /// Returns whether the worker was asked to stop, and either has nothing left to do or has used
    /// the time for draining.
    fn has_ended(&mut self) -> bool {
        if !self.plane.is_stopping() {
            return false;
        }
        let now = self.plane.clock.now();
        let Some(since) = self.stopping else {
            // Frames that arrived before the request are still received.
            self.stopping = Some(now);
            self.receive_on_all();
            return false;
        };
        let ends = self.plane.failure().is_some()
            || now - since > MAX_DRAIN_TIME
            || !(self.is_ready || self.is_first && self.plane.has_packets());
        if ends {
            self.captures.flush();
        }
        ends
    }

    /// Calls `add` with each descriptor that the worker waits for, and returns how long it may
    /// wait.
    fn register_waits<'r>(&'r self, mut add: impl FnMut(WakeReason, BorrowedFd<'r>)) -> Nanos {
        let mut until = self.next_look;
        if self.is_first {
            until = until.min(self.plane.next_deadline());
            add(WakeReason::Called, self.plane.event());
        }
        for (index, port) in self.receiving.iter().enumerate() {
            match port.wait_on() {
                Ok(WaitOn::Readable(descriptor)) => add(WakeReason::Port(index), descriptor),
                Ok(WaitOn::Nothing) => until = 0,
                Ok(WaitOn::Finished) => {}
                Err(resumes) => until = until.min(resumes),
            }
        }
        until.saturating_sub(self.plane.clock.now())
    }

    /// Records work that is due although no descriptor is readable.
    fn note_due_work(&mut self) {
        let now = self.plane.clock.now();
        for port in &mut self.receiving {
            let is_due = match port.wait_on() {
                Ok(wait_on) => matches!(wait_on, WaitOn::Nothing),
                Err(resumes) => now >= resumes,
            };
            if is_due {
                (port.may_have_frames, self.is_ready) = (true, true);
            }
        }
        let is_due = now >= self.next_look || self.is_first && now >= self.plane.next_deadline();
        self.is_ready |= is_due || self.plane.is_stopping();
    }

    /// Receives a batch on a port and forwards it. Returns how many frames were received.
    fn receive(&mut self, index: usize) -> usize {
        let mut batch = std::mem::replace(&mut self.batch, Batch::new(0)).into_empty();
        let Plane { name, clock, .. } = &*self.plane;
        // This is the timestamp for ingress. The timestamp for egress is read when the program
        // runs.
        let arrived = clock.now();
        let port = self.receiving[index].receive(name.as_deref(), || clock.now(), &mut batch);
        let frames = batch.frames().len();
        self.engine.forward(arrived, port, batch.frames_mut());
        self.batch = batch.into_empty();
        self.receiving[index].may_have_frames = frames > 0;
        frames
    }

    fn publish_counts(&mut self) {
        for ReceivingPort { number, receive, .. } in &mut self.receiving {
            let mut counts = PortCounts { received: receive.counts(), ..PortCounts::default() };
            self.engine.count(*number, &mut counts);
            self.plane.counts.publish(self.number, *number, counts);
        }
        let receives = |cpu: &Port| self.receiving.iter().any(|port| port.number == *cpu);
        if let Some(cpu) = self.plane.cpu_port.filter(|cpu| !receives(cpu)) {
            let mut counts = PortCounts::default();
            self.engine.count(cpu, &mut counts);
            self.plane.counts.publish(self.number, cpu, counts);
        }
    }

    fn look_at_links(&mut self) {
        for (port, link, trouble) in &mut self.links {
            let reopened = link.reopened();
            let was_up = !self.down.contains(port);
            let up = match link.check() {
                Ok(LinkState::Present { up, mtu }) => {
                    self.engine.set_mtu(*port, mtu);
                    up
                }
                Ok(LinkState::Gone) => false,
                Err(error) => {
                    report(trouble, self.plane.name.as_deref(), self.plane.clock.now(), &error);
                    was_up && matches!(error, PortError::NotSeen { .. })
                }
            };
            warn_of_claim(&mut **link, self.plane.name.as_deref());
            if self.is_first && link.reopened() != reopened {
                tracing::warn!(switch = self.plane.name, port, "the interface of a port is opened again");
            }
            if up == was_up {
                continue;
            }
            if up {
                self.down.retain(|down| down != port);
            } else {
                self.down.push(*port);
            }
            if self.is_first {
                let message = match up {
                    true => "the link of a port is up",
                    false => {
                        "the link of a port is down: no frames pass it until its interface is up (`ip link`)"
                    }
                };
                tracing::warn!(switch = self.plane.name, port, up, "{message}");
                self.plane.set_port_up(*port, up);
            }
        }
    }
}
