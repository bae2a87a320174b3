//! Frames that leave, sorted by the port they leave by.

use std::sync::Arc;

use weir_device::{Buffer, Port, Transmission};
use weir_ports::{Batch, Frame, Metadata, PortError, Transmit};

use super::Plane;
use crate::capture::Captures;

/// The sending halves of a worker's ports.
pub struct Outputs {
    plane: Arc<Plane>,
    captures: Arc<Captures>,
    /// In order of the port numbers.
    ports: Vec<Sending>,
    batch: Batch<'static>,
}

/// A port's sending half.
pub struct Sending {
    number: Port,
    transmit: Box<dyn Transmit>,
    /// The numbers of the frames to send now.
    chosen: Vec<u16>,
}

impl Sending {
    /// A port that has sent nothing yet.
    pub fn new(number: Port, transmit: Box<dyn Transmit>) -> Self {
        Self { number, transmit, chosen: Vec::new() }
    }
}

/// Frames that are sent at a time; their numbers have 16 bits.
const MOST: usize = 1024;

/// How often a full queue is tried again before its frames are dropped.
const ATTEMPTS: usize = 8;

impl Outputs {
    /// Outputs of these ports.
    pub fn new(plane: Arc<Plane>, captures: Arc<Captures>, mut ports: Vec<Sending>) -> Self {
        ports.sort_by_key(|port| port.number);
        Self { plane, captures, ports, batch: Batch::new(0) }
    }

    /// Sends the buffers that leave the switch.
    ///
    /// # Errors
    /// A port fails; the others have sent.
    pub fn send_buffers(&mut self, buffers: &mut [Buffer]) -> Result<(), PortError> {
        let mut batch = self.empty_batch();
        for buffer in buffers {
            let Some(port) = buffer.egress_port else { continue };
            let (memory, start, end) = buffer.memory_mut();
            self.add(&mut batch, port, Frame::lent(memory, start, end, Metadata::default()));
        }
        self.send(batch)
    }

    /// Sends what came out of the switch's queues, and copies.
    ///
    /// # Errors
    /// A port fails; the others have sent.
    pub fn send_transmissions(&mut self, out: &mut Vec<Transmission>) -> Result<(), PortError> {
        if out.is_empty() {
            return Ok(());
        }
        let mut sent = Ok(());
        for part in out.chunks_mut(MOST) {
            let mut batch = self.empty_batch();
            for Transmission { port, packet, .. } in part {
                let end = packet.bytes.len();
                self.add(&mut batch, *port, Frame::lent(&mut packet.bytes, 0, end, Metadata::default()));
            }
            sent = sent.and(self.send(batch));
        }
        out.clear();
        sent
    }

    fn empty_batch<'b>(&mut self) -> Batch<'b> {
        std::mem::replace(&mut self.batch, Batch::new(0)).recycled()
    }

    fn add<'b>(&mut self, batch: &mut Batch<'b>, port: Port, frame: Frame<'b>) {
        if self.plane.cpu_port == Some(port) {
            self.plane.with_server(|server| server.packet_in(self.plane.device_id, frame.bytes()));
        }
        let Ok(index) = self.ports.binary_search_by_key(&port, |port| port.number) else { return };
        let Ok(number) = u16::try_from(batch.frames().len()) else { return };
        self.captures.sent(port, frame.bytes());
        self.ports[index].chosen.push(number);
        batch.push(frame);
    }

    fn send(&mut self, batch: Batch<'_>) -> Result<(), PortError> {
        let mut result = Ok(());
        for port in &mut self.ports {
            let mut rest = &port.chosen[..];
            for _ in 0..ATTEMPTS {
                if rest.is_empty() {
                    break;
                }
                match port.transmit.transmit(batch.frames(), rest) {
                    Ok(done) => rest = &rest[done.min(rest.len())..],
                    Err(error) => {
                        result = Err(error);
                        break;
                    }
                }
            }
            port.chosen.clear();
        }
        self.batch = batch.recycled();
        result
    }
}
