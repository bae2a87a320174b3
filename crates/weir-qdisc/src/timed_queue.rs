//! Frames in the order in which they were added, with the times at which they were added.

use std::collections::VecDeque;

use weir_device::Nanos;

use super::{FrameId, QueuedFrame};

/// A queue that knows how long its frames have waited.
#[derive(Debug, Default)]
pub(super) struct TimedQueue {
    frames: VecDeque<(Nanos, QueuedFrame)>,
    bytes: u64,
}

impl TimedQueue {
    /// Adds a frame to the end of the queue.
    #[inline]
    pub(super) fn push(&mut self, now: Nanos, waiting: QueuedFrame) {
        self.bytes += u64::from(waiting.bytes);
        self.frames.push_back((now, waiting));
    }

    /// Returns the first frame and the time at which it was added.
    #[inline]
    pub(super) fn pop_front(&mut self) -> Option<(Nanos, QueuedFrame)> {
        let first = self.frames.pop_front()?;
        self.bytes -= u64::from(first.1.bytes);
        Some(first)
    }

    /// Returns the time for which the first frame has waited; 0 without frames.
    #[inline]
    pub(super) fn delay(&self, now: Nanos) -> Nanos {
        self.frames.front().map_or(0, |(since, _)| now.saturating_sub(*since))
    }

    /// Returns the number of frames in the queue.
    #[inline]
    pub(super) fn packets(&self) -> usize {
        self.frames.len()
    }

    /// Returns the bytes of the frames in the queue.
    #[inline]
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Removes and returns all frames, in order.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = FrameId> + use<> {
        std::mem::take(self).frames.into_iter().map(|(_, waiting)| waiting.frame)
    }

    /// Visits the numbers of all frames.
    pub(super) fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId)) {
        self.frames.iter_mut().for_each(|(_, waiting)| visit(&mut waiting.frame));
    }
}
