//! Immutable versions of the control state, for packets on other threads.
//!
//! The owner changes its own state, and [`ControlState::publish`] makes all changes visible at
//! once. A thread loads the latest snapshot for a batch of packets and holds nothing between
//! batches, so an idle thread does not keep an old version alive. No thread waits for another
//! thread. All threads share the cells of counters, registers and meters. Other counts belong to
//! one thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arc_swap::{ArcSwap, Guard};

use super::{ControlState, ControlView, Settings};
use crate::externs::register_lock::RegisterLock;
use crate::tables::{OwnedTable, TableSnapshot, TablesView};

/// An immutable version of the control state.
#[derive(Debug)]
pub(crate) struct ControlSnapshot {
    /// The tables, by `TableId`.
    tables: Vec<Arc<TableSnapshot>>,
    settings: Arc<Settings>,
}

/// The data that the threads of a switch share.
#[derive(Debug)]
pub(crate) struct Shared {
    current: ArcSwap<ControlSnapshot>,
    pub register_lock: Arc<RegisterLock>,
    /// Whether all packets take the slow path on the owner's thread.
    slow_path_only: AtomicBool,
}

/// Publishes snapshots for the owner of the control state.
#[derive(Debug)]
pub(crate) struct Publisher {
    pub shared: Arc<Shared>,
    last: Arc<ControlSnapshot>,
}

impl ControlSnapshot {
    /// Returns the state that packets on another thread read.
    pub(crate) fn view(&self) -> ControlView<'_> {
        ControlView { tables: TablesView::Snapshot(&self.tables), settings: &self.settings }
    }
}

impl Shared {
    /// Loads the latest snapshot, and holds it while packets read it.
    pub(crate) fn load(&self) -> Guard<Arc<ControlSnapshot>> {
        self.current.load()
    }

    /// Returns whether packets may take the fast path.
    pub(crate) fn is_fast_path_open(&self) -> bool {
        !self.slow_path_only.load(Relaxed)
    }

    /// Allows or forbids packets to take the fast path.
    pub(crate) fn open_fast_path(&self, open: bool) {
        self.slow_path_only.store(!open, Relaxed);
    }
}

impl Settings {
    /// Returns whether the states are equal. Cells and profiles are compared by address.
    fn is_same(&self, other: &Self) -> bool {
        let same_sets = || self.value_sets.iter().zip(&other.value_sets).all(|(a, b)| Arc::ptr_eq(a, b));
        let same_externs = || self.externs.iter().zip(&other.externs).all(|(a, b)| a.is_same(b));
        Arc::ptr_eq(&self.groups, &other.groups)
            && Arc::ptr_eq(&self.replication, &other.replication)
            && Arc::ptr_eq(&self.sessions, &other.sessions)
            && Arc::ptr_eq(&self.hashes, &other.hashes)
            && Arc::ptr_eq(&self.down_ports, &other.down_ports)
            && same_sets()
            && same_externs()
    }
}

impl ControlState {
    /// Returns the data that threads share, and creates it at the first call. `with_tables` says
    /// whether packets on other threads read tables; if not, the tables are not published.
    pub(crate) fn share(&mut self, with_tables: bool) -> Arc<Shared> {
        if self.publisher.is_none() {
            let tables = self.tables.iter_mut().filter(|_| with_tables);
            let tables = tables.map(|table| Arc::new(table.snapshot())).collect();
            let last = Arc::new(ControlSnapshot { tables, settings: Arc::new(self.settings.clone()) });
            let shared = Arc::new(Shared {
                current: ArcSwap::new(Arc::clone(&last)),
                register_lock: Arc::default(),
                slow_path_only: AtomicBool::new(false),
            });
            self.publisher = Some(Publisher { shared, last });
        }
        let publisher = self.publisher.as_ref().expect("it has just been made");
        Arc::clone(&publisher.shared)
    }

    /// Makes all changes visible to other threads at once. Stops sharing the state if there are no
    /// other threads.
    pub(crate) fn publish(&mut self) {
        let Some(mut publisher) = self.publisher.take() else { return };
        if Arc::strong_count(&publisher.shared) == 1 {
            return;
        }
        let mut changed = false;
        let snapshot = |(table, last): (&mut OwnedTable, &Arc<TableSnapshot>)| {
            if table.is_same(last) {
                return Arc::clone(last);
            }
            changed = true;
            Arc::new(table.snapshot())
        };
        let tables = self.tables.iter_mut().zip(&publisher.last.tables).map(snapshot).collect();
        let mut settings = Arc::clone(&publisher.last.settings);
        if !settings.is_same(&self.settings) {
            changed = true;
            settings = Arc::new(self.settings.clone());
        }
        if changed {
            publisher.last = Arc::new(ControlSnapshot { tables, settings });
            publisher.shared.current.store(Arc::clone(&publisher.last));
        }
        self.publisher = Some(publisher);
    }
}
