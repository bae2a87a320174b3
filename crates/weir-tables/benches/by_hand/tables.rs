//! Hand-written tables, as a C programmer would write them for one kind of key and for entries that
//! never change. The keys of a batch take each step together, so that the memory for one key is
//! loaded while others are processed.

use weir_tables::Pattern;

/// Keys in a batch.
pub const BATCH: usize = 64;

/// Longest-prefix matching in one or two memory accesses: 2^24 slots for the first 24 bits, and
/// blocks of 256 for longer prefixes (P. Gupta, S. Lin, N. McKeown, "Routing lookups in hardware at
/// memory access speeds", INFOCOM 1998).
pub struct Routes {
    /// A slot holds 0 for no route; up to 0x7fff, a next hop plus 1; with the top bit set, the
    /// number of a block.
    first: Vec<u16>,
    second: Vec<u16>,
}

const BLOCK: u16 = 0x8000;

impl Routes {
    /// Makes the table from prefixes of 32 bits and their next hops.
    pub fn new<'a>(entries: impl Iterator<Item = (&'a Pattern, u64)>) -> Self {
        let entries = entries.map(|(pattern, hop)| match pattern {
            Pattern::Prefix(value, length) => (number(value) as u32, *length, hop as u16),
            other => panic!("{other:?} is not a route"),
        });
        let mut routes: Vec<(u32, u32, u16)> = entries.collect();
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

    /// The first of three steps. All keys of a batch take each step before the next step.
    #[inline]
    pub fn prefetch(&self, address: u32) {
        prefetch(&self.first, (address >> 8) as usize);
    }

    /// Returns the second step: returns what [`Routes::hop`] needs.
    #[inline]
    pub fn slot(&self, address: u32) -> u16 {
        let slot = self.first[(address >> 8) as usize];
        if slot & BLOCK != 0 {
            prefetch(&self.second, usize::from(slot & !BLOCK) * 256 + (address & 0xff) as usize);
        }
        slot
    }

    /// Returns the third step: the next hop.
    #[inline]
    pub fn hop(&self, address: u32, mut slot: u16) -> Option<u16> {
        if slot & BLOCK != 0 {
            slot = self.second[usize::from(slot & !BLOCK) * 256 + (address & 0xff) as usize];
        }
        slot.checked_sub(1)
    }
}

/// Addresses of 48 bits and their values, one word each, in a hash table with open addressing that
/// is at most half full.
pub struct Stations {
    /// A cell holds 0 if it is free; otherwise, the address, and the value plus 1 in the low 16
    /// bits.
    cells: Vec<u64>,
    shift: u32,
}

impl Stations {
    /// Makes the table from addresses and values below 2^16 - 1.
    pub fn new<'a>(entries: impl ExactSizeIterator<Item = (&'a Pattern, u64)>) -> Self {
        let bits = (entries.len() * 2).next_power_of_two().ilog2().max(1);
        let mut new = Self { cells: vec![0; 1 << bits], shift: 64 - bits };
        for (pattern, value) in entries {
            let Pattern::Value(address) = pattern else { panic!("{pattern:?} is not an address") };
            let address = number(address);
            let mut at = new.home(address);
            while new.cells[at] != 0 {
                at = (at + 1) & (new.cells.len() - 1);
            }
            new.cells[at] = address << 16 | (value + 1);
        }
        new
    }

    fn home(&self, address: u64) -> usize {
        (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// Runs the first of two steps; all keys of a batch take it before the second step. Returns
    /// where the search begins.
    #[inline]
    pub fn prefetch(&self, address: u64) -> usize {
        let home = self.home(address);
        prefetch(&self.cells, home);
        home
    }

    /// Returns the second step: the value.
    #[inline]
    pub fn find(&self, address: u64, mut at: usize) -> Option<u16> {
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

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Prefetches an element.
#[inline]
pub fn prefetch<T>(from: &[T], index: usize) {
    debug_assert!(index < from.len());
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "a hint to the processor; it reads nothing")]
    // SAFETY: a prefetch never faults and has no effect on memory; the address is computed with
    // `wrapping_add`, so it need not be in bounds.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(from.as_ptr().wrapping_add(index).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, index);
}
