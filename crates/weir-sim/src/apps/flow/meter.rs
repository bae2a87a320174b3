//! Measurement of received datagrams: order, duplicates, delays, jitter.

use std::collections::BTreeMap;

use weir_device::Nanos;

/// The maximum number of gaps (runs of missing numbers) to remember. A datagram older than all of
/// them counts as a duplicate.
const MAX_GAPS: usize = 1 << 16;

/// The statistics of one-way delays in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DelayStats {
    /// The number of measurements.
    pub count: u64,
    /// The minimum delay. This and the following fields are 0 without measurements.
    pub min: Nanos,
    /// The maximum delay.
    pub max: Nanos,
    /// The sum of all delays.
    pub sum: u128,
    /// The sum of the squares of the delays; saturates above 10^38.
    pub squares: u128,
}

impl DelayStats {
    /// Adds a measured delay to the statistics.
    fn add(&mut self, delay: Nanos) {
        self.min = if self.count == 0 { delay } else { self.min.min(delay) };
        self.max = self.max.max(delay);
        self.count += 1;
        self.sum += u128::from(delay);
        self.squares = self.squares.saturating_add(u128::from(delay) * u128::from(delay));
    }

    /// Returns the mean delay; 0 without measurements.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum as f64 / self.count as f64 }
    }

    /// Returns the population standard deviation; 0 without measurements.
    pub fn deviation(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        // n·Σd² - (Σd)² exactly, if it fits; it only overflows for millions of delays of minutes.
        let n = u128::from(self.count);
        match (n.checked_mul(self.squares), self.sum.checked_mul(self.sum)) {
            (Some(a), Some(b)) => (a.saturating_sub(b) as f64).sqrt() / self.count as f64,
            _ => (self.squares as f64 / self.count as f64 - self.mean() * self.mean()).max(0.0).sqrt(),
        }
    }
}

/// The order and jitter of a datagram that arrives for the first time.
pub(crate) struct FirstArrival {
    /// Whether a datagram with a higher number arrived before.
    pub(crate) is_reordered: bool,
    pub(crate) jitter: f64,
}

/// The receiver's state for one flow.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// One more than the highest number that arrived.
    next: u64,
    /// The gaps below `next`: the first missing number and one more than the last.
    gaps: BTreeMap<u64, u64>,
    last_delay: Option<Nanos>,
    pub(crate) jitter: f64,
    pub(crate) delays: DelayStats,
}

impl Meter {
    /// Records an arrival; returns `None` for a duplicate.
    pub(crate) fn arrived(&mut self, number: u64, sent: Nanos, now: Nanos) -> Option<FirstArrival> {
        let is_reordered = number < self.next;
        if is_reordered {
            self.fill(number)?;
        } else {
            if number > self.next {
                self.gaps.insert(self.next, number);
                if self.gaps.len() > MAX_GAPS {
                    self.gaps.pop_first();
                }
            }
            self.next = number + 1;
        }
        let delay = now.saturating_sub(sent);
        self.delays.add(delay);
        // RFC 3550, section 6.4.1: J += (|D| - J) / 16, where D is the difference of two
        // consecutive transit times.
        if let Some(last) = self.last_delay {
            self.jitter += (delay.abs_diff(last) as f64 - self.jitter) / 16.0;
        }
        self.last_delay = Some(delay);
        Some(FirstArrival { is_reordered, jitter: self.jitter })
    }

    /// Removes a number from its gap; returns `None` if no gap contains it.
    fn fill(&mut self, number: u64) -> Option<()> {
        let (&first, &end) = self.gaps.range(..=number).next_back()?;
        if number >= end {
            return None;
        }
        self.gaps.remove(&first);
        if first < number {
            self.gaps.insert(first, number);
        }
        if number + 1 < end {
            self.gaps.insert(number + 1, end);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn jitter_follows_the_rfc() {
        // Datagrams are sent every 10 ns; their transit times are 100, 116, 116 and 84.
        let mut meter = Meter::default();
        let jitter: Vec<f64> = [(0, 100), (10, 126), (20, 136), (30, 114)]
            .into_iter()
            .zip(0..)
            .map(|((sent, arrived), number)| meter.arrived(number, sent, arrived).unwrap().jitter)
            .collect();
        // |D| is 16, 0, 32: J = 16/16 = 1; 1 - 1/16; 0.9375 + (32 - 0.9375)/16.
        assert_eq!(jitter, [0.0, 1.0, 0.9375, 2.87890625]);
        assert_eq!((meter.delays.min, meter.delays.max, meter.delays.mean()), (84, 116, 104.0));
        // The deviations are -4, 12, 12 and -20: the mean of their squares is 176.
        assert!((meter.delays.deviation() - 176f64.sqrt()).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn each_number_counts_once(numbers in prop::collection::vec(0u64..200, 1..400)) {
            let mut meter = Meter::default();
            let (mut seen, mut highest) = (std::collections::BTreeSet::new(), None);
            for number in numbers {
                let arrival = meter.arrived(number, 0, 1);
                prop_assert_eq!(arrival.is_some(), seen.insert(number));
                if let Some(arrival) = arrival {
                    prop_assert_eq!(arrival.is_reordered, highest.is_some_and(|highest| number < highest));
                }
                highest = highest.max(Some(number));
            }
            let missing: u64 = meter.gaps.iter().map(|(first, end)| end - first).sum();
            prop_assert_eq!(missing + seen.len() as u64, meter.next);
        }
    }
}
