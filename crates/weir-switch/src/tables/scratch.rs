//! Looks up keys in tables, with the state that a thread has for each table.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use weir_device::Nanos;
use weir_exec::MAX_BATCH;
use weir_exec::{LookupBatch, LookupResult};
use weir_ir::{ActionCall, ExternId, TableId};
use weir_tables::{Handle, Hit};

use super::owned::DefaultAction;
use super::prefetched::PrefetchedLookups;
use super::rows::CallCache;
use super::{TableShape, TableView};
use crate::externs::meter::Colour;

/// A thread's counts of a table's lookups, and its caches.
#[derive(Debug, Default)]
pub(crate) struct TableScratch {
    pub hits: u64,
    pub misses: u64,
    /// Lookups made before their packets run.
    pub prefetched: PrefetchedLookups,
    calls: CallCache,
    /// The state that the last lookups read, and its number from [`TableScratch::table_version`].
    stable: Option<(LookupInput, u64)>,
}

/// The state that determines the results of lookups.
#[derive(Debug)]
struct LookupInput {
    shape: Arc<TableShape>,
    version: u64,
    default: Arc<DefaultAction>,
}

/// A hit of a table entry, and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryHit {
    pub table: TableId,
    pub handle: Handle,
    pub time: Nanos,
}

/// The result of a lookup.
pub(crate) struct FoundRow<'a> {
    /// The place of the entry, if one was found.
    pub place: Option<Hit>,
    /// The words of the entry's row, or of the default action's row.
    pub row: &'a [AtomicU64],
    /// The colour from the direct meter.
    pub colour: Option<(ExternId, Colour)>,
}

impl FoundRow<'_> {
    /// Returns the position of an action, or a number from
    /// [`FIRST_OF_PROFILE`](super::FIRST_OF_PROFILE) on.
    #[inline]
    pub(crate) fn action(&self) -> u32 {
        self.row[0].load(Relaxed) as u32
    }

    /// Copies the row, or as much of it as fits.
    pub(crate) fn copy_row(&self, into: &[AtomicU64]) {
        into.iter().zip(self.row).for_each(|(to, from)| to.store(from.load(Relaxed), Relaxed));
    }
}

impl TableScratch {
    /// Looks up a key in a plain table, like [`TableScratch::look_up`].
    #[inline]
    pub(crate) fn find_plain<'a>(&mut self, table: TableView<'a>, key: &[u64]) -> LookupResult<'a> {
        match self.find_entry(table, key) {
            Some(place) => LookupResult { hit: true, row: table.entries.row(place.row()).words() },
            None => LookupResult { hit: false, row: table.default_row() },
        }
    }

    /// Looks up the words of the match fields, and counts the lookup. A table without a key has no
    /// entries, and lookups in it always miss. If the table keeps the times of hits, the hit is
    /// added to `hits`.
    #[inline]
    pub(crate) fn look_up<'a>(
        &mut self,
        table: TableView<'a>,
        key: &[u64],
        now: Nanos,
        packet_length: usize,
        hits: &mut Vec<EntryHit>,
    ) -> FoundRow<'a> {
        let Some(place) = self.find_entry(table, key) else {
            let colour = table.cells().record_miss(now, packet_length);
            return FoundRow { place: None, row: table.default_row(), colour };
        };
        if table.shape.aging.is_some() {
            note_hit(hits, EntryHit { table: table.shape.id, handle: table.handle(place), time: now });
        }
        let colour = table.cells().record_hit_at(place.slot(), now, packet_length);
        FoundRow { place: Some(place), row: table.entries.row(place.row()).words(), colour }
    }

    /// Finds an entry and counts the lookup.
    #[inline(always)]
    fn find_entry(&mut self, table: TableView<'_>, key: &[u64]) -> Option<Hit> {
        let known = self.prefetched.take_result(table, key);
        let place = known.unwrap_or_else(|| table.entries.find_hit(key));
        match place {
            Some(_) => self.hits += 1,
            None => self.misses += 1,
        }
        place
    }

    /// Takes the counts of hits and misses.
    pub(crate) fn take_counts(&mut self) -> (u64, u64) {
        (std::mem::take(&mut self.hits), std::mem::take(&mut self.misses))
    }

    /// Returns the call in a row of an action.
    pub(crate) fn call(&mut self, table: TableView<'_>, row: u32) -> Arc<ActionCall> {
        self.calls.call(&table.shape.actions, row, table.entries.row(row).words())
    }

    /// Returns a number that does not change while lookups in the table have the same results.
    /// `versions` is the number of versions that were assigned. Returns `None` if lookups do more
    /// than find entries.
    pub(crate) fn table_version(&mut self, table: TableView<'_>, versions: &mut u64) -> Option<u64> {
        if !table.shape.is_plain {
            return None;
        }
        let (shape, version, default) = (table.shape, table.version(), table.default());
        if let Some((input, number)) = &self.stable
            && input.version == version
            && Arc::ptr_eq(&input.shape, shape)
            && Arc::ptr_eq(&input.default, default)
        {
            return Some(*number);
        }
        *versions += 1;
        let input = LookupInput { shape: Arc::clone(shape), version, default: Arc::clone(default) };
        self.stable = Some((input, *versions));
        Some(*versions)
    }

    /// Looks up keys that will be needed soon; see [`PrefetchedLookups`]. `room` is a buffer for
    /// the words of the match fields.
    pub(crate) fn prefetch_lookups(&mut self, table: TableView<'_>, keys: &[u64], room: &mut Vec<u64>) {
        let keys = table.shape.keys.fields_of_all(keys, room);
        self.prefetched.look_up_keys(table, keys);
    }
}

/// Adds a hit. Consecutive hits of the same entry become one hit, with the latest time.
fn note_hit(hits: &mut Vec<EntryHit>, hit: EntryHit) {
    match hits.last_mut() {
        Some(last) if (last.table, last.handle) == (hit.table, hit.handle) => {
            last.time = last.time.max(hit.time);
        }
        _ => hits.push(hit),
    }
}

impl TableView<'_> {
    /// Looks up keys in a table without profiles, time-outs and cells of entries
    /// ([`TableShape::is_plain`](super::TableShape::is_plain)). Does nothing if there are more than
    /// [`MAX_BATCH`] keys.
    pub(crate) fn lookup_batch(self, batch: &mut LookupBatch<'_>) {
        let (view, miss) = (self.entries, self.default_row());
        let mut places = [None; MAX_BATCH];
        let Some(places) = places.get_mut(..batch.len()) else { return };
        let (keys, each) = batch.slots();
        view.find_hits(keys, each, places);
        match view.rows() {
            Some(rows) => batch.fill(batch_results(places, miss, |row| rows.row(row).words())),
            None => batch.fill(batch_results(places, miss, |row| view.row(row).words())),
        }
    }
}

/// Returns the results for keys that were found at these places.
#[inline(always)]
fn batch_results<'a>(
    places: &[Option<Hit>],
    miss: &'a [AtomicU64],
    row: impl Fn(u32) -> &'a [AtomicU64],
) -> impl Iterator<Item = LookupResult<'a>> {
    places.iter().map(move |place| match place {
        Some(place) => LookupResult { hit: true, row: row(place.row()) },
        None => LookupResult { hit: false, row: miss },
    })
}
