//! The engine of a worker: it runs the program for frames, and sends the results.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_device::{Buffer, CarriedOffload, Device, ForwardingMetadata, Nanos, Port, Transmission, recycle};
use weir_ports::Frame;
use weir_ports::offload::{self, Malformed, WireSize, wire_size};
use weir_switch::{Switch, UnfinishedPacket, Worker};

use super::counts::add_more;
use super::frame_offload::for_each_wire_frame;
use super::offload_rules::OffloadRules;
use super::{Outputs, Plane, PortCounts};
use crate::capture::Captures;

/// The maximum number of frames that the program processes at a time when a GSO frame is cut, since
/// it can become thousands of frames.
const BATCH: usize = 64;
/// The usual size of a frame in bytes.
const SEGMENT_BYTES: usize = 2048;

/// Runs the program for frames.
pub struct Engine {
    plane: Arc<Plane>,
    captures: Arc<Captures>,
    outputs: Outputs,
    worker: Worker,
    /// The time at which the frames that are being forwarded arrived.
    arrived: Nanos,
    passing: Arc<OffloadRules>,
    /// The number of the program for which `worker` was created.
    program: u64,
    /// Empty between batches; the memory is reused.
    buffers: Vec<Buffer<'static>>,
    /// The buffers with their own memory, for the segments of frames that are cut.
    segment_buffers: Vec<Buffer<'static>>,
    out: Vec<Transmission>,
    left: Vec<UnfinishedPacket>,
    /// The frames that arrived with wrong offload metadata, by port.
    wrong_offload: BTreeMap<Port, u64>,
    /// The frames and bytes that GSO frames take on a wire, in addition to those that the switch
    /// counts, by port.
    more_received: BTreeMap<Port, WireSize>,
}

impl Engine {
    /// Creates an engine without frames. Returns `None` if the switch has failed.
    pub fn new(plane: Arc<Plane>, captures: Arc<Captures>, outputs: Outputs) -> Option<Self> {
        let (worker, passing, program) = plane.worker()?;
        let (buffers, segment_buffers) = (Vec::with_capacity(BATCH), Vec::new());
        let (out, left) = (Vec::new(), Vec::new());
        Some(Self {
            plane,
            captures,
            outputs,
            worker,
            arrived: 0,
            passing,
            program,
            buffers,
            segment_buffers,
            out,
            left,
            wrong_offload: BTreeMap::new(),
            more_received: BTreeMap::new(),
        })
    }

    /// Makes the engine run the switch's current program.
    pub fn follow_program(&mut self) {
        if self.program != self.plane.program()
            && let Some(new) = self.plane.worker()
        {
            (self.worker, self.passing, self.program) = new;
        }
    }

    /// Sets the length of the longest packet that may leave through a port, in bytes.
    pub fn set_mtu(&mut self, port: Port, mtu: usize) {
        self.outputs.set_mtu(port, mtu);
    }

    /// Forwards frames that a port received, in the memory that the port lends. If the program
    /// could notice the offloads of a frame, the checksum is completed and a GSO frame is cut
    /// first. `arrived` is the time at which the frames arrived.
    pub fn forward(&mut self, arrived: Nanos, port: Port, frames: &mut [Frame<'_>]) {
        self.arrived = arrived;
        let mut buffers = std::mem::take(&mut self.buffers);
        for frame in frames {
            self.add_frame(&mut buffers, port, frame);
        }
        self.run(&mut buffers);
        self.buffers = recycle(buffers);
    }

    fn add_frame<'b>(&mut self, buffers: &mut Vec<Buffer<'b>>, port: Port, frame: &'b mut Frame<'_>) {
        let taken = if let Some(offload) = self.passing.kept_offload(frame, &self.worker) {
            self.add_whole_frame(buffers, port, offload, frame)
        } else if frame.metadata.gso.is_some() {
            for_each_wire_frame(frame, |bytes| {
                self.captures.write_received(port, bytes);
                let mut buffer = self.segment_buffers.pop().unwrap_or_else(|| Buffer::new(SEGMENT_BYTES));
                buffer.receive(port, 0, bytes);
                self.add(buffers, buffer);
            })
        } else {
            let completed = offload::complete(frame);
            if completed.is_ok() {
                self.captures.write_received(port, frame.bytes());
                self.add(buffers, frame.borrow_with(arrival(port, None)));
            }
            completed
        };
        if let Err(error) = taken {
            // No kernel sends such a frame.
            tracing::debug!(switch = self.plane.name, port, %error, "a frame is dropped");
            *self.wrong_offload.entry(port).or_default() += 1;
        }
    }

    fn add_whole_frame<'b>(
        &mut self,
        buffers: &mut Vec<Buffer<'b>>,
        port: Port,
        offload: CarriedOffload,
        frame: &'b mut Frame<'_>,
    ) -> Result<(), Malformed> {
        if !self.captures.is_empty() {
            for_each_wire_frame(frame, |bytes| self.captures.write_received(port, bytes))?;
        }
        if frame.metadata.gso.is_some() {
            add_more(self.more_received.entry(port).or_default(), wire_size(frame), frame.len());
        }
        self.add(buffers, frame.borrow_with(arrival(port, Some(offload))));
        Ok(())
    }

    /// Adds a packet, and runs the packets if the batch is full.
    fn add<'b>(&mut self, buffers: &mut Vec<Buffer<'b>>, buffer: Buffer<'b>) {
        buffers.push(buffer);
        if buffers.len() == BATCH {
            self.run(buffers);
        }
    }

    /// Runs the program for packets, sends the results, and empties the packets' buffers.
    fn run(&mut self, buffers: &mut Vec<Buffer<'_>>) {
        let mut rest = &mut buffers[..];
        while !rest.is_empty() {
            let count = self.forward_with_switch(rest).unwrap_or_else(|| {
                let now = self.plane.clock.now();
                let (out, left) = (&mut self.out, &mut self.left);
                self.worker.forward_in_order(self.arrived, now, rest, out, left)
            });
            let (done, more) = rest.split_at_mut(count);
            self.outputs.send_buffers(done);
            if !self.left.is_empty() {
                let (left, out, program) = (&mut self.left, &mut self.out, self.program);
                self.plane.try_with_switch(|switch, now| {
                    // A controller may have replaced the program in the meantime.
                    if self.plane.program() != program {
                        return switch.drop_leftovers(now, left);
                    }
                    switch.take_over(now, left, out);
                    switch.advance(self.plane.clock.now().max(now), out);
                });
            }
            self.outputs.send_transmissions(&mut self.out);
            rest = more;
        }
        self.segment_buffers.extend(buffers.drain(..).filter_map(Buffer::into_owned));
        if self.worker.has_new_digests() {
            // The switch then has messages for controllers, which the first worker must deliver.
            self.plane.try_with_switch(|switch, _| switch.collect_reports());
        }
    }

    /// Runs the program for packets with the switch, if the worker would leave them all to the
    /// switch. Returns the number of handled buffers; `None` if the worker must run the packets.
    fn forward_with_switch(&mut self, buffers: &mut [Buffer<'_>]) -> Option<usize> {
        if !self.worker.leaves_all() {
            return None;
        }
        let Self { plane, out, program, arrived, .. } = self;
        let mut forward = |switch: &mut Switch, now| switch.forward_in_order(*arrived, now, buffers, out);
        // A controller may have replaced the program in the meantime.
        plane.try_with_switch(|switch, now| (plane.program() == *program).then(|| forward(switch, now)))?
    }

    /// Adds the counts of a port.
    pub fn count(&self, port: Port, counts: &mut PortCounts) {
        counts.wrong_offload = self.wrong_offload.get(&port).copied().unwrap_or(0);
        counts.more_received = self.more_received.get(&port).copied().unwrap_or_default();
        self.outputs.count(port, counts);
    }

    /// Runs the work that is due in the switch, and sends the packets that leave it.
    pub fn catch_up(&mut self) {
        self.plane.catch_up(&mut self.out);
        self.outputs.send_transmissions(&mut self.out);
    }
}

/// Returns the metadata of a packet that arrived on a port. The service does not use the ids of
/// packets.
fn arrival(port: Port, offload: Option<CarriedOffload>) -> ForwardingMetadata {
    ForwardingMetadata { id: 0, ingress_port: port, egress_port: None, offload }
}
