//! Changes with names where `weir-switch` has ids.

use weir_device::{Nanos, Port};
use weir_ir::{Bits, ExternId};
use weir_switch::Rate;
use weir_switch::control::{
    self as ids, CloneSession, CounterValue, CrcParameters, GroupMember, Match, MeterConfig, Replica,
};

use super::request::{Call, Entry, EntryRef, Target};
use crate::{Cells, Error, Names};

/// One change; see [`ids::Update`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// Adds an entry; the answer is its handle.
    Insert {
        /// The table.
        table: String,
        /// The entry.
        entry: Entry,
    },
    /// Gives an entry another action.
    Modify {
        /// The table.
        table: String,
        /// The entry.
        entry: EntryRef,
        /// What happens on a hit from now on.
        action: Target,
    },
    /// Removes an entry.
    Delete {
        /// The table.
        table: String,
        /// The entry.
        entry: EntryRef,
    },
    /// Removes all entries that are not constant.
    Clear {
        /// The table.
        table: String,
    },
    /// Sets the default action.
    SetDefault {
        /// The table.
        table: String,
        /// What happens on a miss from now on.
        action: Target,
    },
    /// Sets the program's default action again.
    ResetDefault {
        /// The table.
        table: String,
    },
    /// Sets (or with none removes) an entry's idle time-out, which runs from now.
    SetIdleTimeout {
        /// The table; one with `support_timeout`.
        table: String,
        /// The entry.
        entry: EntryRef,
        /// Nanoseconds, not 0.
        timeout: Option<Nanos>,
    },
    /// Adds a member to an action profile; the answer is its number.
    InsertMember {
        /// The profile or selector.
        profile: String,
        /// Its number; if none, the first after all others.
        member: Option<u32>,
        /// What it does: an action of every table that shares the profile.
        action: Call,
    },
    /// Gives a member another action, and so all entries that use it.
    ModifyMember {
        /// The profile or selector.
        profile: String,
        /// The member.
        member: u32,
        /// What it does from now on.
        action: Call,
    },
    /// Removes a member that no group, entry or default uses.
    DeleteMember {
        /// The profile or selector.
        profile: String,
        /// The member.
        member: u32,
    },
    /// Adds a group to an action selector; the answer is its number.
    InsertGroup {
        /// The selector.
        profile: String,
        /// Its number; if none, the first after all others.
        group: Option<u32>,
        /// Its members, in any order.
        members: Vec<GroupMember>,
    },
    /// Gives a group other members. Flows of members that stay keep their member, unless a new
    /// member takes them.
    ModifyGroup {
        /// The selector.
        profile: String,
        /// The group.
        group: u32,
        /// All its members from now on, in any order.
        members: Vec<GroupMember>,
    },
    /// Removes a group that no entry or default uses.
    DeleteGroup {
        /// The selector.
        profile: String,
        /// The group.
        group: u32,
    },
    /// Sets what `crc16_custom` or `crc32_custom` computes, in the whole program.
    SetCrc {
        /// Which of them.
        algorithm: String,
        /// Numbers of 16 or 32 bits.
        parameters: CrcParameters,
    },
    /// Sets a counter's cell.
    WriteCounter {
        /// The counter.
        counter: String,
        /// The cell.
        index: u64,
        /// Its new value.
        value: CounterValue,
    },
    /// Sets the count of an entry's hits, and with it its direct counter.
    WriteDirectCounter {
        /// The table.
        table: String,
        /// The entry.
        entry: EntryRef,
        /// Its new value.
        value: CounterValue,
    },
    /// Sets all cells of a counter to 0.
    ResetCounter {
        /// The counter.
        counter: String,
    },
    /// Sets the count of all entries' hits to 0, and with it the table's direct counter.
    ResetDirectCounter {
        /// The table.
        table: String,
    },
    /// Sets a register's cell.
    WriteRegister {
        /// The register.
        register: String,
        /// The cell.
        index: u64,
        /// Its new value.
        value: Bits,
    },
    /// Sets all cells of a register to 0.
    ResetRegister {
        /// The register.
        register: String,
    },
    /// Sets (or with none removes) the rates of a meter's cell. A cell without rates marks all
    /// packets green.
    WriteMeter {
        /// The meter.
        meter: String,
        /// The cell.
        index: u64,
        /// Its new rates.
        config: Option<MeterConfig>,
    },
    /// Sets (or with none removes) the rates of an entry's cell of its table's direct meter.
    WriteDirectMeter {
        /// The table.
        table: String,
        /// The entry.
        entry: EntryRef,
        /// Its new rates.
        config: Option<MeterConfig>,
    },
    /// Sets (or with none removes) the rates of all cells of a meter.
    WriteMeterArray {
        /// The meter.
        meter: String,
        /// The new rates.
        config: Option<MeterConfig>,
    },
    /// Sets (or with none removes) the rates of all entries' cells of their table's direct meter.
    /// Entries that come later have none.
    WriteDirectMeterArray {
        /// The table.
        table: String,
        /// The new rates.
        config: Option<MeterConfig>,
    },
    /// Sets a parser value set's members, each one match a field.
    SetValueSet {
        /// The set.
        set: String,
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
        /// The queue of the port; each of them if none.
        priority: Option<usize>,
        /// Packets.
        depth: usize,
    },
    /// Sets how fast packets leave, from the next packet on; none means at once.
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
        /// Where its clones go.
        config: Option<CloneSession>,
    },
    /// Back to the start of the program: its own entries and defaults, nothing in profiles, value
    /// sets, counters, registers and multicast groups, no rates of meters. Clone sessions, CRC
    /// parameters and queues stay as they are; messages that nobody has read are lost.
    Reset,
}

impl Names<'_> {
    /// A change in ids.
    pub fn update(self, update: &Update) -> Result<ids::Update, Error> {
        Ok(match update {
            Update::Insert { table, entry } => {
                let table = self.table(table)?;
                ids::Update::Insert { table, entry: self.entry(table, entry)? }
            }
            Update::Modify { table, entry, action } => {
                let table = self.table(table)?;
                ids::Update::Modify {
                    table,
                    entry: self.entry_ref(table, entry)?,
                    action: self.target(table, action)?,
                }
            }
            Update::Delete { table, entry } => {
                let table = self.table(table)?;
                ids::Update::Delete { table, entry: self.entry_ref(table, entry)? }
            }
            Update::Clear { table } => {
                let table = self.table(table)?;
                ids::Update::Clear { table }
            }
            Update::SetDefault { table, action } => {
                let table = self.table(table)?;
                ids::Update::SetDefault { table, action: self.target(table, action)? }
            }
            Update::ResetDefault { table } => {
                let table = self.table(table)?;
                ids::Update::ResetDefault { table }
            }
            Update::SetIdleTimeout { table, entry, timeout } => {
                let table = self.table(table)?;
                ids::Update::SetIdleTimeout { table, entry: self.entry_ref(table, entry)?, timeout: *timeout }
            }
            Update::InsertMember { profile, member, action } => {
                let profile = self.profile(profile)?;
                let action = self.member_call(profile, action)?;
                ids::Update::InsertMember { profile, member: *member, action }
            }
            Update::ModifyMember { profile, member, action } => {
                let profile = self.profile(profile)?;
                let action = self.member_call(profile, action)?;
                ids::Update::ModifyMember { profile, member: *member, action }
            }
            Update::DeleteMember { profile, member } => {
                let profile = self.profile(profile)?;
                ids::Update::DeleteMember { profile, member: *member }
            }
            Update::InsertGroup { profile, group, members } => {
                let profile = self.profile(profile)?;
                ids::Update::InsertGroup { profile, group: *group, members: members.clone() }
            }
            Update::ModifyGroup { profile, group, members } => {
                let profile = self.profile(profile)?;
                ids::Update::ModifyGroup { profile, group: *group, members: members.clone() }
            }
            Update::DeleteGroup { profile, group } => {
                let profile = self.profile(profile)?;
                ids::Update::DeleteGroup { profile, group: *group }
            }
            Update::SetCrc { algorithm, parameters } => {
                let algorithm = self.crc(algorithm)?;
                ids::Update::SetCrc { algorithm, parameters: *parameters }
            }
            Update::WriteCounter { counter, index, value } => {
                let counter = self.indexed(self.counter(counter)?, counter)?;
                ids::Update::WriteCounter { counter, index: *index, value: *value }
            }
            Update::WriteDirectCounter { table, entry, value } => {
                let table = self.table(table)?;
                ids::Update::WriteDirectCounter { table, entry: self.entry_ref(table, entry)?, value: *value }
            }
            Update::ResetCounter { counter } => {
                let counter = self.indexed(self.counter(counter)?, counter)?;
                ids::Update::ResetCounter { counter }
            }
            Update::ResetDirectCounter { table } => {
                let table = self.table(table)?;
                ids::Update::ResetDirectCounter { table }
            }
            Update::WriteRegister { register, index, value } => {
                let register = self.register(register)?;
                ids::Update::WriteRegister { register, index: *index, value: value.clone() }
            }
            Update::ResetRegister { register } => {
                let register = self.register(register)?;
                ids::Update::ResetRegister { register }
            }
            Update::WriteMeter { meter, index, config } => {
                let meter = self.indexed(self.meter(meter)?, meter)?;
                ids::Update::WriteMeter { meter, index: *index, config: *config }
            }
            Update::WriteDirectMeter { table, entry, config } => {
                let table = self.table(table)?;
                ids::Update::WriteDirectMeter { table, entry: self.entry_ref(table, entry)?, config: *config }
            }
            Update::WriteMeterArray { meter, config } => {
                let meter = self.indexed(self.meter(meter)?, meter)?;
                ids::Update::WriteMeterArray { meter, config: *config }
            }
            Update::WriteDirectMeterArray { table, config } => {
                let table = self.table(table)?;
                ids::Update::WriteDirectMeterArray { table, config: *config }
            }
            Update::SetValueSet { set, members } => {
                let set = self.value_set(set)?;
                ids::Update::SetValueSet { set, members: members.clone() }
            }
            Update::SetMulticastGroup { group, replicas } => {
                ids::Update::SetMulticastGroup { group: *group, replicas: replicas.clone() }
            }
            Update::SetQueueDepth { port, priority, depth } => {
                ids::Update::SetQueueDepth { port: *port, priority: *priority, depth: *depth }
            }
            Update::SetQueueRate { port, priority, rate } => {
                ids::Update::SetQueueRate { port: *port, priority: *priority, rate: *rate }
            }
            Update::SetCloneSession { session, config } => {
                ids::Update::SetCloneSession { session: *session, config: *config }
            }
            Update::Reset => ids::Update::Reset,
        })
    }

    /// The action of a member, which all tables of the profile have.
    fn member_call(self, profile: ExternId, call: &Call) -> Result<ids::Call, Error> {
        self.call(self.profile_table(profile)?, call)
    }

    /// An indexed counter or meter.
    fn indexed(self, cells: Cells, name: &str) -> Result<ExternId, Error> {
        match cells {
            Cells::Indexed(id) => Ok(id),
            Cells::Direct(table) => {
                let table = &self.table_schema(table).name;
                Err(Error::new(format!("{name} is direct: its cells belong to the entries of table {table}")))
            }
        }
    }
}
