//! Segments spaced in time.

use crate::{Nanos, SECOND};

/// When the next segment may leave. Exact: the fraction of a nanosecond is carried on.
#[derive(Clone, Debug, Default)]
pub struct Pacer {
    ready: Nanos,
    remainder: u128,
}

impl Pacer {
    /// The earliest time for the next segment.
    pub fn ready(&self) -> Nanos {
        self.ready
    }

    /// A packet of so many bytes left at `now`, at this rate (more than 0).
    pub fn sent(&mut self, now: Nanos, bytes: u32, bits_per_second: u64) {
        if self.ready < now {
            self.ready = now;
            self.remainder = 0;
        }
        let rate = u128::from(bits_per_second.max(1));
        let work = u128::from(bytes) * 8 * u128::from(SECOND) + self.remainder;
        self.ready = self.ready.saturating_add(u64::try_from(work / rate).unwrap_or(u64::MAX));
        self.remainder = work % rate;
    }
}
