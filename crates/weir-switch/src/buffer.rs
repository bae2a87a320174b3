//! Memory for one packet, used again and again: packets go through a switch in it without being copied.

use std::cell::Cell;

use weir_ir::pipeline::Window;

use crate::device::Port;

/// Room before a packet for headers that the program adds, in bytes.
pub const HEADROOM: usize = 256;

/// A packet in memory of its own, with room before it.
#[derive(Clone, Debug)]
pub struct Buffer {
    memory: Box<[u8]>,
    start: usize,
    end: usize,
    /// Given by whoever fills the buffer; copies of the packet share it.
    pub id: u64,
    /// Where the packet came in; [`Switch::forward`](crate::Switch::forward) leaves it.
    pub port: Port,
    /// Where it leaves: set by [`Switch::forward`](crate::Switch::forward); none if it did not leave in this buffer.
    pub out: Option<Port>,
}

impl Buffer {
    /// An empty buffer for packets of up to `capacity` bytes.
    pub fn new(capacity: usize) -> Self {
        let memory = vec![0; HEADROOM + capacity].into_boxed_slice();
        Self { memory, start: HEADROOM, end: HEADROOM, id: 0, port: 0, out: None }
    }

    /// A buffer without any memory, to stand in for one.
    pub fn none() -> Self {
        Self { memory: Box::default(), start: 0, end: 0, id: 0, port: 0, out: None }
    }

    /// Puts a packet that came in by `port` into it. The buffer grows if the packet is longer than its capacity.
    #[inline]
    pub fn fill(&mut self, port: Port, id: u64, packet: &[u8]) {
        self.room(packet.len()).copy_from_slice(packet);
        (self.id, self.port, self.out) = (id, port, None);
    }

    /// Makes it a packet of `bytes` bytes for the caller to write: they hold anything. The buffer grows if that is more than its capacity.
    #[inline]
    pub fn room(&mut self, bytes: usize) -> &mut [u8] {
        if HEADROOM + bytes > self.memory.len() {
            self.memory = vec![0; HEADROOM + bytes].into_boxed_slice();
        }
        (self.start, self.end) = (HEADROOM, HEADROOM + bytes);
        &mut self.memory[self.start..self.end]
    }

    /// The packet to change.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.end]
    }

    /// The longest packet it takes without growing, in bytes.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.memory.len().saturating_sub(HEADROOM)
    }

    /// The packet.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.end]
    }

    /// Bytes of the packet.
    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether the packet has no bytes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    pub(crate) fn window(&mut self) -> Window<'_> {
        Window::new(Cell::from_mut(&mut *self.memory).as_slice_of_cells(), self.start, self.end)
    }

    /// The packet begins here now, and leaves.
    pub(crate) fn leave(&mut self, start: usize, port: Port) {
        (self.start, self.out) = (start, Some(port));
    }
}
