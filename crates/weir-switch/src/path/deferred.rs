//! Work that an extern call defers to the end of its block: clones, resubmission, recirculation,
//! truncation.

use std::collections::BTreeMap;

use crate::packet::Keep;

/// The work that the calls of a pass have deferred so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deferred {
    /// The clones to be made, by slot: the session of each, and the metadata that it keeps.
    pub clones: BTreeMap<u8, (u32, Keep)>,
    /// The metadata that the last resubmission keeps.
    pub resubmit: Option<Keep>,
    /// The metadata that the last recirculation keeps.
    pub recirculate: Option<Keep>,
    /// The number of bytes to which the packet is cut: the smallest that was requested.
    pub truncate: Option<usize>,
}

impl Deferred {
    pub(crate) fn is_empty(&self) -> bool {
        let Self { clones, resubmit, recirculate, truncate } = self;
        clones.is_empty() && resubmit.is_none() && recirculate.is_none() && truncate.is_none()
    }

    /// Limits the packet to this number of bytes, unless a smaller limit was requested before.
    pub(crate) fn cut_to(&mut self, length: u64) {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        self.truncate = Some(self.truncate.map_or(length, |least| least.min(length)));
    }
}
