//! Settings of fair queueing.

use weir_device::Nanos;

use super::{LEAST_QUANTUM, bytes, rate, time};
use crate::Error;

/// Fair queueing by flows, with pacing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FqConfig {
    /// Frames that may wait in all.
    pub limit: usize,
    /// Frames of one flow that may wait.
    pub flow_limit: usize,
    /// Bytes served in a turn.
    pub quantum: u32,
    /// Bytes served in a flow's first turn.
    pub initial_quantum: u32,
    /// Bits per second that each flow may have at most.
    pub maxrate: Option<u64>,
    /// Whether `maxrate` and the times that senders give their frames are kept.
    pub pacing: bool,
    /// A frame that is to leave later than so many nanoseconds from now is dropped.
    pub horizon: Nanos,
    /// Frames that leave more than so many nanoseconds after they could have, for their times and `maxrate`, are marked if they can be.
    pub ce_threshold: Option<Nanos>,
}

impl Default for FqConfig {
    /// As `tc qdisc add … fq` on an Ethernet interface.
    fn default() -> Self {
        FqConfig {
            limit: 10_000,
            flow_limit: 100,
            quantum: 2 * 1514,
            initial_quantum: 10 * 1514,
            maxrate: None,
            pacing: true,
            horizon: 10_000_000_000,
            ce_threshold: None,
        }
    }
}

impl FqConfig {
    pub(super) fn check(&self) -> Result<(), Error> {
        bytes("fq quantum", self.quantum.into(), LEAST_QUANTUM)?;
        if let Some(maxrate) = self.maxrate {
            rate("fq maxrate", maxrate)?;
        }
        time("fq ce_threshold", self.ce_threshold.unwrap_or(0))?;
        time("fq horizon", self.horizon)
    }
}
