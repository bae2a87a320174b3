//! Frames as they are on a wire.

use super::{Malformed, complete};
use crate::{Checksum, Frame, Offloads};

/// Does what an interface with these offloads leaves to its sender, and passes on the frame, or a
/// copy that was completed.
///
/// # Errors
/// The frame's metadata contradicts its bytes, or it is a GSO frame that the interface does not
/// take. Nothing was passed on.
pub fn for_interface<E: From<Malformed>>(
    frame: &Frame<'_>,
    offloads: Offloads,
    mut pass_on: impl FnMut(&Frame<'_>) -> Result<(), E>,
) -> Result<(), E> {
    if frame.metadata.gso.is_some() && !offloads.gso {
        return Err(Malformed("it is a GSO frame, and the interface takes none").into());
    }
    if matches!(frame.metadata.checksum, Checksum::Partial { .. }) && !offloads.checksum {
        let mut completed = Frame::copied(frame.bytes(), frame.metadata);
        complete(&mut completed)?;
        return pass_on(&completed);
    }
    pass_on(frame)
}
