//! Packet traces: every step of a packet, in the program's own names.
//!
//! A packet that arrives during a recording gets a number, and each copy of it gets another number.
//! Every step contains the number of its packet or copy, and the first step of a copy contains the
//! number of its original. Numbers are assigned in the order of events, so the same packets always
//! get the same numbers.

mod read;
mod recorder;
mod text;

use weir_device::{Nanos, Port};
use weir_ir::Bits;

pub(crate) use read::{argument_fields, assignment_step};
pub use recorder::MAX_STEPS;
pub(crate) use recorder::Recorder;

use crate::choice::Choice;
use crate::error::Place;
use crate::stats::{DropPlace, DropReason};
use crate::tables::Match;

/// One step of a traced packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The time of the step.
    pub time: Nanos,
    /// The packet's id; copies share it.
    pub packet: u64,
    /// The number of the packet or copy, counted from 1 over all recorded packets and copies.
    pub copy: u64,
    /// The event.
    pub what: StepKind,
    /// The place in the source, if the step has one.
    pub place: Option<Place>,
}

/// A value with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name that the program or the control plane uses; empty for a value without a name.
    pub name: String,
    /// The value.
    pub value: Bits,
    /// The label of the value: a member of an enumeration, an error, `true`.
    pub label: Option<String>,
}

/// An argument of an extern call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A value, or the values of a struct, list or header.
    Fields(Vec<Field>),
    /// A string.
    Text(String),
    /// An extern object, by name.
    Object(String),
}

/// A table entry as it was when a packet hit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitEntry {
    /// The entry's handle in the control interface.
    pub handle: u64,
    /// The entry's match for each key, by the key's name. Selector keys are left out.
    pub matches: Vec<(String, Match)>,
    /// The priority (larger is preferred); `None` if the table needs no priorities.
    pub priority: Option<u32>,
}

/// The origin of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyKind {
    /// A clone of the packet as it was at the start of the pass.
    IngressClone {
        /// The clone session.
        session: u32,
    },
    /// A clone of the packet as egress left it.
    EgressClone {
        /// The clone session.
        session: u32,
    },
    /// A copy for a member of a multicast group.
    Replica {
        /// The member's port.
        port: Port,
        /// The member's replication id.
        rid: u16,
    },
}

/// The kind of event in a [`Step`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// The packet arrived.
    Received {
        /// The port.
        port: Port,
        /// The packet's bytes.
        bytes: Vec<u8>,
    },
    /// The copy was made.
    Copied {
        /// The packet or copy from which it was made.
        from: u64,
        /// The way in which the copy was made.
        how: CopyKind,
    },
    /// A pass began.
    PassStarted,
    /// A block of the package began: `parser`, `ingress`, ….
    Block(&'static str),
    /// A parser state was entered.
    State(String),
    /// A header was extracted.
    Extracted {
        /// The header.
        header: String,
        /// The header's fields in wire order. A varbit has the bits that were extracted.
        fields: Vec<Field>,
    },
    /// A transition was taken, to a state, `accept` or `reject`.
    Transition {
        /// The target.
        to: String,
        /// The values of the keys of a select.
        keys: Vec<Bits>,
    },
    /// Parsing ended with an error.
    ParserError(String),
    /// A table was applied. The steps of its action follow.
    Applied {
        /// The table's name.
        table: String,
        /// The key fields with their values.
        keys: Vec<Field>,
        /// Whether an entry matched.
        hit: bool,
        /// The entry that matched.
        entry: Option<HitEntry>,
        /// The action that runs.
        action: String,
        /// The action's arguments, by name.
        args: Vec<Field>,
    },
    /// An entry of a table with an action profile chose a member. This step comes just before the
    /// table's `Applied`.
    Selected {
        /// The table's name.
        table: String,
        /// The group; `None` if the entry names a member or has actions of its own.
        group: Option<u32>,
        /// The member, or the position among the entry's own actions; `None` if the group is empty.
        member: Option<u32>,
        /// The choice between several members or actions; `None` if there was only one, or the
        /// group is empty.
        choice: Option<Choice>,
    },
    /// An action began. All steps up to its [`StepKind::ActionEnded`] are part of it.
    Action {
        /// The action's name.
        action: String,
        /// The action's data, by name.
        args: Vec<Field>,
    },
    /// The innermost action ended.
    ActionEnded,
    /// A variable was written.
    Assigned {
        /// The variable and its new value.
        now: Field,
        /// The previous value.
        before: Field,
    },
    /// A field of an invalid header was written. Later reads return the value, but it is not in the
    /// packet that leaves.
    AssignedInvalid(Field),
    /// A header became valid or invalid.
    Validity {
        /// The header.
        header: String,
        /// Whether the header is valid now.
        valid: bool,
    },
    /// A condition was evaluated.
    Branch(bool),
    /// A switch statement chose a case, or its default.
    Switched {
        /// The value.
        value: Bits,
        /// Whether a case matches the value.
        case: bool,
    },
    /// An extern was called. All steps up to its [`StepKind::Returned`], including writes of its
    /// results, are part of it.
    Called {
        /// The function or method.
        callee: String,
        /// The object whose method was called.
        object: Option<String>,
        /// The arguments before the call, by parameter.
        args: Vec<(String, Argument)>,
    },
    /// The innermost extern returned.
    Returned,
    /// `log_msg` wrote a line.
    Logged(String),
    /// A digest goes to the control plane.
    Digested {
        /// The receiver's number.
        receiver: u64,
        /// The values of the digest. Values of variables have the names of the variables.
        fields: Vec<Field>,
    },
    /// A random number was drawn.
    Drawn {
        /// The number.
        value: Bits,
        /// The smallest possible number.
        low: Bits,
        /// The largest possible number.
        high: Bits,
        /// The decision. For a small range, the options are the numbers of the range in order. For
        /// a larger range, they are the random number, the smallest number and the largest number.
        choice: Choice,
    },
    /// A checksum was verified. It is correct if both values are equal.
    Verified {
        /// The checksum in the packet.
        given: Bits,
        /// The correct checksum.
        computed: Bits,
    },
    /// A header was emitted.
    Emitted {
        /// The header.
        header: String,
        /// The header's fields in wire order.
        fields: Vec<Field>,
    },
    /// No clone was made, because its session does not exist.
    NotCloned {
        /// The session.
        session: u32,
    },
    /// The packet was copied for each member of a multicast group. Its own pass ends.
    Multicast {
        /// The group.
        group: u16,
        /// The number of members.
        copies: usize,
    },
    /// The packet was put into an egress queue.
    Queued {
        /// The port of the queue.
        port: Port,
        /// The number of the port's queue.
        priority: usize,
    },
    /// The packet left the queue.
    Dequeued {
        /// The port of the queue.
        port: Port,
        /// The time in nanoseconds that the packet spent in the queue.
        waited: Nanos,
    },
    /// The packet was recirculated after egress.
    Recirculated,
    /// The packet was resubmitted after ingress.
    Resubmitted,
    /// The packet was sent.
    Transmitted {
        /// The port.
        port: Port,
        /// The packet's bytes.
        bytes: Vec<u8>,
    },
    /// The packet was dropped.
    Dropped {
        /// The place in the switch.
        place: DropPlace,
        /// The reason.
        reason: DropReason,
    },
}

impl StepKind {
    /// Returns the name of the kind, such as `received`, which tools may rely on.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Received { .. } => "received",
            Self::Copied { .. } => "copied",
            Self::PassStarted => "pass",
            Self::Block(_) => "block",
            Self::State(_) => "state",
            Self::Extracted { .. } => "extracted",
            Self::Transition { .. } => "transition",
            Self::ParserError(_) => "parser_error",
            Self::Applied { .. } => "applied",
            Self::Selected { .. } => "selected",
            Self::Action { .. } => "action",
            Self::ActionEnded => "action_ended",
            Self::Assigned { .. } => "assigned",
            Self::AssignedInvalid(_) => "assigned_invalid",
            Self::Validity { .. } => "validity",
            Self::Branch(_) => "branch",
            Self::Switched { .. } => "switch",
            Self::Called { .. } => "called",
            Self::Returned => "returned",
            Self::Logged(_) => "logged",
            Self::Digested { .. } => "digest",
            Self::Drawn { .. } => "drawn",
            Self::Verified { .. } => "verified",
            Self::Emitted { .. } => "emitted",
            Self::NotCloned { .. } => "not_cloned",
            Self::Multicast { .. } => "multicast",
            Self::Queued { .. } => "queued",
            Self::Dequeued { .. } => "dequeued",
            Self::Recirculated => "recirculated",
            Self::Resubmitted => "resubmitted",
            Self::Transmitted { .. } => "transmitted",
            Self::Dropped { .. } => "dropped",
        }
    }
}
