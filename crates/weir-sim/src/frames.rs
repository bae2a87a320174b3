//! The frame pool. Queues, links and captures refer to frames by numbers of this pool. Memory is
//! reused: a frame needs no allocation if as many frames have existed at the same time before.

use std::collections::VecDeque;

use weir_device::prefetch as prefetch_memory;
use weir_device::{Buffer, ForwardingMetadata, Nanos, Port};
pub(crate) use weir_qdisc::FrameId;
use weir_qdisc::FrameStore;

/// The simulator's data about a frame besides its bytes; all zero for a new frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameMeta {
    /// A hash of addresses, protocol and ports, computed by the host that created the frame; 0 if
    /// there is none.
    pub(crate) flow: u64,
    /// The sending host's token for the connection that is notified when the frame leaves the
    /// host's queue; 0 if there is none.
    pub(crate) socket: u32,
    /// The earliest time at which the frame may leave the sending host's queue.
    pub(crate) earliest: Nanos,
    /// The transmitter's epoch when the transmission began.
    pub(crate) epoch: u32,
    /// Whether the frame is lost on its current link.
    pub(crate) lost: bool,
}

/// The number of bytes at the beginning of a frame to prefetch: the headers that most devices read.
const PREFETCHED_BYTES: usize = 128;

/// The maximum length of a frame in each size class, in bytes.
const SIZE_CLASSES: [usize; 4] = [256, 2048, 9600, 65_600];

/// A place in the pool for one frame.
struct Slot {
    buffer: Buffer<'static>,
    meta: FrameMeta,
    class: u8,
    live: bool,
}

/// The pool of all frames in the network.
#[derive(Default)]
pub(crate) struct Frames {
    slots: Vec<Slot>,
    /// The free slots by size class. The slot that was released last is reused first.
    free: [Vec<u32>; SIZE_CLASSES.len()],
    in_use: usize,
    departures: VecDeque<Departure>,
}

/// The departure of a frame from the queue of its host's interface: the frame is being sent or was
/// dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Departure {
    /// The node that created the frame.
    pub(crate) node: usize,
    /// The same number as in [`FrameMeta::socket`].
    pub(crate) socket: u32,
    /// The length of the frame in bytes.
    pub(crate) bytes: usize,
}

impl Frames {
    /// Returns a frame of `bytes` bytes for the caller to write; its contents are unspecified. A
    /// frame longer than the largest size class grows its slot.
    pub(crate) fn allocate(&mut self, bytes: usize) -> FrameId {
        let class = SIZE_CLASSES.iter().position(|max| bytes <= *max).unwrap_or(SIZE_CLASSES.len() - 1);
        let frame = self.allocate_class(class);
        let slot = &mut self.slots[frame.0 as usize];
        slot.buffer.set_len(bytes);
        slot.buffer.metadata = ForwardingMetadata::default();
        slot.meta = FrameMeta::default();
        frame
    }

    /// Returns a frame of a size class; its length, contents and metadata are unspecified.
    #[inline]
    fn allocate_class(&mut self, class: usize) -> FrameId {
        let number = self.free[class].pop().unwrap_or_else(|| {
            let buffer = Buffer::new(SIZE_CLASSES[class]);
            self.slots.push(Slot { buffer, meta: FrameMeta::default(), class: class as u8, live: false });
            (self.slots.len() - 1) as u32
        });
        self.slots[number as usize].live = true;
        self.in_use += 1;
        FrameId(number)
    }

    /// Adds a frame with a copy of these bytes.
    pub(crate) fn allocate_copy(&mut self, bytes: &[u8]) -> FrameId {
        let frame = self.allocate(bytes.len());
        self.bytes_mut(frame).copy_from_slice(bytes);
        frame
    }

    /// Adds a copy of a frame, with its bytes, id and metadata.
    pub(crate) fn duplicate(&mut self, frame: FrameId) -> FrameId {
        let copy = self.allocate(self.bytes(frame).len());
        let [from, to] = self
            .slots
            .get_disjoint_mut([frame.0 as usize, copy.0 as usize])
            .unwrap_or_else(|_| unreachable!("a frame that was just taken is not the one that is held"));
        to.buffer.bytes_mut().copy_from_slice(from.buffer.bytes());
        to.buffer.metadata = from.buffer.metadata;
        // Only the departure of the original is reported.
        to.meta = FrameMeta { socket: 0, ..from.meta.clone() };
        copy
    }

    /// Returns the place of a frame in the pool.
    fn slot(&mut self, frame: FrameId) -> &mut Slot {
        let slot = &mut self.slots[frame.0 as usize];
        debug_assert!(slot.live, "the frame was freed");
        slot
    }

    /// Returns the bytes of a frame.
    pub(crate) fn bytes(&self, frame: FrameId) -> &[u8] {
        debug_assert!(self.slots[frame.0 as usize].live, "the frame was freed");
        self.slots[frame.0 as usize].buffer.bytes()
    }

    pub(crate) fn bytes_mut(&mut self, frame: FrameId) -> &mut [u8] {
        self.slot(frame).buffer.bytes_mut()
    }

    /// Returns the frame's buffer, with its id and ports.
    pub(crate) fn buffer(&mut self, frame: FrameId) -> &mut Buffer<'static> {
        &mut self.slot(frame).buffer
    }

    /// Moves the frame's buffer out of the pool while other frames are allocated and released.
    /// [`Frames::restore_buffer`] puts it back.
    pub(crate) fn take_buffer(&mut self, frame: FrameId) -> Buffer<'static> {
        std::mem::replace(&mut self.slot(frame).buffer, Buffer::without_memory())
    }

    pub(crate) fn restore_buffer(&mut self, frame: FrameId, buffer: Buffer<'static>) {
        self.slot(frame).buffer = buffer;
    }

    /// Returns the metadata of a frame, to be changed.
    pub(crate) fn meta(&mut self, frame: FrameId) -> &mut FrameMeta {
        &mut self.slot(frame).meta
    }

    /// Returns the port through which a device forwards the frame.
    pub(crate) fn egress_port(&self, frame: FrameId) -> Option<Port> {
        self.slots[frame.0 as usize].buffer.metadata.egress_port
    }

    /// Prefetches a frame's metadata and headers.
    pub(crate) fn prefetch(&self, frame: FrameId) {
        let slot = &self.slots[frame.0 as usize];
        prefetch_memory(slot, size_of::<Slot>());
        prefetch_memory(slot.buffer.bytes(), PREFETCHED_BYTES);
    }

    /// Returns the metadata and the length of a frame.
    pub(crate) fn meta_and_len(&mut self, frame: FrameId) -> (&FrameMeta, usize) {
        let slot = self.slot(frame);
        (&slot.meta, slot.buffer.len())
    }

    /// Records that a frame left its host's own queue, if a connection waits for that.
    pub(crate) fn record_departure(&mut self, frame: FrameId) {
        let slot = self.slot(frame);
        let socket = std::mem::take(&mut slot.meta.socket);
        if socket != 0 {
            // The upper bits of a frame's id are the number of the node that created it.
            let node = (slot.buffer.metadata.id >> 40) as usize;
            let bytes = slot.buffer.bytes().len();
            self.departures.push_back(Departure { node, socket, bytes });
        }
    }

    /// Returns the next departure to report to a connection.
    pub(crate) fn next_departure(&mut self) -> Option<Departure> {
        self.departures.pop_front()
    }

    /// Frees a frame, and records its departure if a connection waits for it.
    pub(crate) fn release(&mut self, frame: FrameId) {
        self.record_departure(frame);
        let slot = self.slot(frame);
        slot.live = false;
        let class = usize::from(slot.class);
        self.free[class].push(frame.0);
        self.in_use -= 1;
    }

    /// Moves a frame from another pool to this one, and returns its new number.
    pub(crate) fn move_from(&mut self, other: &mut Frames, frame: FrameId) -> FrameId {
        let class = usize::from(other.slot(frame).class);
        let moved = self.allocate_class(class);
        let (from, to) = (other.slot(frame), &mut self.slots[moved.0 as usize]);
        std::mem::swap(&mut to.buffer, &mut from.buffer);
        to.meta = std::mem::take(&mut from.meta);
        from.live = false;
        other.free[class].push(frame.0);
        other.in_use -= 1;
        moved
    }

    /// Returns the number of frames in use.
    pub(crate) fn in_use(&self) -> usize {
        self.in_use
    }

    /// Returns the number of slots in the pool. For each size class, this is the maximum number of
    /// frames that were in use at the same time.
    pub(crate) fn capacity(&self) -> usize {
        self.slots.len()
    }
}

impl FrameStore for Frames {
    fn bytes(&self, frame: FrameId) -> &[u8] {
        Frames::bytes(self, frame)
    }

    fn bytes_mut(&mut self, frame: FrameId) -> &mut [u8] {
        Frames::bytes_mut(self, frame)
    }

    fn duplicate(&mut self, frame: FrameId) -> FrameId {
        Frames::duplicate(self, frame)
    }

    /// Tells a connection that limits its bytes in the local queue to stop counting the frame, as
    /// in Linux. Otherwise, a long delay of netem would limit the connection to a few segments per
    /// round trip.
    fn depart(&mut self, frame: FrameId) {
        self.record_departure(frame);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_by_size() {
        let mut frames = Frames::default();
        for bytes in [0, 60, 256, 257, 1514, 9000, 65_549, 100_000] {
            for _ in 0..3 {
                let frame = frames.allocate_copy(&vec![7; bytes]);
                let other = frames.allocate(bytes);
                assert_ne!(frame, other);
                assert_eq!(frames.bytes(frame), vec![7; bytes]);
                frames.release(frame);
                frames.release(other);
            }
        }
        // The pool has two frames of each size class.
        assert_eq!((frames.in_use(), frames.capacity()), (0, 8));
    }

    #[test]
    fn frames_move_between_pools() {
        let (mut from, mut to) = (Frames::default(), Frames::default());
        to.allocate(300);
        let frame = from.allocate_copy(&[7; 300]);
        (from.buffer(frame).metadata.id, from.meta(frame).flow) = (5, 6);
        let moved = to.move_from(&mut from, frame);
        assert_eq!((to.bytes(moved), from.in_use(), to.in_use()), (&[7; 300][..], 0, 2));
        assert_eq!((to.buffer(moved).metadata.id, to.meta(moved).flow), (5, 6));
        assert_eq!((from.allocate(400), from.capacity()), (frame, 1));
    }

    #[test]
    fn a_copy_is_a_separate_frame() {
        let mut frames = Frames::default();
        let frame = frames.allocate_copy(b"one");
        frames.buffer(frame).metadata.id = 5;
        (frames.meta(frame).flow, frames.meta(frame).socket) = (6, 7);
        let copy = frames.duplicate(frame);
        frames.record_departure(copy);
        assert_eq!(frames.next_departure(), None);
        frames.record_departure(frame);
        assert_eq!(frames.next_departure(), Some(Departure { node: 0, socket: 7, bytes: 3 }));
        frames.bytes_mut(frame).copy_from_slice(b"two");
        assert_eq!((frames.bytes(frame), frames.bytes(copy)), (&b"two"[..], &b"one"[..]));
        assert_eq!((frames.buffer(copy).metadata.id, frames.meta(copy).flow, frames.in_use()), (5, 6, 2));
        frames.release(frame);
        let next = frames.allocate(3);
        assert_eq!((frames.meta(next).flow, frames.buffer(next).metadata.id), (0, 0));
    }
}
