//! The same router by hand: what a C programmer would write for this one job.

/// Where a next hop is.
#[derive(Clone, Copy, Default)]
pub struct NextHop {
    pub dst: [u8; 6],
    pub src: [u8; 6],
    pub port: u16,
}

/// Longest prefix match in one or two memory accesses: 2^24 slots for the first 24 bits, blocks of 256 for longer prefixes.
pub struct Routes {
    /// 0: no route; up to 0x7fff: next hop + 1; with the top bit: a block's number.
    first: Vec<u16>,
    second: Vec<u16>,
}

const BLOCK: u16 = 0x8000;

impl Routes {
    /// Of prefixes (address, length, next hop).
    pub fn new(routes: &[(u32, u32, u16)]) -> Self {
        let mut sorted = routes.to_vec();
        sorted.sort_by_key(|(_, length, _)| *length);
        let (mut first, mut second) = (vec![0u16; 1 << 24], Vec::new());
        for (address, length, hop) in sorted {
            if length <= 24 {
                let start = (address >> 8) as usize & !((1usize << (24 - length)) - 1);
                first[start..start + (1 << (24 - length))].fill(hop + 1);
            } else {
                let slot = &mut first[(address >> 8) as usize];
                if *slot & BLOCK == 0 {
                    let block = (second.len() / 256) as u16;
                    second.extend([*slot; 256]);
                    *slot = BLOCK | block;
                }
                let base = usize::from(*slot & !BLOCK) * 256;
                let start = (address & 0xff) as usize & !((1usize << (32 - length)) - 1);
                second[base + start..base + start + (1 << (32 - length))].fill(hop + 1);
            }
        }
        Self { first, second }
    }

    fn find(&self, address: u32) -> u16 {
        let slot = self.first[(address >> 8) as usize];
        if slot & BLOCK == 0 {
            slot
        } else {
            self.second[usize::from(slot & !BLOCK) * 256 + (address & 0xff) as usize]
        }
    }

    #[inline]
    fn prefetch(&self, address: u32) {
        #[cfg(target_arch = "x86_64")]
        #[expect(unsafe_code, reason = "a hint to the processor; it reads nothing")]
        // SAFETY: a prefetch touches no memory, and the index is below 2^24.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(self.first.as_ptr().add((address >> 8) as usize).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = address;
    }
}

/// A packet buffer as the loop wants it.
pub struct Frame {
    pub bytes: [u8; 128],
    pub length: usize,
    pub out: Option<u16>,
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

/// Routes a batch; packets that stay have no `out`.
pub fn route(frames: &mut [Frame], routes: &Routes, hops: &[NextHop]) {
    for frame in &*frames {
        routes.prefetch(destination(frame));
    }
    for frame in frames {
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
        let Some(hop) = routes.find(destination(frame)).checked_sub(1) else { continue };
        let hop = &hops[usize::from(hop)];
        frame.bytes[0..6].copy_from_slice(&hop.dst);
        frame.bytes[6..12].copy_from_slice(&hop.src);
        frame.bytes[22] -= 1;
        // RFC 1624: the checksum grows by what the word of the TTL lost.
        let old = u32::from(u16::from_be_bytes([frame.bytes[24], frame.bytes[25]]));
        let new = old + 0x100;
        let new = ((new & 0xffff) + (new >> 16)) as u16;
        frame.bytes[24..26].copy_from_slice(&new.to_be_bytes());
        frame.out = Some(hop.port);
    }
}
