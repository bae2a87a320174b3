//! Frames as they are on a wire.

use weir_device::HEADROOM;

use super::{Malformed, Segments, complete};
use crate::{Checksum, Frame, Metadata, Offloads, TransmitCounts};

/// Performs the offloads that the interface does not have, and passes on the frame, a completed
/// copy, or its segments in order.
///
/// # Errors
/// The frame's metadata contradicts its bytes (nothing was passed on), or `pass_on` failed.
pub fn for_interface<E: From<Malformed>>(
    frame: &Frame<'_>,
    offloads: Offloads,
    mut pass_on: impl FnMut(&Frame<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let completed = Metadata { checksum: Checksum::Valid, gso: None, ..frame.metadata };
    // The metadata of packet sockets does not describe tunnels, so the kernel could not cut the
    // inner packet.
    if frame.metadata.gso.is_some_and(|gso| gso.in_tunnel || !offloads.gso) {
        let segments = Segments::from_frame(frame)?;
        let mut memory = Vec::with_capacity(HEADROOM + segments.longest_frame());
        for number in 0..segments.count() {
            memory.resize(HEADROOM, 0);
            segments.write(number, &mut memory);
            let end = memory.len();
            pass_on(&Frame::borrowing(&mut memory, HEADROOM, end, completed))?;
        }
        return Ok(());
    }
    if matches!(frame.metadata.checksum, Checksum::Partial { .. }) && !offloads.checksum {
        let mut copy = Frame::copy_of(frame.bytes(), frame.metadata);
        complete(&mut copy)?;
        return pass_on(&copy);
    }
    pass_on(frame)
}

/// The size of frames on a wire: their number and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireSize {
    /// The number of frames on the wire.
    pub frames: u64,
    /// The bytes of these frames: each has all headers.
    pub bytes: u64,
}

/// Returns the size of a frame on a wire. A frame whose metadata contradicts its bytes counts as
/// one frame.
pub fn wire_size(frame: &Frame<'_>) -> WireSize {
    let whole = WireSize { frames: 1, bytes: frame.len() as u64 };
    let Some(gso) = frame.metadata.gso else { return whole };
    let Ok(segments) = Segments::from_frame(frame) else { return whole };
    let frames = segments.count() as u64;
    if frames == 1 {
        return whole;
    }
    let headers = segments.longest_frame() as u64 - u64::from(gso.size);
    WireSize { frames, bytes: whole.bytes + (frames - 1) * headers }
}

impl TransmitCounts {
    /// Counts a frame that left.
    #[inline]
    pub(crate) fn add_sent(&mut self, frame: &Frame<'_>) {
        let WireSize { frames, bytes } = wire_size(frame);
        self.frames += frames;
        self.bytes += bytes;
    }
}
