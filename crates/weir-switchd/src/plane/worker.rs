//! A worker: a thread that receives, and gives what it receives to its engine.

use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use weir_device::{Device, Nanos, Port};
use weir_ports::{Batch, Link, LinkState, Receive, WaitOn};

use super::engine::{Engine, Trouble};
use super::{Outputs, Plane};
use crate::capture::Captures;

/// Frames that a worker receives at a time.
const BATCH: usize = 64;
/// How often a worker looks at the links of its ports.
const LINK_INTERVAL: Nanos = 250_000_000;

/// How long a worker waits after a port has failed.
const AFTER_A_FAILURE: Duration = Duration::from_millis(10);

/// The ports of a worker: sockets of its own for each interface.
pub struct WorkerPorts {
    /// The receiving halves, by port number.
    pub receiving: Vec<(Port, Box<dyn Receive>)>,
    /// The watches over links, by port number.
    pub links: Vec<(Port, Box<dyn Link>)>,
    /// The sending halves.
    pub outputs: Outputs,
}

/// The threads of a data plane.
pub struct Workers {
    threads: Vec<JoinHandle<()>>,
    /// Sends why a worker has ended.
    pub ended: mpsc::Receiver<Result<(), String>>,
}

impl Workers {
    /// Starts a worker for each set of ports.
    ///
    /// # Errors
    /// The system gives no threads.
    pub fn start(
        plane: &Arc<Plane>,
        captures: &Arc<Captures>,
        ports: Vec<WorkerPorts>,
    ) -> std::io::Result<Self> {
        let (tell, ended) = mpsc::channel();
        let mut threads = Vec::new();
        for (number, ports) in ports.into_iter().enumerate() {
            let mut worker = Running::new(Arc::clone(plane), Arc::clone(captures), number == 0, ports);
            let tell = tell.clone();
            let body = move || {
                let end = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| worker.run()));
                let end = end.map_err(|panic| {
                    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
                });
                let _nobody_listens = tell.send(end);
            };
            threads.push(std::thread::Builder::new().name(format!("worker {number}")).spawn(body)?);
        }
        Ok(Self { threads, ended })
    }

    /// Waits until all have ended.
    pub fn join(self) {
        for thread in self.threads {
            // Panics were reported.
            let _ = thread.join();
        }
    }
}

struct Running {
    plane: Arc<Plane>,
    captures: Arc<Captures>,
    /// Whether it also does what is due at a time.
    is_first: bool,
    receiving: Vec<(Port, Box<dyn Receive>)>,
    links: Vec<(Port, Box<dyn Link>)>,
    engine: Engine,
    batch: Batch<'static>,
    trouble: Trouble,
    next_look: Nanos,
    /// The links that are down, as the switch knows them.
    down: Vec<Port>,
}

impl Running {
    fn new(plane: Arc<Plane>, captures: Arc<Captures>, is_first: bool, ports: WorkerPorts) -> Self {
        let WorkerPorts { receiving, links, outputs } = ports;
        Self {
            engine: Engine::new(Arc::clone(&plane), Arc::clone(&captures), outputs),
            plane,
            captures,
            is_first,
            receiving,
            links,
            batch: Batch::new(BATCH),
            trouble: Trouble::default(),
            next_look: 0,
            down: Vec::new(),
        }
    }

    fn run(&mut self) {
        while !self.plane.stops() {
            self.engine.follow_program();
            let mut received = 0;
            for index in 0..self.receiving.len() {
                received += self.receive(index);
            }
            if self.is_first {
                self.engine.catch_up();
            }
            let now = self.plane.clock.now();
            if now >= self.next_look {
                self.next_look = now + LINK_INTERVAL;
                self.look_at_links();
            }
            if received == 0 {
                self.captures.flush();
                self.wait();
            }
        }
        self.captures.flush();
    }

    /// Receives a batch on a port and forwards it. Returns how many frames it received.
    fn receive(&mut self, index: usize) -> usize {
        let (port, receiver) = &mut self.receiving[index];
        let mut batch = std::mem::replace(&mut self.batch, Batch::new(BATCH)).recycled();
        if let Err(error) = receiver.receive(&mut batch) {
            self.trouble.report(&error);
        }
        let frames = batch.frames().len();
        batch.frames_mut().iter_mut().for_each(|frame| self.engine.take(*port, frame));
        self.batch = batch.recycled();
        self.engine.forward();
        frames
    }

    fn look_at_links(&mut self) {
        for (port, link) in &mut self.links {
            let up = match link.check() {
                Ok(LinkState::Present { up, mtu }) => {
                    self.engine.set_mtu(*port, mtu);
                    up
                }
                Ok(LinkState::Gone) => false,
                Err(error) => {
                    tracing::error!(%error, "the link of a port cannot be looked at");
                    false
                }
            };
            let was_up = !self.down.contains(port);
            if up == was_up {
                continue;
            }
            if up {
                self.down.retain(|down| down != port);
            } else {
                self.down.push(*port);
            }
            if self.is_first {
                tracing::warn!(port, up, "the link of a port has changed");
                self.plane.with(|switch, now| switch.set_port_up(now, *port, up));
            }
        }
    }

    /// Waits for frames, for the event of the first worker, or until something is due.
    fn wait(&mut self) {
        let sending = self.engine.trouble.take();
        if self.trouble.take() || sending {
            // A port that fails may say at once that it is ready.
            std::thread::sleep(AFTER_A_FAILURE);
        }
        let mut until = self.next_look;
        if self.is_first {
            until = until.min(self.plane.due());
        }
        let ports = self.receiving.iter().filter_map(|(_, receiver)| match receiver.wait_on() {
            WaitOn::Readable(descriptor) => Some(descriptor),
            WaitOn::Nothing => {
                until = 0;
                None
            }
            WaitOn::Finished => None,
        });
        let descriptors: Vec<BorrowedFd<'_>> =
            ports.chain(self.is_first.then(|| self.plane.event())).collect();
        let mut polled: Vec<_> = descriptors.iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
        let left = until.saturating_sub(self.plane.clock.now());
        let timeout =
            Timespec { tv_sec: (left / 1_000_000_000) as i64, tv_nsec: (left % 1_000_000_000) as _ };
        // A signal ends it early, which does no harm.
        let _ = poll(&mut polled, Some(&timeout));
        if self.is_first {
            self.plane.clear_event();
        }
    }
}
