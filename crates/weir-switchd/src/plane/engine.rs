//! The engine of a worker: it runs the program for frames, and sends what comes of them.

use std::sync::Arc;

use weir_device::{Buffer, Device, Port, Transmission};
use weir_ports::offload::{self, Malformed};
use weir_ports::{Frame, Offloads, PortError};
use weir_switch::{Leftover, Worker};

use super::{Outputs, Plane};
use crate::capture::Captures;

/// Frames of the wire for which the program runs at a time. A GSO frame can become some thousand.
const BATCH: usize = 64;
/// The usual size of a frame in bytes.
const USUAL: usize = 2048;

/// Runs the program for frames.
pub struct Engine {
    plane: Arc<Plane>,
    captures: Arc<Captures>,
    outputs: Outputs,
    worker: Worker,
    /// The program that the worker is for.
    program: u64,
    buffers: Vec<Buffer>,
    /// Buffers with frames that have not run.
    used: usize,
    out: Vec<Transmission>,
    left: Vec<Leftover>,
    /// Errors of ports that send.
    pub trouble: Trouble,
}

impl Engine {
    /// An engine without frames.
    pub fn new(plane: Arc<Plane>, captures: Arc<Captures>, outputs: Outputs) -> Self {
        let (worker, program) = plane.worker();
        let buffers = (0..BATCH).map(|_| Buffer::new(USUAL)).collect();
        let (out, left) = (Vec::new(), Vec::new());
        Self {
            plane,
            captures,
            outputs,
            worker,
            program,
            buffers,
            used: 0,
            out,
            left,
            trouble: Trouble::default(),
        }
    }

    /// Runs the program that the switch has now.
    pub fn follow_program(&mut self) {
        if self.program != self.plane.program() {
            (self.worker, self.program) = self.plane.worker();
        }
    }

    /// Takes a frame that a port received, as the frames that a wire would carry: with whole
    /// checksums, and cut if it is a GSO frame. Forwards when there are enough.
    pub fn take(&mut self, port: Port, frame: &mut Frame<'_>) {
        let taken = if frame.metadata.gso.is_some() {
            offload::for_interface(frame, Offloads::default(), |segment| {
                self.take_bytes(port, segment.bytes());
                Ok::<(), Malformed>(())
            })
        } else {
            offload::complete(frame).map(|()| self.take_bytes(port, frame.bytes()))
        };
        if let Err(error) = taken {
            // No kernel sends such a frame.
            tracing::warn!(port, %error, "a frame is dropped");
        }
    }

    fn take_bytes(&mut self, port: Port, bytes: &[u8]) {
        self.captures.received(port, bytes);
        self.buffers[self.used].fill(port, 0, bytes);
        self.used += 1;
        if self.used == BATCH {
            self.forward();
        }
    }

    /// Runs the program for the frames that were taken, and sends.
    pub fn forward(&mut self) {
        let used = std::mem::take(&mut self.used);
        let mut done = 0;
        while done < used {
            let rest = &mut self.buffers[done..used];
            let now = self.plane.clock.now();
            let count = self.worker.forward_in_order(now, rest, &mut self.out, &mut self.left);
            self.trouble.note(self.outputs.send_buffers(&mut rest[..count]));
            if !self.left.is_empty() {
                let (left, out) = (&mut self.left, &mut self.out);
                self.plane.with(|switch, now| {
                    switch.take_over(now, left, out);
                    // Passes take a nanosecond each.
                    switch.advance(self.plane.clock.now().max(now), out);
                });
            }
            self.trouble.note(self.outputs.send_transmissions(&mut self.out));
            done += count;
        }
    }

    /// Does what is due in the switch, and sends what leaves it.
    pub fn catch_up(&mut self) {
        self.plane.catch_up(&mut self.out);
        self.trouble.note(self.outputs.send_transmissions(&mut self.out));
    }
}

/// Errors of ports, each reported once as long as it stays the same.
#[derive(Default)]
pub struct Trouble {
    last: String,
    is_new: bool,
}

impl Trouble {
    /// Reports an error.
    pub fn report(&mut self, error: &PortError) {
        let error = error.to_string();
        self.is_new = true;
        if self.last != error {
            tracing::error!(error, "a port fails");
            self.last = error;
        }
    }

    fn note(&mut self, outcome: Result<(), PortError>) {
        outcome.unwrap_or_else(|error| self.report(&error));
    }

    /// Whether there was an error since the last call.
    pub fn take(&mut self) -> bool {
        std::mem::take(&mut self.is_new)
    }
}
