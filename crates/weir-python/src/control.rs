//! The control interface's values as plain ones. Numbers are big-endian bytes.

use pyo3::prelude::*;
use weir_control::by_name::{self as control, Call, Match, MeterConfig, WeightedCall};
use weir_ir::Bits;
use weir_switch::Rate;

use crate::errors;

/// A key's name, a match kind, and its two parts.
pub type MatchParts = (String, String, Vec<u8>, Second);

/// An action's arguments by name.
pub type Args = Vec<(String, Vec<u8>)>;

/// A meter's rates: committed rate and burst, peak rate and burst.
pub type Rates = (u64, u64, u64, u64);

/// A rate, and whether it is in bits and not in packets per second.
pub type QueueRate = (u64, bool);

/// The second part of a match.
#[derive(Clone, FromPyObject, IntoPyObject)]
pub enum Second {
    /// A prefix's length in bits.
    Length(u32),
    /// A mask, or a range's high end; empty where there is no second part.
    Value(Vec<u8>),
}

/// What an entry does, or a default.
#[pyclass(frozen)]
pub struct Target(pub control::Target);

#[pymethods]
impl Target {
    #[staticmethod]
    fn action(name: String, args: Args) -> Self {
        Target(call(name, args).into())
    }

    #[staticmethod]
    fn member(number: u32) -> Self {
        Target(control::Target::Member(number))
    }

    #[staticmethod]
    fn group(number: u32) -> Self {
        Target(control::Target::Group(number))
    }

    /// Each an action, its arguments and its weight.
    #[staticmethod]
    fn one_of(actions: Vec<(String, Args, u32)>) -> Self {
        let one = |(name, args, weight)| WeightedCall { action: call(name, args), weight };
        Target(control::Target::OneOf(actions.into_iter().map(one).collect()))
    }

    /// `action`, `member`, `group` or `one_of`.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0 {
            control::Target::Action(_) => "action",
            control::Target::Member(_) => "member",
            control::Target::Group(_) => "group",
            control::Target::OneOf(_) => "one_of",
        }
    }

    /// The member's or the group's.
    #[getter]
    fn number(&self) -> Option<u32> {
        match self.0 {
            control::Target::Member(number) | control::Target::Group(number) => Some(number),
            control::Target::Action(_) | control::Target::OneOf(_) => None,
        }
    }

    /// The action, or those to choose from; each with its arguments and its weight.
    #[getter]
    fn actions(&self) -> Vec<(String, Args, u32)> {
        let one = |call: &Call, weight| (call.action.clone(), args_out(call), weight);
        match &self.0 {
            control::Target::Action(call) => vec![one(call, 1)],
            control::Target::OneOf(calls) => calls.iter().map(|w| one(&w.action, w.weight)).collect(),
            control::Target::Member(_) | control::Target::Group(_) => Vec::new(),
        }
    }
}

/// An entry as read back.
#[pyclass(frozen, get_all)]
pub struct Entry {
    handle: u64,
    matches: Vec<MatchParts>,
    target: Py<Target>,
    priority: Option<u32>,
    is_const: bool,
    /// Nanoseconds.
    idle_timeout: Option<u64>,
    /// None if the table has no direct counter.
    packets: Option<u64>,
    bytes: Option<u64>,
    /// Nanoseconds since the start.
    last_hit: Option<u64>,
}

impl Entry {
    /// From what the control interface tells.
    pub fn new(py: Python<'_>, state: control::EntryState) -> PyResult<Self> {
        let matches = state.entry.matches.into_iter().map(|(key, value)| match_out(key, value));
        Ok(Entry {
            handle: state.handle,
            matches: matches.collect(),
            target: Py::new(py, Target(state.entry.action))?,
            priority: state.entry.priority,
            is_const: state.is_const,
            idle_timeout: state.entry.idle_timeout,
            packets: state.hits.map(|hits| hits.packets),
            bytes: state.hits.map(|hits| hits.bytes),
            last_hit: state.last_hit,
        })
    }
}

/// A match in its parts.
pub fn match_out(key: String, value: Match) -> MatchParts {
    let (kind, first, second) = match value {
        Match::Exact(a) => ("exact", a.to_be_bytes(), Second::Value(Vec::new())),
        Match::Lpm(a, length) => ("lpm", a.to_be_bytes(), Second::Length(length)),
        Match::Ternary(a, b) => ("ternary", a.to_be_bytes(), Second::Value(b.to_be_bytes())),
        Match::Range(a, b) => ("range", a.to_be_bytes(), Second::Value(b.to_be_bytes())),
        Match::Any => ("any", Vec::new(), Second::Value(Vec::new())),
    };
    (key, kind.to_owned(), first, second)
}

/// A call's arguments.
pub fn args_out(call: &Call) -> Args {
    call.args.iter().map(|(name, value)| (name.clone(), value.to_be_bytes())).collect()
}

/// A meter's rates.
pub fn rates_out(config: MeterConfig) -> Rates {
    (config.committed_rate, config.committed_burst, config.peak_rate, config.peak_burst)
}

/// A queue's rate.
pub fn rate_out(rate: Rate) -> QueueRate {
    match rate {
        Rate::PacketsPerSecond(rate) => (rate, false),
        Rate::BitsPerSecond(rate) => (rate, true),
    }
}

/// A call from its action and arguments.
pub fn call(action: String, args: Args) -> Call {
    Call { action, args: args.into_iter().map(|(name, value)| (name, bits(&value))).collect() }
}

/// Matches from their parts.
pub fn read_matches(matches: Vec<MatchParts>) -> PyResult<Vec<(String, Match)>> {
    matches.into_iter().map(|parts| Ok((parts.0.clone(), read_match(parts)?))).collect()
}

/// What a match accepts.
pub fn read_match((key, kind, first, second): MatchParts) -> PyResult<Match> {
    let first = bits(&first);
    Ok(match (kind.as_str(), second) {
        ("exact", _) => Match::Exact(first),
        ("lpm", Second::Length(length)) => Match::Lpm(first, length),
        ("ternary", Second::Value(mask)) => Match::Ternary(first, bits(&mask)),
        ("range", Second::Value(high)) => Match::Range(first, bits(&high)),
        ("any", _) => Match::Any,
        _ => return Err(errors::control(format!("key {key}: a match `{kind}` has other parts"))),
    })
}

/// A number from big-endian bytes.
pub fn bits(bytes: &[u8]) -> Bits {
    Bits::from_be_bytes(8 * bytes.len() as u32, bytes)
}
