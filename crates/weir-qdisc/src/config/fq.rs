//! Settings of fair queueing.

use weir_device::Nanos;

use super::{MIN_QUANTUM, bytes, rate, time};
use weir_impair::OutOfRange;

/// The settings of fair queueing with pacing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FqConfig {
    /// The queue limit in frames.
    pub limit: usize,
    /// The queue limit of one flow in frames.
    pub flow_limit: usize,
    /// The quantum of the round robin in bytes.
    pub quantum: u32,
    /// The quantum of a flow's first turn in bytes.
    pub initial_quantum: u32,
    /// The maximum rate of each flow in bits per second.
    pub maxrate: Option<u64>,
    /// Whether `maxrate` and the departure times set by senders are enforced.
    pub pacing: bool,
    /// Frames with a departure time more than this many nanoseconds in the future are dropped.
    pub horizon: Nanos,
    /// Frames that leave more than this many nanoseconds after their earliest departure, which
    /// follows from their departure time and `maxrate`, are marked if possible.
    pub ce_threshold: Option<Nanos>,
}

impl Default for FqConfig {
    /// Returns the defaults of `tc qdisc add … fq` on an Ethernet interface.
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
    /// Checks that the settings are in range.
    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        bytes("fq quantum", self.quantum.into(), MIN_QUANTUM)?;
        if let Some(maxrate) = self.maxrate {
            rate("fq maxrate", maxrate)?;
        }
        time("fq ce_threshold", self.ce_threshold.unwrap_or(0))?;
        time("fq horizon", self.horizon)
    }
}
