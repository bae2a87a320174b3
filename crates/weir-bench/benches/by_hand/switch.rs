//! An Ethernet switch.

use weir_bench::Benchmark;
use weir_bench::measure::BATCH;

use super::tables::Stations;
use super::{Forward, Frame};

/// Addresses and ports.
pub fn new_switch(benchmark: &Benchmark) -> Stations {
    let table = &benchmark.tables[0];
    let entries = table.contents.entries.iter();
    Stations::new(
        entries.map(|(patterns, _, _, data)| (&patterns[0], (table.call)(*data).args[0].1.low_u64())),
    )
}

fn destination(frame: &Frame) -> u64 {
    let bytes = &frame.bytes;
    u64::from_be_bytes([0, 0, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5]])
}

impl Forward for Stations {
    fn forward(&self, frames: &mut [Frame]) {
        let mut homes = [0usize; BATCH];
        for (frame, home) in frames.iter().zip(&mut homes) {
            *home = self.prefetch(destination(frame));
        }
        for (frame, home) in frames.iter_mut().zip(homes) {
            frame.out = if frame.length < 14 { None } else { self.find(destination(frame), home) };
        }
    }
}
