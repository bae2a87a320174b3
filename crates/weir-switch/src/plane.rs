//! What packets on other threads see of a switch's control state: all of it as it was published last.
//!
//! The owner of the state changes its own; [`Runtime::publish`] shows the changes to the others, all at once. Who reads pins what is published for a
//! batch of packets and holds nothing between batches, so that nothing old is kept for threads that have no packets. Nobody waits for
//! anybody. What packets count and write lies in cells that all threads share, or is counted by each thread on its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arc_swap::{ArcSwap, Guard};
use weir_tables::Table;

use crate::ahead::Ahead;
use crate::control::{CloneSession, Replica};
use crate::externs::ExternState;
use crate::externs::hash::Hashes;
use crate::externs::turn::Turnstile;
use crate::runtime::Runtime;
use crate::tables::Seen;

/// What is published.
#[derive(Debug)]
pub(crate) struct Plane {
    /// By `TableId`.
    pub tables: Vec<Arc<Seen>>,
    /// What changes less often.
    pub settings: Arc<Settings>,
}

/// What packets read beside tables.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub value_sets: Vec<Arc<Table>>,
    pub externs: Vec<ExternState>,
    pub groups: Arc<BTreeMap<u16, Vec<Replica>>>,
    pub sessions: Arc<BTreeMap<u32, CloneSession>>,
    pub hashes: Arc<Hashes>,
}

/// What is published, held while packets read it.
pub(crate) type Pinned = Guard<Arc<Plane>>;

/// What the threads of a switch share.
#[derive(Debug)]
pub(crate) struct Shared {
    current: ArcSwap<Plane>,
    pub turnstile: Arc<Turnstile>,
    /// Whether packets have to wait in queues, or somebody watches them, so that all go the owner's way.
    pub detour: AtomicBool,
}

impl Shared {
    /// What is published now.
    pub(crate) fn pin(&self) -> Pinned {
        self.current.load()
    }

    /// Whether packets may go straight through.
    pub(crate) fn is_open(&self) -> bool {
        !self.detour.load(Relaxed)
    }
}

/// The owner's side.
#[derive(Debug)]
pub(crate) struct Publisher {
    pub shared: Arc<Shared>,
    last: Arc<Plane>,
}

impl Settings {
    fn of(runtime: &Runtime) -> Self {
        Self {
            value_sets: runtime.value_sets.clone(),
            externs: runtime.externs.clone(),
            groups: Arc::clone(&runtime.groups),
            sessions: Arc::clone(&runtime.sessions),
            hashes: Arc::clone(&runtime.hashes),
        }
    }

    /// Whether the runtime has these still.
    fn are_of(&self, runtime: &Runtime) -> bool {
        let same_sets = || self.value_sets.iter().zip(&runtime.value_sets).all(|(a, b)| Arc::ptr_eq(a, b));
        let same_externs = || self.externs.iter().zip(&runtime.externs).all(|(a, b)| a.is(b));
        Arc::ptr_eq(&self.groups, &runtime.groups)
            && Arc::ptr_eq(&self.sessions, &runtime.sessions)
            && Arc::ptr_eq(&self.hashes, &runtime.hashes)
            && same_sets()
            && same_externs()
    }

    /// Lets a reader's runtime have them.
    pub(crate) fn give(&self, runtime: &mut Runtime) {
        let Self { value_sets, externs, groups, sessions, hashes } = self.clone();
        (runtime.value_sets, runtime.externs) = (value_sets, externs);
        (runtime.groups, runtime.sessions, runtime.hashes) = (groups, sessions, hashes);
        // A reset brings new tables, and with them new settings: their versions count from the beginning.
        runtime.tables.iter_mut().for_each(|table| table.ahead = Ahead::default());
    }
}

impl Runtime {
    /// What the threads share; made when it is first asked for.
    pub(crate) fn share(&mut self) -> Arc<Shared> {
        if self.publisher.is_none() {
            let tables = self.tables.iter_mut().map(|table| Arc::new(table.see())).collect();
            let last = Arc::new(Plane { tables, settings: Arc::new(Settings::of(self)) });
            let shared = Arc::new(Shared {
                current: ArcSwap::new(Arc::clone(&last)),
                turnstile: Arc::default(),
                detour: AtomicBool::new(false),
            });
            self.turn.share(Some(Arc::clone(&shared.turnstile)));
            self.publisher = Some(Publisher { shared, last });
        }
        let publisher = self.publisher.as_ref().expect("it has just been made");
        Arc::clone(&publisher.shared)
    }

    /// Shows the others what has changed, all at once. When no others are left, nothing is kept for them any more.
    pub(crate) fn publish(&mut self) {
        let Some(mut publisher) = self.publisher.take() else { return };
        if Arc::strong_count(&publisher.shared) == 1 {
            self.turn.share(None);
            return;
        }
        let mut changed = false;
        let seen = |(table, last): (&mut crate::tables::TableRuntime, &Arc<Seen>)| {
            if table.is_as_seen(last) {
                return Arc::clone(last);
            }
            changed = true;
            Arc::new(table.see())
        };
        let tables = self.tables.iter_mut().zip(&publisher.last.tables).map(seen).collect();
        let mut settings = Arc::clone(&publisher.last.settings);
        if !settings.are_of(self) {
            changed = true;
            settings = Arc::new(Settings::of(self));
        }
        if changed {
            publisher.last = Arc::new(Plane { tables, settings });
            publisher.shared.current.store(Arc::clone(&publisher.last));
        }
        self.publisher = Some(publisher);
    }
}
