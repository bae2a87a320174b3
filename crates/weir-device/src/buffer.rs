//! Memory for one packet. Ports and devices pass the memory on, so that they need not copy the
//! packet.

use std::ops::{Deref, DerefMut};

use crate::{CarriedOffload, Packet, Port};

/// Free bytes in front of a packet, for headers that the program adds.
pub const HEADROOM: usize = 256;

/// The memory of a packet: the buffer's own or borrowed.
#[derive(Debug)]
enum Memory<'m> {
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
pub struct Buffer<'m, M = ForwardingMetadata> {
    memory: Memory<'m>,
    start: usize,
    end: usize,
    /// The metadata of the packet.
    pub metadata: M,
}

/// The metadata that a packet has while it is in a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForwardingMetadata {
    /// The packet's id, chosen by the code that fills the buffer; copies of the packet have the
    /// same id.
    pub id: u64,
    /// The port on which the packet arrived. Devices do not change it.
    pub ingress_port: Port,
    /// The port through which the packet leaves, set by the device; `None` if the packet does not
    /// leave in this buffer.
    pub egress_port: Option<Port>,
    /// The offloads that are not done yet. Devices do not change them, and copies of the packet
    /// inherit them.
    pub offload: Option<CarriedOffload>,
}

impl<M: Default> Buffer<'static, M> {
    /// Creates an empty buffer for packets of up to `capacity` bytes.
    pub fn new(capacity: usize) -> Self {
        let memory = Memory::Owned(vec![0; HEADROOM + capacity].into_boxed_slice());
        Self { memory, start: HEADROOM, end: HEADROOM, metadata: M::default() }
    }

    /// Returns a buffer without memory, for which nothing is allocated. It grows when it is filled.
    pub fn without_memory() -> Self {
        Self { memory: Memory::Owned(Box::default()), start: 0, end: 0, metadata: M::default() }
    }
}

impl<M> Buffer<'static, M> {
    /// Copies a packet into a new buffer with [`HEADROOM`].
    pub fn copy_of(packet: &[u8], metadata: M) -> Self {
        let mut memory = vec![0; HEADROOM + packet.len()].into_boxed_slice();
        memory[HEADROOM..].copy_from_slice(packet);
        Self { end: memory.len(), memory: Memory::Owned(memory), start: HEADROOM, metadata }
    }
}

impl<'m, M> Buffer<'m, M> {
    /// Returns a packet in borrowed memory, from `start` to `end`. The bytes before and after the
    /// packet are free.
    ///
    /// # Panics
    /// The packet is not inside the memory.
    #[inline]
    pub fn borrowing(memory: &'m mut [u8], start: usize, end: usize, metadata: M) -> Self {
        assert!(start <= end && end <= memory.len(), "{start}..{end} of {} bytes", memory.len());
        Self { memory: Memory::Borrowed(memory), start, end, metadata }
    }

    /// Borrows the packet without moving it, with other metadata.
    #[inline]
    pub fn borrow_with<N>(&mut self, metadata: N) -> Buffer<'_, N> {
        Buffer { memory: Memory::Borrowed(&mut self.memory), start: self.start, end: self.end, metadata }
    }

    /// Returns the buffer if it owns its memory, so that it can be filled again; `None` if its
    /// memory is borrowed.
    #[inline]
    pub fn into_owned(self) -> Option<Buffer<'static, M>> {
        let Self { memory: Memory::Owned(memory), start, end, metadata } = self else { return None };
        Some(Buffer { memory: Memory::Owned(memory), start, end, metadata })
    }

    /// Makes the packet `bytes` bytes long and returns it for the caller to write; its contents are
    /// unspecified. If `bytes` exceeds the capacity, the buffer allocates new memory.
    #[inline]
    pub fn set_len(&mut self, bytes: usize) -> &mut [u8] {
        if HEADROOM + bytes > self.memory.len() {
            self.memory = Memory::Owned(vec![0; HEADROOM + bytes].into_boxed_slice());
        }
        (self.start, self.end) = (HEADROOM, HEADROOM + bytes);
        &mut self.memory[self.start..self.end]
    }

    /// Returns the longest packet that fits without growing, in bytes.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.memory.len().saturating_sub(HEADROOM)
    }

    /// Returns the bytes of the packet.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.end]
    }

    /// Returns the packet's bytes, to be changed.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.end]
    }

    /// Returns the packet's length in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Returns whether the packet has no bytes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Returns all memory of the buffer, and the packet's start and end in it. Devices use it to
    /// add or remove headers in place.
    #[inline]
    pub fn memory_mut(&mut self) -> (&mut [u8], usize, usize) {
        (&mut self.memory, self.start, self.end)
    }
}

impl Buffer<'_> {
    /// Copies a packet that arrived on `port` into the buffer. If the packet exceeds the capacity,
    /// the buffer allocates new memory.
    #[inline]
    pub fn receive(&mut self, port: Port, id: u64, packet: &[u8]) {
        self.set_len(packet.len()).copy_from_slice(packet);
        self.metadata = ForwardingMetadata { id, ingress_port: port, egress_port: None, offload: None };
    }

    /// Marks the packet as leaving through `port`, and moves its start to the offset `start` of the
    /// memory.
    #[inline]
    pub fn set_departure(&mut self, start: usize, port: Port) {
        self.set_start(start);
        self.metadata.egress_port = Some(port);
    }

    /// Moves the packet's start to the offset `start` of the memory.
    #[inline]
    pub fn set_start(&mut self, start: usize) {
        debug_assert!(start <= self.end, "the packet starts at {start}, after its end {}", self.end);
        self.start = start;
    }

    /// Returns a copy of the packet without its ports.
    pub fn to_packet(&self) -> Packet {
        let ForwardingMetadata { id, offload, .. } = self.metadata;
        Packet { bytes: self.bytes().to_vec(), id, offload }
    }
}

/// Empties a list of buffers, and returns it with its memory for buffers of another lifetime.
#[inline]
pub fn recycle<'m, M>(mut buffers: Vec<Buffer<'_, M>>) -> Vec<Buffer<'m, M>> {
    buffers.clear();
    // Collecting from the iterator of a vector reuses the memory of the vector.
    buffers.into_iter().map(|_| unreachable!("the list is empty")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_added_in_front_uses_the_headroom() {
        let mut buffer = Buffer::new(4);
        buffer.receive(1, 7, b"data");
        let (memory, start, end) = buffer.memory_mut();
        assert_eq!((start, &memory[start..end]), (HEADROOM, b"data".as_slice()));
        memory[start - 2..start].copy_from_slice(b"h:");
        buffer.set_departure(start - 2, 3);
        assert_eq!((buffer.bytes(), buffer.metadata.egress_port), (b"h:data".as_slice(), Some(3)));
    }

    #[test]
    fn a_packet_in_lent_memory_is_changed_where_it_is() {
        let mut memory = *b"....data..";
        let mut arrived = Buffer::borrowing(&mut memory, 4, 8, "from a port");
        assert_eq!((arrived.bytes(), arrived.len()), (b"data".as_slice(), 4));
        let mut buffer = arrived.borrow_with(ForwardingMetadata {
            id: 7,
            ingress_port: 1,
            ..ForwardingMetadata::default()
        });
        buffer.bytes_mut()[0] = b'D';
        let copy = buffer.clone();
        buffer.memory_mut().0[2..4].copy_from_slice(b"h:");
        buffer.set_departure(2, 3);
        assert_eq!((buffer.bytes(), copy.bytes()), (b"h:Data".as_slice(), b"Data".as_slice()));
        assert_eq!((buffer.borrow_with("to a port").bytes(), copy.metadata.id), (b"h:Data".as_slice(), 7));
        assert!(buffer.into_owned().is_none() && copy.into_owned().is_some());
        assert_eq!(memory, *b"..h:Data..");
    }

    #[test]
    fn long_packets_grow_the_buffer() {
        for mut buffer in [Buffer::new(1), Buffer::without_memory()] {
            buffer.receive(2, 9, b"longer");
            assert_eq!((buffer.bytes(), buffer.len(), buffer.capacity()), (b"longer".as_slice(), 6, 6));
            assert_eq!(
                buffer.metadata,
                ForwardingMetadata { id: 9, ingress_port: 2, ..ForwardingMetadata::default() }
            );
        }
    }

    #[test]
    fn a_recycled_list_keeps_its_memory() {
        let mut memory = [0; 8];
        let mut buffers = Vec::with_capacity(3);
        buffers.push(Buffer::borrowing(&mut memory, 2, 4, ()));
        let place = buffers.as_ptr().addr();
        let buffers: Vec<Buffer<'static, ()>> = recycle(buffers);
        assert_eq!((buffers.len(), buffers.capacity(), buffers.as_ptr().addr()), (0, 3, place));
    }
}
