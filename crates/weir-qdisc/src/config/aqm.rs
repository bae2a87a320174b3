//! Settings of active queue management: CoDel, FQ-CoDel, RED.

use weir_device::Nanos;

use super::{MIN_QUANTUM, QdiscConfig, bytes, out_of_range, probability, rate, time};
use weir_impair::OutOfRange;
use weir_impair::math;

/// A millisecond in nanoseconds.
const MILLISECOND: Nanos = 1_000_000;
/// The maximum number of queues of FQ-CoDel, as in Linux.
const MAX_FLOWS: u32 = 65_536;

/// Controlled delay: when sojourn times have exceeded `target` for an `interval`, frames are
/// dropped or marked at decreasing intervals until the sojourn times are below the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodelConfig {
    /// The queue limit in frames.
    pub limit: usize,
    /// The acceptable sojourn time in nanoseconds.
    pub target: Nanos,
    /// The time for which sojourn times may exceed the target, in nanoseconds. The value is about
    /// the longest usual round-trip time.
    pub interval: Nanos,
    /// Whether frames of ECN-capable transports are marked instead of dropped.
    pub ecn: bool,
    /// Frames with a sojourn time above this many nanoseconds are marked if possible.
    pub ce_threshold: Option<Nanos>,
}

impl Default for CodelConfig {
    /// Returns the defaults of `tc qdisc add … codel`.
    fn default() -> Self {
        CodelConfig {
            limit: 1000,
            target: 5 * MILLISECOND,
            interval: 100 * MILLISECOND,
            ecn: false,
            ce_threshold: None,
        }
    }
}

impl CodelConfig {
    /// Checks that the settings are in range.
    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        time("codel target", self.target)?;
        time("codel interval", self.interval)?;
        time("codel ce_threshold", self.ce_threshold.unwrap_or(0))?;
        if self.interval == 0 {
            return out_of_range("codel interval", "0 ns".into(), "1 ns or more");
        }
        Ok(())
    }
}

/// Fair queueing with CoDel: flows are hashed to queues, which are served by deficit round robin;
/// queues that were empty are served first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FqCodelConfig {
    /// CoDel's settings for each queue; the limit is for all queues together.
    pub codel: CodelConfig,
    /// The number of queues.
    pub flows: u32,
    /// The quantum of the round robin in bytes.
    pub quantum: u32,
    /// The limit for all queues together in bytes.
    pub memory_limit: u64,
    /// If a limit is exceeded, the queue with the most bytes loses half of them, but at most this
    /// many frames at once.
    pub drop_batch: usize,
}

impl Default for FqCodelConfig {
    /// Returns the defaults of `tc qdisc add … fq_codel` on an Ethernet interface.
    fn default() -> Self {
        FqCodelConfig {
            codel: CodelConfig { limit: 10_240, ecn: true, ..CodelConfig::default() },
            flows: 1024,
            quantum: 1514,
            memory_limit: 32 << 20,
            drop_batch: 64,
        }
    }
}

impl FqCodelConfig {
    /// Checks that the settings are in range.
    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        self.codel.check()?;
        bytes("fq_codel quantum", self.quantum.into(), MIN_QUANTUM)?;
        bytes("fq_codel memory_limit", self.memory_limit, 1)?;
        if !(1..=MAX_FLOWS).contains(&self.flows) {
            return out_of_range("fq_codel flows", self.flows.to_string(), "1 to 65536");
        }
        if self.drop_batch == 0 {
            return out_of_range("fq_codel drop_batch", "0".into(), "1 or more");
        }
        Ok(())
    }
}

/// The settings of random early detection, which is based on an exponentially weighted moving
/// average of the queue length in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct RedConfig {
    /// The queue limit in bytes, unless there is a `queue`.
    pub limit: u64,
    /// Below this average in bytes, no frame is dropped or marked.
    pub min: u64,
    /// From this average on, all frames are dropped or marked.
    pub max: u64,
    /// The average frame length in bytes.
    pub avpkt: u64,
    /// The number of average frames in a burst that does not raise the average to `min`. It
    /// determines the weight of the average.
    pub burst: u64,
    /// The rate at which the queue drains, in bits per second. It determines how fast the average
    /// falls while the queue is empty.
    pub bandwidth: u64,
    /// The probability from 0 to 1 of a drop or mark when the average is just below `max`; it grows
    /// from 0 at `min`.
    pub probability: f64,
    /// Whether frames of ECN-capable transports are marked instead of dropped.
    pub ecn: bool,
    /// With `ecn`, frames are dropped, not marked, from `max` on.
    pub harddrop: bool,
    /// With `ecn`, frames that cannot be marked pass instead of being dropped.
    pub nodrop: bool,
    /// Whether the probability is adapted every half second so that the average stays between `min`
    /// and `max` (S. Floyd, R. Gummadi, S. Shenker 2001).
    pub adaptive: bool,
    /// The child discipline, instead of a FIFO with `limit`.
    pub queue: Option<Box<QdiscConfig>>,
}

impl RedConfig {
    /// Creates settings with the defaults of `tc`: `max` is a quarter of the limit, `min` a third
    /// of `max`, the burst (2 min + max) / 3 in frames, the probability 2 %, the bandwidth 10
    /// Mbit/s.
    pub fn new(limit: u64, avpkt: u64, min: Option<u64>, max: Option<u64>, burst: Option<u64>) -> Self {
        let max = max.unwrap_or(limit / 4);
        let min = min.unwrap_or(max / 3);
        let usual = min.saturating_mul(2).saturating_add(max) / avpkt.saturating_mul(3).max(1);
        RedConfig {
            limit,
            min,
            max,
            avpkt,
            burst: burst.unwrap_or(usual.max(min.div_ceil(avpkt.max(1)))),
            bandwidth: 10_000_000,
            probability: 0.02,
            ecn: false,
            harddrop: false,
            nodrop: false,
            adaptive: false,
            queue: None,
        }
    }

    /// Returns the weight of the newest length in the average: the largest power of 1/2 for which a
    /// burst leaves the average below `min` (Floyd and Jacobson, section 6), as `tc` computes it.
    /// `None` if there is no such power.
    pub(crate) fn weight(&self) -> Option<f64> {
        let beyond = self.burst as f64 + 1.0 - self.min as f64 / self.avpkt as f64;
        let fits = |weight: &f64| (1.0 - math::power(1.0 - weight, self.burst as f64)) / weight >= beyond;
        (beyond >= 1.0).then(|| (1..32).map(|log| 1.0 / f64::from(1u32 << log)).find(fits)).flatten()
    }

    /// Checks that the settings are in range.
    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        for (setting, value) in [
            ("red limit", self.limit),
            ("red min", self.min),
            ("red max", self.max),
            ("red avpkt", self.avpkt),
        ] {
            bytes(setting, value, 1)?;
        }
        rate("red bandwidth", self.bandwidth)?;
        probability("red probability", self.probability)?;
        if self.min >= self.max {
            let value = format!("min {} bytes, max {} bytes", self.min, self.max);
            return out_of_range("red min", value, "less than the max");
        }
        if self.min < self.avpkt {
            let value = format!("{} bytes, with packets of {}", self.min, self.avpkt);
            return out_of_range("red min", value, "at least avpkt");
        }
        if self.weight().is_none() {
            let value = format!("{} packets of {} bytes, min {} bytes", self.burst, self.avpkt, self.min);
            return out_of_range("red burst", value, "at least min / avpkt packets");
        }
        // Without ECN frames are always dropped.
        if self.nodrop && !self.ecn {
            return out_of_range("red nodrop", "nodrop without ecn".into(), "both");
        }
        Ok(())
    }
}
