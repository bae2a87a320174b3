//! The tables that packets read: the owner's table, or an immutable version of it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use weir_device::Nanos;
use weir_ir::{ActionCall, TableId};
use weir_tables::{Handle, TableView as Entries};

use super::entry_data::EntryCells;
use super::owned::DefaultAction;
use super::rows;
use super::{OwnedTable, TableShape};
use crate::externs::meter::Colour;
use crate::externs::profile::{List, Outcome};
use crate::externs::register::RegisterArray;

/// An immutable version of a table. It shares the cells of direct counters and meters with the
/// table.
#[derive(Debug)]
pub(crate) struct TableSnapshot {
    shape: Arc<TableShape>,
    view: weir_tables::TableSnapshot,
    version: u64,
    default: Arc<DefaultAction>,
    lists: Arc<Vec<Option<List>>>,
    cells: EntryCells,
}

/// A table that a packet reads.
///
/// The owner's packets read the table itself. If a table has never made a snapshot, it is in
/// contiguous memory, where lookups are fastest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableView<'a> {
    pub shape: &'a Arc<TableShape>,
    pub entries: &'a Entries,
    source: Source<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    /// The table on the owner's thread.
    Owned(&'a OwnedTable),
    /// The table on any other thread.
    Snapshot(&'a TableSnapshot),
}

/// All tables of a switch as a packet reads them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TablesView<'a> {
    /// The tables on the owner's thread.
    Owned(&'a [OwnedTable]),
    /// The tables on any other thread.
    Snapshot(&'a [Arc<TableSnapshot>]),
}

impl<'a> TablesView<'a> {
    #[inline]
    pub(crate) fn get(self, table: TableId) -> TableView<'a> {
        match self {
            Self::Owned(tables) => {
                let table = &tables[table.index()];
                let source = Source::Owned(table);
                TableView { shape: &table.shape, entries: table.entries.view(), source }
            }
            Self::Snapshot(tables) => {
                let table = &*tables[table.index()];
                TableView { shape: &table.shape, entries: &table.view, source: Source::Snapshot(table) }
            }
        }
    }
}

impl<'a> TableView<'a> {
    /// Returns a number that changes when the entries change.
    #[inline]
    pub(super) fn version(self) -> u64 {
        match self.source {
            Source::Owned(table) => table.entries.version(),
            Source::Snapshot(table) => table.version,
        }
    }

    #[inline]
    pub(super) fn default(self) -> &'a Arc<DefaultAction> {
        match self.source {
            Source::Owned(table) => &table.default,
            Source::Snapshot(table) => &table.default,
        }
    }

    /// Returns the default action in words.
    #[inline]
    pub(super) fn default_row(self) -> &'a [AtomicU64] {
        &self.default().row
    }

    #[inline]
    pub(super) fn cells(self) -> &'a EntryCells {
        match self.source {
            Source::Owned(table) => &table.entry_data.cells,
            Source::Snapshot(table) => &table.cells,
        }
    }

    /// Counts a packet in an entry's cell of the direct counter, or in the default's.
    pub(crate) fn count(self, slot: Option<u32>, packet_length: usize) {
        self.cells().count(slot, packet_length);
    }

    /// Returns the register that holds an entry's cell, and the index of the cell.
    pub(crate) fn register(self, slot: Option<u32>) -> Option<(&'a RegisterArray, u64)> {
        self.cells().register(slot)
    }

    /// Meters a packet of this colour in an entry's cell of the direct meter, or in the default's.
    pub(crate) fn meter(
        self,
        slot: Option<u32>,
        now: Nanos,
        packet_length: usize,
        before: Colour,
    ) -> Option<Colour> {
        self.cells().meter(slot, now, packet_length, before)
    }

    /// Returns the entry that a lookup found, for calls that use its cells or change it; `None` if
    /// no calls do so.
    #[inline]
    pub(crate) fn cells_for_calls(self, place: Option<weir_tables::Hit>) -> Option<Option<u32>> {
        let is_used = self.shape.is_changed_by_calls() || self.cells().are_used_by_calls();
        is_used.then(|| place.map(weir_tables::Hit::slot))
    }

    fn lists(self) -> &'a [Option<List>] {
        match self.source {
            Source::Owned(table) => &table.lists.lists,
            Source::Snapshot(table) => &table.lists,
        }
    }

    /// Returns the handle of the entry at a place.
    pub(crate) fn handle(self, place: weir_tables::Hit) -> Handle {
        self.entries.handle(place.slot())
    }

    /// Returns the call of the default action. If the default is not an action, returns the call of
    /// the program's default action.
    pub(crate) fn default_call(self) -> Arc<ActionCall> {
        match &self.default().outcome {
            Outcome::Call(call) => Arc::clone(call),
            _ => Arc::clone(&self.shape.own_default),
        }
    }

    /// Returns the outcome of a row, or of a miss if `row` is `None`.
    pub(crate) fn outcome(self, row: Option<u32>) -> Outcome {
        match row {
            Some(row) => rows::row_outcome(self.lists(), &self.shape.actions, self.entries.row(row).words()),
            None => self.default().outcome.clone(),
        }
    }
}

impl OwnedTable {
    /// Makes a snapshot of the current table.
    pub(crate) fn snapshot(&mut self) -> TableSnapshot {
        TableSnapshot {
            shape: Arc::clone(&self.shape),
            view: self.entries.snapshot(),
            version: self.entries.version(),
            default: Arc::clone(&self.default),
            lists: Arc::clone(&self.lists.lists),
            cells: self.entry_data.cells.clone(),
        }
    }

    /// Returns whether nothing has changed since the snapshot.
    pub(crate) fn is_same(&self, snapshot: &TableSnapshot) -> bool {
        self.entries.version() == snapshot.version
            && Arc::ptr_eq(&self.shape, &snapshot.shape)
            && Arc::ptr_eq(&self.default, &snapshot.default)
            && Arc::ptr_eq(&self.lists.lists, &snapshot.lists)
            && self.entry_data.cells.is_same(&snapshot.cells)
    }
}
