//! The state that outlives a packet, by its owner.
//!
//! - [`ControlState`] belongs to the owner: tables, extern objects, groups, sessions. Control
//!   requests change it, packets read it.
//! - [`ControlSnapshot`](snapshot::ControlSnapshot) is an immutable version of it, for packets on
//!   other threads.
//! - [`ControlView`] is the version that a packet reads: either of the two.
//! - [`ThreadState`] is the state of each thread that runs packets: caches, counts, random numbers,
//!   waiting messages.

mod lookup;
mod messages;
mod multicast;
mod replication;
mod snapshot;
mod thread;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use weir_device::{Nanos, Port};
use weir_ir::{Bits, ExternId, Program};
use weir_tables::{Entry, Field, KeyLayout, Table};

use crate::error::LoadError;
use crate::externs::ExternState;
use crate::externs::hash::Hashes;
use crate::externs::register_lock::LockHandle;
use crate::generators::Generators;
use crate::tables::{
    Actions, EntryChange, EntryHit, IdleNotice, IdleTimers, OwnedTable, TablesView, field_kind, match_kind,
};

pub(crate) use lookup::ChosenMember;
pub(crate) use messages::Messages;
pub use messages::{Digest, LogLine, Subscriptions};
pub(crate) use multicast::Group;
pub use multicast::{MulticastBranch, MulticastLag, MulticastNode, MulticastTree, Replication};
pub use replication::{Backup, CopyChoice, Replica};
pub(crate) use snapshot::{Publisher, Shared};
pub(crate) use thread::{Reports, ThreadState};

/// The destinations of a session's clones. Each clone goes to all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CloneSession {
    /// A port to which a clone goes, with the replication id of the original.
    pub port: Option<Port>,
    /// The replicas, each of which gets a clone with its own replication id.
    pub replicas: Vec<Replica>,
    /// A multicast group. Each member gets a clone.
    pub group: Option<u16>,
    /// The queue in which a clone waits, and the priority in its metadata in egress. If ports do
    /// not have this priority, the largest one is used. `None` leaves both unchanged.
    pub priority: Option<usize>,
    /// The number of bytes to which a clone is cut when it is transmitted.
    pub truncate: Option<usize>,
    /// The metadata of clones that select the copies of the multicast group.
    pub choice: CopyChoice,
}

/// The state that belongs to the owner of the switch.
pub(crate) struct ControlState {
    /// The tables, by `TableId`.
    pub tables: Vec<OwnedTable>,
    pub settings: Settings,
    pub idle: IdleTimers,
    pub generators: Generators,
    pub messages: Messages,
    /// The number of times that the state was reset.
    pub resets: u64,
    /// Publishes changes to other threads, if there are other threads.
    pub publisher: Option<Publisher>,
}

/// The parts of the state that packets read, apart from tables. They change less often than tables.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The value sets, by `ValueSetId`.
    pub value_sets: Vec<Arc<Table>>,
    /// The states of the externs, by `ExternId`.
    pub externs: Vec<ExternState>,
    pub groups: Arc<BTreeMap<u16, Group>>,
    pub replication: Arc<Replication>,
    pub sessions: Arc<BTreeMap<u32, CloneSession>>,
    /// The clone sessions that the architecture makes.
    pub first_sessions: Arc<BTreeMap<u32, CloneSession>>,
    pub hashes: Arc<Hashes>,
    /// The ports that are down.
    pub down_ports: Arc<BTreeSet<Port>>,
}

impl Settings {
    /// Returns the number of clones that a session makes.
    pub(crate) fn clone_count(&self, session: u32) -> u32 {
        let Some(session) = self.sessions.get(&session) else { return 0 };
        let group = session.group.and_then(|group| self.groups.get(&group));
        let members = group.map_or(0, |group| group.replicas.len());
        let copies = usize::from(session.port.is_some()) + session.replicas.len() + members;
        u32::try_from(copies).unwrap_or(u32::MAX)
    }
}

/// Everything that control requests can change, as a packet reads it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ControlView<'a> {
    pub tables: TablesView<'a>,
    pub settings: &'a Settings,
}

impl ControlView<'_> {
    /// Returns a table entry, if this is the owner's view and the entry exists.
    pub(crate) fn entry(self, table: weir_ir::TableId, handle: u64) -> Option<Entry> {
        match self.tables {
            TablesView::Owned(tables) => tables[table.index()].entries.get(handle),
            TablesView::Snapshot(_) => None,
        }
    }
}

impl ControlState {
    /// Creates the initial state: constant and initial entries, and zeroes everywhere else.
    pub(crate) fn new(program: &Program, externs: Vec<ExternState>) -> Result<Self, LoadError> {
        let value_sets = program.value_sets.values().map(|set| {
            let fields = set.fields.iter().map(|field| {
                let what = || format!("value set `{}`", set.name);
                let kind = match_kind(program, &field.match_kind, set.loc, what)?;
                Ok(Field { width: field.width, kind: field_kind(kind) })
            });
            Ok(Arc::new(Table::new(KeyLayout::new(fields.collect::<Result<_, LoadError>>()?), 0)))
        });
        let value_sets = value_sets.collect::<Result<_, LoadError>>()?;
        let actions = Arc::new(Actions::new(program));
        let tables = program.tables.iter().map(|(id, _)| OwnedTable::new(program, id, &actions, &externs));
        Ok(Self {
            tables: tables.collect::<Result<_, _>>()?,
            settings: Settings {
                value_sets,
                externs,
                groups: Arc::default(),
                replication: Arc::default(),
                sessions: Arc::default(),
                first_sessions: Arc::default(),
                hashes: Arc::new(Hashes::new(program)),
                down_ports: Arc::default(),
            },
            idle: IdleTimers::default(),
            generators: Generators::new(None, 0),
            messages: Messages::default(),
            resets: 0,
            publisher: None,
        })
    }

    /// Creates the state after a reset: the initial state, but with the current clone sessions, CRC
    /// parameters, packet generators and port states. Packets see it from `now` on.
    pub(crate) fn initial(&self, program: &Program, now: Nanos) -> Self {
        let externs = self.settings.externs.iter().map(ExternState::initial).collect();
        let mut initial = Self::new(program, externs).expect("what could be loaded once can be loaded again");
        initial.settings.sessions = Arc::clone(&self.settings.sessions);
        initial.settings.first_sessions = Arc::clone(&self.settings.first_sessions);
        initial.settings.hashes = Arc::clone(&self.settings.hashes);
        initial.settings.down_ports = Arc::clone(&self.settings.down_ports);
        initial.generators = self.generators.clone();
        initial.resets = self.resets + 1;
        initial.set_start_time(now);
        initial
    }

    /// Records that packets did not see this state before `now`.
    pub(crate) fn set_start_time(&mut self, now: Nanos) {
        self.tables.iter_mut().for_each(|table| table.set_start_time(now));
    }

    /// Replaces this state, and returns the previous one. The publisher stays.
    pub(crate) fn replace(&mut self, other: Self) -> Self {
        let mut old = std::mem::replace(self, other);
        std::mem::swap(&mut self.publisher, &mut old.publisher);
        old
    }

    /// Returns the view of the state for the owner's packets.
    pub(crate) fn view(&self) -> ControlView<'_> {
        ControlView { tables: TablesView::Owned(&self.tables), settings: &self.settings }
    }

    pub(crate) fn extern_mut(&mut self, id: ExternId) -> &mut ExternState {
        &mut self.settings.externs[id.index()]
    }

    /// Records that a port is up or down.
    pub(crate) fn set_port_up(&mut self, port: Port, up: bool) {
        if self.settings.down_ports.contains(&port) == up {
            let down = Arc::make_mut(&mut self.settings.down_ports);
            if up {
                down.remove(&port)
            } else {
                down.insert(port)
            };
            self.publish();
        }
    }

    /// Sets a register's cell and returns the previous value. Holds the register lock, so that no
    /// packet on another thread is between reading the cell and writing it back.
    pub(crate) fn replace_cell(&mut self, register: ExternId, index: u64, value: &Bits) -> Option<Bits> {
        let ExternState::Register(cells) = &self.settings.externs[register.index()] else { return None };
        let mut lock = LockHandle::default();
        lock.share(self.publisher.as_ref().map(|publisher| Arc::clone(&publisher.shared.register_lock)));
        lock.acquire();
        let old = cells.get(index);
        cells.set(index, value);
        old
    }

    /// Records the hits of entries that packets have reported.
    pub(crate) fn record_hits(&mut self, hits: impl IntoIterator<Item = EntryHit>) {
        for EntryHit { table, handle, time } in hits {
            self.tables[table.index()].record_hit(handle, time, &mut self.idle);
        }
    }

    /// Makes the changes of entries that packets have requested. They need not be published: if the
    /// packets of a program change entries, no packet runs on another thread.
    pub(crate) fn change_entries(&mut self, changes: impl IntoIterator<Item = EntryChange>) {
        for change in changes {
            self.tables[change.table().index()].change(change, &mut self.idle);
        }
        let Self { tables, idle, .. } = self;
        let entries = || tables.iter().map(|table| table.entries.len()).sum();
        idle.forget_ignored(entries, |table, handle, time| tables[table.index()].has_timer(handle, time));
    }

    /// Handles the first timer of an idle entry.
    pub(crate) fn handle_idle_timer(&mut self) {
        if let Some((time, table, handle)) = self.idle.take_first() {
            let deleted = self.tables[table.index()].handle_timer(handle, time, &mut self.idle);
            let Self { tables, idle, .. } = self;
            let entries = || tables.iter().map(|table| table.entries.len()).sum();
            idle.forget_removed(entries, |table, handle| tables[table.index()].is_reported(handle));
            if deleted {
                self.publish();
            }
        }
    }

    /// Takes the notices of idle entries at `now`. Notices of entries that remain idle repeat from
    /// then on.
    pub(crate) fn take_idle_notices(&mut self, now: Nanos) -> VecDeque<IdleNotice> {
        for (table, handle) in self.idle.take_reported() {
            self.tables[table.index()].repeat_notice(now, handle, &mut self.idle);
        }
        std::mem::take(&mut self.idle.notices)
    }

    /// Takes over the reports of the packets on the owner's thread.
    pub(crate) fn record_thread(&mut self, thread: &mut ThreadState) {
        for (table, scratch) in self.tables.iter_mut().zip(&mut thread.tables) {
            let (hits, misses) = scratch.take_counts();
            table.hits += hits;
            table.misses += misses;
        }
        self.messages.add(std::mem::take(&mut thread.messages));
        self.record_hits(thread.hits.drain(..));
    }

    /// Takes over the reports of another thread.
    pub(crate) fn take_over_reports(&mut self, reports: Reports) {
        let Reports { lookups, hits, messages } = reports;
        for (table, (hits, misses)) in self.tables.iter_mut().zip(lookups) {
            table.hits += hits;
            table.misses += misses;
        }
        self.messages.add(messages);
        self.record_hits(hits.into_iter().map(|((table, handle), time)| EntryHit { table, handle, time }));
    }
}
