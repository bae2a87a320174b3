//! Changes that a request can make.

use std::sync::Arc;

use weir_device::{Nanos, Port};
use weir_ir::{Bits, ExternId, TableId, ValueSetId};
use weir_qdisc::QdiscConfig;

use super::error::CellsOf;
use super::request::{Call, Entry, EntryRef, Target};
use crate::config::Rate;
use crate::externs::{
    Calculation, CounterValue, CrcParameters, GroupMember, HashSettings, MeterConfig, MeterCounts,
};
use crate::generators::{GeneratorApp, GeneratorCounts, GeneratorPort};
use crate::state::{CloneSession, MulticastTree, Replica, Replication};
use crate::tables::Match;

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// Adds an entry. The result is its handle.
    Insert {
        /// The table.
        table: TableId,
        /// The entry.
        entry: Entry,
    },
    /// Replaces the action of an entry.
    Modify {
        /// The table.
        table: TableId,
        /// The entry.
        entry: EntryRef,
        /// The entry's action from now on.
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
        /// The new target of packets that miss.
        action: Target,
    },
    /// Restores the program's default action.
    ResetDefault {
        /// The table.
        table: TableId,
    },
    /// Sets an entry's idle time-out, which runs from now; `None` removes it.
    SetIdleTimeout {
        /// The table, which must have `support_timeout`.
        table: TableId,
        /// The entry.
        entry: EntryRef,
        /// The time-out in nanoseconds, not 0.
        timeout: Option<Nanos>,
    },
    /// Adds a member to an action profile. The result is its number.
    InsertMember {
        /// The profile or selector.
        profile: ExternId,
        /// The new member's number; if none, the first number after all others.
        member: Option<u32>,
        /// The member's action, which every table that shares the profile must have.
        action: Call,
    },
    /// Replaces the action of a member. This also affects all entries that use the member.
    ModifyMember {
        /// The profile or selector.
        profile: ExternId,
        /// The member.
        member: u32,
        /// The member's action from now on.
        action: Call,
    },
    /// Removes a member that no group, entry or default uses.
    DeleteMember {
        /// The profile or selector.
        profile: ExternId,
        /// The member.
        member: u32,
    },
    /// Adds a group to an action selector. The result is its number.
    InsertGroup {
        /// The selector.
        profile: ExternId,
        /// The new group's number; if none, the first number after all others.
        group: Option<u32>,
        /// The group's members, in any order.
        members: Vec<GroupMember>,
    },
    /// Replaces the members of a group. A flow keeps its member if the member stays in the group,
    /// unless the flow moves to a new member.
    ModifyGroup {
        /// The selector.
        profile: ExternId,
        /// The group.
        group: u32,
        /// All members of the group from now on, in any order.
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
        /// The calculation, or all calculations of an algorithm.
        calculation: Calculation,
        /// The parameters: numbers of 16 or 32 bits.
        parameters: CrcParameters,
    },
    /// Sets the function and the inputs of a hash.
    SetHash {
        /// The hash.
        hash: ExternId,
        /// The settings.
        settings: HashSettings,
    },
    /// Sets a counter's cell.
    WriteCounter {
        /// The counter.
        counter: ExternId,
        /// The index of the cell.
        index: u64,
        /// The cell's new value.
        value: CounterValue,
    },
    /// Sets the hit count of an entry in the direct counter of its table.
    WriteDirectCounter {
        /// The table.
        table: TableId,
        /// The entry.
        entry: EntryRef,
        /// The new count.
        value: CounterValue,
    },
    /// Sets all cells of a counter to 0.
    ResetCounter {
        /// The counter.
        counter: ExternId,
    },
    /// Sets the hit counts of all entries and of the default to 0. The table's direct counter shows
    /// them.
    ResetDirectCounter {
        /// The table.
        table: TableId,
    },
    /// Sets a register's cell.
    WriteRegister {
        /// The register.
        register: ExternId,
        /// The index of the cell.
        index: u64,
        /// The cell's new value.
        value: Bits,
    },
    /// Sets the cell of an entry in the direct register of its table.
    WriteDirectRegister {
        /// The table.
        table: TableId,
        /// The entry.
        entry: EntryRef,
        /// The cell's new value.
        value: Bits,
    },
    /// Sets all cells of a register to their initial value, which is 0 if the program gives none.
    ResetRegister {
        /// The register.
        register: ExternId,
    },
    /// Sets the rates of a meter's cell; `None` removes them. A cell without rates marks all
    /// packets green. The cell's counts stay.
    WriteMeter {
        /// The meter.
        meter: ExternId,
        /// The index of the cell.
        index: u64,
        /// The cell's new rates.
        config: Option<MeterConfig>,
    },
    /// Sets the rates of an entry in the direct meter of its table; `None` removes them.
    WriteDirectMeter {
        /// The table.
        table: TableId,
        /// The entry.
        entry: EntryRef,
        /// The cell's new rates.
        config: Option<MeterConfig>,
    },
    /// Sets the counts of a meter's cell.
    WriteMeterCounts {
        /// The meter.
        meter: ExternId,
        /// The index of the cell.
        index: u64,
        /// The cell's new counts.
        counts: MeterCounts,
    },
    /// Sets the counts of an entry in the direct meter of its table.
    WriteDirectMeterCounts {
        /// The table.
        table: TableId,
        /// The entry.
        entry: EntryRef,
        /// The cell's new counts.
        counts: MeterCounts,
    },
    /// Sets the rates of all cells of a meter; `None` removes them.
    WriteMeterArray {
        /// The meter.
        meter: ExternId,
        /// The new rates.
        config: Option<MeterConfig>,
    },
    /// Sets the rates of the cells of all entries in their table's direct meter; `None` removes
    /// them. Entries that are added later have no rates.
    WriteDirectMeterArray {
        /// The table.
        table: TableId,
        /// The new rates.
        config: Option<MeterConfig>,
    },
    /// Sets the number of bytes that a meter adds to the length of each packet.
    SetMeterAdjustment {
        /// The meter, or the table with a direct meter.
        meter: CellsOf,
        /// The number of bytes.
        bytes: i32,
    },
    /// Sets a parser value set's members; a member has a match for each field.
    SetValueSet {
        /// The set.
        set: ValueSetId,
        /// All members of the value set.
        members: Vec<Vec<Match>>,
    },
    /// Sets a multicast group; `None` removes it.
    SetMulticastGroup {
        /// The group's number, not 0.
        group: u16,
        /// The group's members.
        replicas: Option<Vec<Replica>>,
    },
    /// Sets a multicast group to a tree, in which the metadata of packets choose copies; only
    /// programs of TNA have such metadata.
    SetMulticastTree {
        /// The group's number, not 0.
        group: u16,
        /// The tree.
        tree: MulticastTree,
    },
    /// Sets what all multicast groups share: link aggregation groups, pruned ports, backup ports.
    SetReplication {
        /// The new settings.
        replication: Box<Replication>,
    },
    /// Sets the port and the queue of packets that have `deflect_on_drop` of TNA and find their
    /// queue full. Without them, these packets are dropped.
    SetDeflection {
        /// The port and the number of the queue.
        to: Option<(Port, usize)>,
    },
    /// Sets an application of a pipe's packet generator, from now on; `None` ends it. The
    /// application makes packets while a port of the pipe
    /// [generates](crate::control::GeneratorPort::generates).
    SetGenerator {
        /// The pipe.
        pipe: Port,
        /// The number of the application.
        app: u8,
        /// The settings.
        config: Option<GeneratorApp>,
    },
    /// Sets the counts of an application.
    SetGeneratorCounts {
        /// The pipe.
        pipe: Port,
        /// The number of the application.
        app: u8,
        /// The new counts.
        counts: GeneratorCounts,
    },
    /// Writes bytes into the buffer of a pipe's packet generator, from which its packets come.
    WriteGeneratorBuffer {
        /// The pipe.
        pipe: Port,
        /// The position of the first byte; the buffer has
        /// [`BUFFER_BYTES`](crate::control::BUFFER_BYTES).
        offset: usize,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Sets the part of a port in the generation of packets.
    SetGeneratorPort {
        /// The port.
        port: Port,
        /// The settings.
        settings: GeneratorPort,
    },
    /// Lets a port trigger packet generators again when it goes down.
    RearmGenerator {
        /// The port.
        port: Port,
    },
    /// Sets the maximum number of packets in a queue, from the next packet on.
    SetQueueDepth {
        /// The port; `None` means all ports.
        port: Option<Port>,
        /// The queue of the port; `None` means all queues.
        priority: Option<usize>,
        /// The maximum number of packets in the queue.
        depth: usize,
    },
    /// Sets the queueing discipline of a queue, from the next packet on. The discipline replaces
    /// the maximum number of packets; queues of other priorities stay separate. If the kind of the
    /// discipline changes, packets in the queue are dropped.
    SetQueueDiscipline {
        /// The port; `None` means all ports.
        port: Option<Port>,
        /// The queue of the port; `None` means all queues.
        priority: Option<usize>,
        /// The discipline; `None` means first in, first out, up to the maximum number of packets.
        /// Netem is not possible. A discipline that does not shape needs a queue with a rate.
        discipline: Option<Arc<QdiscConfig>>,
    },
    /// Sets the rate at which packets leave, from the next packet on; none means no limit.
    SetQueueRate {
        /// The port; `None` means all ports.
        port: Option<Port>,
        /// The queue, which has this rate in addition to the rate of its port. If `None`, the rate
        /// is for the whole port: its queues share the rate, and larger priorities are served
        /// first.
        priority: Option<usize>,
        /// The new rate.
        rate: Option<Rate>,
    },
    /// Sets a clone session; `None` removes it.
    SetCloneSession {
        /// The session's number.
        session: u32,
        /// The destination of its clones.
        config: Option<CloneSession>,
    },
    /// Resets the program's state: tables have the program's own entries and defaults; profiles,
    /// value sets, counters, registers and multicast groups are empty; meters have no rates. Clone
    /// sessions, CRC parameters, queues and packet generators do not change; unread messages are
    /// lost.
    Reset,
}
