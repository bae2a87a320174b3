//! Converts Python values to control requests, and results of the control interface to text.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weir_control::matching::format_match;
use weir_control::value::{format_as, format_value, read_value, shorten};
use weir_control::{Error, Names, priority_range_message};
use weir_ir::TableId;
use weir_json::{Kind, Value};
use weir_switch::control::{
    self, ActionSet, ActionUse, Call, EntryRef, MeterConfig, MeterRate, WeightedCall,
};

use crate::record::{Dictionary, Texts, Tuple, records};
use crate::{errors, value};

/// The rates of a meter: committed rate and burst, peak rate and burst, excess burst; rates in
/// billionths of a unit per second.
pub type Rates = (u128, u64, u128, u64, u64);

records! {
    /// An action of an existing entry.
    EntryAction {
        /// The action's control-plane name.
        name: String,
        /// The action's parameters, as text.
        params: Texts,
        /// The action's share of the flows relative to the others.
        weight: u32,
        /// The action can be chosen only while the link of this port is up; `None` if it can always
        /// be chosen.
        watch_port: Option<u32>,
    }

    /// The action of an existing entry or of a default.
    EntryTarget {
        /// `action`, `member`, `group`, `one_of` or `one_at_random`.
        kind: String,
        /// The number of the member or group.
        number: Option<u32>,
        /// The action, or the actions among which the entry chooses.
        actions: Tuple<EntryAction>,
        /// The action that runs before the chosen action.
        group_action: Option<EntryAction>,
    }

    /// An existing entry of a table.
    Entry {
        /// The entry's handle.
        handle: u64,
        /// The match keys and their patterns, as text.
        matches: Texts,
        /// The action of the entry.
        target: EntryTarget,
        /// The priority; entries with larger numbers are preferred. `None` if the table has no
        /// priorities.
        priority: Option<u32>,
        /// Whether the entry is part of the program.
        is_const: bool,
        /// The time in nanoseconds without a hit after which the entry is idle.
        idle_timeout: Option<u64>,
        /// The number of packets that hit the entry; `None` if the table has no direct counter.
        packets: Option<u64>,
        /// The number of bytes in the packets that hit the entry; `None` if the table has no direct
        /// counter.
        bytes: Option<u64>,
        /// The virtual time of the last hit, in nanoseconds.
        last_hit: Option<u64>,
    }
}

/// The names and values of a mapping.
pub type Members = Vec<(String, Value)>;

/// The target of an entry or of a default action, as Python requests it.
#[pyclass(frozen)]
pub struct Target(Request);

enum Request {
    Action(String, Members),
    Member(u32),
    Group(u32),
    OneOf {
        actions: Vec<(String, Members, u32, Option<u32>)>,
        at_random: bool,
        group_action: Option<(String, Members)>,
    },
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

    /// Makes a target that chooses one of several actions. Each item of `actions` is an action with
    /// its parameters, its weight and the port that it watches.
    #[staticmethod]
    fn one_of(
        actions: Vec<(String, Bound<'_, PyAny>, u32, Option<u32>)>,
        at_random: bool,
        group_action: Option<(String, Bound<'_, PyAny>)>,
    ) -> PyResult<Self> {
        let to_weighted = |(name, params, weight, watch)| Ok((name, members(&params)?, weight, watch));
        let first = |(name, params)| Ok::<_, PyErr>((name, members(&params)?));
        Ok(Target(Request::OneOf {
            actions: actions.into_iter().map(to_weighted).collect::<PyResult<_>>()?,
            at_random,
            group_action: group_action.map(first).transpose()?,
        }))
    }
}

impl Target {
    /// Resolves names to ids, for the entries or the default action of a table.
    pub fn read(
        &self,
        names: Names<'_>,
        table: TableId,
        wanted: ActionUse,
    ) -> Result<control::Target, Error> {
        Ok(match &self.0 {
            Request::Action(name, params) => names.read_call(table, name, params, wanted)?.into(),
            Request::Member(number) => control::Target::Member(*number),
            Request::Group(number) => control::Target::Group(*number),
            Request::OneOf { actions, at_random, group_action } => {
                let read_weighted = |(name, params, weight, watch): &(String, Members, u32, Option<u32>)| {
                    let action = names.read_call(table, name, params, wanted)?;
                    Ok(WeightedCall { action, weight: *weight, watch: *watch })
                };
                let first = |(name, params): &(String, Members)| {
                    names.read_call(table, name, params, ActionUse::GroupAction)
                };
                control::Target::OneOf(ActionSet {
                    actions: actions.iter().map(read_weighted).collect::<Result<_, Error>>()?,
                    at_random: *at_random,
                    group_action: group_action.as_ref().map(first).transpose()?,
                })
            }
        })
    }
}

/// Returns the items of a mapping.
pub fn members(mapping: &Bound<'_, PyAny>) -> PyResult<Members> {
    match value::read(mapping)? {
        Value { kind: Kind::Object(members), .. } => Ok(members),
        other => Err(errors::control(format!("expected a mapping by name, found {}", other.describe()))),
    }
}

/// The identification of an existing entry, as Python code gives it.
#[derive(FromPyObject)]
pub enum EntryKey<'py> {
    /// An entry by its handle.
    Handle(u64),
    /// An entry by its match keys and its priority.
    Key(Bound<'py, PyAny>, Bound<'py, PyAny>),
}

/// The same identification, converted to Rust values.
pub enum EntryName {
    /// An entry by its handle.
    Handle(u64),
    /// An entry by its match keys and its priority.
    Key(Members, Option<i64>),
}

impl EntryKey<'_> {
    /// Converts the identification to Rust values.
    pub fn take(self) -> PyResult<EntryName> {
        Ok(match self {
            EntryKey::Handle(handle) => EntryName::Handle(handle),
            EntryKey::Key(matches, given) => EntryName::Key(members(&matches)?, read_priority(&given)?),
        })
    }
}

impl EntryName {
    /// Resolves names to ids.
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

/// Reads a priority.
pub fn read_priority(given: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    // Byte strings are accepted as numbers only for values of fields.
    let value = match given.cast::<PyBytes>() {
        Ok(bytes) => Kind::Other(value::show_object(bytes)).into(),
        Err(_) => value::read(given)?,
    };
    match &value.kind {
        Kind::Null => Ok(None),
        Kind::Number(text) if text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()) => {
            text.parse().map(Some).map_err(|_| errors::control(priority_range_message(shorten(text))))
        }
        _ => Err(errors::control(format!("expected a priority, a whole number, found {}", value.describe()))),
    }
}

impl Entry {
    /// Converts a table entry to text.
    pub fn new_of(names: Names<'_>, table: TableId, state: control::EntryState) -> Self {
        let control::EntryState { handle, entry, is_const, hits, last_hit } = state;
        let keys = names.table_schema(table).keys.iter().zip(&entry.matches);
        let matches = keys.map(|(key, accepts)| (key.name.clone(), format_match(accepts, key, &key.name)));
        Entry {
            handle,
            matches: Dictionary(matches.collect()),
            target: to_entry_target(names, &entry.action),
            priority: entry.priority,
            is_const,
            idle_timeout: entry.idle_timeout,
            packets: hits.map(|hits| hits.packets),
            bytes: hits.map(|hits| hits.bytes),
            last_hit,
        }
    }
}

/// Converts the target of an entry or a default action to text.
pub fn to_entry_target(names: Names<'_>, target: &control::Target) -> EntryTarget {
    let action = |call: &Call, weight, watch_port| {
        let (name, params) = call_texts(names, call);
        EntryAction { name, params, weight, watch_port }
    };
    let plain = |kind: &str, number| EntryTarget {
        kind: kind.to_owned(),
        number,
        actions: Tuple::default(),
        group_action: None,
    };
    match target {
        control::Target::Action(call) => {
            EntryTarget { actions: [action(call, 1, None)].into_iter().collect(), ..plain("action", None) }
        }
        control::Target::Member(member) => plain("member", Some(*member)),
        control::Target::Group(group) => plain("group", Some(*group)),
        control::Target::OneOf(set) => EntryTarget {
            actions: set.actions.iter().map(|one| action(&one.action, one.weight, one.watch)).collect(),
            group_action: set.group_action.as_ref().map(|call| action(call, 1, None)),
            ..plain(if set.at_random { "one_at_random" } else { "one_of" }, None)
        },
    }
}

/// Returns the name of an action, and its parameters as text.
pub fn call_texts(names: Names<'_>, call: &Call) -> (String, Texts) {
    let schema = names.action_schema(call.action);
    let params = schema.params.iter().zip(&call.args);
    let params =
        params.map(|(param, value)| (param.name.clone(), format_as(value, &param.name, &param.values)));
    (schema.name.clone(), Dictionary(params.collect()))
}

/// Converts the rates of a meter for Python.
pub fn to_rates(config: MeterConfig) -> Rates {
    let MeterConfig { committed_rate, committed_burst, peak_rate, peak_burst, excess_burst } = config;
    (committed_rate.billionths(), committed_burst, peak_rate.billionths(), peak_burst, excess_burst)
}

/// Reads the rates of a meter from Python.
pub fn rates_in(
    (committed_rate, committed_burst, peak_rate, peak_burst, excess_burst): Rates,
) -> MeterConfig {
    let [committed_rate, peak_rate] = [committed_rate, peak_rate].map(MeterRate::from_billionths);
    MeterConfig { committed_rate, committed_burst, peak_rate, peak_burst, excess_burst }
}

/// Reads a value of `width` bits from a number or from text such as `10.0.1.1`, and returns it in
/// big-endian bytes.
#[pyfunction(name = "read_value")]
pub fn read_value_bytes(given: &Bound<'_, PyAny>, width: u32) -> PyResult<Vec<u8>> {
    let read = read_value(&value::read(given)?, width).map_err(|error| errors::request(&error))?;
    Ok(read.to_be_bytes())
}

/// Formats a value given in big-endian bytes.
#[pyfunction(name = "format_value")]
pub fn format_value_bytes(number: &[u8], width: u32, name: &str) -> String {
    format_value(&weir_ir::Bits::from_be_bytes(width, number), name)
}
