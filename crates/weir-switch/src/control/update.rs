//! Changes.

use weir_device::{Nanos, Port};
use weir_ir::{Bits, ExternId, TableId, ValueSetId};

use super::request::{Call, Entry, EntryRef, Target};
use crate::config::Rate;
use crate::externs::{Calculation, CounterValue, CrcParameters, GroupMember, MeterConfig, MeterCounts};
use crate::state::{CloneSession, Replica};
use crate::tables::Match;

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// Adds an entry; the answer is its handle.
    Insert {
        /// The table.
        table: TableId,
        /// The entry.
        entry: Entry,
    },
    /// Gives an entry another action.
    Modify {
        /// The table.
        table: TableId,
        /// The entry.
        entry: EntryRef,
        /// What the entry does from now on.
        action: Target,
    },
    /// Removes an entry.
    Delete {
        /// The table.
        table: TableId,
        /// The entry.
        entry: EntryRef,
    },
    /// Removes all entries that are not constant.
    Clear {
        /// The table.
        table: TableId,
    },
    /// Sets the default action.
    SetDefault {
        /// The table.
        table: TableId,
        /// The target on a miss from now on.
        action: Target,
    },
    /// Sets the program's default action again.
    ResetDefault {
        /// The table.
        table: TableId,
    },
    /// Sets (or with none removes) an entry's idle time-out, which runs from now.
    SetIdleTimeout {
        /// The table; one with `support_timeout`.
        table: TableId,
        /// The entry.
        entry: EntryRef,
        /// Nanoseconds, not 0.
        timeout: Option<Nanos>,
    },
    /// Adds a member to an action profile; the answer is its number.
    InsertMember {
        /// The profile or selector.
        profile: ExternId,
        /// Its number; if none, the first after all others.
        member: Option<u32>,
        /// Its action, which every table that shares the profile must have.
        action: Call,
    },
    /// Gives a member another action, and so all entries that use it.
    ModifyMember {
        /// The profile or selector.
        profile: ExternId,
        /// The member.
        member: u32,
        /// Its action from now on.
        action: Call,
    },
    /// Removes a member that no group, entry or default uses.
    DeleteMember {
        /// The profile or selector.
        profile: ExternId,
        /// The member.
        member: u32,
    },
    /// Adds a group to an action selector; the answer is its number.
    InsertGroup {
        /// The selector.
        profile: ExternId,
        /// Its number; if none, the first after all others.
        group: Option<u32>,
        /// Its members, in any order.
        members: Vec<GroupMember>,
    },
    /// Gives a group other members. Flows of members that stay keep their member, unless a new
    /// member takes them.
    ModifyGroup {
        /// The selector.
        profile: ExternId,
        /// The group.
        group: u32,
        /// All its members from now on, in any order.
        members: Vec<GroupMember>,
    },
    /// Removes a group that no entry or default uses.
    DeleteGroup {
        /// The selector.
        profile: ExternId,
        /// The group.
        group: u32,
    },
    /// Sets the parameters of a CRC calculation, or of all of `crc16_custom` or `crc32_custom`.
    SetCrc {
        /// Which of them.
        calculation: Calculation,
        /// Numbers of 16 or 32 bits.
        parameters: CrcParameters,
    },
    /// Sets a counter's cell.
    WriteCounter {
        /// The counter.
        counter: ExternId,
        /// The cell.
        index: u64,
        /// Its new value.
        value: CounterValue,
    },
    /// Sets the count of an entry's hits, and with it its direct counter.
    WriteDirectCounter {
        /// The table.
        table: TableId,
        /// The entry.
        entry: EntryRef,
        /// Its new value.
        value: CounterValue,
    },
    /// Sets all cells of a counter to 0.
    ResetCounter {
        /// The counter.
        counter: ExternId,
    },
    /// Sets the hit counts of all entries and of the default to 0, and with them the table's direct
    /// counter.
    ResetDirectCounter {
        /// The table.
        table: TableId,
    },
    /// Sets a register's cell.
    WriteRegister {
        /// The register.
        register: ExternId,
        /// The cell.
        index: u64,
        /// Its new value.
        value: Bits,
    },
    /// Sets all cells of a register to 0.
    ResetRegister {
        /// The register.
        register: ExternId,
    },
    /// Sets (or with none removes) the rates of a meter's cell. A cell without rates marks all
    /// packets green. The cell's counts stay.
    WriteMeter {
        /// The meter.
        meter: ExternId,
        /// The cell.
        index: u64,
        /// Its new rates.
        config: Option<MeterConfig>,
    },
    /// Sets (or with none removes) the rates of an entry's cell of its table's direct meter.
    WriteDirectMeter {
        /// The table.
        table: TableId,
        /// The entry.
        entry: EntryRef,
        /// Its new rates.
        config: Option<MeterConfig>,
    },
    /// Sets the counts of a meter's cell.
    WriteMeterCounts {
        /// The meter.
        meter: ExternId,
        /// The cell.
        index: u64,
        /// Its new counts.
        counts: MeterCounts,
    },
    /// Sets the counts of an entry's cell of its table's direct meter.
    WriteDirectMeterCounts {
        /// The table.
        table: TableId,
        /// The entry.
        entry: EntryRef,
        /// Its new counts.
        counts: MeterCounts,
    },
    /// Sets (or with none removes) the rates of all cells of a meter.
    WriteMeterArray {
        /// The meter.
        meter: ExternId,
        /// The new rates.
        config: Option<MeterConfig>,
    },
    /// Sets (or with none removes) the rates of all entries' cells of their table's direct meter.
    /// Later entries have none.
    WriteDirectMeterArray {
        /// The table.
        table: TableId,
        /// The new rates.
        config: Option<MeterConfig>,
    },
    /// Sets a parser value set's members; a member has a match for each field.
    SetValueSet {
        /// The set.
        set: ValueSetId,
        /// All its members.
        members: Vec<Vec<Match>>,
    },
    /// Sets (or with none removes) a multicast group.
    SetMulticastGroup {
        /// Its number, not 0.
        group: u16,
        /// Its members.
        replicas: Option<Vec<Replica>>,
    },
    /// Sets how many packets a queue holds, from the next packet on.
    SetQueueDepth {
        /// The port; all ports if none.
        port: Option<Port>,
        /// The queue of the port; all queues if none.
        priority: Option<usize>,
        /// Packets.
        depth: usize,
    },
    /// Sets the rate at which packets leave, from the next packet on; none means no limit.
    SetQueueRate {
        /// The port; all ports if none.
        port: Option<Port>,
        /// This queue alone, in addition to its port's rate; if none, the port as a whole: its
        /// queues share the rate, larger priorities first.
        priority: Option<usize>,
        /// The new rate.
        rate: Option<Rate>,
    },
    /// Sets (or with none removes) a clone session.
    SetCloneSession {
        /// Its number.
        session: u32,
        /// The destination of its clones.
        config: Option<CloneSession>,
    },
    /// Resets the program's state: tables have the program's own entries and defaults; profiles,
    /// value sets, counters, registers and multicast groups are empty; meters have no rates. Clone
    /// sessions, CRC parameters and queues do not change; unread messages are lost.
    Reset,
}
