//! Look-ups by hand, to compare with: what a C programmer would write for one kind of table, whose entries never change.

use weir_tables::Pattern;
use weir_tables::workload::Workload;

/// What a batch of keys meets.
pub enum ByHand {
    Routes(Routes),
    Stations(Stations),
}

/// The form for a workload, if there is one.
pub fn forms(workload: &Workload) -> Option<ByHand> {
    match (workload.name, workload.layout.fields()) {
        ("lpm 32", _) => Some(ByHand::Routes(Routes::new(workload))),
        ("exact 48", _) => Some(ByHand::Stations(Stations::new(workload))),
        _ => None,
    }
}

impl ByHand {
    /// The sum of the first words of data that the keys meet.
    pub fn sum(&self, keys: &[u64]) -> u64 {
        match self {
            Self::Routes(routes) => routes.sum(keys),
            Self::Stations(stations) => stations.sum(keys),
        }
    }
}

/// 2^24 slots for the first 24 bits, blocks of 256 for longer prefixes (P. Gupta, S. Lin, N. McKeown, "Routing lookups in hardware at memory
/// access speeds", INFOCOM 1998).
pub struct Routes {
    /// 0: no route; up to 0x7fff: next hop + 1; with the top bit: a block's number.
    first: Vec<u16>,
    second: Vec<u16>,
}

const BLOCK: u16 = 0x8000;

impl Routes {
    fn new(workload: &Workload) -> Self {
        let mut routes: Vec<(u32, u32, u16)> = workload
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
        Self { first, second }
    }

    fn sum(&self, keys: &[u64]) -> u64 {
        let mut slots = [0u16; 64];
        for key in keys {
            prefetch(&self.first, (*key >> 8) as usize);
        }
        for (key, slot) in keys.iter().zip(&mut slots) {
            *slot = self.first[(*key >> 8) as usize];
            if *slot & BLOCK != 0 {
                prefetch(&self.second, usize::from(*slot & !BLOCK) * 256 + (*key & 0xff) as usize);
            }
        }
        let mut sum = 0;
        for (key, mut slot) in keys.iter().zip(slots) {
            if slot & BLOCK != 0 {
                slot = self.second[usize::from(slot & !BLOCK) * 256 + (*key & 0xff) as usize];
            }
            sum += u64::from(slot.saturating_sub(1));
        }
        sum
    }
}

/// Addresses and what they lead to, one word each, in an open table that is at most half full.
pub struct Stations {
    /// 0: free; address above, data + 1 in the low 16 bits.
    cells: Vec<u64>,
    shift: u32,
}

impl Stations {
    fn new(workload: &Workload) -> Self {
        let bits = (workload.entries.len() * 2).next_power_of_two().ilog2().max(1);
        let mut new = Self { cells: vec![0; 1 << bits], shift: 64 - bits };
        for (patterns, _, _, data) in &workload.entries {
            let Pattern::Value(value) = &patterns[0] else { panic!("{:?} is no address", patterns[0]) };
            let address = value.iter().fold(0, |a, b| a << 8 | u64::from(*b));
            let mut at = new.home(address);
            while new.cells[at] != 0 {
                at = (at + 1) & (new.cells.len() - 1);
            }
            new.cells[at] = address << 16 | (data[0] + 1);
        }
        new
    }

    fn home(&self, address: u64) -> usize {
        (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    fn sum(&self, keys: &[u64]) -> u64 {
        keys.iter().for_each(|key| prefetch(&self.cells, self.home(*key)));
        let mut sum = 0;
        for key in keys {
            let mut at = self.home(*key);
            while self.cells[at] != 0 {
                if self.cells[at] >> 16 == *key {
                    sum += (self.cells[at] & 0xffff) - 1;
                    break;
                }
                at = (at + 1) & (self.cells.len() - 1);
            }
        }
        sum
    }
}

/// Brings what an index names near.
fn prefetch<T>(from: &[T], index: usize) {
    debug_assert!(index < from.len());
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "a hint to the processor; it reads nothing")]
    // SAFETY: a prefetch touches no memory, and the address is computed without leaving the address space.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(from.as_ptr().wrapping_add(index).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, index);
}
