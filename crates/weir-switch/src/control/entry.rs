//! What control requests speak of, by name and value.

use std::collections::BTreeMap;

use weir_device::{Nanos, Port};
use weir_ir::Bits;

use crate::config::Rate;
use crate::externs::{CounterValue, CrcParameters, MeterConfig};
use crate::state::{CloneSession, Replica};
use crate::tables::Match;

/// An action with its arguments by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The action's name or an unambiguous suffix of it.
    pub action: String,
    /// Parameter names and values, every parameter once, in any order; read back in the order of the parameters.
    pub args: Vec<(String, Bits)>,
}

/// What an entry does on a hit, or a default on a miss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// This action: for entries of tables without action profile, and for the default of any table.
    Action(Call),
    /// The action of this member of the table's action profile or selector.
    Member(u32),
    /// The action of one of this group's members, which the selector keys choose. Of an empty group: the program's default
    /// action of the table.
    Group(u32),
    /// One of these actions, which belong to the entry alone; chosen as a group's members are. For tables with a selector.
    OneOf(Vec<WeightedCall>),
}

impl From<Call> for Target {
    fn from(call: Call) -> Self {
        Self::Action(call)
    }
}

/// An action and its share of the flows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedCall {
    /// What happens.
    pub action: Call,
    /// The share compared with the others', at least 1; all together at most 4096.
    pub weight: u32,
}

/// A member in a group of an action selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// Its number.
    pub member: u32,
    /// Its share of the flows compared with the others', at least 1; all together at most 4096.
    pub weight: u32,
}

/// A member as read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberState {
    /// What it does.
    pub action: Call,
    /// Groups, entries and defaults that name it.
    pub users: usize,
}

/// What an action profile holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileState {
    /// Members by number.
    pub members: BTreeMap<u32, MemberState>,
    /// Groups by number: their members, and how many entries and defaults name them.
    pub groups: BTreeMap<u32, (Vec<GroupMember>, usize)>,
}

/// An entry whose time-out has run out: nothing has hit it for as long. There is one notice for each time of idleness, and the
/// entry stays in its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleNotice {
    /// When it ran out.
    pub time: Nanos,
    /// The table's name.
    pub table: String,
    /// The entry's handle.
    pub handle: u64,
    /// The entry as it was then.
    pub entry: Entry,
}

/// An entry of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Key fields by name (or unambiguous suffix) and what they accept, in any order; read back in the order of the keys.
    pub matches: Vec<(String, Match)>,
    /// Larger is preferred. Needed exactly if the table's [`needs_priority`](super::TableSchema::needs_priority).
    pub priority: Option<u32>,
    /// What happens on a hit.
    pub action: Target,
    /// After how many nanoseconds without a hit a notice comes, see [`IdleNotice`]; none means never. For tables with `support_timeout`.
    pub idle_timeout: Option<Nanos>,
}

/// How a request names an existing entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryRef {
    /// By its handle.
    Handle(u64),
    /// By what it matches.
    Key {
        /// As in [`Entry::matches`].
        matches: Vec<(String, Match)>,
        /// As in [`Entry::priority`].
        priority: Option<u32>,
    },
}

/// An entry as read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryState {
    /// Names the entry for as long as it is in the table.
    pub handle: u64,
    /// The entry, values in the widths of their fields and parameters, names in full.
    pub entry: Entry,
    /// Whether the program itself gave it as constant.
    pub is_const: bool,
    /// Hits so far, as the table's direct counter counts them; none if it has no direct counter.
    pub hits: Option<CounterValue>,
    /// When it was last hit, if it was and the table has `support_timeout`; the hits of other tables' entries leave no time.
    pub last_hit: Option<Nanos>,
}

/// A table's use so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableState {
    /// Entries now.
    pub entries: usize,
    /// Look-ups that found an entry.
    pub hits: u64,
    /// Look-ups that found none.
    pub misses: u64,
    /// Bytes of memory that its entries take, with all that is needed to find and change them.
    pub memory: usize,
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

/// One change. Names are full or unambiguous suffixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// Adds an entry; the answer is its handle.
    Insert {
        /// Which table.
        table: String,
        /// What.
        entry: Entry,
    },
    /// Gives an entry another action.
    Modify {
        /// Which table.
        table: String,
        /// Which entry.
        entry: EntryRef,
        /// What happens on a hit from now on.
        action: Target,
    },
    /// Takes an entry out.
    Delete {
        /// Which table.
        table: String,
        /// Which entry.
        entry: EntryRef,
    },
    /// Takes out all entries that are not constant.
    Clear {
        /// Which table.
        table: String,
    },
    /// Sets the default action.
    SetDefault {
        /// Which table.
        table: String,
        /// What happens on a miss from now on.
        action: Target,
    },
    /// Back to the program's default action.
    ResetDefault {
        /// Which table.
        table: String,
    },
    /// Sets (or with none removes) an entry's idle time-out, which runs from now.
    SetIdleTimeout {
        /// Which table; one with `support_timeout`.
        table: String,
        /// Which entry.
        entry: EntryRef,
        /// Nanoseconds, not 0.
        timeout: Option<Nanos>,
    },
    /// Adds a member to an action profile; the answer is its number.
    InsertMember {
        /// Which profile or selector.
        profile: String,
        /// Its number; if none, the first after all others.
        member: Option<u32>,
        /// What it does: an action of every table that shares the profile.
        action: Call,
    },
    /// Gives a member another action, and so all entries that lead to it.
    ModifyMember {
        /// Which profile or selector.
        profile: String,
        /// Which member.
        member: u32,
        /// What it does from now on.
        action: Call,
    },
    /// Takes a member out that no group, entry or default names.
    DeleteMember {
        /// Which profile or selector.
        profile: String,
        /// Which member.
        member: u32,
    },
    /// Adds a group to an action selector; the answer is its number.
    InsertGroup {
        /// Which selector.
        profile: String,
        /// Its number; if none, the first after all others.
        group: Option<u32>,
        /// Its members, in any order.
        members: Vec<GroupMember>,
    },
    /// Gives a group other members. Flows of those that stay, stay, unless one that comes takes them.
    ModifyGroup {
        /// Which selector.
        profile: String,
        /// Which group.
        group: u32,
        /// All its members from now on, in any order.
        members: Vec<GroupMember>,
    },
    /// Takes a group out that no entry or default names.
    DeleteGroup {
        /// Which selector.
        profile: String,
        /// Which group.
        group: u32,
    },
    /// Sets what `crc16_custom` or `crc32_custom` computes, in the whole program.
    SetCrc {
        /// `crc16_custom` or `crc32_custom`.
        algorithm: String,
        /// Numbers of 16 or 32 bits.
        parameters: CrcParameters,
    },
    /// Sets a counter's cell.
    WriteCounter {
        /// Which counter.
        counter: String,
        /// Which cell.
        index: u64,
        /// To what.
        value: CounterValue,
    },
    /// Sets the count of an entry's hits, and with it its direct counter.
    WriteDirectCounter {
        /// Which table.
        table: String,
        /// Which entry.
        entry: EntryRef,
        /// To what.
        value: CounterValue,
    },
    /// Sets all cells of a counter to 0.
    ResetCounter {
        /// Which counter.
        counter: String,
    },
    /// Sets the count of all entries' hits to 0, and with it the table's direct counter.
    ResetDirectCounter {
        /// Which table.
        table: String,
    },
    /// Sets a register's cell.
    WriteRegister {
        /// Which register.
        register: String,
        /// Which cell.
        index: u64,
        /// To what.
        value: Bits,
    },
    /// Sets all cells of a register to 0.
    ResetRegister {
        /// Which register.
        register: String,
    },
    /// Sets (or with none removes) the rates of a meter's cell. A cell without rates says green.
    WriteMeter {
        /// Which meter.
        meter: String,
        /// Which cell.
        index: u64,
        /// To what.
        config: Option<MeterConfig>,
    },
    /// Sets (or with none removes) the rates of an entry's cell of its table's direct meter. A cell without rates says green.
    WriteDirectMeter {
        /// Which table.
        table: String,
        /// Which entry.
        entry: EntryRef,
        /// To what.
        config: Option<MeterConfig>,
    },
    /// Sets (or with none removes) the rates of all cells of a meter.
    WriteMeterArray {
        /// Which meter.
        meter: String,
        /// To what.
        config: Option<MeterConfig>,
    },
    /// Sets (or with none removes) the rates of all entries' cells of their table's direct meter. Entries that come later have none.
    WriteDirectMeterArray {
        /// Which table.
        table: String,
        /// To what.
        config: Option<MeterConfig>,
    },
    /// Sets a parser value set's members, each one match a field.
    SetValueSet {
        /// Which set.
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
        /// Which port's; all ports' if none.
        port: Option<Port>,
        /// Which of a port's queues; each of them if none.
        priority: Option<usize>,
        /// Packets.
        depth: usize,
    },
    /// Sets how fast packets leave, from the next packet on; none means at once.
    SetQueueRate {
        /// Which port; all ports if none.
        port: Option<Port>,
        /// This queue alone, beside its port's rate; if none, the port as a whole: its queues share the rate, larger
        /// priorities first.
        priority: Option<usize>,
        /// How fast.
        rate: Option<Rate>,
    },
    /// Sets (or with none removes) a clone session.
    SetCloneSession {
        /// Its number.
        session: u32,
        /// Where its clones go.
        config: Option<CloneSession>,
    },
    /// Back to how the program began: its own entries and defaults, nothing in profiles, value sets, counters, registers and
    /// multicast groups, no rates of meters. Clone sessions, CRC parameters and queues stay as they are, messages that nobody has taken
    /// are lost.
    Reset,
}
