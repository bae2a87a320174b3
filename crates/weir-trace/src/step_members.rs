//! The members of each kind of step, by name. JSON and Python show these.

use std::borrow::Cow;

use weir_control::matching::format_match;
use weir_ir::Bits;
use weir_switch::Choice;
use weir_switch::trace::{Argument, CopyKind, Field, HitEntry, StepKind};

/// The value of a step's member.
#[derive(Clone, Debug)]
pub enum StepMember<'a> {
    /// A number, if there is one.
    Number(Option<u64>),
    /// A condition.
    Flag(bool),
    /// A name or another text, if there is one.
    Text(Option<Cow<'a, str>>),
    /// The bytes of a packet.
    Bytes(&'a [u8]),
    /// A value without a name.
    Value(&'a Bits),
    /// Values without names.
    Values(&'a [Bits]),
    /// A value with its name.
    Field(&'a Field),
    /// The fields of a header; without a header, `header` is empty.
    Fields {
        /// The header's name.
        header: &'a str,
        /// The fields in order.
        fields: &'a [Field],
    },
    /// The entry that a packet hit, if it hit one, with the keys of the table.
    Entry(Option<&'a HitEntry>, &'a [Field]),
    /// The arguments of an extern call, by parameter.
    Arguments(&'a [(String, Argument)]),
    /// A choice that depends on chance, if there was one. JSON lists the choices of a journey
    /// together.
    Choice(Option<Choice>),
}

impl<'a> From<&'a String> for StepMember<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Some(text.into()))
    }
}

impl<'a> From<&'a [Field]> for StepMember<'a> {
    fn from(fields: &'a [Field]) -> Self {
        Self::Fields { header: "", fields }
    }
}

impl<'a> From<&'a str> for StepMember<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Some(text.into()))
    }
}

impl From<String> for StepMember<'_> {
    fn from(text: String) -> Self {
        Self::Text(Some(text.into()))
    }
}

fn number<'a>(number: impl TryInto<u64>) -> StepMember<'a> {
    StepMember::Number(number.try_into().ok())
}

/// Returns the members of a step in order.
pub fn step_members(what: &StepKind) -> Vec<(&'static str, StepMember<'_>)> {
    use StepMember::{Arguments, Bytes, Choice, Entry, Fields, Flag, Number, Text, Value, Values};
    let field = StepMember::Field;
    match what {
        StepKind::Received { port, bytes } | StepKind::Transmitted { port, bytes } => {
            vec![("port", number(*port)), ("bytes", Bytes(bytes))]
        }
        StepKind::Copied { from, how } => {
            let mut members = vec![("from", number(*from))];
            members.extend(match how {
                CopyKind::IngressClone { session } => {
                    vec![("how", "ingress_clone".into()), ("session", number(*session))]
                }
                CopyKind::EgressClone { session } => {
                    vec![("how", "egress_clone".into()), ("session", number(*session))]
                }
                CopyKind::Replica { port, rid } => {
                    vec![("how", "replica".into()), ("port", number(*port)), ("rid", number(*rid))]
                }
            });
            members
        }
        StepKind::Block(block) => vec![("block", (*block).into())],
        StepKind::State(state) => vec![("state", state.into())],
        StepKind::Extracted { header, fields } | StepKind::Emitted { header, fields } => {
            vec![("header", header.into()), ("fields", Fields { header, fields })]
        }
        StepKind::Transition { to, keys } => vec![("to", to.into()), ("keys", Values(keys))],
        StepKind::ParserError(error) => vec![("error", error.into())],
        StepKind::Applied { table, keys, hit, entry, action, args } => vec![
            ("table", table.into()),
            ("keys", keys.as_slice().into()),
            ("hit", Flag(*hit)),
            ("entry", Entry(entry.as_ref(), keys)),
            ("action", action.into()),
            ("args", args.as_slice().into()),
        ],
        StepKind::Selected { table, group, member, choice } => vec![
            ("table", table.into()),
            ("group", Number(group.map(u64::from))),
            ("member", Number(member.map(u64::from))),
            ("choice", Choice(*choice)),
        ],
        StepKind::Action { action, args } => {
            vec![("action", action.into()), ("args", args.as_slice().into())]
        }
        StepKind::Assigned { now, before } => vec![("now", field(now)), ("before", field(before))],
        StepKind::AssignedInvalid(written) => vec![("value", field(written))],
        StepKind::Validity { header, valid } => vec![("header", header.into()), ("valid", Flag(*valid))],
        StepKind::Branch(taken) => vec![("taken", Flag(*taken))],
        StepKind::Switched { value, case } => vec![("value", Value(value)), ("case", Flag(*case))],
        StepKind::Called { callee, object, args } => {
            vec![
                ("callee", callee.into()),
                ("object", Text(object.as_deref().map(Cow::from))),
                ("args", Arguments(args)),
            ]
        }
        StepKind::Logged(line) => vec![("line", line.into())],
        StepKind::Digested { receiver, fields } => {
            vec![("receiver", number(*receiver)), ("fields", fields.as_slice().into())]
        }
        StepKind::Drawn { value, low, high, choice } => vec![
            ("value", Value(value)),
            ("low", Value(low)),
            ("high", Value(high)),
            ("choice", Choice(Some(*choice))),
        ],
        StepKind::Verified { given, computed } => {
            vec![("given", Value(given)), ("computed", Value(computed))]
        }
        StepKind::NotCloned { session } => vec![("session", number(*session))],
        StepKind::Multicast { group, copies } => {
            vec![("group", number(*group)), ("copies", number(*copies))]
        }
        StepKind::Queued { port, priority } => {
            vec![("port", number(*port)), ("priority", number(*priority))]
        }
        StepKind::Dequeued { port, waited } => vec![("port", number(*port)), ("waited", number(*waited))],
        StepKind::Dropped { place, reason } => {
            vec![("place", place.to_string().into()), ("reason", reason.to_string().into())]
        }
        StepKind::PassStarted
        | StepKind::ActionEnded
        | StepKind::Returned
        | StepKind::Recirculated
        | StepKind::Resubmitted => Vec::new(),
    }
}

/// Returns the match of each key of an entry, as text. `keys` are the values of the keys.
pub fn entry_matches<'a>(
    entry: &'a HitEntry,
    keys: &'a [Field],
) -> impl ExactSizeIterator<Item = (&'a String, String)> {
    let pairs = entry.matches.iter().zip(keys);
    pairs.map(|((name, accepts), key)| (name, format_match(accepts, key.value.width(), name)))
}
