//! Settings of network emulation.

use weir_device::Nanos;

use super::{QdiscConfig, bad, probability, rate, time};
use crate::Error;
use crate::impair::{Impairments, Loss};

/// Network emulation on a sending side. Frames are impaired as they come in and then wait for their time.
#[derive(Clone, Debug, PartialEq)]
pub struct NetemConfig {
    /// Nanoseconds that each frame waits.
    pub delay: Nanos,
    /// What varies. Frames overtake one another where jitter makes them, whatever [`Impairments::overtake`] says.
    pub impairments: Impairments,
    /// A share of frames that do not wait, and at least how many others lie between two of them, plus 1: `reorder 25% gap 5`.
    pub hurry: Option<(f64, u64)>,
    /// Bits per second of a bottleneck before the delay.
    pub rate: Option<u64>,
    /// What frames take on that bottleneck beside their bytes.
    pub framing: Framing,
    /// Frames that are to be lost are marked instead and go on, if they are of an ECN-capable transport.
    pub ecn: bool,
    /// Frames leave in bunches, as where a medium is had only now and then.
    pub slot: Option<Box<Slot>>,
    /// Random numbers from this seed, the same at each interface that has it, begun anew by each change; `None`: from the network's.
    pub seed: Option<u64>,
    /// Frames that may wait, those on their delay among them.
    pub limit: usize,
    /// Where frames go after their delay, if not straight to the link.
    pub queue: Option<Box<QdiscConfig>>,
}

impl Default for NetemConfig {
    /// Nothing but a limit of 1000 frames.
    fn default() -> Self {
        NetemConfig {
            delay: 0,
            impairments: Impairments::default(),
            hurry: None,
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
    pub(super) fn check(&self) -> Result<(), Error> {
        self.impairments.check()?;
        time("netem delay", self.delay)?;
        if let Some(limit) = self.rate {
            rate("netem rate", limit)?;
        }
        if let Some((share, _)) = self.hurry {
            probability("netem reorder", share)?;
        }
        if self.ecn && self.impairments.loss == Loss::None {
            return bad("netem ecn", "ecn without a loss".into(), "a loss, such as `loss 1% ecn`");
        }
        self.slot.as_ref().map_or(Ok(()), |slot| slot.check())
    }
}

/// When a medium is had again (tc-netem's `slot`): a frame whose delay is over waits for a slot, which comes after a time of its own, and leaves
/// in it with all whose delay is over by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Nanoseconds until a slot comes, at least.
    pub min: Nanos,
    /// And at most; drawn uniformly between the two.
    pub max: Nanos,
    /// Frames that leave in one slot; `None`: any number.
    pub packets: Option<u64>,
    /// Bytes after which a slot is used up; the frame that goes beyond still leaves. `None`: any number.
    pub bytes: Option<u64>,
}

impl Slot {
    fn check(self) -> Result<(), Error> {
        time("netem slot", self.min)?;
        time("netem slot", self.max)?;
        if self.max < self.min {
            return bad("netem slot", format!("{} ns at most", self.max), "no less than the least");
        }
        if self.packets == Some(0) || self.bytes == Some(0) {
            return bad("netem slot", "0 packets or bytes".into(), "1 packet or byte or more, or no bound");
        }
        Ok(())
    }
}

/// What frames take beside their bytes on the bottleneck of [`NetemConfig::rate`]: netem's `rate RATE PACKETOVERHEAD CELLSIZE CELLOVERHEAD`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Framing {
    /// Bytes added to each frame, or taken off.
    pub packet_overhead: i32,
    /// Frames are sent in whole cells of so many bytes; 0: not in cells.
    pub cell_size: u32,
    /// Bytes added to each cell, or taken off.
    pub cell_overhead: i32,
}

impl Framing {
    /// What a frame of so many bytes takes.
    pub(in crate::qdisc) fn bytes(&self, bytes: u32) -> u64 {
        let whole = (i64::from(bytes) + i64::from(self.packet_overhead)).max(0) as u64;
        if self.cell_size == 0 {
            return whole;
        }
        let cell = (i64::from(self.cell_size) + i64::from(self.cell_overhead)).max(0) as u64;
        whole.div_ceil(self.cell_size.into()) * cell
    }
}
