//! Packets in a queue, and the store in which a queueing discipline finds them.

use weir_device::Nanos;
use weir_qdisc::{FrameId, FrameStore, mark_congestion};

use crate::packet::PipelinePacket;

/// A packet in a queue.
#[derive(Debug)]
pub(super) struct WaitingPacket {
    pub packet: PipelinePacket,
    /// The time at which the packet was put into the queue.
    pub enqueued: Nanos,
    /// The number of packets in the queue before it.
    pub enq_depth: usize,
    /// Whether the discipline has marked congestion in the packet.
    pub marked: bool,
}

/// The packets in a queue, by number. Numbers of removed packets are reused.
#[derive(Debug, Default)]
pub(super) struct Packets {
    slots: Vec<Option<WaitingPacket>>,
    free: Vec<u32>,
}

/// The message of a panic that cannot happen.
const TAKEN: &str = "a packet is taken once, by the queue that put it there";

impl Packets {
    /// Keeps a packet until it is taken.
    pub(super) fn put(&mut self, waiting: WaitingPacket) -> FrameId {
        let number = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        self.slots[number as usize] = Some(waiting);
        FrameId(number)
    }

    /// Removes a packet and returns it.
    pub(super) fn take(&mut self, frame: FrameId) -> WaitingPacket {
        self.free.push(frame.0);
        self.slots[frame.0 as usize].take().expect(TAKEN)
    }

    fn get_mut(&mut self, frame: FrameId) -> &mut WaitingPacket {
        self.slots[frame.0 as usize].as_mut().expect(TAKEN)
    }
}

impl FrameStore for Packets {
    fn bytes(&self, frame: FrameId) -> &[u8] {
        &self.slots[frame.0 as usize].as_ref().expect(TAKEN).packet.bytes
    }

    fn bytes_mut(&mut self, frame: FrameId) -> &mut [u8] {
        &mut self.get_mut(frame).packet.bytes
    }

    /// Marks a packet. Ingress may have taken headers out of the bytes, so the mark is set again
    /// when egress has put the headers back.
    fn mark(&mut self, frame: FrameId) -> bool {
        let waiting = self.get_mut(frame);
        let is_marked = mark_congestion(&mut waiting.packet.bytes);
        waiting.marked |= is_marked;
        is_marked
    }

    fn duplicate(&mut self, _: FrameId) -> FrameId {
        unreachable!("only netem duplicates packets, and a switch's queue cannot have netem")
    }

    /// Does nothing: a packet has left its sender long ago.
    fn depart(&mut self, _: FrameId) {}
}
