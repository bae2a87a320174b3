//! A table as packets on other threads see it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use weir_device::Nanos;
use weir_exec::{LookupBatch, LookupResult, MAX_BATCH};
use weir_tables::{Handle, Hit, Table, TableSnapshot, TableView};

use super::beside::Cells;
use super::rows::{Calls, Lists};
use super::{Default, KeyWords, TableRuntime};
use crate::ahead::Ahead;
use crate::externs::profile::List;
use crate::idle::IdleTimers;

/// A table at one moment. What is counted of its entries goes on in the same cells.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(super) view: TableSnapshot,
    pub(super) version: u64,
    /// Those of the table, which tell it from one that has come in its place.
    keys: Arc<KeyWords>,
    pub(super) default: Arc<Default>,
    pub(super) lists: Arc<Vec<Option<List>>>,
    pub(super) cells: Cells,
}

/// The entries that packets may meet, and their version: what is seen on another thread, or else the table itself.
#[inline]
pub(super) fn in_sight<'a>(entries: &'a Table, seen: Option<&'a Seen>) -> (&'a TableView, u64) {
    match seen {
        Some(seen) => (&seen.view, seen.version),
        None => (entries.view(), entries.version()),
    }
}

/// What decides about what look-ups find.
#[derive(Debug)]
pub(super) struct Moment {
    version: u64,
    keys: Arc<KeyWords>,
    default: Arc<Default>,
}

/// What keys are answered that met these places.
#[inline(always)]
fn answers<'a>(
    places: &[Option<Hit>],
    miss: &'a [AtomicU64],
    row: impl Fn(u32) -> &'a [AtomicU64],
) -> impl Iterator<Item = LookupResult<'a>> {
    places.iter().map(move |place| match place {
        Some(place) => LookupResult { hit: true, row: row(place.row()) },
        None => LookupResult { hit: false, row: miss },
    })
}

impl TableRuntime {
    /// This moment's number, one of those that are counted in `moments`: the same as long as look-ups find the same. None if they do more than that.
    pub(crate) fn table_version(&mut self, seen: Option<&Seen>, moments: &mut u64) -> Option<u64> {
        if !self.is_plain {
            return None;
        }
        let (version, keys, default) = match seen {
            Some(seen) => (seen.version, &seen.keys, &seen.default),
            None => (self.entries.version(), &self.keys, &self.default),
        };
        if let Some((known, number)) = &self.moment
            && known.version == version
            && Arc::ptr_eq(&known.keys, keys)
            && Arc::ptr_eq(&known.default, default)
        {
            return Some(*number);
        }
        *moments += 1;
        let moment = Moment { version, keys: Arc::clone(keys), default: Arc::clone(default) };
        self.moment = Some((moment, *moments));
        Some(*moments)
    }

    /// The table as it is now.
    pub(crate) fn see(&mut self) -> Seen {
        Seen {
            view: self.entries.snapshot(),
            version: self.entries.version(),
            keys: Arc::clone(&self.keys),
            default: Arc::clone(&self.default),
            lists: Arc::clone(&self.lists.lists),
            cells: self.beside.cells.clone(),
        }
    }

    /// Whether the table is still as it was then.
    pub(crate) fn is_as_seen(&self, seen: &Seen) -> bool {
        self.entries.version() == seen.version
            && Arc::ptr_eq(&self.keys, &seen.keys)
            && Arc::ptr_eq(&self.default, &seen.default)
            && Arc::ptr_eq(&self.lists.lists, &seen.lists)
            && self.beside.cells.is(&seen.cells)
    }

    /// For a thread that looks up in what it sees of this table: without entries, with counts of its own.
    pub(crate) fn for_worker(&self) -> Self {
        Self {
            entries: Table::new(self.entries.layout().clone(), self.entries.data_words()),
            beside: self.beside.for_worker(),
            default: Arc::clone(&self.default),
            own_default: Arc::clone(&self.own_default),
            hits: 0,
            misses: 0,
            profile: self.profile,
            keys: Arc::clone(&self.keys),
            is_plain: self.is_plain,
            moment: None,
            ahead: Ahead::default(),
            constant: Vec::new(),
            actions: Arc::clone(&self.actions),
            lists: Lists::default(),
            calls: Calls::default(),
        }
    }

    /// Forgets what it knows of a table if another one has come in its place: what is seen then has other versions.
    #[inline]
    pub(super) fn recognise(&mut self, seen: Option<&Seen>) {
        if let Some(seen) = seen
            && !Arc::ptr_eq(&self.keys, &seen.keys)
        {
            self.turn_to(&seen.keys);
        }
    }

    #[cold]
    fn turn_to(&mut self, keys: &Arc<KeyWords>) {
        self.keys = Arc::clone(keys);
        self.ahead = Ahead::default();
    }

    /// Looks keys up that will be asked for soon; see [`Ahead`].
    pub(crate) fn prefetch_lookups(&mut self, seen: Option<&Seen>, keys: &[u64], room: &mut Vec<u64>) {
        self.recognise(seen);
        let (view, version) = in_sight(&self.entries, seen);
        let keys = self.keys.fields_of_all(keys, room);
        self.ahead.look(view, version, keys);
    }

    /// The entries that packets may meet.
    pub(crate) fn view<'a>(&'a self, seen: Option<&'a Seen>) -> &'a TableView {
        in_sight(&self.entries, seen).0
    }

    /// Answers keys in a table that is plain, at most [`MAX_BATCH`]; of more, none.
    pub(crate) fn lookup_batch(&mut self, seen: Option<&Seen>, asked: &mut LookupBatch<'_>) {
        self.recognise(seen);
        let view = in_sight(&self.entries, seen).0;
        let miss = &*seen.map_or(&self.default, |seen| &seen.default).row;
        let mut places = [None; MAX_BATCH];
        let Some(places) = places.get_mut(..asked.len()) else { return };
        let (keys, each) = asked.slots();
        view.find_hits(keys, each, places);
        match view.rows() {
            Some(rows) => asked.fill(answers(places, miss, |row| rows.row(row).words())),
            None => asked.fill(answers(places, miss, |row| view.row(row).words())),
        }
    }

    /// Entries that packets may meet.
    pub(crate) fn len(&self, seen: Option<&Seen>) -> usize {
        seen.map_or(self.entries.len(), |seen| seen.view.len())
    }

    /// Takes the hits that are noted for the table's owner.
    pub(crate) fn take_hits(&mut self) -> Vec<(Handle, Nanos)> {
        self.beside.take_hits()
    }

    /// Notes a hit that was met on another thread.
    pub(crate) fn hit_at(&mut self, handle: Handle, time: Nanos, timers: &mut IdleTimers) {
        if let Some(slot) = self.entries.slot(handle) {
            self.beside.hit_at((slot, handle), time, timers);
        }
    }
}
