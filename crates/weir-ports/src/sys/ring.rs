//! Receive rings of packet sockets: slots of memory that the kernel fills with frames
//! (`TPACKET_V2`).

use std::io;
use std::mem::{size_of, size_of_val};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::atomic::{AtomicU32, Ordering};

use weir_device::HEADROOM;

use super::mapping::Mapping;
use super::{PacketSocket, checked};
use crate::vnet::{VNET_BYTES, VnetHeader};

/// The bytes of a slot: headers and a frame of the usual size. The size is an odd number of cache
/// lines, because otherwise all frames would start in the same sets of the processor's cache.
const SLOT_BYTES: usize = 33 * 64;
/// The size of the blocks in which the kernel allocates memory. Each slot is inside one block.
const BLOCK_BYTES: usize = 1 << 16;
/// The number of blocks of the ring.
const BLOCKS: usize = 16;
const SLOTS_OF_A_BLOCK: usize = BLOCK_BYTES / SLOT_BYTES;
/// The number of slots of the ring.
const SLOTS: usize = BLOCKS * SLOTS_OF_A_BLOCK;
/// The position of the memory for a frame and its headroom in a slot, after the kernel's header and
/// a `sockaddr_ll`.
const MEMORY_OFFSET: usize = 64;

/// The receive ring of a packet socket.
#[derive(Debug)]
pub(crate) struct Ring {
    mapping: Mapping,
    /// The first slot that has not been given back.
    first: usize,
    /// The number of lent slots, starting at `first`.
    lent: usize,
}

/// A frame in a slot of the ring.
pub(crate) struct Slot<'a> {
    pub memory: &'a mut [u8],
    /// The position at which the frame begins in the memory.
    pub start: usize,
    /// The frame's length in bytes, and how many of these bytes are in the slot.
    pub length: usize,
    pub present: usize,
    /// Whether the whole frame is also in the socket's queue, because it is longer than a slot.
    pub is_queued: bool,
    pub vnet: VnetHeader,
    /// The VLAN tag that the kernel took out of the frame: TPID and TCI.
    pub tag: Option<[u16; 2]>,
    /// When the kernel received the frame, in nanoseconds from the Unix epoch.
    pub time: u64,
}

impl Ring {
    /// Gives a socket a ring, before the socket is bound. The frames have virtio-net headers, which
    /// must have been enabled for the socket before.
    pub(crate) fn new(socket: &PacketSocket) -> io::Result<Self> {
        for (option, value) in [
            (libc::PACKET_VERSION, libc::tpacket_versions::TPACKET_V2 as i32),
            (libc::PACKET_RESERVE, HEADROOM as i32),
            (libc::PACKET_COPY_THRESH, 1),
        ] {
            socket.set(libc::SOL_PACKET, option, value)?;
        }
        let request = libc::tpacket_req {
            tp_block_size: BLOCK_BYTES as u32,
            tp_block_nr: BLOCKS as u32,
            tp_frame_size: SLOT_BYTES as u32,
            tp_frame_nr: SLOTS as u32,
        };
        let (pointer, length) = ((&raw const request).cast(), size_of_val(&request) as u32);
        let descriptor = socket.as_fd().as_raw_fd();
        // SAFETY: pointer and length are those of a live value, which the kernel reads only.
        checked(unsafe {
            libc::setsockopt(descriptor, libc::SOL_PACKET, libc::PACKET_RX_RING, pointer, length)
        })?;
        Ok(Self { mapping: Mapping::new(socket.as_fd(), BLOCKS * BLOCK_BYTES, 0)?, first: 0, lent: 0 })
    }

    /// Gives back the lent slots, then lends up to `limit` slots with new frames, and returns their
    /// number.
    pub(crate) fn take_frames(&mut self, limit: usize) -> usize {
        for number in 0..self.lent {
            self.status(self.first + number).store(libc::TP_STATUS_KERNEL, Ordering::Release);
        }
        self.first = (self.first + self.lent) % SLOTS;
        let has_frame = |number: &usize| {
            self.status(self.first + number).load(Ordering::Acquire) & libc::TP_STATUS_USER != 0
        };
        self.lent = (0..limit.min(SLOTS)).take_while(has_frame).count();
        self.lent
    }

    /// Returns the slots that are lent.
    pub(crate) fn slots(&mut self) -> impl Iterator<Item = Slot<'_>> {
        let ring = &*self;
        (0..self.lent).map(move |number| ring.slot(ring.first + number))
    }

    /// Returns a slot that is lent. No other reference to it exists: only [`Ring::slots`] calls
    /// this, once for each slot.
    fn slot<'a>(&self, number: usize) -> Slot<'a> {
        let (place, memory) = (slot_offset(number), slot_offset(number) + MEMORY_OFFSET);
        let header =
            self.mapping.address_of(place, size_of::<libc::tpacket2_hdr>()).cast::<libc::tpacket2_hdr>();
        // SAFETY: slots are aligned to cache lines, and any bytes are a valid header. The kernel
        // has written it before it set the status that `take` has seen, and writes no more until
        // the slot is given back.
        let header = unsafe { header.read() };
        let pointer = self.mapping.address_of(memory, SLOT_BYTES - MEMORY_OFFSET);
        // SAFETY: the memory is inside the mapping, was zero at first, and nobody else uses it: the
        // kernel waits until the slot is given back, which needs the ring exclusively, and slots do
        // not overlap.
        let memory = unsafe { std::slice::from_raw_parts_mut(pointer, SLOT_BYTES - MEMORY_OFFSET) };
        // The kernel's values are clamped to the size of a slot.
        let start = usize::from(header.tp_mac).clamp(MEMORY_OFFSET + VNET_BYTES, SLOT_BYTES) - MEMORY_OFFSET;
        let vnet = memory[start - VNET_BYTES..start].first_chunk().map(VnetHeader::read).unwrap_or_default();
        let has = |flag| header.tp_status & flag != 0;
        let protocol = if has(libc::TP_STATUS_VLAN_TPID_VALID) { header.tp_vlan_tpid } else { 0x8100 };
        Slot {
            start,
            length: header.tp_len as usize,
            present: (header.tp_snaplen as usize).min(memory.len() - start),
            memory,
            is_queued: has(libc::TP_STATUS_COPY),
            vnet,
            tag: has(libc::TP_STATUS_VLAN_VALID).then_some([protocol, header.tp_vlan_tci]),
            time: u64::from(header.tp_sec) * 1_000_000_000 + u64::from(header.tp_nsec),
        }
    }

    /// Returns the status word of a slot, which the kernel changes too.
    fn status(&self, number: usize) -> &AtomicU32 {
        let status = self.mapping.address_of(slot_offset(number), size_of::<u32>()).cast();
        // SAFETY: the status is inside the mapping, which lives as long as the ring; it is aligned,
        // and the kernel writes it in one piece. While the header is read, nobody writes it.
        unsafe { AtomicU32::from_ptr(status) }
    }
}

/// Returns the position at which a slot begins in the mapping.
fn slot_offset(number: usize) -> usize {
    let number = number % SLOTS;
    number / SLOTS_OF_A_BLOCK * BLOCK_BYTES + number % SLOTS_OF_A_BLOCK * SLOT_BYTES
}
