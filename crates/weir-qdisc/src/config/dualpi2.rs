//! Settings of DualPI2.

use weir_device::Nanos;

use super::{out_of_range, time};
use weir_impair::OutOfRange;

/// A millisecond in nanoseconds.
const MILLISECOND: Nanos = 1_000_000;
/// The maximum of the controller's factors in 1/s, as in Linux.
const MAX_FACTOR: f64 = 256.0;

/// Two coupled queues. Packets with ECT(1) or CE are L4S traffic (RFC 9331); all others are classic
/// traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct DualPi2Config {
    /// The limit in frames of both queues together.
    pub limit: usize,
    /// The target of the controller for the delay of the queues, in nanoseconds.
    pub target: Nanos,
    /// The time between two updates of the probability, in nanoseconds.
    pub tupdate: Nanos,
    /// The increase of the probability in an update for each second above the target, in 1/s.
    pub alpha: f64,
    /// The increase of the probability in an update for each second of growth of the delay, in 1/s.
    pub beta: f64,
    /// The ratio of the probability of marks of L4S packets to the base probability: k in RFC 9332.
    pub coupling_factor: u8,
    /// L4S packets that waited longer than this many nanoseconds are marked.
    pub step_thresh: Nanos,
    /// The minimum share of classic packets in the sent bytes while both kinds wait, in percent.
    pub classic_protection: u8,
    /// Whether L4S packets are also dropped if marking all of them does not reduce the delay
    /// enough. If not, the queue grows up to the limit.
    pub drop_on_overload: bool,
}

impl Default for DualPi2Config {
    /// Returns the defaults of `tc qdisc add … dualpi2`.
    fn default() -> Self {
        DualPi2Config {
            limit: 10_000,
            target: 15 * MILLISECOND,
            tupdate: 16 * MILLISECOND,
            alpha: 0.16,
            beta: 3.2,
            coupling_factor: 2,
            step_thresh: MILLISECOND,
            classic_protection: 10,
            drop_on_overload: true,
        }
    }
}

impl DualPi2Config {
    /// Checks that the settings are in range.
    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        time("dualpi2 target", self.target)?;
        time("dualpi2 step_thresh", self.step_thresh)?;
        if !(MILLISECOND / 10..=10_000 * MILLISECOND).contains(&self.tupdate) {
            return out_of_range("dualpi2 tupdate", format!("{} ns", self.tupdate), "100 us to 10 s");
        }
        for (setting, factor) in [("dualpi2 alpha", self.alpha), ("dualpi2 beta", self.beta)] {
            if !(0.0..=MAX_FACTOR).contains(&factor) {
                return out_of_range(setting, factor.to_string(), "a number from 0 to 256");
            }
        }
        if self.coupling_factor == 0 {
            return out_of_range("dualpi2 coupling_factor", "0".into(), "1 to 255");
        }
        if self.classic_protection > 99 {
            return out_of_range(
                "dualpi2 classic_protection",
                format!("{} %", self.classic_protection),
                "0 % to 99 %",
            );
        }
        Ok(())
    }
}
