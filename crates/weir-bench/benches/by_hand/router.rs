//! An IPv4 router.

use weir_bench::Benchmark;
use weir_bench::measure::BATCH;
use weir_tables::Pattern;

use super::{Forward, Frame, NextHop, next_hops, prefetch};

/// Longest prefix match in one or two memory accesses: 2^24 slots for the first 24 bits, blocks of 256 for longer prefixes
/// (P. Gupta, S. Lin, N. McKeown, "Routing lookups in hardware at memory access speeds", INFOCOM 1998).
pub struct Router {
    /// 0: no route; up to 0x7fff: next hop + 1; with the top bit: a block's number.
    first: Vec<u16>,
    second: Vec<u16>,
    hops: Vec<NextHop>,
}

const BLOCK: u16 = 0x8000;

impl Router {
    pub fn new(benchmark: &Benchmark) -> Self {
        let routes =
            benchmark.tables.iter().find(|table| table.name == "routes").expect("a router has routes");
        let mut routes: Vec<(u32, u32, u16)> = routes
            .made
            .entries
            .iter()
            .map(|(patterns, _, _, data)| match &patterns[0] {
                Pattern::Prefix(value, length) => {
                    (value.iter().fold(0, |a, b| a << 8 | u32::from(*b)), *length, data[0] as u16)
                }
                other => panic!("{other:?} is no route"),
            })
            .collect();
        routes.sort_by_key(|(_, length, _)| *length);
        let (mut first, mut second) = (vec![0u16; 1 << 24], Vec::new());
        for (address, length, hop) in routes {
            if length <= 24 {
                let start = (address >> 8) as usize & !((1usize << (24 - length)) - 1);
                first[start..start + (1 << (24 - length))].fill(hop + 1);
            } else {
                let slot = &mut first[(address >> 8) as usize];
                if *slot & BLOCK == 0 {
                    let block = second.len() / 256;
                    assert!(block < usize::from(BLOCK), "more long prefixes than there are blocks");
                    second.extend([*slot; 256]);
                    *slot = BLOCK | block as u16;
                }
                let base = usize::from(*slot & !BLOCK) * 256;
                let start = (address & 0xff) as usize & !((1usize << (32 - length)) - 1);
                second[base + start..base + start + (1 << (32 - length))].fill(hop + 1);
            }
        }
        Self { first, second, hops: next_hops(benchmark) }
    }
}

fn destination(frame: &Frame) -> u32 {
    u32::from_be_bytes([frame.bytes[30], frame.bytes[31], frame.bytes[32], frame.bytes[33]])
}

fn sum(header: &[u8; 20]) -> u32 {
    let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let total: u64 = [0, 4, 8, 12, 16].into_iter().map(|at| u64::from(word(at))).sum();
    let folded = (total & 0xffff) + (total >> 16 & 0xffff) + (total >> 32);
    let folded = (folded & 0xffff) + (folded >> 16);
    ((folded & 0xffff) + (folded >> 16)) as u32
}

impl Forward for Router {
    fn forward(&self, frames: &mut [Frame]) {
        let mut slots = [0u16; BATCH];
        for frame in &*frames {
            prefetch(&self.first, (destination(frame) >> 8) as usize);
        }
        for (frame, slot) in frames.iter().zip(&mut slots) {
            let address = destination(frame);
            *slot = self.first[(address >> 8) as usize];
            if *slot & BLOCK != 0 {
                prefetch(&self.second, usize::from(*slot & !BLOCK) * 256 + (address & 0xff) as usize);
            }
        }
        for (frame, mut slot) in frames.iter_mut().zip(slots) {
            frame.out = None;
            if frame.length < 34 || frame.bytes[12..14] != [8, 0] || frame.bytes[14] != 0x45 {
                continue;
            }
            let Some(header) = frame.bytes.get(14..34).and_then(|h| <&[u8; 20]>::try_from(h).ok()) else {
                continue;
            };
            if sum(header) != 0xffff || frame.bytes[22] <= 1 {
                continue;
            }
            if slot & BLOCK != 0 {
                slot = self.second[usize::from(slot & !BLOCK) * 256 + usize::from(frame.bytes[33])];
            }
            let Some(hop) = slot.checked_sub(1) else { continue };
            let hop = &self.hops[usize::from(hop)];
            frame.bytes[0..6].copy_from_slice(&hop.dst);
            frame.bytes[6..12].copy_from_slice(&hop.src);
            frame.bytes[22] -= 1;
            // RFC 1624, equation 3: the word of the TTL lost 0x100. The shorter form would make 0xffff of some that are 0.
            let old = u16::from_be_bytes([frame.bytes[24], frame.bytes[25]]);
            let sum = u32::from(!old) + 0xfeff;
            let new = !(((sum & 0xffff) + (sum >> 16)) as u16);
            frame.bytes[24..26].copy_from_slice(&new.to_be_bytes());
            frame.out = Some(hop.port);
        }
    }
}
