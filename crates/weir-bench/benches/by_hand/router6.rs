//! An IPv6 router.

use weir_bench::Benchmark;
use weir_bench::measure::BATCH;
use weir_tables::Pattern;

use super::{Forward, Frame, NextHop, next_hops, prefetch};

/// A longest prefix match, first by 24 bits and then byte by byte. All packets of a batch take each
/// step together.
pub struct Router6 {
    /// 2^24 slots, followed by blocks of 256 slots. The value 0 means that there is no route. A
    /// value up to 0xffff is a next hop plus 1. If the highest bit is set, the other bits are the
    /// number of the block in which the search continues.
    slots: Vec<u32>,
    hops: Vec<NextHop>,
}

const FIRST: usize = 1 << 24;
const BLOCK: u32 = 1 << 31;

impl Router6 {
    pub fn new(benchmark: &Benchmark) -> Self {
        let routes =
            benchmark.tables.iter().find(|table| table.name == "routes").expect("a router has routes");
        let mut routes: Vec<(u128, u32, u32)> = routes
            .contents
            .entries
            .iter()
            .map(|(patterns, _, _, data)| match &patterns[0] {
                Pattern::Prefix(value, length) => {
                    (value.iter().fold(0, |a, b| a << 8 | u128::from(*b)), *length, data[0] as u32)
                }
                other => panic!("{other:?} is not a route"),
            })
            .collect();
        // Shorter prefixes come first: each slot of a new block begins with the route of the slot
        // that it replaces.
        routes.sort_by_key(|(_, length, _)| *length);
        let mut slots = vec![0; FIRST];
        for (address, length, hop) in routes {
            let (mut index, mut depth) = ((address >> 104) as usize, 24);
            while length > depth {
                if slots[index] & BLOCK == 0 {
                    let block = (slots.len() - FIRST) / 256;
                    slots.extend([slots[index]; 256]);
                    slots[index] = BLOCK | block as u32;
                }
                depth += 8;
                index = child(slots[index], (address >> (128 - depth)) as u8);
            }
            let covered = 1usize << (depth - length);
            let start = index & !(covered - 1);
            slots[start..start + covered].fill(hop + 1);
        }
        Self { slots, hops: next_hops(benchmark) }
    }
}

fn child(slot: u32, byte: u8) -> usize {
    FIRST + (slot & !BLOCK) as usize * 256 + usize::from(byte)
}

impl Forward for Router6 {
    fn forward(&self, frames: &mut [Frame]) {
        let (mut at, mut found) = ([0usize; BATCH], [0u32; BATCH]);
        let mut open: [u8; BATCH] = [0; BATCH];
        for (number, (frame, at)) in frames.iter().zip(&mut at).enumerate() {
            let byte = |place: usize| usize::from(frame.bytes[38 + place]);
            *at = byte(0) << 16 | byte(1) << 8 | byte(2);
            open[number] = number as u8;
            prefetch(&self.slots, *at);
        }
        let mut many = frames.len();
        for byte in 41..54 {
            let mut left = 0;
            for turn in 0..many {
                let number = usize::from(open[turn]);
                let slot = self.slots[at[number]];
                found[number] = slot;
                if slot & BLOCK != 0 {
                    at[number] = child(slot, frames[number].bytes[byte]);
                    prefetch(&self.slots, at[number]);
                    open[left] = number as u8;
                    left += 1;
                }
            }
            many = left;
            if many == 0 {
                break;
            }
        }
        for number in &open[..many] {
            found[usize::from(*number)] = self.slots[at[usize::from(*number)]];
        }
        for (frame, slot) in frames.iter_mut().zip(found) {
            frame.out = None;
            if frame.length < 54
                || frame.bytes[12..14] != [0x86, 0xdd]
                || frame.bytes[14] >> 4 != 6
                || frame.bytes[21] <= 1
            {
                continue;
            }
            let Some(hop) = slot.checked_sub(1) else { continue };
            let hop = &self.hops[hop as usize];
            frame.bytes[0..6].copy_from_slice(&hop.dst);
            frame.bytes[6..12].copy_from_slice(&hop.src);
            frame.bytes[21] -= 1;
            frame.out = Some(hop.port);
        }
    }
}
