//! Settings of queueing disciplines, from `tc` commands or from callers.

mod aqm;
mod dualpi2;
mod effect;
mod fq;
mod htb;
mod netem;

use weir_device::Nanos;

pub use self::aqm::{CodelConfig, FqCodelConfig, RedConfig};
pub use self::dualpi2::DualPi2Config;
pub use self::effect::NoEffect;
pub use self::fq::FqConfig;
pub use self::htb::{HtbClass, HtbConfig, HtbFilter};
pub use self::netem::{Framing, NetemConfig, Slot};
use weir_impair::OutOfRange;

/// The maximum of a burst, a quantum or a byte limit.
const MAX_BYTES: u64 = 1 << 40;
/// The minimum quantum: it bounds the number of rounds that a large frame needs.
const MIN_QUANTUM: u64 = 200;
/// The maximum depth of HTB classes, as in Linux (`TC_HTB_MAXDEPTH`).
pub(crate) const HTB_DEPTH: usize = 8;

/// A queueing discipline and its settings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum QdiscConfig {
    /// First in, first out; frames that exceed the limit are dropped. The default.
    Fifo {
        /// The limit in frames, without the one being sent; `None` is unlimited.
        packets: Option<usize>,
        /// The limit in bytes; `None` is unlimited.
        bytes: Option<u64>,
    },
    /// A token bucket: one rate for all frames (tc-tbf).
    Tbf(TbfConfig),
    /// A tree of classes that borrow unused bandwidth (tc-htb).
    Htb(HtbConfig),
    /// One queue per flow, with pacing (tc-fq).
    Fq(FqConfig),
    /// Delay, loss and other impairments (tc-netem).
    Netem(NetemConfig),
    /// Drops or marks by sojourn time (CoDel: RFC 8289, tc-codel).
    Codel(CodelConfig),
    /// Fair queueing with CoDel (RFC 8290, tc-fq_codel).
    FqCodel(FqCodelConfig),
    /// Drops or marks by the average queue length (S. Floyd, V. Jacobson 1993, tc-red).
    Red(RedConfig),
    /// Two coupled queues, for L4S and for classic traffic (RFC 9332, tc-dualpi2).
    DualPi2(DualPi2Config),
}

/// A token bucket filter. Frame lengths are those of captured bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct TbfConfig {
    /// The rate in bits per second.
    pub rate: u64,
    /// The number of bytes that may be sent at once after an idle period; larger frames are
    /// dropped.
    pub burst: u64,
    /// A second bucket, which limits the peak rate.
    pub peak: Option<PeakRate>,
    /// The queue limit in bytes, unless there is a `queue`.
    pub limit: u64,
    /// The child discipline, instead of a FIFO.
    pub queue: Option<Box<QdiscConfig>>,
}

/// The second bucket of [`TbfConfig`]: `peakrate` and `mtu` in tc-tbf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeakRate {
    /// The rate in bits per second, above [`TbfConfig::rate`].
    pub rate: u64,
    /// The number of bytes that may be sent at once; larger frames are dropped.
    pub burst: u64,
}

impl TbfConfig {
    /// Returns the queue limit in bytes for which the last byte waits at most this many
    /// nanoseconds: the bytes that the buckets hold and pass in that time.
    pub fn limit_of(latency: Nanos, rate: u64, burst: u64, peak: Option<PeakRate>) -> u64 {
        let bytes = |PeakRate { rate, burst }| {
            let bytes_in_latency = u128::from(rate) * u128::from(latency) / 8_000_000_000;
            u64::try_from(bytes_in_latency).unwrap_or(u64::MAX).saturating_add(burst)
        };
        let own_bytes = bytes(PeakRate { rate, burst });
        peak.map_or(own_bytes, |peak| bytes(peak).min(own_bytes))
    }

    /// Returns the longest frame that may pass, in bytes.
    pub(super) fn max_frame_bytes(&self) -> u64 {
        self.peak.map_or(self.burst, |peak| peak.burst.min(self.burst))
    }

    /// Checks that the settings are in range.
    fn check(&self) -> Result<(), OutOfRange> {
        rate("tbf rate", self.rate)?;
        bytes("tbf burst", self.burst, 1)?;
        bytes("tbf limit", self.limit, 1)?;
        let Some(peak) = self.peak else { return Ok(()) };
        if peak.rate <= self.rate {
            return out_of_range("tbf peakrate", format!("{} bit/s", peak.rate), "more than the rate");
        }
        bytes("tbf mtu", peak.burst, 1)
    }
}

impl QdiscConfig {
    /// Creates a FIFO with a limit of this many frames, without the one being sent.
    pub fn packets(packets: usize) -> Self {
        QdiscConfig::Fifo { packets: Some(packets), bytes: None }
    }

    /// Creates a FIFO with a limit of this many bytes, without the frame being sent.
    pub fn bytes(bytes: u64) -> Self {
        QdiscConfig::Fifo { packets: None, bytes: Some(bytes) }
    }

    /// Returns whether the discipline holds frames until the departure times that their senders
    /// set.
    pub fn keeps_departure_times(&self) -> bool {
        match self {
            QdiscConfig::Fq(fq) => fq.pacing,
            QdiscConfig::Htb(htb) => htb.classes.iter().any(|class| class.queue.keeps_departure_times()),
            // After netem, a frame has left its sender, so its departure time has no effect.
            QdiscConfig::Netem(_) => false,
            _ => self.queue().is_some_and(QdiscConfig::keeps_departure_times),
        }
    }

    /// Returns whether `holds` returns true for the discipline or for one of the disciplines below
    /// it.
    pub fn any_discipline(&self, holds: &impl Fn(&QdiscConfig) -> bool) -> bool {
        let below = match self {
            QdiscConfig::Htb(htb) => htb.leaves().any(|class| class.queue.any_discipline(holds)),
            _ => self.queue().is_some_and(|queue| queue.any_discipline(holds)),
        };
        below || holds(self)
    }

    /// Returns whether frames may have to wait although the link could send them.
    pub fn delays_frames(&self) -> bool {
        self.any_discipline(&|own| match own {
            QdiscConfig::Tbf(_) | QdiscConfig::Htb(_) | QdiscConfig::Netem(_) => true,
            QdiscConfig::Fq(fq) => fq.pacing && fq.maxrate.is_some(),
            _ => false,
        })
    }

    /// Checks the settings, also those of children and classes.
    ///
    /// # Errors
    /// A setting is out of range, or the classes do not form a tree.
    pub fn check(&self) -> Result<(), OutOfRange> {
        self.check_depth(0)
    }

    fn check_depth(&self, depth: usize) -> Result<(), OutOfRange> {
        if depth > HTB_DEPTH {
            return out_of_range("queue", "nested disciplines".into(), "at most 8 levels");
        }
        match self {
            QdiscConfig::Fifo { .. } => Ok(()),
            QdiscConfig::Tbf(tbf) => tbf.check(),
            QdiscConfig::Htb(htb) => htb.check(depth),
            QdiscConfig::Fq(fq) => fq.check(),
            QdiscConfig::Netem(netem) => netem.check(),
            QdiscConfig::Codel(codel) => codel.check(),
            QdiscConfig::FqCodel(fq) => fq.check(),
            QdiscConfig::Red(red) => red.check(),
            QdiscConfig::DualPi2(dual) => dual.check(),
        }?;
        self.queue().map_or(Ok(()), |queue| queue.check_depth(depth + 1))
    }

    /// Returns the child discipline, if there is one.
    pub(super) fn queue(&self) -> Option<&QdiscConfig> {
        match self {
            QdiscConfig::Tbf(tbf) => tbf.queue.as_deref(),
            QdiscConfig::Netem(netem) => netem.queue.as_deref(),
            QdiscConfig::Red(red) => red.queue.as_deref(),
            _ => None,
        }
    }
}

impl Default for QdiscConfig {
    /// Creates a FIFO of 1000 frames, the default of Linux interfaces.
    fn default() -> Self {
        QdiscConfig::packets(1000)
    }
}

fn out_of_range(setting: &'static str, value: String, expected: &'static str) -> Result<(), OutOfRange> {
    Err(OutOfRange { setting, value, expected })
}

/// Checks that a rate is not 0.
fn rate(setting: &'static str, rate: u64) -> Result<(), OutOfRange> {
    if rate == 0 { out_of_range(setting, "0 bit/s".into(), "1 bit/s or more") } else { Ok(()) }
}

/// Checks that a number of bytes is at least `min` and not too large.
fn bytes(setting: &'static str, bytes: u64, min: u64) -> Result<(), OutOfRange> {
    if (min..=MAX_BYTES).contains(&bytes) {
        return Ok(());
    }
    let expected = if min == 1 { "1 byte to 1 TiB" } else { "200 bytes to 1 TiB" };
    out_of_range(setting, format!("{bytes} bytes"), expected)
}

/// Checks that a setting is a probability.
fn probability(setting: &'static str, value: f64) -> Result<(), OutOfRange> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    out_of_range(setting, value.to_string(), "a probability from 0 to 1")
}

/// Checks that a time is in the supported range.
fn time(setting: &'static str, time: Nanos) -> Result<(), OutOfRange> {
    if time <= 1 << 62 { Ok(()) } else { out_of_range(setting, format!("{time} ns"), "at most 2^62 ns") }
}
