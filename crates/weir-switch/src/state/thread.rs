//! The state of each thread that runs packets.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand_core::SeedableRng;
use rand_pcg::Pcg64Mcg;
use rustc_hash::FxHashMap;
use weir_device::Nanos;
use weir_ir::TableId;
use weir_tables::Handle;

use super::Messages;
use crate::choice::ForcedChoices;
use crate::externs::register_lock::{LockHandle, RegisterLock};
use crate::stats::{DropPlace, DropReason};
use crate::tables::{AddedEntry, EntryChange, EntryHit, TableScratch, TableView};

/// The number of bytes of a dropped frame that are kept: enough for Ethernet, two VLAN tags and
/// IPv6.
const KEPT: usize = 64;

/// The first bytes of a recently dropped frame, for each place and reason.
pub(crate) type DroppedFrames = BTreeMap<(DropPlace, DropReason), Vec<u8>>;

/// Caches, counts, random numbers and messages of one thread.
pub(crate) struct ThreadState {
    /// The memory for lookups, by `TableId`.
    pub tables: Vec<TableScratch>,
    pub random: Pcg64Mcg,
    pub choices: ForcedChoices,
    pub register_lock: LockHandle,
    /// The hits of entries in tables that record the times of hits.
    pub hits: Vec<EntryHit>,
    /// The changes of entries that packets have requested and that the owner has not made yet.
    pub changes: Vec<EntryChange>,
    /// Whether one of these changes adds an entry, which the next packet must find.
    pub has_added: bool,
    /// The number of the next flow.
    pub next_flow: u32,
    pub messages: Messages,
    pub dropped_frames: DroppedFrames,
    /// The number of table versions that were assigned; see [`TableScratch::table_version`].
    pub versions: u64,
    /// The numbers of extern calls, by the addresses of the calls in the executor.
    pub call_numbers: FxHashMap<usize, usize>,
    /// A buffer for the words of all keys of a lookup.
    pub(super) key: Vec<u64>,
    /// A buffer for the words of the match fields.
    pub(super) fields: Vec<u64>,
    /// A buffer for the selector keys.
    pub(super) flow: Vec<u8>,
}

/// The reports of a thread's packets for the owner of the control state.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    /// The numbers of hits and misses of lookups, by `TableId`.
    pub lookups: Vec<(u64, u64)>,
    /// The latest hit of each entry.
    pub hits: BTreeMap<(TableId, Handle), Nanos>,
    pub messages: Messages,
}

impl ThreadState {
    /// Creates the thread state for the owner of the control state.
    pub(crate) fn new(tables: usize, seed: u64) -> Self {
        Self {
            tables: (0..tables).map(|_| TableScratch::default()).collect(),
            random: Pcg64Mcg::new(u128::from(seed)),
            choices: ForcedChoices::default(),
            register_lock: LockHandle::default(),
            hits: Vec::new(),
            changes: Vec::new(),
            has_added: false,
            next_flow: 0,
            messages: Messages::default(),
            dropped_frames: DroppedFrames::default(),
            versions: 0,
            call_numbers: FxHashMap::default(),
            key: Vec::new(),
            fields: Vec::new(),
            flow: Vec::new(),
        }
    }

    /// Creates the thread state for the worker with this number.
    pub(crate) fn for_worker(tables: usize, seed: u64, number: u64, lock: Arc<RegisterLock>) -> Self {
        // The seeds of workers are far apart, so that the next worker draws other numbers than this
        // worker in a switch with the next seed.
        let seed = seed ^ (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut thread = Self { random: Pcg64Mcg::seed_from_u64(seed), ..Self::new(tables, 0) };
        thread.register_lock.share(Some(lock));
        thread
    }

    /// Keeps the first bytes of a dropped frame.
    #[cold]
    pub(crate) fn keep_dropped(&mut self, place: DropPlace, reason: DropReason, frame: &[u8]) {
        let kept = self.dropped_frames.entry((place, reason)).or_default();
        kept.clear();
        kept.extend_from_slice(&frame[..frame.len().min(KEPT)]);
    }

    /// Adds an entry to a table after the current part of the pass. Returns false if the table is
    /// full, or if this part has already added an entry with this key.
    pub(crate) fn add_entry(&mut self, table: TableView<'_>, entry: AddedEntry) -> bool {
        let added = self.changes.iter().filter_map(|change| match change {
            EntryChange::Add(added) if added.table == entry.table => Some(added),
            _ => None,
        });
        let has_room = |added: usize| {
            let entries = table.entries.len() as u64 + added as u64;
            table.shape.limit_of_added.is_some_and(|limit| entries < limit)
        };
        let adds = added.clone().all(|added| added.key != entry.key) && has_room(added.count());
        self.has_added |= adds;
        self.changes.extend(adds.then_some(EntryChange::Add(entry)));
        adds
    }

    /// Counts lookups that were answered from the executor's cache.
    pub(crate) fn count_lookups(&mut self, table: TableId, hits: u64, misses: u64) {
        let table = &mut self.tables[table.index()];
        table.hits += hits;
        table.misses += misses;
    }
}

impl Reports {
    /// Appends newer reports of the same thread.
    pub(crate) fn add(&mut self, newer: &mut ThreadState) {
        self.lookups.resize(newer.tables.len(), (0, 0));
        for ((hits, misses), table) in self.lookups.iter_mut().zip(&mut newer.tables) {
            let (more_hits, more_misses) = table.take_counts();
            *hits += more_hits;
            *misses += more_misses;
        }
        for EntryHit { table, handle, time } in newer.hits.drain(..) {
            let latest = self.hits.entry((table, handle)).or_default();
            *latest = time.max(*latest);
        }
        self.messages.add(std::mem::take(&mut newer.messages));
    }
}
