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
    /// By table: words of its key.
    key_words: Vec<usize>,
    /// Room for a key of any table.
    room: Vec<u64>,
    /// The keys of packets that come next.
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
        let room = vec![0; key_words.iter().copied().max().unwrap_or(0)];
        Self { ahead: 0, key_words, room, keys: Vec::new(), rest: 0, rested: 0 }
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
        // Packets that go to other tables than the first large one are left aside.
        let mut first = None;
        self.keys.clear();
        fused.scout(packets, inputs, &mut self.room, &mut |table, room| {
            if first.is_none() && runtime.is_far(table) {
                first = Some(table);
            }
            if first == Some(table) {
                self.keys.extend_from_slice(&room[..self.key_words[table.index()]]);
            }
        });
        if let Some(table) = first {
            runtime.look_ahead(table, &self.keys);
        }
        self.rested = if first.is_some() { 0 } else { (2 * self.rested).clamp(1, LONGEST_REST) };
        self.rest = self.rested;
    }
}
