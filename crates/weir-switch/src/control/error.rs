//! Errors of control requests.

use weir_ir::{ActionId, Bits, ExternId, TableId, ValueSetId};

use crate::externs::{Calculation, CounterUnit, MeterRate};
use crate::generators::GeneratorError;
use crate::tables::{Match, MatchKind};
use crate::traffic_manager::DisciplineError;

/// An error of a control request. It contains ids and positions, which the crate `weir-control`
/// converts to text and names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{self:?}")]
pub enum ControlError {
    /// The program has no such table.
    NoSuchTable(TableId),
    /// The program has no such parser value set.
    NoSuchValueSet(ValueSetId),
    /// The program has no calculation at this position.
    NoSuchCalculation(usize),
    /// The program has no such extern, or it is another kind of extern.
    NoSuchExtern {
        /// The kind that was expected: `counter`, `register`, `meter`, `action profile`.
        what: &'static str,
        /// The requested id.
        id: ExternId,
    },
    /// The number of matches differs from the number of keys.
    KeyCount {
        /// The table.
        table: TableId,
        /// The number of matches in the request.
        given: usize,
    },
    /// The number of arguments differs from the number of parameters.
    ArgumentCount {
        /// The action.
        action: ActionId,
        /// The number of arguments in the request.
        given: usize,
    },
    /// A number has more bits than its field.
    ValueTooWide {
        /// The field.
        field: Field,
        /// The number.
        value: Bits,
        /// The number of bits that the number needs.
        needs: u32,
        /// The number of bits of the field.
        has: u32,
    },
    /// A match of another kind than the field's.
    WrongMatch {
        /// The field.
        field: Field,
        /// The match kind of the field.
        kind: MatchKind,
        /// The match in the request.
        given: Box<Match>,
    },
    /// A prefix longer than its field.
    PrefixTooLong {
        /// The field.
        field: Field,
        /// The length of the prefix in bits.
        len: u32,
        /// The width of the field in bits.
        width: u32,
    },
    /// A range that ends before it starts.
    EmptyRange {
        /// The field.
        field: Field,
        /// The low and the high end of the range.
        ends: Box<(Bits, Bits)>,
    },
    /// The table orders its entries by priority and none is given.
    PriorityMissing(TableId),
    /// The table does not order its entries by priority.
    PriorityNotAllowed(TableId),
    /// The action is not in the table's list.
    ActionNotInTable {
        /// The table.
        table: TableId,
        /// The action.
        action: ActionId,
    },
    /// The action is only for the default.
    DefaultOnly {
        /// The table.
        table: TableId,
        /// The action.
        action: ActionId,
    },
    /// The action is not for the default.
    TableOnly {
        /// The table.
        table: TableId,
        /// The action.
        action: ActionId,
    },
    /// The action may only be the group action of an action set.
    GroupOnly {
        /// The table.
        table: TableId,
        /// The action.
        action: ActionId,
    },
    /// The action is not permitted as the group action of an action set.
    NoGroupAction {
        /// The table.
        table: TableId,
        /// The action.
        action: ActionId,
    },
    /// The entries are constant.
    ConstEntries(TableId),
    /// The entry is constant.
    ConstEntry {
        /// The table.
        table: TableId,
        /// The entry.
        handle: u64,
    },
    /// The default action is constant.
    ConstDefault(TableId),
    /// The table has no key, so it can have no entries.
    NoKey(TableId),
    /// The table already has this entry.
    Duplicate {
        /// The table.
        table: TableId,
        /// The entry.
        handle: u64,
    },
    /// The table has no such entry.
    NoSuchEntry {
        /// The table.
        table: TableId,
        /// The handle, if the request used one.
        handle: Option<u64>,
    },
    /// The table has no room for another entry.
    TableFull {
        /// The table.
        table: TableId,
        /// The maximum number of entries.
        size: u64,
    },
    /// The table has no direct counter.
    NoDirectCounter(TableId),
    /// The table has no direct meter.
    NoDirectMeter(TableId),
    /// The table has no direct register.
    NoDirectRegister(TableId),
    /// The table has no `support_timeout`.
    NoIdleTimeout(TableId),
    /// The request contains a time-out of 0.
    IdleTimeoutZero,
    /// The value set has no room for another member.
    ValueSetFull {
        /// The set.
        set: ValueSetId,
        /// The number of members in the request.
        given: usize,
    },
    /// A member of a value set does not have one match per field.
    MemberFields {
        /// The set.
        set: ValueSetId,
        /// The number of matches given.
        given: usize,
    },
    /// The request names a cell past the end of a counter, register or meter.
    NoSuchIndex {
        /// The kind of extern: `counter`, `register`, `meter`.
        what: &'static str,
        /// The extern.
        id: ExternId,
        /// The requested index.
        index: u64,
        /// The number of cells.
        size: u64,
    },
    /// The table has no action profile.
    NoProfile(TableId),
    /// Entries of the table use members, not actions.
    NeedsMember {
        /// The table.
        table: TableId,
        /// The table's profile.
        profile: ExternId,
    },
    /// The profile has no groups.
    NoSelector(ExternId),
    /// No table has the profile as its implementation.
    ProfileUnused(ExternId),
    /// The action profile has no room for another member.
    ProfileFull {
        /// The profile.
        profile: ExternId,
        /// The maximum number of members.
        size: u64,
    },
    /// The profile has no member or group with this number.
    NoSuchNumber {
        /// The kind of object: `member` or `group`.
        what: &'static str,
        /// The profile.
        profile: ExternId,
        /// The requested number.
        id: u32,
        /// The existing numbers.
        known: Vec<u32>,
    },
    /// The profile already has a member or group with this number.
    NumberTaken {
        /// The kind of object: `member` or `group`.
        what: &'static str,
        /// The profile.
        profile: ExternId,
        /// The number of the member or group.
        id: u32,
    },
    /// The member or group is in use.
    InUse {
        /// The kind of object: `member` or `group`.
        what: &'static str,
        /// The profile.
        profile: ExternId,
        /// The number of the member or group.
        id: u32,
        /// The groups, entries and defaults that use the member or group.
        users: Vec<ProfileUser>,
    },
    /// A member is listed twice in a group.
    MemberTwice {
        /// The profile.
        profile: ExternId,
        /// The member.
        member: u32,
    },
    /// A weight is 0.
    WeightZero,
    /// The sum of the weights is too large.
    TooMuchWeight {
        /// The sum of the weights.
        sum: u64,
        /// The maximum sum.
        most: u64,
    },
    /// A count is not 0, although the counter does not count this unit.
    NotCounted {
        /// The counter.
        cells: CellsOf,
        /// The unit that the counter counts.
        unit: CounterUnit,
    },
    /// The committed rate is above the peak rate (RFC 2698 §2).
    MeterRates {
        /// The committed rate.
        committed: MeterRate,
        /// The peak rate.
        peak: MeterRate,
    },
    /// The configuration has an excess burst, but its peak rate or burst differs from the committed
    /// one (RFC 2697).
    ExcessBurst,
    /// Group 0 means "no multicast".
    GroupZero,
    /// There is no such multicast group to remove.
    NoSuchGroup(u16),
    /// There is no such clone session to remove.
    NoSuchSession(u32),
    /// A member of a value set appears twice.
    SameMember {
        /// The value set.
        set: ValueSetId,
        /// The position of the second occurrence, from 0.
        member: usize,
    },
    /// A copy's port is its own backup.
    OwnBackup {
        /// The port.
        port: u32,
    },
    /// Two copies of a group or session have the same port and instance.
    SameReplica {
        /// The port.
        port: u32,
        /// The instance (replication id).
        rid: u16,
    },
    /// The number of a port has more bits than the program has for ports.
    PortTooLarge {
        /// The requested port.
        port: u32,
        /// The largest possible number of a port.
        last: u32,
    },
    /// The number of a clone session has more bits than the program's fields for it.
    SessionTooLarge {
        /// The requested session.
        session: u32,
        /// The largest possible number of a session.
        last: u32,
    },
    /// The request names a queue that ports do not have.
    NoSuchQueue {
        /// The requested priority.
        priority: usize,
        /// The number of queues of a port.
        priorities: usize,
    },
    /// A clone session has a class of service that its clones cannot have.
    NoSuchClass {
        /// The requested class.
        class: usize,
        /// The largest class.
        last: usize,
    },
    /// A queue cannot have the queueing discipline.
    Discipline(DisciplineError),
    /// Settings of a packet generator are wrong.
    Generator(GeneratorError),
    /// The request names a port that the switch does not have.
    NoSuchPort {
        /// The requested port.
        port: u32,
        /// The switch's ports.
        known: Vec<u32>,
    },
}

/// The place of a number in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// A key of a table, by position.
    Key(TableId, usize),
    /// A field of a parser value set, by position.
    Member(ValueSetId, usize),
    /// A parameter of an action, by position.
    Parameter(ActionId, usize),
    /// A cell of a register.
    Cell(ExternId, u64),
    /// A cell of a table's direct register.
    EntryCell(TableId),
    /// A parameter of a CRC, such as `polynomial`.
    Crc(Calculation, &'static str),
}

/// The counter or meter of the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellsOf {
    /// The cells of an indexed counter.
    Object(ExternId),
    /// The cells of a table's entries.
    Entries(TableId),
}

/// A user of a member or group of an action profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileUser {
    /// A group of the same profile.
    Group(u32),
    /// A table entry.
    Entry(TableId, u64),
    /// The default of a table.
    Default(TableId),
}

/// The error of a batch. None of the updates was applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("update {index}: {error}")]
pub struct BatchError<E = ControlError> {
    /// The position of the wrong update, from 0.
    pub index: usize,
    /// The error of this update.
    pub error: E,
}
