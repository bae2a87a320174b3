//! Departure patterns.

use weir_device::Nanos;

use crate::time::NANOBITS_PER_BYTE;
use crate::{Error, Random};
use weir_impair::math;

/// A departure pattern. Rates are payload rates (bytes after the UDP header) in bits per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A constant rate: the n-th datagram is sent at start + n · bytes · 8 / rate, rounded down to
    /// a nanosecond.
    Constant {
        /// The number of bits per second, 1 or more.
        bits_per_second: u64,
    },
    /// A Poisson process with this mean rate.
    Poisson {
        /// The number of bits per second, 1 or more.
        bits_per_second: u64,
    },
    /// Bursts with pauses. A burst starts with a datagram and continues at the rate for `on`; the
    /// next one starts `off` after its end.
    OnOff {
        /// The number of bits per second within a burst, 1 or more.
        bits_per_second: u64,
        /// The length of a burst in nanoseconds, at least 1.
        on: Nanos,
        /// The pause between bursts in nanoseconds.
        off: Nanos,
        /// Whether `on` and `off` are means of exponential distributions; otherwise they are
        /// constant.
        random: bool,
    },
}

impl Pattern {
    /// Returns the mean rate of the pattern while it sends, in bits per second.
    fn rate(&self) -> u64 {
        match *self {
            Pattern::Constant { bits_per_second }
            | Pattern::Poisson { bits_per_second }
            | Pattern::OnOff { bits_per_second, .. } => bits_per_second,
        }
    }

    /// Checks that the pattern's settings are valid.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refused = |reason: &str| Err(Error::BadApp { app: "udp flow", reason: reason.to_owned() });
        if self.rate() == 0 {
            return refused("a rate of 0 bit/s; expected 1 or more");
        }
        match self {
            Pattern::OnOff { on: 0, .. } => refused("bursts of 0 ns; expected 1 or more"),
            _ => Ok(()),
        }
    }
}

/// Returns the time that this many datagrams take at a rate, in nanoseconds.
fn transmission_time(datagrams: u64, bytes: usize, rate: u64) -> Nanos {
    let time = u128::from(datagrams) * bytes as u128 * NANOBITS_PER_BYTE / u128::from(rate);
    time.min(u128::from(Nanos::MAX / 4)) as Nanos
}

/// Draws an exponentially distributed time with this mean.
fn exponential(mean: f64, random: &mut Random) -> Nanos {
    // Values above the maximum saturate.
    (math::exponential(random) * mean) as Nanos
}

/// The state of a pattern, which gives the times of departures.
pub(crate) struct Departures {
    pattern: Pattern,
    bytes: usize,
    random: Random,
    /// The time at which the current flow or burst began.
    began: Nanos,
    /// The number of datagrams sent since then.
    count: u64,
    /// The time at which the burst ends.
    ends: Nanos,
    last: Nanos,
}

impl Departures {
    pub(crate) fn new(pattern: Pattern, bytes: usize, random: Random) -> Self {
        Departures { pattern, bytes, random, began: 0, count: 0, ends: 0, last: 0 }
    }

    /// Starts the pattern with a departure now.
    pub(crate) fn start(&mut self, now: Nanos) {
        self.last = now;
        self.burst(now);
    }

    /// Begins a burst, and draws its length if the pattern is random.
    fn burst(&mut self, now: Nanos) {
        (self.began, self.count) = (now, 0);
        if let Pattern::OnOff { on, random, .. } = self.pattern {
            let length = if random { exponential(on as f64, &mut self.random) } else { on };
            self.ends = now.saturating_add(length.max(1));
        }
    }

    /// Returns the next departure, at the time of the last one or later.
    pub(crate) fn next(&mut self) -> Nanos {
        self.count += 1;
        let rate = self.pattern.rate();
        self.last = match self.pattern {
            Pattern::Constant { .. } => {
                self.began.saturating_add(transmission_time(self.count, self.bytes, rate))
            }
            Pattern::Poisson { .. } => {
                let mean = self.bytes as f64 * 8e9 / rate as f64;
                self.last.saturating_add(exponential(mean, &mut self.random))
            }
            Pattern::OnOff { off, random, .. } => {
                let next = self.began.saturating_add(transmission_time(self.count, self.bytes, rate));
                if next < self.ends {
                    next
                } else {
                    let silence = if random { exponential(off as f64, &mut self.random) } else { off };
                    let next = self.ends.saturating_add(silence);
                    self.burst(next);
                    next
                }
            }
        };
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(pattern: Pattern, bytes: usize, count: usize) -> Vec<Nanos> {
        let mut departures = Departures::new(pattern, bytes, Random::new(3, "test"));
        departures.start(1000);
        std::iter::once(1000).chain((1..count).map(|_| departures.next())).collect()
    }

    #[test]
    fn constant_rates_carry_fractions_on() {
        // 3 bits per nanosecond would be 8/3 ns per byte: 2.67, 5.33, 8.
        let pattern = Pattern::Constant { bits_per_second: 3_000_000_000 };
        assert_eq!(times(pattern, 1, 4), [1000, 1002, 1005, 1008]);
    }

    #[test]
    fn bursts_start_with_a_datagram() {
        let pattern = Pattern::OnOff { bits_per_second: 8_000_000, on: 2500, off: 10_000, random: false };
        // One byte per microsecond: three bytes in a burst of 2.5 µs, then 10 µs of silence.
        assert_eq!(times(pattern, 1, 7), [1000, 2000, 3000, 13500, 14500, 15500, 26000]);
    }

    #[test]
    fn poisson_departures_have_exponential_gaps() {
        let times = times(Pattern::Poisson { bits_per_second: 8_000_000 }, 1000, 100_001);
        let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / gaps.len() as f64;
        assert!((mean / 1e6 - 1.0).abs() < 0.01, "{mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.02, "{variance}");
    }

    #[test]
    fn random_bursts_have_their_share_of_time() {
        let pattern =
            Pattern::OnOff { bits_per_second: 80_000_000, on: 1_000_000, off: 3_000_000, random: true };
        let times = times(pattern, 100, 100_001);
        // Datagrams are 10 µs apart in a burst. Bursts take a quarter of the time, and each has one
        // more datagram, since it starts with one.
        let rate = 1e5 / (times[100_000] - times[0]) as f64 * 1e6;
        assert!((23.0..28.0).contains(&rate), "{rate} a millisecond");
    }
}
