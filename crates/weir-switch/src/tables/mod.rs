//! Tables at run time: entries, default actions, data kept for each entry, and lookups.
//!
//! - [`OwnedTable`] belongs to the owner; control requests change it.
//! - [`TableSnapshot`] is an immutable version of it, for packets on other threads.
//! - [`TableView`] is either of them, as a packet reads it.
//! - [`TableScratch`] is the state that a thread has for lookups: counts and caches.
//!
//! The row of an entry contains its action (see `rows`). Its counts, meters and time-outs are in
//! arrays that are indexed by slot (see `entry_data`).

mod aging;
mod changes;
mod chunks;
mod composed;
mod direct_registers;
mod entry_data;
mod idle;
mod keys;
mod load;
mod matching;
mod owned;
mod prefetched;
mod rows;
mod scratch;
mod snapshot;
mod timer_queue;

pub(crate) use aging::{Aging, AtEnd, EXPIRY_CALLS, limit_of_added, supports_timeout};
pub(crate) use changes::{AddedEntry, EntryChange, FewWords};
pub(crate) use entry_data::EntryData;
pub(crate) use idle::{IdleNotice, IdleTimeout, IdleTimers};
pub(crate) use load::match_kind;
pub use matching::{Match, MatchKind};
pub(crate) use matching::{field_kind, match_from_pattern};
pub(crate) use owned::{OldRow, OwnedTable, RemovedEntry};
pub(crate) use rows::{Actions, FIRST_OF_PROFILE, push_value};
pub(crate) use scratch::{EntryHit, FoundRow, TableScratch};
pub(crate) use snapshot::{TableSnapshot, TableView, TablesView};

use std::sync::Arc;

use weir_ir::{ActionCall, Bits, ExternId, TableId};

use crate::externs::UseAt;
use composed::Composed;
use keys::KeyWords;

/// The parts of a table that do not change. Every [`OwnedTable`] has its own shape, so the shape's
/// address also shows whether two versions belong to the same table. A reset creates new tables
/// with versions that start from 0 again.
#[derive(Debug)]
pub(crate) struct TableShape {
    pub id: TableId,
    /// The layout of the keys in words.
    pub keys: KeyWords,
    pub actions: Arc<Actions>,
    /// The program's default action.
    pub own_default: Arc<ActionCall>,
    /// The action that runs if a group is empty: the program's default action, unless the program
    /// names another one.
    pub empty_group: Arc<ActionCall>,
    /// The table's action profile.
    pub profile: Option<ExternId>,
    /// The table's composed actions.
    pub composed: Composed,
    /// Whether all keys are match fields, all rows contain actions, and no data is kept for
    /// entries.
    pub is_plain: bool,
    /// How entries age; `None` if they have no time-outs. Otherwise, the times of hits are kept.
    pub aging: Option<Aging>,
    /// The number of entries up to which packets may add entries; `None` if packets cannot add
    /// entries.
    pub limit_of_added: Option<u64>,
    /// Whether packets hold the [`RegisterLock`](crate::externs::register_lock::RegisterLock) while
    /// they use the direct meter.
    pub needs_lock: bool,
}

impl TableShape {
    /// Returns whether calls change entries: the entry that a lookup found, or the one that it did
    /// not find.
    fn is_changed_by_calls(&self) -> bool {
        self.limit_of_added.is_some() || self.aging.is_some_and(|aging| aging.restarts_at == UseAt::Call)
    }
}

/// Converts values to words. Each value takes whole words, in order.
pub(crate) fn key_words<'a>(keys: impl IntoIterator<Item = &'a Bits>, into: &mut Vec<u64>) {
    into.clear();
    keys.into_iter().for_each(|key| push_value(key, into));
}
