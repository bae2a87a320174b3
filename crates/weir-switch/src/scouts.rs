//! Guessing the first look-ups of packets before they run, so that many are made at once.

use weir_ir::TableId;
use weir_ir::pipeline::Fused;

use crate::ahead::MOST_AHEAD;
use crate::buffer::Buffer;
use crate::runtime::Runtime;

/// After so many batches without gain, doubled each time, one is tried again; never more.
const LONGEST_REST: u32 = 64;

/// Who goes ahead of packets.
#[derive(Debug, Default)]
pub(crate) struct Scouts {
    /// Of the packets that come next, so many have been looked at.
    ahead: usize,
    /// By table: the keys that packets of this batch will ask for first.
    keys: Vec<Vec<u64>>,
    /// The tables that have some.
    tables: Vec<TableId>,
    /// One packet's.
    key: Vec<u64>,
    /// Batches that are still let pass, and how many were let pass last time.
    rest: u32,
    rested: u32,
}

impl Scouts {
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
        let count = buffers.len().min(MOST_AHEAD);
        self.ahead = count;
        if self.rest > 0 {
            self.rest -= 1;
            return;
        }
        for buffer in &mut buffers[..count] {
            let inputs = inputs(buffer);
            let Some(table) = fused.scout(buffer.window(), &inputs, &mut self.key) else { continue };
            if self.keys.len() <= table.index() {
                self.keys.resize_with(table.index() + 1, Vec::new);
            }
            let keys = &mut self.keys[table.index()];
            if keys.is_empty() {
                self.tables.push(table);
            }
            keys.extend_from_slice(&self.key);
        }
        let mut gain = false;
        for table in self.tables.drain(..) {
            let keys = &mut self.keys[table.index()];
            if runtime.is_far(table) {
                runtime.look_ahead(table, keys);
                gain = true;
            }
            keys.clear();
        }
        self.rested = if gain { 0 } else { (2 * self.rested).clamp(1, LONGEST_REST) };
        self.rest = self.rested;
    }
}
