//! Makes frames from the messages that a packet socket receives.

use weir_device::Nanos;

use crate::sys::Message;
use crate::vlan::insert_tag;
use crate::vnet::VnetHeader;
use crate::{Batch, Frame, ReceiveCounts};

/// The number of frames that one system call receives or sends.
pub(crate) const BATCH_FRAMES: usize = 64;
/// The kernel's memory for a packet socket in each direction, in bytes: enough for some GSO frames.
pub(crate) const SOCKET_MEMORY: i32 = 8 << 20;

/// A frame as a packet socket receives it.
pub(crate) struct Arrival<'a> {
    pub memory: &'a mut [u8],
    /// The position at which the frame begins in the memory.
    pub start: usize,
    pub end: usize,
    pub vnet: VnetHeader,
    /// The VLAN tag that the kernel took out of the frame: TPID and TCI.
    pub tag: Option<[u16; 2]>,
    pub time: Option<Nanos>,
}

impl<'a> Arrival<'a> {
    /// Adds the frame to a batch and counts it. A frame with an unknown offload is only counted.
    #[inline]
    pub(crate) fn add_to_batch(self, batch: &mut Batch<'a>, counts: &mut ReceiveCounts) {
        let Self { memory, start, end, vnet, tag, time } = self;
        let Some(mut metadata) = vnet.metadata(&memory[start..end]) else {
            counts.unknown_offload += 1;
            return;
        };
        metadata.time = time;
        let start = match tag {
            Some(tag) => insert_tag(memory, start, tag, &mut metadata),
            None => start,
        };
        counts.frames += 1;
        counts.bytes += (end - start) as u64;
        batch.push(Frame::borrowing(memory, start, end, metadata));
    }
}

/// Returns the frame of a message from the socket's queue; `None` if part of the frame is missing.
pub(crate) fn queued_frame<'a>(memory: &'a mut [u8], message: &Message, start: usize) -> Option<Arrival<'a>> {
    let end = start + message.length;
    let (vnet, tag, time) = (message.vnet, vlan_tag(message), receive_time(message));
    (end <= memory.len() && message.length >= 14).then_some(Arrival { memory, start, end, vnet, tag, time })
}

/// Returns the VLAN tag that the kernel took out of a frame: TPID and TCI.
fn vlan_tag(message: &Message) -> Option<[u16; 2]> {
    let data = message.control(libc::SOL_PACKET, libc::PACKET_AUXDATA)?;
    let status = u32::from_ne_bytes(data.get(..4)?.try_into().ok()?);
    let half = |at: usize| Some(u16::from_ne_bytes(data.get(at..at + 2)?.try_into().ok()?));
    let valid = |flag| status & flag != 0;
    let protocol = if valid(libc::TP_STATUS_VLAN_TPID_VALID) { half(18)? } else { 0x8100 };
    valid(libc::TP_STATUS_VLAN_VALID).then_some([protocol, half(16)?])
}

/// Returns the time at which the kernel received a frame, if timestamps are on.
fn receive_time(message: &Message) -> Option<u64> {
    let data = message.control(libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS)?;
    let long = |at: usize| Some(u64::from_ne_bytes(data.get(at..at + 8)?.try_into().ok()?));
    Some(long(0)? * 1_000_000_000 + long(8)?)
}
