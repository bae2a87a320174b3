//! Frames as they are on a wire.

use super::{Malformed, complete, segment};
use crate::{Checksum, Frame, Metadata, Offloads};

/// Does what an interface with these offloads leaves to its sender, and passes on the frame, a copy
/// that was completed, or the segments of a GSO frame, which have whole checksums.
///
/// # Errors
/// The frame's metadata contradicts its bytes; nothing was passed on. Or `pass_on` failed.
pub fn for_interface<E: From<Malformed>>(
    frame: &Frame<'_>,
    offloads: Offloads,
    mut pass_on: impl FnMut(&Frame<'_>) -> Result<(), E>,
) -> Result<(), E> {
    if frame.metadata.gso.is_some() && !offloads.gso {
        let metadata = Metadata { checksum: Checksum::Valid, gso: None, ..frame.metadata };
        let mut passed_on = Ok(());
        segment(frame, &mut Vec::new(), |bytes| {
            if passed_on.is_ok() {
                passed_on = pass_on(&Frame::copied(bytes, metadata));
            }
        })?;
        return passed_on;
    }
    if matches!(frame.metadata.checksum, Checksum::Partial { .. }) && !offloads.checksum {
        let mut completed = Frame::copied(frame.bytes(), frame.metadata);
        complete(&mut completed)?;
        return pass_on(&completed);
    }
    pass_on(frame)
}
