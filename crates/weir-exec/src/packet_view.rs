//! A packet in memory.

use std::cell::Cell;
use std::mem::offset_of;

/// A packet in memory, with free bytes before and after it. The bytes are cells, because the
/// executor and the environment access them at the same time.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PacketView<'a> {
    memory: &'a [Cell<u8>],
    start: usize,
    end: usize,
}

impl<'a> PacketView<'a> {
    /// An empty packet without memory.
    pub const EMPTY: Self = Self { memory: &[], start: 0, end: 0 };

    /// The byte offsets, in this struct, of the memory (a slice's address and length), of
    /// [`PacketView::start`] and of [`PacketView::end`], for machine code.
    pub const FIELD_OFFSETS: [usize; 3] =
        [offset_of!(Self, memory), offset_of!(Self, start), offset_of!(Self, end)];

    /// Creates a view of the packet at `start..end` of `memory`.
    ///
    /// # Panics
    /// If the range is outside the memory.
    #[inline]
    pub fn new(memory: &'a [Cell<u8>], start: usize, end: usize) -> Self {
        assert!(start <= end && end <= memory.len());
        Self { memory, start, end }
    }

    /// Returns the packet's bytes.
    #[inline]
    pub fn bytes(&self) -> &'a [Cell<u8>] {
        &self.memory[self.start..self.end]
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

    /// Returns the packet's bytes and the free bytes around them.
    #[inline]
    pub fn memory(&self) -> &'a [Cell<u8>] {
        self.memory
    }

    /// Returns the offset of the packet's first byte in the memory.
    #[inline]
    pub fn start(&self) -> usize {
        self.start
    }

    /// Returns the offset after the packet's last byte in the memory.
    #[inline]
    pub fn end(&self) -> usize {
        self.end
    }

    /// Copies the packet's bytes from `offset` on.
    #[inline]
    pub fn to_vec(&self, offset: usize) -> Vec<u8> {
        self.bytes().get(offset..).unwrap_or_default().iter().map(Cell::get).collect()
    }
}
