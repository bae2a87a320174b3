//! Memory for one packet: packets cross a device in it without being copied.

use std::ops::{Deref, DerefMut};

use crate::Port;

/// Free bytes in front of a packet, for headers that the program adds.
pub const HEADROOM: usize = 256;

/// Memory for a packet.
#[derive(Debug)]
pub enum Memory<'m> {
    /// Memory that the buffer owns.
    Owned(Box<[u8]>),
    /// Memory that belongs to the code that received the packet.
    Borrowed(&'m mut [u8]),
}

impl Deref for Memory<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Owned(memory) => memory,
            Self::Borrowed(memory) => memory,
        }
    }
}

impl DerefMut for Memory<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Owned(memory) => memory,
            Self::Borrowed(memory) => memory,
        }
    }
}

impl Clone for Memory<'_> {
    fn clone(&self) -> Self {
        Self::Owned((**self).into())
    }
}

/// A packet with free bytes in front of it, in memory that the buffer owns or borrows.
#[derive(Clone, Debug)]
pub struct Buffer<'m> {
    memory: Memory<'m>,
    start: usize,
    end: usize,
    /// The packet's id, chosen by the code that fills the buffer; copies of the packet have the
    /// same id.
    pub id: u64,
    /// The port on which the packet arrived. Devices do not change it.
    pub ingress_port: Port,
    /// The port through which the packet leaves, set by the device; none if the packet does not
    /// leave in this buffer.
    pub egress_port: Option<Port>,
}

impl Buffer<'static> {
    /// An empty buffer for packets of up to `capacity` bytes.
    pub fn new(capacity: usize) -> Self {
        let memory = vec![0; HEADROOM + capacity].into_boxed_slice();
        let memory = Memory::Owned(memory);
        Self { memory, start: HEADROOM, end: HEADROOM, id: 0, ingress_port: 0, egress_port: None }
    }

    /// A buffer without memory, which costs no allocation. It grows when it is filled.
    pub fn unallocated() -> Self {
        let memory = Memory::Owned(Box::default());
        Self { memory, start: 0, end: 0, id: 0, ingress_port: 0, egress_port: None }
    }
}

impl<'m> Buffer<'m> {
    /// A packet that arrived on `port`, in borrowed memory from `start` to `end`. The bytes before
    /// and after the packet are free.
    ///
    /// # Panics
    /// The packet is not inside the memory.
    #[inline]
    pub fn lent(memory: &'m mut [u8], start: usize, end: usize, port: Port, id: u64) -> Self {
        assert!(start <= end && end <= memory.len(), "{start}..{end} of {} bytes", memory.len());
        Self { memory: Memory::Borrowed(memory), start, end, id, ingress_port: port, egress_port: None }
    }

    /// The buffer, to be filled again; none if its memory is borrowed.
    #[inline]
    pub fn own(self) -> Option<Buffer<'static>> {
        let Self { memory: Memory::Owned(memory), start, end, id, ingress_port, egress_port } = self else {
            return None;
        };
        Some(Buffer { memory: Memory::Owned(memory), start, end, id, ingress_port, egress_port })
    }

    /// Copies a packet that arrived on `port` into the buffer. The buffer gets memory of its own if
    /// the packet exceeds its capacity.
    #[inline]
    pub fn fill(&mut self, port: Port, id: u64, packet: &[u8]) {
        self.set_len(packet.len()).copy_from_slice(packet);
        (self.id, self.ingress_port, self.egress_port) = (id, port, None);
    }

    /// Makes the packet `bytes` bytes long and returns it for the caller to write; its contents are
    /// unspecified. The buffer gets memory of its own if that exceeds its capacity.
    #[inline]
    pub fn set_len(&mut self, bytes: usize) -> &mut [u8] {
        if HEADROOM + bytes > self.memory.len() {
            self.memory = Memory::Owned(vec![0; HEADROOM + bytes].into_boxed_slice());
        }
        (self.start, self.end) = (HEADROOM, HEADROOM + bytes);
        &mut self.memory[self.start..self.end]
    }

    /// The longest packet that fits without growing, in bytes.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.memory.len().saturating_sub(HEADROOM)
    }

    /// The packet.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.end]
    }

    /// The packet, for changes.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.end]
    }

    /// The packet's length in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether the packet has no bytes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// All memory, and the packet's start and end in it, for a device that adds or removes headers
    /// in place.
    #[inline]
    pub fn memory_mut(&mut self) -> (&mut [u8], usize, usize) {
        (&mut self.memory, self.start, self.end)
    }

    /// Marks the packet as leaving through `port`, and moves its start to the offset `start` of the
    /// memory.
    #[inline]
    pub fn depart(&mut self, start: usize, port: Port) {
        debug_assert!(start <= self.end, "the packet starts at {start}, after its end {}", self.end);
        (self.start, self.egress_port) = (start, Some(port));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_added_in_front_uses_the_headroom() {
        let mut buffer = Buffer::new(4);
        buffer.fill(1, 7, b"data");
        let (memory, start, end) = buffer.memory_mut();
        assert_eq!((start, &memory[start..end]), (HEADROOM, b"data".as_slice()));
        memory[start - 2..start].copy_from_slice(b"h:");
        buffer.depart(start - 2, 3);
        assert_eq!((buffer.bytes(), buffer.egress_port), (b"h:data".as_slice(), Some(3)));
    }

    #[test]
    fn a_packet_in_lent_memory_is_changed_where_it_is() {
        let mut memory = *b"....data..";
        let mut buffer = Buffer::lent(&mut memory, 4, 8, 1, 7);
        assert_eq!((buffer.bytes(), buffer.len(), buffer.ingress_port), (b"data".as_slice(), 4, 1));
        buffer.bytes_mut()[0] = b'D';
        let copy = buffer.clone();
        buffer.memory_mut().0[2..4].copy_from_slice(b"h:");
        buffer.depart(2, 3);
        assert_eq!((buffer.bytes(), copy.bytes()), (b"h:Data".as_slice(), b"Data".as_slice()));
        assert!(buffer.own().is_none() && copy.own().is_some());
        assert_eq!(memory, *b"..h:Data..");
    }

    #[test]
    fn long_packets_grow_the_buffer() {
        for mut buffer in [Buffer::new(1), Buffer::unallocated()] {
            buffer.fill(2, 9, b"longer");
            assert_eq!((buffer.bytes(), buffer.len(), buffer.capacity()), (b"longer".as_slice(), 6, 6));
            assert_eq!((buffer.id, buffer.ingress_port, buffer.egress_port), (9, 2, None));
        }
    }
}
