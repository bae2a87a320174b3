//! Meters: three-colour markers with two rates (RFC 2698) or one rate (RFC 2697), in the
//! colour-aware mode. For green packets, this mode is the same as the colour-blind mode.

use std::fmt;

use weir_device::Nanos;

/// The number of parts into which a token bucket divides a packet or byte. A rate of one billionth
/// of a unit per second adds one part per nanosecond.
const UNIT: u128 = 1_000_000_000_000_000_000;

/// The rate of a meter in packets or bytes per second, with a resolution of one billionth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeterRate(u128);

impl MeterRate {
    /// The number of billionths in one.
    pub const SCALE: u128 = 1_000_000_000;

    /// Creates a rate from whole units per second.
    pub const fn per_second(units: u64) -> Self {
        Self(units as u128 * Self::SCALE)
    }

    /// Creates a rate from billionths of a unit per second.
    pub const fn from_billionths(billionths: u128) -> Self {
        Self(billionths)
    }

    /// Returns the rate in billionths of a unit per second.
    pub const fn billionths(self) -> u128 {
        self.0
    }
}

impl fmt::Display for MeterRate {
    /// Writes the rate in units per second: `10`, `0.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / Self::SCALE, self.0 % Self::SCALE);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let decimals = format!("{rest:09}");
        write!(f, "{whole}.{}", decimals.trim_end_matches('0'))
    }
}

/// The rates of a three-colour meter. The meter has two rates (RFC 2698), or one rate (RFC 2697) if
/// there is an excess burst. Units are packets or bytes, as the program declares. The committed
/// rate is not above the peak rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeterConfig {
    /// The rate in units per second up to which packets are green.
    pub committed_rate: MeterRate,
    /// The number of units that may arrive at once and be green.
    pub committed_burst: u64,
    /// The rate in units per second up to which packets are yellow.
    pub peak_rate: MeterRate,
    /// The number of units that may arrive at once and be yellow.
    pub peak_burst: u64,
    /// The number of units beyond the committed burst that may arrive at once and be yellow. When
    /// the committed burst is full, the committed rate fills the excess burst (RFC 2697). The peak
    /// rate and burst then equal the committed ones. 0 for a meter of two rates.
    pub excess_burst: u64,
}

impl MeterConfig {
    /// Creates the rates of a meter of two rates, in whole units per second.
    pub const fn per_second(committed: u64, committed_burst: u64, peak: u64, peak_burst: u64) -> Self {
        let (committed_rate, peak_rate) = (MeterRate::per_second(committed), MeterRate::per_second(peak));
        Self { committed_rate, committed_burst, peak_rate, peak_burst, excess_burst: 0 }
    }

    /// Creates the rates of a meter of one rate, in whole units per second, with an excess burst
    /// (RFC 2697).
    pub const fn single_rate(committed: u64, committed_burst: u64, excess_burst: u64) -> Self {
        let one_rate = Self::per_second(committed, committed_burst, committed, committed_burst);
        Self { excess_burst, ..one_rate }
    }

    /// Returns whether the meter has one rate, with an excess burst.
    pub const fn has_single_rate(&self) -> bool {
        self.excess_burst != 0
    }
}

/// A colour as v1model numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Colour {
    Green = 0,
    Yellow = 1,
    Red = 2,
}

/// Marks a packet with a cell's meter, and returns the new colour. If the cell is not configured,
/// returns the packet's previous colour.
pub(crate) fn execute(
    cell: Option<&mut Meter>,
    bytes: bool,
    now: Nanos,
    packet_length: usize,
    before: Colour,
) -> Colour {
    let size = if bytes { packet_length as u64 } else { 1 };
    cell.map_or(before, |meter| meter.execute(now, size, before))
}

/// A configured meter: two token buckets, in parts of a [`UNIT`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meter {
    pub config: MeterConfig,
    committed: u128,
    /// The tokens in the peak bucket, or in the bucket of the excess burst.
    second: u128,
    last: Nanos,
}

/// Returns the content of a full bucket, in parts of a [`UNIT`].
fn full_bucket(burst: u64) -> u128 {
    u128::from(burst) * UNIT
}

impl Meter {
    /// Creates a meter with full buckets.
    pub(crate) fn new(config: MeterConfig) -> Self {
        let second = if config.has_single_rate() { config.excess_burst } else { config.peak_burst };
        Self { config, committed: full_bucket(config.committed_burst), second: full_bucket(second), last: 0 }
    }

    /// Marks a packet of `size` units that has the colour `before`. A red packet stays red and
    /// takes no tokens. A yellow packet takes no tokens from the committed bucket.
    fn execute(&mut self, now: Nanos, size: u64, before: Colour) -> Colour {
        let elapsed = u128::from(now.saturating_sub(self.last));
        // With several threads, a packet may be metered just after a packet with a later time.
        self.last = self.last.max(now);
        let need = full_bucket(size);
        if self.config.has_single_rate() {
            self.single_rate(elapsed, need, before)
        } else {
            self.two_rates(elapsed, need, before)
        }
    }

    /// Marks a packet by RFC 2698 §3: a packet that is not red takes tokens from the peak bucket,
    /// and a green packet also takes tokens from the committed bucket.
    fn two_rates(&mut self, elapsed: u128, need: u128, before: Colour) -> Colour {
        let fill = |bucket: u128, MeterRate(rate): MeterRate, burst: u64| {
            bucket.saturating_add(elapsed.saturating_mul(rate)).min(full_bucket(burst))
        };
        self.committed = fill(self.committed, self.config.committed_rate, self.config.committed_burst);
        self.second = fill(self.second, self.config.peak_rate, self.config.peak_burst);
        if before == Colour::Red || self.second < need {
            return Colour::Red;
        }
        self.second -= need;
        if before == Colour::Yellow || self.committed < need {
            return Colour::Yellow;
        }
        self.committed -= need;
        Colour::Green
    }

    /// Marks a packet by RFC 2697 §3: tokens that do not fit in the committed bucket go to the
    /// bucket of the excess burst. Green packets take tokens from the first bucket, yellow packets
    /// from the second.
    fn single_rate(&mut self, elapsed: u128, need: u128, before: Colour) -> Colour {
        let MeterConfig { committed_rate: MeterRate(rate), committed_burst, excess_burst, .. } = self.config;
        let committed = self.committed.saturating_add(elapsed.saturating_mul(rate));
        self.committed = committed.min(full_bucket(committed_burst));
        self.second = self.second.saturating_add(committed - self.committed).min(full_bucket(excess_burst));
        if before == Colour::Green && self.committed >= need {
            self.committed -= need;
            return Colour::Green;
        }
        if before == Colour::Red || self.second < need {
            return Colour::Red;
        }
        self.second -= need;
        Colour::Yellow
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use Colour::{Green, Red, Yellow};

    const CONFIG: MeterConfig = MeterConfig::per_second(1000, 2, 2000, 3);

    #[test]
    fn rates_and_bursts_decide_the_colour() {
        let mut meter = Meter::new(CONFIG);
        let burst: Vec<_> = (0..5).map(|_| meter.execute(0, 1, Green)).collect();
        assert_eq!(burst, [Green, Green, Yellow, Red, Red]);
        let mut seen = [0; 3];
        for n in 1..=40_000u64 {
            seen[meter.execute(n * 250_000, 1, Green) as usize] += 1;
        }
        assert_eq!(seen, [10_000, 10_000, 20_000], "4000 packets/s for 10 s");
    }

    #[test]
    fn meters_count_single_bytes() {
        let mut meter = Meter::new(MeterConfig::per_second(1000, 1500, 2000, 3000));
        assert_eq!([1500, 1500, 1].map(|size| meter.execute(0, size, Green)), [Green, Yellow, Red]);
        // The peak rate adds a byte after half a millisecond, the committed rate after a whole
        // millisecond.
        assert_eq!(meter.execute(499_999, 1, Green), Red);
        assert_eq!(meter.execute(500_000, 1, Green), Yellow);
        assert_eq!(meter.execute(1_000_000, 1, Green), Green);
        assert_eq!(meter.execute(10_000_000_000, 1501, Green), Yellow, "more than the committed burst");
        assert_eq!(meter.execute(20_000_000_000, 3001, Green), Red, "more than the peak burst");
    }

    #[test]
    fn late_packets_fill_buckets_once() {
        let mut meter = Meter::new(CONFIG);
        let at = |meter: &mut Meter, times: [Nanos; 3]| times.map(|now| meter.execute(now, 1, Green));
        assert_eq!(at(&mut meter, [0, 0, 0]), [Green, Green, Yellow]);
        // In a millisecond, the committed rate adds one packet, and the peak rate adds two.
        assert_eq!(at(&mut meter, [1_000_000, 0, 1_000_000]), [Green, Yellow, Red]);
    }

    #[test]
    fn previous_colours_never_improve() {
        let mut meter = Meter::new(CONFIG);
        assert_eq!([Red, Yellow, Green].map(|before| meter.execute(0, 1, before)), [Red, Yellow, Green]);
        assert_eq!(meter.execute(0, 1, Green), Green, "red and yellow took no tokens of the committed burst");
        assert_eq!(meter.execute(0, 1, Yellow), Red, "yellow and green took tokens of the peak burst");
        let colours = [Green, Yellow, Red];
        assert_eq!(colours.map(|before| execute(None, true, 0, 9, before)), colours, "no rates, no change");
    }

    #[test]
    fn rates_below_one_a_second_fill_slowly() {
        // The rate is one packet in ten seconds, with bursts of at most two.
        let tenth = MeterRate::from_billionths(MeterRate::SCALE / 10);
        let slow = MeterConfig {
            committed_rate: tenth,
            committed_burst: 1,
            peak_rate: tenth,
            peak_burst: 2,
            excess_burst: 0,
        };
        let mut meter = Meter::new(slow);
        let times = [0, 0, 0, 9_999_999_999, 10_000_000_000, 10_000_000_001, 20_000_000_000];
        let colours = times.map(|now| meter.execute(now, 1, Green));
        assert_eq!(colours, [Green, Yellow, Red, Red, Green, Red, Green]);
        assert_eq!([tenth, MeterRate::per_second(3)].map(|rate| rate.to_string()), ["0.1", "3"]);
    }

    #[test]
    fn one_rate_fills_the_excess_burst_last() {
        let mut meter = Meter::new(MeterConfig::single_rate(1000, 2, 3));
        let colours = |meter: &mut Meter, now, count: usize| -> Vec<_> {
            (0..count).map(|_| meter.execute(now, 1, Green)).collect()
        };
        assert_eq!(colours(&mut meter, 0, 6), [Green, Green, Yellow, Yellow, Yellow, Red]);
        // Each millisecond adds a packet, first to the committed bucket.
        assert_eq!(colours(&mut meter, 1_000_000, 2), [Green, Red]);
        assert_eq!(colours(&mut meter, 5_000_000, 5), [Green, Green, Yellow, Yellow, Red]);
        assert_eq!(colours(&mut meter, 60_000_000, 6), [Green, Green, Yellow, Yellow, Yellow, Red]);
    }

    #[test]
    fn one_rate_takes_tokens_from_one_bucket_only() {
        let mut meter = Meter::new(MeterConfig::single_rate(1000, 2, 3));
        assert_eq!([Yellow, Red, Yellow].map(|before| meter.execute(0, 1, before)), [Yellow, Red, Yellow]);
        assert_eq!([3, 2, 2, 1].map(|size| meter.execute(0, size, Green)), [Red, Green, Red, Yellow]);
    }

    proptest! {
        /// A meter of one rate without excess burst marks packets as a meter of two equal rates
        /// does, with one of two colours (P4Runtime specification, "MeterEntry &
        /// DirectMeterEntry"). With an excess burst, no packet that was green turns yellow or red.
        #[test]
        fn an_excess_burst_only_turns_red_into_yellow(
            rate in (0u64..5_000, 0u64..50, 1u64..50),
            packets in prop::collection::vec((0u64..3_000_000, 0u64..20), 1..200),
        ) {
            let mut one = Meter::new(MeterConfig::single_rate(rate.0, rate.1, rate.2));
            let mut two = Meter::new(MeterConfig::per_second(rate.0, rate.1, rate.0, rate.1));
            let (mut now, mut yellow) = (0, 0u128);
            for (gap, size) in packets {
                now += gap;
                let colour = one.execute(now, size, Green);
                prop_assert_eq!(colour == Green, two.execute(now, size, Green) == Green);
                yellow += if colour == Yellow { full_bucket(size) } else { 0 };
                let refilled = u128::from(now) * MeterRate::per_second(rate.0).billionths();
                prop_assert!(yellow <= full_bucket(rate.2) + refilled);
            }
        }

        /// Over any time, green packets stay within the committed burst and rate, and green and
        /// yellow packets together within the peak burst and rate.
        #[test]
        fn only_as_many_packets_pass_as_the_rates_allow(
            rates in (0u64..5_000, 0u64..50, 0u64..5_000, 0u64..50),
            packets in prop::collection::vec((0u64..3_000_000, 0u64..20, 0u8..3), 1..200),
        ) {
            let mut meter = Meter::new(MeterConfig::per_second(rates.0, rates.1, rates.2, rates.3));
            let (mut now, mut green, mut passed) = (0, 0u128, 0u128);
            for (gap, size, before) in packets {
                now += gap;
                let before = [Green, Yellow, Red][usize::from(before)];
                let colour = meter.execute(now, size, before);
                prop_assert!(colour >= before);
                green += if colour == Green { u128::from(size) } else { 0 };
                passed += if colour == Red { 0 } else { u128::from(size) };
                let most = |rate: u64, burst: u64| {
                    full_bucket(burst) + u128::from(now) * MeterRate::per_second(rate).billionths()
                };
                prop_assert!(green * UNIT <= most(rates.0, rates.1));
                prop_assert!(passed * UNIT <= most(rates.2, rates.3));
            }
        }

        #[test]
        fn rates_and_times_of_any_size_work(rates in any::<[u64; 4]>(), times in prop::collection::vec(any::<u64>(), 1..9)) {
            let [committed, committed_burst, peak, peak_burst] = rates;
            let mut meter = Meter::new(MeterConfig::per_second(committed, committed_burst, peak, peak_burst));
            for now in times {
                meter.execute(now, now, Green);
            }
        }
    }
}
