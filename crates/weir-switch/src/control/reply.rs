//! The answers to control requests: entries, profiles, queues, messages of the program.

use std::collections::BTreeMap;

use weir_device::Nanos;
use weir_ir::TableId;

use super::request::{Call, Entry};
use crate::config::Rate;
use crate::externs::{CounterValue, GroupMember};

/// An entry as read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryState {
    /// The entry's number for as long as it is in the table.
    pub handle: u64,
    /// The entry, values in the widths of their fields and parameters.
    pub entry: Entry,
    /// Whether it is a constant entry of the program.
    pub is_const: bool,
    /// Hits so far, as the table's direct counter counts them; none if it has no direct counter.
    pub hits: Option<CounterValue>,
    /// When it was last hit; none if it never was, or if the table lacks `support_timeout` and so
    /// keeps no times.
    pub last_hit: Option<Nanos>,
}

/// A table's use so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableState {
    /// Entries now.
    pub entries: usize,
    /// Lookups that found an entry.
    pub hits: u64,
    /// Lookups that found none.
    pub misses: u64,
    /// Bytes of memory for its entries and for the structures that find and change them.
    pub memory: usize,
}

/// A member of an action profile as read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberState {
    /// What it does.
    pub action: Call,
    /// How many groups, entries and defaults use it.
    pub users: usize,
}

/// What an action profile holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileState {
    /// Members by number.
    pub members: BTreeMap<u32, MemberState>,
    /// Groups by number: their members, and how many entries and defaults use them.
    pub groups: BTreeMap<u32, (Vec<GroupMember>, usize)>,
}

/// A port's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueState {
    /// Packets that wait in it.
    pub waiting: usize,
    /// Packets that it holds.
    pub depth: usize,
    /// Its own rate.
    pub rate: Option<Rate>,
    /// The rate of its port.
    pub port_rate: Option<Rate>,
}

/// An entry whose time-out has expired: nothing has hit it for that long. The entry stays in its
/// table. While it stays idle, notices repeat whenever the time-out has passed again, at most one
/// per millisecond, as in P4Runtime ("Table Idle Timeout Notification"). A notice that is not taken
/// does not repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleNotice {
    /// When the time-out expired.
    pub time: Nanos,
    /// The table.
    pub table: TableId,
    /// The entry's handle.
    pub handle: u64,
    /// The entry at that time.
    pub entry: Entry,
}
