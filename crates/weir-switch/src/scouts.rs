//! Guessing the first look-ups of packets before they run, so that many are made at once.

use weir_ir::pipeline::Fused;
use weir_ir::{Program, TableId};

use crate::ahead::MOST_AHEAD;
use crate::buffer::Buffer;
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
    /// The keys that packets of this batch will ask their first table for, with room for one more of any table.
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
        let keys = vec![0; MOST_AHEAD * key_words.iter().max().unwrap_or(&0)];
        Self { ahead: 0, key_words, keys, rest: 0, rested: 0 }
    }

    /// How many of the next `count` packets have been looked at.
    pub(crate) fn ahead(&self, count: usize) -> usize {
        self.ahead.min(count)
    }

    /// So many have run.
    pub(crate) fn passed(&mut self, packets: usize) {
        self.ahead = self.ahead.saturating_sub(packets);
    }

    /// Looks at the packets that come next, unless some of them have been looked at.
    pub(crate) fn look(
        &mut self,
        fused: &dyn Fused,
        runtime: &mut Runtime,
        buffers: &mut [Buffer],
        inputs: impl Fn(&Buffer) -> [u64; 3],
    ) {
        if self.ahead > 0 {
            return;
        }
        self.ahead = buffers.len().min(MOST_AHEAD);
        if self.rest > 0 {
            self.rest -= 1;
            return;
        }
        // That of the first packet that has one; packets that go elsewhere are left aside.
        let mut first: Option<TableId> = None;
        let (mut used, mut words) = (0, 0);
        for buffer in &mut buffers[..self.ahead] {
            let inputs = inputs(buffer);
            let Some(table) = fused.scout(buffer.window(), &inputs, &mut self.keys[used..]) else { continue };
            if first.is_none() && runtime.is_far(table) {
                (first, words) = (Some(table), self.key_words[table.index()]);
            }
            used += if first == Some(table) { words } else { 0 };
        }
        if let Some(table) = first {
            runtime.look_ahead(table, &self.keys[..used]);
        }
        self.rested = if first.is_some() { 0 } else { (2 * self.rested).clamp(1, LONGEST_REST) };
        self.rest = self.rested;
    }
}
