//! Requests of the control interface from Python's values, and what is read back as text.

use pyo3::prelude::*;
use weir_control::matching::format_match;
use weir_control::value::{format_value, read_value};
use weir_control::{Error, Names};
use weir_ir::TableId;
use weir_json::{Kind, Value};
use weir_switch::Rate;
use weir_switch::control::{self, Call, EntryRef, MeterConfig, WeightedCall};

use crate::{errors, value};

/// A meter's rates: committed rate and burst, peak rate and burst.
pub type Rates = (u64, u64, u64, u64);

/// A rate, and whether it is in bits and not in packets per second.
pub type QueueRate = (u64, bool);

/// An action as it is read back: its name, its parameters as text, its weight.
pub type ActionRow = (String, Vec<(String, String)>, u32);

/// What an entry does as it is read back: `action`, `member`, `group` or `one_of`; the member's or
/// group's number; the actions.
pub type TargetRow = (&'static str, Option<u32>, Vec<ActionRow>);

/// Members of a mapping: names and values.
pub type Members = Vec<(String, Value)>;

/// What an entry or default action should do.
#[pyclass(frozen)]
pub struct Target(Request);

enum Request {
    Action(String, Members),
    Member(u32),
    Group(u32),
    OneOf(Vec<(String, Members, u32)>),
}

#[pymethods]
impl Target {
    #[staticmethod]
    fn action(name: String, params: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Target(Request::Action(name, members(params)?)))
    }

    #[staticmethod]
    fn member(number: u32) -> Self {
        Target(Request::Member(number))
    }

    #[staticmethod]
    fn group(number: u32) -> Self {
        Target(Request::Group(number))
    }

    /// Each an action, its parameters and its weight.
    #[staticmethod]
    fn one_of(actions: Vec<(String, Bound<'_, PyAny>, u32)>) -> PyResult<Self> {
        let one = |(name, params, weight)| Ok((name, members(&params)?, weight));
        Ok(Target(Request::OneOf(actions.into_iter().map(one).collect::<PyResult<_>>()?)))
    }
}

impl Target {
    /// In ids, for entries of a table or its default.
    pub fn read(&self, names: Names<'_>, table: TableId, as_default: bool) -> Result<control::Target, Error> {
        Ok(match &self.0 {
            Request::Action(name, params) => names.read_call(table, name, params, as_default)?.into(),
            Request::Member(number) => control::Target::Member(*number),
            Request::Group(number) => control::Target::Group(*number),
            Request::OneOf(calls) => {
                let one = |(name, params, weight): &(String, Members, u32)| {
                    let action = names.read_call(table, name, params, as_default)?;
                    Ok(WeightedCall { action, weight: *weight })
                };
                control::Target::OneOf(calls.iter().map(one).collect::<Result<_, Error>>()?)
            }
        })
    }
}

/// A mapping's members.
pub fn members(mapping: &Bound<'_, PyAny>) -> PyResult<Members> {
    match value::read(mapping)? {
        Value { kind: Kind::Object(members), .. } => Ok(members),
        other => Err(errors::control(format!("expected a mapping by name, found {}", other.describe()))),
    }
}

/// How Python names an entry that exists.
#[derive(FromPyObject)]
pub enum EntryKey<'py> {
    /// By its handle.
    Handle(u64),
    /// By what it matches and its priority.
    Key(Bound<'py, PyAny>, Bound<'py, PyAny>),
}

/// The same in Rust's values.
pub enum EntryName {
    /// By its handle.
    Handle(u64),
    /// By what it matches and its priority.
    Key(Members, Option<i64>),
}

impl EntryKey<'_> {
    /// In Rust's values.
    pub fn take(self) -> PyResult<EntryName> {
        Ok(match self {
            EntryKey::Handle(handle) => EntryName::Handle(handle),
            EntryKey::Key(matches, given) => EntryName::Key(members(&matches)?, read_priority(&given)?),
        })
    }
}

impl EntryName {
    /// In ids.
    pub fn read(&self, names: Names<'_>, table: TableId) -> Result<EntryRef, Error> {
        Ok(match self {
            EntryName::Handle(handle) => EntryRef::Handle(*handle),
            EntryName::Key(matches, priority) => EntryRef::Key {
                matches: names.read_matches(table, matches)?,
                priority: names.priority(table, *priority)?,
            },
        })
    }
}

/// A priority. A value that is not an integer becomes one that no table accepts.
pub fn read_priority(given: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    Ok(match value::read(given)?.kind {
        Kind::Null => None,
        Kind::Number(text) => Some(text.parse().unwrap_or(-1)),
        _ => Some(-1),
    })
}

/// An entry as read back.
#[pyclass(frozen, get_all)]
pub struct Entry {
    handle: u64,
    /// Keys and what they accept, as text.
    matches: Vec<(String, String)>,
    target: TargetRow,
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
    /// An entry of a table in text.
    pub fn new(names: Names<'_>, table: TableId, state: control::EntryState) -> Self {
        let control::EntryState { handle, entry, is_const, hits, last_hit } = state;
        let keys = names.table_schema(table).keys.iter().zip(&entry.matches);
        let matches =
            keys.map(|(key, accepts)| (key.name.clone(), format_match(accepts, key.width, &key.name)));
        Entry {
            handle,
            matches: matches.collect(),
            target: target_out(names, &entry.action),
            priority: entry.priority,
            is_const,
            idle_timeout: entry.idle_timeout,
            packets: hits.map(|hits| hits.packets),
            bytes: hits.map(|hits| hits.bytes),
            last_hit,
        }
    }
}

/// What an entry or a default does, in text.
pub fn target_out(names: Names<'_>, target: &control::Target) -> TargetRow {
    match target {
        control::Target::Action(call) => ("action", None, vec![action_out(names, call, 1)]),
        control::Target::Member(member) => ("member", Some(*member), Vec::new()),
        control::Target::Group(group) => ("group", Some(*group), Vec::new()),
        control::Target::OneOf(calls) => {
            let calls = calls.iter().map(|one| action_out(names, &one.action, one.weight));
            ("one_of", None, calls.collect())
        }
    }
}

/// An action in text.
pub fn action_out(names: Names<'_>, call: &Call, weight: u32) -> ActionRow {
    let schema = names.action_schema(call.action);
    let params = schema.params.iter().zip(&call.args);
    let params = params.map(|(param, value)| (param.name.clone(), format_value(value, &param.name)));
    (schema.name.clone(), params.collect(), weight)
}

/// A meter's rates.
pub fn rates_out(config: MeterConfig) -> Rates {
    (config.committed_rate, config.committed_burst, config.peak_rate, config.peak_burst)
}

/// A meter's rates from Python.
pub fn rates_in((committed_rate, committed_burst, peak_rate, peak_burst): Rates) -> MeterConfig {
    MeterConfig { committed_rate, committed_burst, peak_rate, peak_burst }
}

/// A queue's rate.
pub fn rate_out(rate: Rate) -> QueueRate {
    match rate {
        Rate::PacketsPerSecond(rate) => (rate, false),
        Rate::BitsPerSecond(rate) => (rate, true),
    }
}

/// A value of this many bits in big-endian bytes, from a number or text such as `10.0.1.1`.
#[pyfunction(name = "read_value")]
pub fn value_in(given: &Bound<'_, PyAny>, width: u32) -> PyResult<Vec<u8>> {
    let read = read_value(&value::read(given)?, width).map_err(|error| errors::request(&error))?;
    Ok(read.to_be_bytes())
}

/// Formats a value given in big-endian bytes.
#[pyfunction(name = "format_value")]
pub fn value_out(number: &[u8], width: u32, name: &str) -> String {
    format_value(&weir_ir::Bits::from_be_bytes(width, number), name)
}
