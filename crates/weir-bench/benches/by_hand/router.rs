//! An IPv4 router.

use weir_bench::Benchmark;
use weir_bench::measure::BATCH;

use super::tables::Routes;
use super::{Forward, Frame, NextHop, next_hops};

/// Routes and next hops.
pub struct Router {
    routes: Routes,
    hops: Vec<NextHop>,
}

impl Router {
    pub fn new(benchmark: &Benchmark) -> Self {
        let routes =
            benchmark.tables.iter().find(|table| table.name == "routes").expect("a router has routes");
        let entries = routes.contents.entries.iter().map(|(patterns, _, _, data)| (&patterns[0], data[0]));
        Self { routes: Routes::new(entries), hops: next_hops(benchmark) }
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
            self.routes.prefetch(destination(frame));
        }
        for (frame, slot) in frames.iter().zip(&mut slots) {
            *slot = self.routes.slot(destination(frame));
        }
        for (frame, slot) in frames.iter_mut().zip(slots) {
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
            let Some(hop) = self.routes.hop(destination(frame), slot) else { continue };
            let hop = &self.hops[usize::from(hop)];
            frame.bytes[0..6].copy_from_slice(&hop.dst);
            frame.bytes[6..12].copy_from_slice(&hop.src);
            frame.bytes[22] -= 1;
            // RFC 1624, equation 3: the word with the TTL decreases by 0x100. The shorter form of
            // the equation would change some checksums of 0 to 0xffff.
            let old = u16::from_be_bytes([frame.bytes[24], frame.bytes[25]]);
            let sum = u32::from(!old) + 0xfeff;
            let new = !(((sum & 0xffff) + (sum >> 16)) as u16);
            frame.bytes[24..26].copy_from_slice(&new.to_be_bytes());
            frame.out = Some(hop.port);
        }
    }
}
