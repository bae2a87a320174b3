//! The store of the frames in a queue: a discipline holds only the frames' numbers.

use super::ecn;

/// The number of a frame in its [`FrameStore`]. Its holder releases the frame exactly once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameId(pub u32);

/// The owner of the frames that wait in a discipline. All calls of a discipline get the same store.
pub trait FrameStore {
    /// Returns the bytes of a frame, from its Ethernet header on.
    fn bytes(&self, frame: FrameId) -> &[u8];

    /// Returns the bytes of a frame, to mark congestion or to flip a bit.
    fn bytes_mut(&mut self, frame: FrameId) -> &mut [u8];

    /// Marks congestion in a frame if its transport is ECN-capable. Returns whether the frame is
    /// marked now.
    fn mark(&mut self, frame: FrameId) -> bool {
        ecn::mark_congestion(self.bytes_mut(frame))
    }

    /// Copies a frame, and returns the copy's number.
    fn duplicate(&mut self, frame: FrameId) -> FrameId;

    /// Reports that a frame has left the queue from its sender's point of view: from now on, netem
    /// delays the frame as a link would.
    fn depart(&mut self, frame: FrameId);
}
