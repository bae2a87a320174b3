//! The steps of a pass as data.

use weir_device::Port;
use weir_ir::{ControlId, ParserId, VarId};

use super::Reading;
use crate::stats::DropPlace;

/// One step of a pass. Variables named here have at most 64 bits and are not varbits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    /// Runs a parser. The position of its error is stored in `error`.
    Parse { parser: ParserId, error: Option<VarId> },
    /// Runs a control that does not emit. `name` is for traces, `place` for drops.
    Control { control: ControlId, name: &'static str, place: DropPlace },
    /// Sets a variable to the low bits of the source, as many as the variable has.
    Set(VarId, StepSource),
    /// Runs a control that emits, and puts the headers before the payload. At the end of ingress,
    /// egress parses the result.
    Deparse { control: ControlId, name: &'static str, place: DropPlace },
    /// Runs a control that emits headers of this many bytes. They come before the packet for the
    /// parser that follows, but are not part of the packet. Of the variables that are set before,
    /// later steps read only those of
    /// [`Metadata::kept_at_prefix`](super::Metadata::kept_at_prefix).
    Prefix { control: ControlId, bytes: usize },
    /// Applies a rule about what happens to the packet.
    Decide(Rule),
}

impl Step {
    /// Returns the variables that the slow path reads to run this step, apart from those that
    /// blocks read.
    pub(super) fn vars_read(&self) -> impl Iterator<Item = VarId> {
        let vars = match *self {
            Self::Decide(Rule { when, fate }) => {
                let condition = match when {
                    When::Is(var, _) | When::IsNot(var, _) | When::IsNoPort(var) => Some(var),
                    When::Always | When::Called => None,
                };
                let [first, second] = match fate {
                    Fate::Unicast { port, priority } => [Some(port), priority],
                    Fate::Clone { session, .. } => [session, None],
                    Fate::Multicast(group) | Fate::Copy(CopyTo::Group(group)) => [Some(group), None],
                    Fate::Copy(CopyTo::Cpu(_))
                    | Fate::Resubmit
                    | Fate::Recirculate
                    | Fate::Drop(_)
                    | Fate::Transmit => [None, None],
                };
                [condition, first, second]
            }
            Self::Parse { error, .. } => [error, None, None],
            Self::Control { .. } | Self::Set(..) | Self::Deparse { .. } | Self::Prefix { .. } => [None; 3],
        };
        vars.into_iter().flatten()
    }
}

/// A value for [`Step::Set`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepSource {
    Const(u64),
    Fact(Reading),
}

/// A rule about what happens to packets at the end of ingress or egress. The rules of an
/// architecture form a table: the packet meets them in order. [`Fate::Clone`] and [`Fate::Copy`]
/// add packets, and the original continues with the next rule; every other fate ends ingress or
/// egress for the packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rule {
    pub when: When,
    pub fate: Fate,
}

/// The packets to which a [`Rule`] applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// All packets.
    Always,
    /// Packets for which a call has deferred this work.
    Called,
    /// Packets in which the variable has this value.
    Is(VarId, u64),
    /// Packets in which the variable has another value.
    IsNot(VarId, u64),
    /// Packets in which the variable names no port of the switch, and not the port that
    /// recirculates packets.
    IsNoPort(VarId),
}

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    /// Clones are made and go to the destinations of their sessions. The session of a clone is in
    /// this variable; without a variable, calls have deferred the clones. The control emits headers
    /// that come before the clones.
    Clone { of: CloneOf, session: Option<VarId>, headers: Option<ControlId> },
    /// Copies of the packet go into queues.
    Copy(CopyTo),
    /// The packet goes into another pass with the bytes that it had at the start of this one.
    Resubmit,
    /// The deparsed packet goes into another pass.
    Recirculate,
    /// A copy of the packet goes to each member of the multicast group that this variable names.
    Multicast(VarId),
    /// The packet goes into the queue of the port in this variable, and egress begins when it
    /// leaves the queue. The priority may be in a variable, too.
    Unicast { port: VarId, priority: Option<VarId> },
    /// The packet is dropped. If copies of it are under way, this is not counted.
    Drop(DropPlace),
    /// The deparsed packet leaves through the port of its queue.
    Transmit,
}

/// The queues to which [`Fate::Copy`] sends copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyTo {
    /// The queues of the members of the multicast group that this variable names. A group without
    /// members gets no copy.
    Group(VarId),
    /// The queue of the CPU's port. This one is used if controllers have chosen no other.
    Cpu(Port),
}

/// The packet that [`Fate::Clone`] clones. If egress parses packets again, it parses the clone,
/// too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloneOf {
    /// The packet as it was when its pass began, parsed again.
    Original,
    /// The packet with its current headers, or the bytes that its deparser has made.
    Current,
}

/// The steps of a pass that a pipeline covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All steps, for packets that no queue delays.
    Whole,
    /// The steps before the queues. Every packet that is not dropped leaves the pipeline with a
    /// verdict.
    ToQueues,
}
