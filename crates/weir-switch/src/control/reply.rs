//! The answers to control requests: entries, profiles, queues, and messages of the program.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_device::Nanos;
use weir_ir::TableId;
use weir_qdisc::{Counts, QdiscConfig};

use super::request::{Call, Entry};
use crate::config::Rate;
use crate::externs::{CounterValue, GroupMember};

/// An entry as read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryState {
    /// The entry's number for as long as it is in the table.
    pub handle: u64,
    /// The entry. Its values have the widths of their fields and parameters.
    pub entry: Entry,
    /// Whether it is a constant entry of the program.
    pub is_const: bool,
    /// The hits of the entry in the direct counter of the table; `None` if the table has no direct
    /// counter.
    pub hits: Option<CounterValue>,
    /// The time of the last hit; `None` if the entry was never hit, or if the table has no
    /// `support_timeout` and therefore records no times.
    pub last_hit: Option<Nanos>,
}

/// The size of a table, and the counts of its lookup results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableState {
    /// The current number of entries.
    pub entries: usize,
    /// The number of lookups that found an entry.
    pub hits: u64,
    /// The number of lookups that found no entry.
    pub misses: u64,
    /// The memory in bytes for the entries and for the data structures that find and change them.
    pub memory: usize,
}

/// A member of an action profile as read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberState {
    /// The member's action.
    pub action: Call,
    /// The number of groups, entries and defaults that use the member.
    pub users: usize,
}

/// The contents of an action profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileState {
    /// The members, by number.
    pub members: BTreeMap<u32, MemberState>,
    /// The groups, by number: their members, and how many entries and defaults use them.
    pub groups: BTreeMap<u32, (Vec<GroupMember>, usize)>,
}

/// A port's queue.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueState {
    /// The number of packets that wait in the queue.
    pub waiting: usize,
    /// The maximum number of packets in the queue, if it has no discipline.
    pub depth: usize,
    /// The queue's discipline. Without one, the queue is first in, first out.
    pub discipline: Option<DisciplineState>,
    /// The queue's own rate.
    pub rate: Option<Rate>,
    /// The rate of the queue's port.
    pub port_rate: Option<Rate>,
}

/// The queueing discipline of a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct DisciplineState {
    /// The discipline and its settings.
    pub config: Arc<QdiscConfig>,
    /// The counts since a discipline of this kind was set.
    pub counts: Counts,
}

/// A notice that an entry was not hit for the duration of its time-out. The entry stays in its
/// table. While it stays idle, the notice is repeated after each further time-out, but at most once
/// per millisecond, as in P4Runtime ("Table Idle Timeout Notification"). A notice is repeated only
/// after it was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleNotice {
    /// The time at which the time-out expired.
    pub time: Nanos,
    /// The table.
    pub table: TableId,
    /// The entry's handle.
    pub handle: u64,
    /// The entry at that time.
    pub entry: Entry,
}
