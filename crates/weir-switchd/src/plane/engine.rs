//! The engine of a worker: it runs the program for frames, and sends what comes of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_device::{Buffer, Device, Port, Transmission};
use weir_ports::Frame;
use weir_ports::offload::{self, Malformed, WireSize, wire_size};
use weir_switch::{Leftover, Worker};

use super::carried::{Carried, on_wire};
use super::counts::add_more;
use super::passing::Passing;
use super::{Outputs, Plane, PortCounts};
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
    passing: Arc<Passing>,
    /// The program that the worker is for.
    program: u64,
    buffers: Vec<Buffer>,
    /// Buffers with frames that have not run.
    used: usize,
    out: Vec<Transmission>,
    left: Vec<Leftover>,
    /// Frames that came with wrong offload metadata, by port.
    wrong_offload: BTreeMap<Port, u64>,
    /// What GSO frames took on the wire beyond what the switch counts, by port.
    more_received: BTreeMap<Port, WireSize>,
}

impl Engine {
    /// An engine without frames. None if the switch has failed.
    pub fn new(plane: Arc<Plane>, captures: Arc<Captures>, outputs: Outputs) -> Option<Self> {
        let (worker, passing, program) = plane.worker()?;
        let buffers = (0..BATCH).map(|_| Buffer::new(USUAL)).collect();
        let (out, left) = (Vec::new(), Vec::new());
        Some(Self {
            plane,
            captures,
            outputs,
            worker,
            passing,
            program,
            buffers,
            used: 0,
            out,
            left,
            wrong_offload: BTreeMap::new(),
            more_received: BTreeMap::new(),
        })
    }

    /// Runs the program that the switch has now.
    pub fn follow_program(&mut self) {
        if self.program != self.plane.program()
            && let Some(new) = self.plane.worker()
        {
            (self.worker, self.passing, self.program) = new;
        }
    }

    /// Sets the longest packet that leaves by a port, in bytes.
    pub fn set_mtu(&mut self, port: Port, mtu: usize) {
        self.outputs.set_mtu(port, mtu);
    }

    /// Takes a frame that a port received. If the program could tell, takes the frames that a wire
    /// would carry instead: with whole checksums, and cut if it is a GSO frame. Forwards when there
    /// are enough.
    pub fn take(&mut self, port: Port, frame: &mut Frame<'_>) {
        let taken = if let Some(carried) = self.passing.keeps(frame, &self.worker) {
            self.take_whole(port, carried, frame)
        } else if frame.metadata.gso.is_some() {
            on_wire(frame, |bytes| self.take_bytes(port, bytes))
        } else {
            offload::complete(frame).map(|()| self.take_bytes(port, frame.bytes()))
        };
        if let Err(error) = taken {
            // No kernel sends such a frame.
            tracing::debug!(port, %error, "a frame is dropped");
            *self.wrong_offload.entry(port).or_default() += 1;
        }
    }

    fn take_whole(&mut self, port: Port, carried: Carried, frame: &Frame<'_>) -> Result<(), Malformed> {
        if !self.captures.is_empty() {
            on_wire(frame, |bytes| self.captures.received(port, bytes))?;
        }
        if frame.metadata.gso.is_some() {
            add_more(self.more_received.entry(port).or_default(), wire_size(frame), frame.len());
        }
        self.fill(port, carried.id(), frame.bytes());
        Ok(())
    }

    fn take_bytes(&mut self, port: Port, bytes: &[u8]) {
        self.captures.received(port, bytes);
        self.fill(port, 0, bytes);
    }

    fn fill(&mut self, port: Port, id: u64, bytes: &[u8]) {
        self.buffers[self.used].fill(port, id, bytes);
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
            self.outputs.send_buffers(&mut rest[..count]);
            if !self.left.is_empty() {
                let (left, out, program) = (&mut self.left, &mut self.out, self.program);
                self.plane.with(|switch, now| {
                    // A controller may have put another program in its place meanwhile.
                    if self.plane.program() != program {
                        return switch.drop_leftovers(now, left);
                    }
                    switch.take_over(now, left, out);
                    // Passes take a nanosecond each.
                    switch.advance(self.plane.clock.now().max(now), out);
                });
            }
            self.outputs.send_transmissions(&mut self.out);
            done += count;
        }
        if self.worker.has_new_digests() {
            // The switch has messages then, for which the first worker wakes up.
            self.plane.with(|switch, _| switch.collect());
        }
    }

    /// Adds what was counted at a port.
    pub fn count(&self, port: Port, counts: &mut PortCounts) {
        counts.wrong_offload = self.wrong_offload.get(&port).copied().unwrap_or(0);
        counts.more_received = self.more_received.get(&port).copied().unwrap_or_default();
        self.outputs.count(port, counts);
    }

    /// Does what is due in the switch, and sends what leaves it.
    pub fn catch_up(&mut self) {
        self.plane.catch_up(&mut self.out);
        self.outputs.send_transmissions(&mut self.out);
    }
}
