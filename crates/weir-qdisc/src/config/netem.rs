//! Settings of network emulation.

use weir_device::Nanos;

use super::{QdiscConfig, out_of_range, probability, rate, time};
use weir_impair::OutOfRange;
use weir_impair::{Impairments, Loss};

/// Network emulation at a sending end. Frames are impaired when they are added, and then wait for
/// their time.
#[derive(Clone, Debug, PartialEq)]
pub struct NetemConfig {
    /// The delay in nanoseconds.
    pub delay: Nanos,
    /// Jitter, loss and other random effects. Frames with less jitter overtake others, regardless
    /// of [`Impairments::overtake`].
    pub impairments: Impairments,
    /// The fraction of frames that skip the delay, and the minimum distance between two such
    /// frames: `reorder 25% gap 5`.
    pub reorder: Option<(f64, u64)>,
    /// The rate of a bottleneck before the delay, in bits per second.
    pub rate: Option<u64>,
    /// The framing overhead on that bottleneck.
    pub framing: Framing,
    /// Frames that would be lost are marked instead and pass, if they are ECN-capable.
    pub ecn: bool,
    /// Frames leave in bursts, as on a shared medium.
    pub slot: Option<Box<Slot>>,
    /// The seed of netem's own random numbers. They are the same at every interface with this seed,
    /// and restart with each change. With `None`, the random numbers come from the network's seed.
    pub seed: Option<u64>,
    /// The queue limit in frames, including delayed ones.
    pub limit: usize,
    /// The child discipline that frames enter after their delay.
    pub queue: Option<Box<QdiscConfig>>,
}

impl Default for NetemConfig {
    /// Returns settings without effects, with a limit of 1000 frames.
    fn default() -> Self {
        NetemConfig {
            delay: 0,
            impairments: Impairments::default(),
            reorder: None,
            rate: None,
            framing: Framing::default(),
            ecn: false,
            slot: None,
            seed: None,
            limit: 1000,
            queue: None,
        }
    }
}

impl NetemConfig {
    /// Checks that the settings are in range.
    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        self.impairments.check()?;
        time("netem delay", self.delay)?;
        if let Some(limit) = self.rate {
            rate("netem rate", limit)?;
        }
        if let Some((share, _)) = self.reorder {
            probability("netem reorder", share)?;
        }
        if self.ecn && self.impairments.loss == Loss::None {
            return out_of_range("netem ecn", "ecn without a loss".into(), "a loss, such as `loss 1% ecn`");
        }
        self.slot.as_ref().map_or(Ok(()), |slot| slot.check())
    }
}

/// Slots of a shared medium (tc-netem's `slot`): after its delay, a frame waits for the next slot,
/// and leaves together with all other frames whose delay has ended by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The minimum time until the next slot in nanoseconds.
    pub min: Nanos,
    /// The maximum time until the next slot in nanoseconds; the time is uniform between the minimum
    /// and the maximum.
    pub max: Nanos,
    /// The maximum number of frames in a slot; `None` is unlimited.
    pub packets: Option<u64>,
    /// The number of bytes after which a slot ends. The frame that exceeds it still leaves in the
    /// slot. `None` is unlimited.
    pub bytes: Option<u64>,
}

impl Slot {
    /// Checks that the settings are in range.
    fn check(self) -> Result<(), OutOfRange> {
        time("netem slot", self.min)?;
        time("netem slot", self.max)?;
        if self.max < self.min {
            return out_of_range("netem slot", format!("{} ns at most", self.max), "at least the minimum");
        }
        if self.packets == Some(0) || self.bytes == Some(0) {
            return out_of_range(
                "netem slot",
                "0 packets or bytes".into(),
                "1 packet or byte or more, or none for unlimited",
            );
        }
        Ok(())
    }
}

/// The framing overhead on the bottleneck of [`NetemConfig::rate`]: netem's `rate RATE
/// PACKETOVERHEAD CELLSIZE CELLOVERHEAD`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Framing {
    /// The number of bytes added to each frame; may be negative.
    pub packet_overhead: i32,
    /// Frames are sent in whole cells of this many bytes; 0 for no cells.
    pub cell_size: u32,
    /// The number of bytes added to each cell; may be negative.
    pub cell_overhead: i32,
}

impl Framing {
    /// Returns the bytes that a frame of this length takes on the bottleneck.
    pub(crate) fn bytes(&self, bytes: u32) -> u64 {
        let whole = (i64::from(bytes) + i64::from(self.packet_overhead)).max(0) as u64;
        if self.cell_size == 0 {
            return whole;
        }
        let cell = (i64::from(self.cell_size) + i64::from(self.cell_overhead)).max(0) as u64;
        whole.div_ceil(self.cell_size.into()) * cell
    }
}
