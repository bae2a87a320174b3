//! Frames, in memory that a port lends.

use weir_device::{HEADROOM, Memory};

use crate::metadata::Metadata;

const PLACES: &str = "the headers that the metadata names begin in the first 64 KB of the frame";

/// A frame, starting with its Ethernet header, without preamble and frame check sequence. It is in
/// memory of the port that received it. VLAN tags are in the bytes.
#[derive(Debug)]
pub struct Frame<'a> {
    memory: Memory<'a>,
    start: usize,
    end: usize,
    /// What is known about the frame besides its bytes.
    pub metadata: Metadata,
}

impl<'a> Frame<'a> {
    /// A frame in `memory`, from `start` to `end`. The bytes before and after it are free.
    ///
    /// # Panics
    /// The frame is not inside the memory.
    #[inline]
    pub fn lent(memory: &'a mut [u8], start: usize, end: usize, metadata: Metadata) -> Self {
        assert!(start <= end && end <= memory.len(), "{start}..{end} of {} bytes", memory.len());
        Self { memory: Memory::Borrowed(memory), start, end, metadata }
    }

    /// A copy in its own memory, with [`HEADROOM`].
    pub fn copied(bytes: &[u8], metadata: Metadata) -> Frame<'static> {
        let mut memory = vec![0; HEADROOM + bytes.len()].into_boxed_slice();
        memory[HEADROOM..].copy_from_slice(bytes);
        Frame { end: memory.len(), memory: Memory::Owned(memory), start: HEADROOM, metadata }
    }

    /// The frame.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.end]
    }

    /// The frame's bytes, mutable.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let (memory, start, end) = self.memory_mut();
        &mut memory[start..end]
    }

    /// The frame's length in bytes.
    #[inline]
    #[allow(clippy::len_without_is_empty, reason = "frames of interfaces are never empty")]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Free bytes in front of the frame.
    #[inline]
    pub fn headroom(&self) -> usize {
        self.start
    }

    /// The whole memory, and where the frame starts and ends in it.
    #[inline]
    pub fn memory_mut(&mut self) -> (&mut [u8], usize, usize) {
        (&mut self.memory, self.start, self.end)
    }

    /// Adds `count` bytes in front of the frame and returns them for the caller to write; their
    /// contents are unspecified. Places in the metadata still refer to the same bytes. Without
    /// enough headroom the frame is copied into its own memory.
    pub fn push_front(&mut self, count: usize) -> &mut [u8] {
        if count > self.start {
            let headroom = HEADROOM + count;
            let mut memory = vec![0; headroom + self.len()].into_boxed_slice();
            memory[headroom..].copy_from_slice(self.bytes());
            (self.start, self.end) = (headroom, memory.len());
            self.memory = Memory::Owned(memory);
        }
        self.start -= count;
        self.metadata.move_places(|place| place.checked_add(count as u16).expect(PLACES));
        &mut self.bytes_mut()[..count]
    }

    /// Removes `count` bytes from the front of the frame. Places in the metadata still refer to the
    /// same bytes.
    ///
    /// # Panics
    /// The frame is shorter than `count`, or its metadata names a place in the removed bytes.
    pub fn pull_front(&mut self, count: usize) {
        assert!(count <= self.len(), "{count} of {} bytes", self.len());
        self.start += count;
        self.metadata.move_places(|place| place.checked_sub(count as u16).expect(PLACES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Checksum;

    fn checksum(start: u16) -> Metadata {
        Metadata { checksum: Checksum::Partial { start, offset: 16 }, ..Metadata::default() }
    }

    #[test]
    fn headers_use_the_headroom_and_then_memory_of_the_frame() {
        let mut memory = *b"....frame..";
        let mut frame = Frame::lent(&mut memory, 4, 9, checksum(2));
        frame.push_front(3).copy_from_slice(b"abc");
        assert_eq!((frame.bytes(), frame.headroom()), (b"abcframe".as_slice(), 1));
        assert_eq!(frame.metadata, checksum(5));
        frame.push_front(2).copy_from_slice(b"xy");
        assert_eq!((frame.bytes(), frame.headroom()), (b"xyabcframe".as_slice(), HEADROOM));
        frame.pull_front(5);
        assert_eq!((frame.bytes(), frame.metadata), (b"frame".as_slice(), checksum(2)));
        assert_eq!(memory, *b".abcframe..", "the lent memory has the first header only");
    }
}
