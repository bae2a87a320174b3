//! Two-rate three-colour markers, RFC 2698, colour-blind.

use crate::control::MeterConfig;
use crate::device::Nanos;

const SECOND: u128 = 1_000_000_000;

/// A colour as v1model numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Green = 0,
    Yellow = 1,
    Red = 2,
}

#[derive(Clone, Debug)]
pub(crate) struct MeterArray {
    /// Counts bytes if true, packets if not.
    pub bytes: bool,
    pub cells: Vec<Option<Meter>>,
}

impl MeterArray {
    pub(crate) fn new(size: usize, bytes: bool) -> Self {
        Self { bytes, cells: vec![None; size] }
    }

    /// The colour of a packet; green without configuration, none past the end.
    pub(crate) fn execute(&mut self, index: u64, now: Nanos, packet_length: usize) -> Option<Colour> {
        let cell = self.cells.get_mut(usize::try_from(index).ok()?)?;
        Some(execute(cell.as_mut(), self.bytes, now, packet_length))
    }
}

/// The colour of a packet by a cell; green if the cell is not configured.
pub(crate) fn execute(cell: Option<&mut Meter>, bytes: bool, now: Nanos, packet_length: usize) -> Colour {
    let size = if bytes { packet_length as u64 } else { 1 };
    cell.map_or(Colour::Green, |meter| meter.execute(now, size))
}

/// A configured meter: two token buckets, in billionths of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meter {
    pub config: MeterConfig,
    committed: u128,
    peak: u128,
    last: Nanos,
}

impl Meter {
    /// With full buckets.
    pub(crate) fn new(config: MeterConfig) -> Self {
        let full = |burst| u128::from(burst) * SECOND;
        Self { config, committed: full(config.committed_burst), peak: full(config.peak_burst), last: 0 }
    }

    fn execute(&mut self, now: Nanos, size: u64) -> Colour {
        let elapsed = u128::from(now.saturating_sub(self.last));
        self.last = now;
        let fill = |bucket: u128, rate: u64, burst: u64| {
            (bucket + elapsed * u128::from(rate)).min(u128::from(burst) * SECOND)
        };
        self.committed = fill(self.committed, self.config.committed_rate, self.config.committed_burst);
        self.peak = fill(self.peak, self.config.peak_rate, self.config.peak_burst);
        let need = u128::from(size) * SECOND;
        if self.peak < need {
            return Colour::Red;
        }
        self.peak -= need;
        if self.committed < need {
            return Colour::Yellow;
        }
        self.committed -= need;
        Colour::Green
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_bursts_decide_the_colour() {
        let config = MeterConfig { committed_rate: 1000, committed_burst: 2, peak_rate: 2000, peak_burst: 3 };
        let mut meter = Meter::new(config);
        let burst: Vec<_> = (0..5).map(|_| meter.execute(0, 1)).collect();
        assert_eq!(burst, [Colour::Green, Colour::Green, Colour::Yellow, Colour::Red, Colour::Red]);
        let mut seen = [0; 3];
        for n in 1..=40_000u64 {
            seen[meter.execute(n * 250_000, 1) as usize] += 1;
        }
        assert_eq!(seen, [10_000, 10_000, 20_000], "4000 packets/s for 10 s");
    }
}
