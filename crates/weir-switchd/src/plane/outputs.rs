//! Frames that leave, sorted by their output port.

use std::sync::Arc;

use weir_device::{Buffer, CarriedOffload, ForwardingMetadata, Port, Transmission};
use weir_ports::offload::{Malformed, Segments, for_interface, wire_size};
use weir_ports::{Batch, ErrorLog, Frame, Gso, Metadata, Offloads, Transmit, TransmitCounts, send_all};

use super::counts::Sent;
use super::frame_offload::{for_each_wire_frame, kernel_can_parse, metadata};
use super::port_errors::report;
use super::{Plane, PortCounts};
use crate::capture::Captures;

/// The sending halves of a worker's ports.
pub struct Outputs {
    plane: Arc<Plane>,
    captures: Arc<Captures>,
    /// The sending halves, in the order of the port numbers.
    ports: Vec<SendingPort>,
    batch: Batch<'static>,
    /// The packets sent to controllers, if there is a port for them.
    to_controllers: Option<Arc<Sent>>,
}

/// A port's sending half.
pub struct SendingPort {
    number: Port,
    transmit: Box<dyn Transmit>,
    /// The longest packet without Ethernet header and VLAN tags, in bytes; 0 if it is not known.
    mtu: usize,
    /// The numbers of the frames to send now.
    chosen: Vec<u16>,
    /// The number of frames for which the interface's queue had no space.
    queue_full: u64,
    /// The number of frames that were not sent because the port failed.
    failed: u64,
    /// The number of frames whose offload metadata contradicts the bytes after the program ran. A
    /// GSO frame counts as one frame, because its segments are unknown.
    malformed: u64,
    trouble: ErrorLog,
    sent: Arc<Sent>,
}

impl SendingPort {
    /// Creates a port that has sent nothing yet.
    pub fn new(number: Port, transmit: Box<dyn Transmit>) -> Self {
        Self {
            number,
            transmit,
            mtu: 0,
            chosen: Vec::new(),
            queue_full: 0,
            failed: 0,
            malformed: 0,
            trouble: ErrorLog::default(),
            sent: Arc::default(),
        }
    }
}

/// The maximum number of frames that are sent at a time. Their numbers have 16 bits.
const MAX_BATCH: usize = 1024;

impl Outputs {
    /// Outputs of these ports.
    pub fn new(plane: Arc<Plane>, captures: Arc<Captures>, mut ports: Vec<SendingPort>) -> Self {
        ports.sort_by_key(|port| port.number);
        for port in &mut ports {
            port.sent = plane.counts.sender(port.number);
        }
        let to_controllers = plane.cpu_port.map(|port| plane.counts.sender(port));
        Self { plane, captures, ports, batch: Batch::new(0), to_controllers }
    }

    /// Sets the longest packet of a port in bytes, without Ethernet header and VLAN tags.
    pub fn set_mtu(&mut self, port: Port, mtu: usize) {
        if let Some(index) = self.index(port) {
            self.ports[index].mtu = mtu;
        }
    }

    /// Sends the buffers that leave the switch.
    pub fn send_buffers(&mut self, buffers: &mut [Buffer<'_>]) {
        let mut batch = self.empty_batch();
        for buffer in buffers {
            let ForwardingMetadata { egress_port: Some(port), offload, .. } = buffer.metadata else {
                continue;
            };
            self.add(&mut batch, port, offload, buffer.borrow_with(Metadata::default()));
        }
        self.send(batch);
    }

    /// Sends packets from the switch's queues, and copies of packets.
    pub fn send_transmissions(&mut self, out: &mut Vec<Transmission>) {
        if out.is_empty() {
            return;
        }
        let mut batch = self.empty_batch();
        for Transmission { port, packet, .. } in out.iter_mut() {
            let end = packet.bytes.len();
            let frame = Frame::borrowing(&mut packet.bytes, 0, end, Metadata::default());
            self.add(&mut batch, *port, packet.offload, frame);
        }
        self.send(batch);
        out.clear();
    }

    /// Adds the counts of a port.
    pub fn count(&self, port: Port, counts: &mut PortCounts) {
        let Some(index) = self.index(port) else { return };
        let SendingPort { transmit, queue_full, failed, malformed, .. } = &self.ports[index];
        (counts.sent, counts.queue_full, counts.failed) = (transmit.counts(), *queue_full, *failed);
        counts.sent.malformed += malformed;
    }

    fn empty_batch<'b>(&mut self) -> Batch<'b> {
        std::mem::replace(&mut self.batch, Batch::new(0)).into_empty()
    }

    /// Returns the index of a port; `None` if there is no such port.
    #[inline]
    fn index(&self, port: Port) -> Option<usize> {
        self.ports.binary_search_by_key(&port, |port| port.number).ok()
    }

    /// Adds a packet with these offloads to the frames that leave by a port.
    #[inline]
    fn add<'b>(
        &mut self,
        batch: &mut Batch<'b>,
        port: Port,
        offload: Option<CarriedOffload>,
        mut frame: Frame<'b>,
    ) {
        let added = match offload {
            None => Ok(()),
            Some(offload) => metadata(offload, frame.bytes()).map(|metadata| frame.metadata = metadata),
        };
        let added = added.and_then(|()| self.add_frame(batch, port, frame));
        if let Err(error) = added {
            // This can happen only if the user forces offloads for a program that was not proven to
            // be safe.
            tracing::debug!(switch = self.plane.name, port, %error, "a frame is dropped");
            if let Some(index) = self.index(port) {
                self.ports[index].malformed += 1;
            }
        }
    }

    #[inline]
    fn add_frame<'b>(
        &mut self,
        batch: &mut Batch<'b>,
        port: Port,
        frame: Frame<'b>,
    ) -> Result<(), Malformed> {
        if self.plane.cpu_port == Some(port) {
            let device = self.plane.device_id;
            for_each_wire_frame(&frame, |bytes| {
                self.plane.with_server(|server| server.packet_in(device, bytes));
                self.to_controllers.iter().for_each(|sent| sent.add(bytes.len() as u64));
            })?;
        }
        let Some(index) = self.index(port) else { return Ok(()) };
        if !self.captures.is_empty() {
            for_each_wire_frame(&frame, |bytes| self.captures.write_sent(port, bytes))?;
        }
        let mtu = self.ports[index].mtu;
        let is_too_long =
            |gso: Gso| Ok(Segments::from_frame(&frame)?.longest_frame() - usize::from(gso.network) > mtu);
        let is_cut = frame.metadata.gso.map_or(Ok(false), is_too_long)?;
        if !is_cut && kernel_can_parse(&frame) {
            self.push(batch, index, frame);
            return Ok(());
        }
        for_interface(&frame, Offloads::default(), |part| {
            self.push(batch, index, Frame::copy_of(part.bytes(), part.metadata));
            Ok(())
        })
    }

    /// Adds a frame for a port to the batch, after sending a full batch.
    #[inline]
    fn push<'b>(&mut self, batch: &mut Batch<'b>, index: usize, frame: Frame<'b>) {
        if batch.frames().len() == MAX_BATCH {
            let full = std::mem::replace(batch, Batch::new(0));
            self.send(full);
            *batch = self.empty_batch();
        }
        self.ports[index].chosen.push(batch.frames().len() as u16);
        batch.push(frame);
    }

    fn send(&mut self, batch: Batch<'_>) {
        for port in self.ports.iter_mut().filter(|port| !port.chosen.is_empty()) {
            let (chosen, frames) = (&port.chosen[..], batch.frames());
            let left_out = |number| port.queue_full += wire_frames(frames, &[number]);
            if let Err((error, place)) = send_all(&mut *port.transmit, frames, chosen, left_out) {
                let Plane { name, clock, .. } = &*self.plane;
                report(&mut port.trouble, name.as_deref(), clock.now(), &error);
                port.failed += wire_frames(frames, &chosen[place..]);
            }
            port.chosen.clear();
            let TransmitCounts { frames, bytes, .. } = port.transmit.counts();
            port.sent.set(frames, bytes);
        }
        self.batch = batch.into_empty();
    }
}

/// Returns the number of frames that the frames with these numbers become on a wire.
fn wire_frames(frames: &[Frame<'_>], numbers: &[u16]) -> u64 {
    numbers.iter().map(|number| wire_size(&frames[usize::from(*number)]).frames).sum()
}
