//! The control interface's values as plain ones. Numbers are big-endian bytes.

use pyo3::prelude::*;
use weir_ir::Bits;
use weir_switch::control::{self, Call, CloneSession, EntryRef, Match, Replica, Target, WeightedCall};

use crate::errors;

/// A key's name, a match kind, and its two parts.
pub type MatchParts = (String, String, Vec<u8>, Second);

/// An action's arguments by name.
pub type Args = Vec<(String, Vec<u8>)>;

/// The second part of a match.
#[derive(Clone, FromPyObject, IntoPyObject)]
pub enum Second {
    /// A prefix's length in bits.
    Length(u32),
    /// A mask, or a range's high end; empty where there is no second part.
    Value(Vec<u8>),
}

/// An entry as read back.
#[pyclass(frozen, get_all)]
pub struct Entry {
    matches: Vec<MatchParts>,
    action: String,
    args: Args,
    priority: Option<u32>,
    is_const: bool,
}

impl From<control::EntryState> for Entry {
    fn from(state: control::EntryState) -> Self {
        let matches = state.entry.matches.into_iter().map(|(key, value)| {
            let (kind, first, second) = match value {
                Match::Exact(a) => ("exact", a.to_be_bytes(), Second::Value(Vec::new())),
                Match::Lpm(a, length) => ("lpm", a.to_be_bytes(), Second::Length(length)),
                Match::Ternary(a, b) => ("ternary", a.to_be_bytes(), Second::Value(b.to_be_bytes())),
                Match::Range(a, b) => ("range", a.to_be_bytes(), Second::Value(b.to_be_bytes())),
                Match::Any => ("any", Vec::new(), Second::Value(Vec::new())),
            };
            (key, kind.to_owned(), first, second)
        });
        let (action, args) = target_out(state.entry.action);
        Entry {
            matches: matches.collect(),
            args,
            action,
            priority: state.entry.priority,
            is_const: state.is_const,
        }
    }
}

/// An action's name and arguments; what leads to one through an action profile, in words and without arguments.
pub fn target_out(target: Target) -> (String, Args) {
    match target {
        Target::Action(call) => {
            let args = args_out(&call);
            (call.action, args)
        }
        Target::Member(member) => (format!("member {member}"), Args::default()),
        Target::Group(group) => (format!("group {group}"), Args::default()),
        Target::OneOf(calls) => {
            let one = |one: &WeightedCall| format!("{} (weight {})", one.action.action, one.weight);
            (format!("one of {}", calls.iter().map(one).collect::<Vec<_>>().join(", ")), Args::default())
        }
    }
}

/// A call's arguments.
pub fn args_out(call: &Call) -> Args {
    call.args.iter().map(|(name, value)| (name.clone(), value.to_be_bytes())).collect()
}

/// One change to a switch.
#[pyclass(frozen)]
pub struct Update(pub control::Update);

#[pymethods]
impl Update {
    #[staticmethod]
    fn insert(
        table: String,
        matches: Vec<MatchParts>,
        action: String,
        args: Args,
        priority: Option<u32>,
    ) -> PyResult<Self> {
        let matches = read_matches(matches)?;
        let action = call(action, args).into();
        let entry = control::Entry { matches, priority, action, idle_timeout: None };
        Ok(Update(control::Update::Insert { table, entry }))
    }

    #[staticmethod]
    fn modify(
        table: String,
        matches: Vec<MatchParts>,
        action: String,
        args: Args,
        priority: Option<u32>,
    ) -> PyResult<Self> {
        let entry = EntryRef::Key { matches: read_matches(matches)?, priority };
        Ok(Update(control::Update::Modify { table, entry, action: call(action, args).into() }))
    }

    #[staticmethod]
    fn delete(table: String, matches: Vec<MatchParts>, priority: Option<u32>) -> PyResult<Self> {
        let entry = EntryRef::Key { matches: read_matches(matches)?, priority };
        Ok(Update(control::Update::Delete { table, entry }))
    }

    #[staticmethod]
    fn set_default(table: String, action: String, args: Args) -> Self {
        Update(control::Update::SetDefault { table, action: call(action, args).into() })
    }

    #[staticmethod]
    fn set_multicast_group(group: u16, replicas: Vec<(u32, u16)>) -> Self {
        let replicas = replicas.into_iter().map(|(port, rid)| Replica { port, rid }).collect();
        Update(control::Update::SetMulticastGroup { group, replicas: Some(replicas) })
    }

    #[staticmethod]
    fn set_clone_session(
        session: u32,
        port: Option<u32>,
        group: Option<u16>,
        truncate: Option<usize>,
    ) -> Self {
        let config = CloneSession { port, group, truncate };
        Update(control::Update::SetCloneSession { session, config: Some(config) })
    }
}

/// A call from its action and arguments.
pub fn call(action: String, args: Args) -> Call {
    Call { action, args: args.into_iter().map(|(name, value)| (name, bits(&value))).collect() }
}

/// Matches from their parts.
pub fn read_matches(matches: Vec<MatchParts>) -> PyResult<Vec<(String, Match)>> {
    let read = |(key, kind, first, second): MatchParts| {
        let first = bits(&first);
        let value = match (kind.as_str(), second) {
            ("exact", _) => Match::Exact(first),
            ("lpm", Second::Length(length)) => Match::Lpm(first, length),
            ("ternary", Second::Value(mask)) => Match::Ternary(first, bits(&mask)),
            ("range", Second::Value(high)) => Match::Range(first, bits(&high)),
            ("any", _) => Match::Any,
            _ => return Err(errors::control(format!("key {key}: a match `{kind}` has other parts"))),
        };
        Ok((key, value))
    };
    matches.into_iter().map(read).collect()
}

fn bits(bytes: &[u8]) -> Bits {
    Bits::from_be_bytes(8 * bytes.len() as u32, bytes)
}
