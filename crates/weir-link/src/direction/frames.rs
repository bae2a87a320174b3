//! The frames that wait in a queueing discipline.

use weir_ports::Frame;
use weir_qdisc::{FrameId, FrameStore};

/// Stores frames by number. Numbers of removed frames are reused.
#[derive(Debug, Default)]
pub(super) struct Frames {
    slots: Vec<Option<Frame<'static>>>,
    free: Vec<u32>,
}

/// The message of a panic that cannot happen.
const TAKEN_TWICE: &str = "a frame is taken once, by the queue that put it there";

impl Frames {
    /// Keeps a frame until it is taken.
    pub(super) fn put(&mut self, frame: Frame<'static>) -> FrameId {
        let number = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        self.slots[number as usize] = Some(frame);
        FrameId(number)
    }

    /// Removes a frame from the store and returns it.
    pub(super) fn take(&mut self, frame: FrameId) -> Frame<'static> {
        self.free.push(frame.0);
        self.slots[frame.0 as usize].take().expect(TAKEN_TWICE)
    }

    /// Returns all stored frames.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Frame<'static>> {
        self.slots.iter().flatten()
    }
}

impl FrameStore for Frames {
    fn bytes(&self, frame: FrameId) -> &[u8] {
        self.slots[frame.0 as usize].as_ref().expect(TAKEN_TWICE).bytes()
    }

    fn bytes_mut(&mut self, frame: FrameId) -> &mut [u8] {
        self.slots[frame.0 as usize].as_mut().expect(TAKEN_TWICE).bytes_mut()
    }

    fn duplicate(&mut self, frame: FrameId) -> FrameId {
        let frame = self.slots[frame.0 as usize].as_ref().expect(TAKEN_TWICE);
        let copy = Frame::copy_of(frame.bytes(), frame.metadata);
        self.put(copy)
    }

    /// Does nothing: the frame has already left the sender's queue.
    fn depart(&mut self, _: FrameId) {}
}
