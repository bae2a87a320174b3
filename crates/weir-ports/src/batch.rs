//! Batches of lent frames.

use weir_device::recycle;

use crate::Frame;

/// The frames that a port has lent. A batch holds the port's receiving half until it is dropped, or
/// recycled for the next call.
#[derive(Debug)]
pub struct Batch<'a> {
    frames: Vec<Frame<'a>>,
    limit: usize,
}

impl<'a> Batch<'a> {
    /// Creates an empty batch for up to `limit` frames.
    #[inline]
    pub fn new(limit: usize) -> Self {
        Self { frames: Vec::with_capacity(limit), limit }
    }

    /// Returns the number of frames that can still be added.
    #[inline]
    pub fn remaining_capacity(&self) -> usize {
        self.limit.saturating_sub(self.frames.len())
    }

    /// Adds a frame, even beyond the limit: only ports obey the limit.
    #[inline]
    pub fn push(&mut self, frame: Frame<'a>) {
        self.frames.push(frame);
    }

    /// Returns the frames in the batch.
    #[inline]
    pub fn frames(&self) -> &[Frame<'a>] {
        &self.frames
    }

    /// Returns the frames in the batch, to be changed.
    #[inline]
    pub fn frames_mut(&mut self) -> &mut [Frame<'a>] {
        &mut self.frames
    }

    /// Gives the frames back and returns an empty batch, which need not be allocated again.
    #[inline]
    pub fn into_empty<'b>(self) -> Batch<'b> {
        Batch { frames: recycle(self.frames), limit: self.limit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metadata;

    #[test]
    fn a_recycled_batch_keeps_its_memory_and_its_limit() {
        let mut memory = [0; 8];
        let mut batch = Batch::new(3);
        batch.push(Frame::borrowing(&mut memory, 2, 4, Metadata::default()));
        let place = batch.frames().as_ptr().addr();
        let batch = batch.into_empty();
        assert_eq!((batch.remaining_capacity(), batch.frames().len()), (3, 0));
        assert_eq!(batch.frames().as_ptr().addr(), place);
    }
}
