//! A worker: a thread that receives, runs the program, and sends.

use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use weir_device::{Buffer, Device, Nanos, Port, Transmission};
use weir_ports::offload::{self, Malformed};
use weir_ports::{Batch, Link, LinkState, Offloads, PortError, Receive, WaitOn};
use weir_switch::{Leftover, Worker};

use super::{Outputs, Plane};
use crate::capture::Captures;

/// Frames that a worker handles at a time.
const BATCH: usize = 64;
/// The usual size of a frame.
const USUAL: usize = 2048;
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
    ports: WorkerPorts,
    worker: Worker,
    program: u64,
    batch: Batch<'static>,
    buffers: Vec<Buffer>,
    out: Vec<Transmission>,
    left: Vec<Leftover>,
    /// Frames that contradicted their offload metadata.
    malformed: u64,
    last_error: String,
    /// Whether a port has failed since the last wait.
    has_failed: bool,
    next_look: Nanos,
    /// The links that are down, as the switch knows them.
    down: Vec<Port>,
}

impl Running {
    fn new(plane: Arc<Plane>, captures: Arc<Captures>, is_first: bool, ports: WorkerPorts) -> Self {
        let (worker, program) = plane.worker();
        Self {
            plane,
            captures,
            is_first,
            ports,
            worker,
            program,
            batch: Batch::new(BATCH),
            buffers: Vec::new(),
            out: Vec::new(),
            left: Vec::new(),
            malformed: 0,
            last_error: String::new(),
            has_failed: false,
            next_look: 0,
            down: Vec::new(),
        }
    }

    fn run(&mut self) {
        while !self.plane.stops() {
            if self.program != self.plane.program() {
                (self.worker, self.program) = self.plane.worker();
            }
            let mut received = 0;
            for index in 0..self.ports.receiving.len() {
                match self.receive(index) {
                    Ok(frames) => received += frames,
                    Err(error) => self.report(&error),
                }
            }
            if self.is_first {
                self.plane.catch_up(&mut self.out);
                self.send_out();
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

    /// Receives a batch on a port, runs the program and sends. Returns how many frames it received.
    fn receive(&mut self, index: usize) -> Result<usize, PortError> {
        let (port, receiver) = &mut self.ports.receiving[index];
        let mut batch = std::mem::replace(&mut self.batch, Batch::new(BATCH)).recycled();
        let received = receiver.receive(&mut batch);
        let (mut used, frames) = (0, batch.frames().len());
        for frame in batch.frames_mut() {
            let (buffers, captures) = (&mut self.buffers, &self.captures);
            let mut take = |bytes: &[u8]| {
                if used == buffers.len() {
                    buffers.push(Buffer::new(USUAL));
                }
                captures.received(*port, bytes);
                buffers[used].fill(*port, 0, bytes);
                used += 1;
            };
            // Programs see frames as they are on a wire. Those that contradict their metadata do not
            // come from a kernel.
            let taken = if frame.metadata.gso.is_some() {
                offload::for_interface(frame, Offloads::default(), |segment| {
                    take(segment.bytes());
                    Ok::<(), Malformed>(())
                })
            } else {
                offload::complete(frame).map(|()| take(frame.bytes()))
            };
            self.malformed += u64::from(taken.is_err());
        }
        self.batch = batch.recycled();
        let mut done = 0;
        while done < used {
            done += self.forward(done, used)?;
        }
        received.map(|()| frames)
    }

    /// Runs the program for the frames from `done` on and sends them, up to one that the switch has
    /// to continue with. Returns how many frames these were.
    fn forward(&mut self, done: usize, used: usize) -> Result<usize, PortError> {
        let buffers = &mut self.buffers[done..used];
        let now = self.plane.clock.now();
        let count = self.worker.forward_in_order(now, buffers, &mut self.out, &mut self.left);
        self.ports.outputs.send_buffers(&mut buffers[..count])?;
        if !self.left.is_empty() {
            let (left, out) = (&mut self.left, &mut self.out);
            self.plane.with(|switch, now| {
                switch.take_over(now, left, out);
                // Passes take a nanosecond each.
                switch.advance(self.plane.clock.now().max(now), out);
            });
        }
        self.send_out();
        Ok(count)
    }

    /// Reports an error, once as long as it is the same.
    fn report(&mut self, error: &PortError) {
        let error = error.to_string();
        self.has_failed = true;
        if self.last_error != error {
            tracing::error!(error, "a port fails");
            self.last_error = error;
        }
    }

    fn send_out(&mut self) {
        if let Err(error) = self.ports.outputs.send_transmissions(&mut self.out) {
            self.report(&error);
        }
    }

    fn look_at_links(&mut self) {
        for (port, link) in &mut self.ports.links {
            let up = match link.check() {
                Ok(LinkState::Present { up, .. }) => up,
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
        if std::mem::take(&mut self.has_failed) {
            // A port that fails may say at once that it is ready.
            std::thread::sleep(AFTER_A_FAILURE);
        }
        let mut until = self.next_look;
        if self.is_first {
            until = until.min(self.plane.due());
        }
        let ports = self.ports.receiving.iter().filter_map(|(_, receiver)| match receiver.wait_on() {
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
