//! Settings of active queue management: CoDel, FQ-CoDel, RED.

use weir_device::Nanos;

use super::{LEAST_QUANTUM, QdiscConfig, bad, bytes, probability, rate, time};
use crate::{Error, math};

const MILLISECOND: Nanos = 1_000_000;
/// Most queues of FQ-CoDel, as in Linux.
const MOST_FLOWS: u32 = 65_536;

/// Controlled delay: once frames have waited longer than `target` throughout an `interval`, one is dropped or marked, and the next ones at
/// ever shorter intervals, until they no longer do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodelConfig {
    /// Frames that may wait.
    pub limit: usize,
    /// Nanoseconds that frames may wait all the time.
    pub target: Nanos,
    /// Nanoseconds for which they may wait longer: about the longest usual round trip.
    pub interval: Nanos,
    /// Whether frames of ECN-capable transports are marked instead of dropped.
    pub ecn: bool,
    /// Frames that have waited longer than so many nanoseconds are marked if they can be, whatever else happens.
    pub ce_threshold: Option<Nanos>,
}

impl Default for CodelConfig {
    /// As `tc qdisc add … codel`.
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
    pub(super) fn check(&self) -> Result<(), Error> {
        time("codel target", self.target)?;
        time("codel interval", self.interval)?;
        time("codel ce_threshold", self.ce_threshold.unwrap_or(0))?;
        if self.interval == 0 {
            return bad("codel interval", "0 ns".into(), "1 ns or more");
        }
        Ok(())
    }
}

/// Flow queues under CoDel: flows are spread over queues by a hash, the queues served by bytes in turn, those first that were empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FqCodelConfig {
    /// How each queue is controlled; the limit is that of all together.
    pub codel: CodelConfig,
    /// Queues.
    pub flows: u32,
    /// Bytes served in a turn.
    pub quantum: u32,
    /// Bytes of frames that may wait in all.
    pub memory_limit: u64,
    /// Where the limit or the memory is exceeded, the queue with the most bytes loses half of them, but at most so many frames.
    pub drop_batch: usize,
}

impl Default for FqCodelConfig {
    /// As `tc qdisc add … fq_codel` on an Ethernet interface.
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
    pub(super) fn check(&self) -> Result<(), Error> {
        self.codel.check()?;
        bytes("fq_codel quantum", self.quantum.into(), LEAST_QUANTUM)?;
        bytes("fq_codel memory_limit", self.memory_limit, 1)?;
        if !(1..=MOST_FLOWS).contains(&self.flows) {
            return bad("fq_codel flows", self.flows.to_string(), "1 to 65536");
        }
        if self.drop_batch == 0 {
            return bad("fq_codel drop_batch", "0".into(), "1 or more");
        }
        Ok(())
    }
}

/// Random early detection. The queue's mean length, in bytes, follows its length as an exponentially weighted moving average.
#[derive(Clone, Debug, PartialEq)]
pub struct RedConfig {
    /// Bytes that may wait, if there is no `queue`.
    pub limit: u64,
    /// Below this mean, in bytes, frames pass.
    pub min: u64,
    /// From this mean on all frames are dropped or marked.
    pub max: u64,
    /// Bytes of a usual frame.
    pub avpkt: u64,
    /// Usual frames that may come at once, without the mean's reaching `min`: which gives the average's weight.
    pub burst: u64,
    /// Bits per second at which the queue drains: which says how the mean falls while it is empty.
    pub bandwidth: u64,
    /// How likely, from 0 to 1, a frame is dropped or marked where the mean is just below `max`; it grows from 0 at `min`.
    pub probability: f64,
    /// Whether frames of ECN-capable transports are marked instead of dropped.
    pub ecn: bool,
    /// With `ecn`: from `max` on frames are dropped all the same.
    pub harddrop: bool,
    /// With `ecn`: frames that cannot be marked pass.
    pub nodrop: bool,
    /// Whether the probability is fitted each half second such that the mean stays between `min` and `max` (S. Floyd, R. Gummadi,
    /// S. Shenker 2001).
    pub adaptive: bool,
    /// Where frames wait, instead of first in, first out with `limit`.
    pub queue: Option<Box<QdiscConfig>>,
}

impl RedConfig {
    /// With `tc`'s defaults: the `max` is a quarter of the limit, the `min` a third of that, the burst (2 min + max) / 3 in frames, the
    /// probability 2 %, the bandwidth 10 Mbit/s.
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

    /// The weight of the newest length in the mean: the largest power of 1/2 by which a burst of frames leaves the mean below `min`
    /// (Floyd and Jacobson, section 6); as `tc` has it. `None` if there is none.
    pub(in crate::qdisc) fn weight(&self) -> Option<f64> {
        let beyond = self.burst as f64 + 1.0 - self.min as f64 / self.avpkt as f64;
        let fits = |weight: &f64| (1.0 - math::power(1.0 - weight, self.burst as f64)) / weight >= beyond;
        (beyond >= 1.0).then(|| (1..32).map(|log| 1.0 / f64::from(1u32 << log)).find(fits)).flatten()
    }

    pub(super) fn check(&self) -> Result<(), Error> {
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
            return bad("red min", value, "less than the max");
        }
        if self.min < self.avpkt {
            let value = format!("{} bytes, with packets of {}", self.min, self.avpkt);
            return bad("red min", value, "at least avpkt");
        }
        if self.weight().is_none() {
            let value = format!("{} packets of {} bytes, min {} bytes", self.burst, self.avpkt, self.min);
            return bad("red burst", value, "packets from min / avpkt on");
        }
        // Without ECN all drops are hard.
        if self.nodrop && !self.ecn {
            return bad("red nodrop", "nodrop without ecn".into(), "both");
        }
        Ok(())
    }
}
