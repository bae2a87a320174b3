//! An Ethernet switch.

use weir_bench::Benchmark;
use weir_bench::measure::BATCH;
use weir_tables::Pattern;

use super::{Forward, Frame, prefetch};

/// Addresses and ports, one word each, in an open table that is at most half full.
pub struct Stations {
    /// 0: free; address above, port + 1 in the low 16 bits.
    cells: Vec<u64>,
    shift: u32,
}

impl Stations {
    pub fn new(benchmark: &Benchmark) -> Self {
        let table = &benchmark.tables[0];
        let bits = (table.made.entries.len() * 2).next_power_of_two().ilog2().max(1);
        let mut new = Self { cells: vec![0; 1 << bits], shift: 64 - bits };
        for (patterns, _, _, data) in &table.made.entries {
            let Pattern::Value(value) = &patterns[0] else { panic!("{:?} is no address", patterns[0]) };
            let address = value.iter().fold(0, |a, b| a << 8 | u64::from(*b));
            let port = (table.call)(*data).args[0].1.low_u64();
            let mut at = new.home(address);
            while new.cells[at] != 0 {
                at = (at + 1) & (new.cells.len() - 1);
            }
            new.cells[at] = address << 16 | (port + 1);
        }
        new
    }

    fn home(&self, address: u64) -> usize {
        (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    fn find(&self, address: u64, mut at: usize) -> Option<u16> {
        loop {
            let cell = self.cells[at];
            if cell == 0 {
                return None;
            }
            if cell >> 16 == address {
                return Some(cell as u16 - 1);
            }
            at = (at + 1) & (self.cells.len() - 1);
        }
    }
}

fn destination(frame: &Frame) -> u64 {
    let bytes = &frame.bytes;
    u64::from_be_bytes([0, 0, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5]])
}

impl Forward for Stations {
    fn forward(&self, frames: &mut [Frame]) {
        let mut homes = [0usize; BATCH];
        for (frame, home) in frames.iter().zip(&mut homes) {
            *home = self.home(destination(frame));
            prefetch(&self.cells, *home);
        }
        for (frame, home) in frames.iter_mut().zip(homes) {
            frame.out = if frame.length < 14 { None } else { self.find(destination(frame), home) };
        }
    }
}
