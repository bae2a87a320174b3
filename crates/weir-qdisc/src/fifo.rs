//! First in, first out, with a limit in frames, in bytes, or in both.

use std::collections::VecDeque;

use super::{Dequeued, Discipline, FrameId, FrameStore, QdiscContext, QueuedFrame};

/// The reason for drops because of a full queue.
pub const QUEUE_FULL: &str = "queue full";

/// The FIFO queueing discipline, limited in frames and bytes.
#[derive(Debug)]
pub(crate) struct Fifo {
    most_packets: usize,
    most_bytes: u64,
    waiting: VecDeque<QueuedFrame>,
    waiting_bytes: u64,
}

impl Fifo {
    pub(super) fn new(packets: Option<usize>, bytes: Option<u64>) -> Self {
        let mut fifo = Fifo { most_packets: 0, most_bytes: 0, waiting: VecDeque::new(), waiting_bytes: 0 };
        fifo.set_limits(packets, bytes);
        fifo
    }

    /// Changes the settings. Frames that exceed a smaller limit stay in the queue.
    pub(super) fn set_limits(&mut self, packets: Option<usize>, bytes: Option<u64>) {
        (self.most_packets, self.most_bytes) = (packets.unwrap_or(usize::MAX), bytes.unwrap_or(u64::MAX));
    }

    #[inline]
    pub(super) fn pop_front(&mut self) -> Option<QueuedFrame> {
        let waiting = self.waiting.pop_front()?;
        self.waiting_bytes -= u64::from(waiting.bytes);
        Some(waiting)
    }
}

impl Discipline for Fifo {
    fn enqueue(&mut self, waiting: QueuedFrame, context: &mut QdiscContext<'_, impl FrameStore>) {
        let bytes = self.waiting_bytes + u64::from(waiting.bytes);
        if self.waiting.len() >= self.most_packets || bytes > self.most_bytes {
            return context.drop(waiting.frame, QUEUE_FULL);
        }
        self.waiting_bytes = bytes;
        self.waiting.push_back(waiting);
    }

    fn dequeue(&mut self, _: &mut QdiscContext<'_, impl FrameStore>) -> Dequeued {
        self.pop_front().map_or(Dequeued::Empty, Dequeued::Frame)
    }

    #[inline]
    fn packets(&self) -> usize {
        self.waiting.len()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.waiting_bytes
    }

    fn drain(&mut self) -> Vec<FrameId> {
        self.waiting_bytes = 0;
        self.waiting.drain(..).map(|waiting| waiting.frame).collect()
    }

    fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId)) {
        self.waiting.iter_mut().for_each(|waiting| visit(&mut waiting.frame));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Frames;

    /// Returns the number of frames with these lengths that fit in the queue, and their bytes.
    fn capacity(packets: Option<usize>, bytes: Option<u64>, lengths: &[u32]) -> (usize, u64) {
        let (mut fifo, mut frames, mut dropped) = (Fifo::new(packets, bytes), Frames::default(), Vec::new());
        for length in lengths {
            let frame = frames.allocate(*length as usize);
            let mut context = QdiscContext::new(0, &mut frames, &mut dropped);
            fifo.enqueue(QueuedFrame { frame, bytes: *length, flow: 0, earliest: 0 }, &mut context);
        }
        assert_eq!(fifo.packets() + dropped.len(), lengths.len());
        assert!(dropped.iter().all(|(_, reason)| *reason == QUEUE_FULL));
        let capacity = (fifo.packets(), fifo.bytes());
        let order: Vec<_> = std::iter::from_fn(|| fifo.pop_front()).map(|waiting| waiting.bytes).collect();
        assert_eq!(order.iter().map(|bytes| u64::from(*bytes)).sum::<u64>(), capacity.1);
        assert_eq!((order.len(), fifo.packets(), fifo.bytes()), (capacity.0, 0, 0));
        capacity
    }

    #[test]
    fn limits_hold_to_the_frame_and_to_the_byte() {
        assert_eq!(capacity(Some(2), None, &[1000, 1000, 1000]), (2, 2000));
        assert_eq!(capacity(None, Some(2500), &[1000, 1000, 1000, 500]), (3, 2500));
        assert_eq!(capacity(Some(3), Some(2500), &[100, 100, 100, 100]), (3, 300));
        assert_eq!(capacity(Some(0), None, &[1]), (0, 0));
        assert_eq!(capacity(None, None, &[9000; 50]), (50, 450_000));
    }
}
