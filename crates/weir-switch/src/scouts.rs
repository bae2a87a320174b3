//! Guessing the first look-ups of packets before they run, so that many are made at once.

use weir_ir::Program;
use weir_ir::pipeline::{Fused, Window};

use crate::ahead::MOST_AHEAD;
use crate::runtime::Runtime;

/// After so many batches without gain, doubled each time, one is tried again; never more.
const LONGEST_REST: u32 = 64;

/// Who goes ahead of packets.
#[derive(Debug)]
pub(crate) struct Scouts {
    /// Of the packets that come next, so many have been looked at.
    ahead: usize,
    /// By table: words of its key; those of the longest one.
    key_words: Vec<usize>,
    longest: usize,
    /// Room for a key of each packet.
    keys: Vec<u64>,
    /// Batches that are still let pass, and how many were let pass last time.
    rest: u32,
    rested: u32,
}

impl Scouts {
    pub(crate) fn new(program: &Program) -> Self {
        let words = |width: u32| width.div_ceil(64) as usize;
        let tables = program.tables.values();
        let key_words: Vec<usize> =
            tables.map(|table| table.keys.iter().map(|key| words(key.expr.ty.width())).sum()).collect();
        let longest = key_words.iter().copied().max().unwrap_or(0);
        Self { ahead: 0, key_words, longest, keys: vec![0; MOST_AHEAD * longest], rest: 0, rested: 0 }
    }

    /// How many of so many packets go next: those that have been looked at, if there are any.
    pub(crate) fn next(&self, count: usize) -> usize {
        count.min(if self.ahead > 0 { self.ahead } else { MOST_AHEAD })
    }

    /// So many have run.
    pub(crate) fn passed(&mut self, packets: usize) {
        self.ahead = self.ahead.saturating_sub(packets);
    }

    /// Looks at the packets that come next, with their inputs, unless they have been looked at.
    pub(crate) fn look(
        &mut self,
        fused: &dyn Fused,
        runtime: &mut Runtime,
        packets: &[Window<'_>],
        inputs: &[u64],
    ) {
        if self.ahead > 0 {
            return;
        }
        self.ahead = packets.len();
        if self.rest > 0 {
            self.rest -= 1;
            return;
        }
        let mut guesses = [None; MOST_AHEAD];
        let guesses = &mut guesses[..packets.len()];
        let keys = &mut self.keys[..packets.len() * self.longest];
        fused.scout(packets, inputs, keys, guesses);
        // Packets that go to other tables than the first large one are left aside.
        let first = guesses.iter().flatten().find(|table| runtime.is_far(**table)).copied();
        if let Some(table) = first {
            let words = self.key_words[table.index()];
            let mut used = 0;
            for (at, _) in guesses.iter().enumerate().filter(|(_, guess)| **guess == first) {
                keys.copy_within(at * self.longest..at * self.longest + words, used);
                used += words;
            }
            runtime.look_ahead(table, &keys[..used]);
        }
        self.rested = if first.is_some() { 0 } else { (2 * self.rested).clamp(1, LONGEST_REST) };
        self.rest = self.rested;
    }
}
