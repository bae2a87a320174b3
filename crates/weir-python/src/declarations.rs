//! The parts of a program that the control plane can use: tables, actions and other objects.

use std::sync::Arc;

use pyo3::prelude::*;
use weir_control::Names;
use weir_ir::{Annotation, ValueSetId};
use weir_switch::control::{
    Call, CounterUnit, KeySchema, ParamSchema, ProfileSchema, PropertyValue, RegisterSchema, Schema,
    TableActionSchema, TableSchema, ValueSetSchema, Values,
};

use crate::control::call_texts;
use crate::errors;
use crate::record::{Dictionary, Tuple, records};

records! {
    /// A table's key, or a field of a parser value set.
    KeyInfo {
        /// The control-plane name.
        name: String,
        /// The width in bits; 0 if the values are texts.
        width: u32,
        /// The match kind, such as `lpm`.
        match_kind: String,
    }

    /// A parameter of an action whose value comes from the control plane.
    ParamInfo {
        /// The name.
        name: String,
        /// The width in bits; 0 if the values are texts.
        width: u32,
    }

    /// An action of a table.
    ActionInfo {
        /// The control-plane name, such as `MyIngress.forward`.
        name: String,
        /// The parameters, in order.
        params: Tuple<ParamInfo>,
        /// Whether the action can only be the default action.
        default_only: bool,
        /// Whether the action can only be the action of entries.
        table_only: bool,
        /// The names of the annotations of the action.
        annotations: Tuple<String>,
    }

    /// An action with its arguments.
    CallInfo {
        /// The action's control-plane name.
        action: String,
        /// The names and values of the arguments, as text.
        params: Tuple<(String, String)>,
    }

    /// A table as the program declares it.
    TableInfo {
        /// The control-plane name, such as `MyIngress.ipv4_lpm`.
        name: String,
        /// The keys, in order.
        keys: Tuple<KeyInfo>,
        /// The actions of entries and of the default, in order.
        actions: Tuple<ActionInfo>,
        /// The default action in the program, which runs on a miss until the control plane sets
        /// another one. `None` if a remote switch does not report it.
        default_action: Option<CallInfo>,
        /// The number of entries for which the program requests space (`size`); `None` if the
        /// program does not specify it.
        size: Option<u64>,
        /// Whether the entries are constant: the control plane cannot change them.
        const_entries: bool,
        /// Whether the default action is constant: the control plane cannot change it.
        const_default: bool,
        /// Whether entries need a priority, because the table has a ternary, range or optional key,
        /// or two lpm keys.
        needs_priority: bool,
        /// Whether entries may have an idle time-out.
        support_timeout: bool,
        /// The name of the direct counter of the table, and its unit, such as `packets and bytes`;
        /// `None` if there is no direct counter.
        direct_counter: Option<(String, String)>,
        /// The name of the direct meter of the table, and its unit (`packets` or `bytes`); `None`
        /// if there is no direct meter.
        direct_meter: Option<(String, String)>,
        /// The name of the action profile of the table, whose entries then refer to members or
        /// groups; `None` if there is no action profile.
        profile: Option<String>,
        /// The names of the annotations of the table, such as `route`.
        annotations: Tuple<String>,
        /// The further properties that the table has, by name; docs/reference/control.md lists
        /// them. Empty if only the P4Info of the program is known.
        properties: Dictionary<Property> = Dictionary(Vec::new()),
    }

    /// A counter, register or meter as the program declares it.
    ObjectInfo {
        /// The control-plane name.
        name: String,
        /// The number of cells; 0 for a direct object, which has a cell for each entry.
        size: u64,
        /// The width of a register's cell in bits; 0 for other objects.
        width: u32,
        /// The unit that the object counts: `packets`, `bytes` or `packets and bytes`; empty for
        /// registers.
        counts: String,
        /// The table of a direct object.
        table: Option<String>,
    }

    /// An action profile as the program declares it.
    ProfileInfo {
        /// The control-plane name.
        name: String,
        /// The maximum number of members; 0 for no limit.
        size: u64,
        /// Whether the profile is a selector, which has groups.
        is_selector: bool,
        /// The tables that use the profile.
        tables: Tuple<String>,
    }

    /// A parser value set as the program declares it.
    ValueSetInfo {
        /// The control-plane name.
        name: String,
        /// The maximum number of members.
        size: u64,
        /// The fields that a member matches, in order.
        fields: Tuple<KeyInfo>,
    }
}

#[pymethods]
impl CallInfo {
    /// Returns the call of the action as text, such as `MyIngress.forward(port=3)`.
    fn __str__(&self) -> String {
        let params: Vec<_> = self.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{}({})", self.action, params.join(", "))
    }
}

/// The objects of a program that runs on a local or a remote switch.
#[pyclass(frozen)]
pub struct Declarations(pub Arc<Schema>);

#[pymethods]
impl Declarations {
    /// Returns the tables.
    fn tables(&self) -> Vec<TableInfo> {
        let action = |listed: &TableActionSchema| {
            let action = &self.0.actions[listed.id.index()];
            ActionInfo {
                name: listed.action.clone(),
                params: action.params.iter().map(param_info).collect(),
                default_only: listed.default_only,
                table_only: listed.table_only,
                annotations: names(&action.annotations),
            }
        };
        let default_action = |call: &Call| {
            let (action, params) = call_texts(Names::new(&self.0), call);
            CallInfo { action, params: params.0.into_iter().collect() }
        };
        let table = |table: &TableSchema| TableInfo {
            name: table.name.clone(),
            keys: table.keys.iter().map(|key| key_info(key, &key.name)).collect(),
            actions: table.actions.iter().map(action).collect(),
            default_action: table.default_action.as_ref().map(default_action),
            size: table.size,
            const_entries: table.const_entries,
            const_default: table.const_default,
            needs_priority: table.needs_priority(),
            support_timeout: table.support_timeout,
            direct_counter: table.direct_counter.clone().zip(table.direct_counter_unit.map(unit)),
            direct_meter: table.direct_meter.clone().map(|name| (name, meter_unit(table.direct_meter_bytes))),
            profile: table.profile.map(|id| Names::new(&self.0).extern_name(id).to_owned()),
            annotations: names(&table.annotations),
            properties: Dictionary(table.properties.clone().into_iter().map(property).collect()),
        };
        self.0.tables.iter().map(table).collect()
    }

    /// Resolves the full name of a table, counter, register, meter, action profile or value set.
    fn find(&self, kind: &str, name: &str) -> PyResult<String> {
        let full_name = Names::new(&self.0).full_name(kind, name);
        full_name.map(str::to_owned).map_err(|error| errors::request(&error))
    }

    /// Returns the objects of one kind (`counter`, `register` or `meter`): first the indexed
    /// objects, then the direct objects.
    fn objects(&self, kind: &str) -> Vec<ObjectInfo> {
        let Schema { tables, counters, registers, meters, .. } = &*self.0;
        let object = |name: &String, size, width, counts| ObjectInfo {
            name: name.clone(),
            size,
            width,
            counts,
            table: None,
        };
        let direct = |table: &TableSchema, name: &Option<String>, counts| {
            let table = Some(table.name.clone());
            Some(ObjectInfo { name: name.clone()?, size: 0, width: 0, counts, table })
        };
        match kind {
            "counter" => {
                let indexed = counters.iter().map(|c| object(&c.name, c.size, 0, unit(c.unit)));
                let counts = |table: &TableSchema| table.direct_counter_unit.map(unit).unwrap_or_default();
                indexed.chain(tables.iter().filter_map(|t| direct(t, &t.direct_counter, counts(t)))).collect()
            }
            "meter" => {
                let indexed = meters.iter().map(|m| object(&m.name, m.size, 0, meter_unit(m.bytes)));
                let measures = |table: &TableSchema| meter_unit(table.direct_meter_bytes);
                indexed.chain(tables.iter().filter_map(|t| direct(t, &t.direct_meter, measures(t)))).collect()
            }
            "register" => registers.iter().map(|r| object(&r.name, r.size, r.width, String::new())).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the fields of the cells of a register with their widths in bits. The first field is
    /// in the most significant bits. Cells that hold a single value have one field without a name.
    fn register_fields(&self, register: &str) -> Vec<(String, u32)> {
        self.register(register).map_or_else(Vec::new, |register| register.fields.clone())
    }

    /// Returns, for each field of the cells of a register, whether its values are signed.
    fn register_signs(&self, register: &str) -> Vec<bool> {
        let values = self.register(register).into_iter().flat_map(|register| &register.values);
        values.map(Values::has_sign).collect()
    }

    /// Returns, for each field of the cells of a register, whether its values are texts, which the
    /// switch translates to numbers.
    fn register_texts(&self, register: &str) -> Vec<bool> {
        let values = self.register(register).into_iter().flat_map(|register| &register.values);
        values.map(|values| *values == Values::Texts).collect()
    }

    /// Returns the parser value sets.
    fn value_sets(&self) -> Vec<ValueSetInfo> {
        let names = Names::new(&self.0);
        let set = |(id, set): (usize, &ValueSetSchema)| {
            let fields = set.fields.iter().enumerate();
            let name = |field| names.field_name(ValueSetId::new(id), field);
            let fields = fields.map(|(place, field)| key_info(field, name(place)));
            ValueSetInfo { name: set.name.clone(), size: set.size, fields: fields.collect() }
        };
        self.0.value_sets.iter().enumerate().map(set).collect()
    }

    /// Returns the action profiles and selectors.
    fn profiles(&self) -> Vec<ProfileInfo> {
        let profile = |profile: &ProfileSchema| ProfileInfo {
            name: profile.name.clone(),
            size: profile.size,
            is_selector: profile.is_selector,
            tables: profile.tables.iter().map(|id| self.0.tables[id.index()].name.clone()).collect(),
        };
        self.0.profiles.iter().map(profile).collect()
    }
}

impl Declarations {
    fn register(&self, name: &str) -> Option<&RegisterSchema> {
        self.0.registers.iter().find(|known| known.name == name)
    }
}

/// The value of a property of a table.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, IntoPyObject, FromPyObject)]
pub enum Property {
    Flag(bool),
    Number(u64),
    Text(String),
}

fn property((name, value): (String, PropertyValue)) -> (String, Property) {
    let value = match value {
        PropertyValue::Flag(flag) => Property::Flag(flag),
        PropertyValue::Number(number) => Property::Number(number),
        PropertyValue::Text(text) => Property::Text(text),
    };
    (name, value)
}

fn names(annotations: &[Annotation]) -> Tuple<String> {
    annotations.iter().map(|annotation| annotation.name.clone()).collect()
}

fn key_info(key: &KeySchema, name: &str) -> KeyInfo {
    let width = shown_width(key.width, &key.values);
    KeyInfo { name: name.to_owned(), width, match_kind: key.kind.name().to_owned() }
}

fn param_info(param: &ParamSchema) -> ParamInfo {
    ParamInfo { name: param.name.clone(), width: shown_width(param.width, &param.values) }
}

/// Returns the width as in P4Info: 0 for texts, which the switch translates to numbers.
fn shown_width(width: u32, values: &Values) -> u32 {
    if *values == Values::Texts { 0 } else { width }
}

/// Returns the unit of a counter, as text.
fn unit(unit: CounterUnit) -> String {
    let name = match unit {
        CounterUnit::Packets => "packets",
        CounterUnit::Bytes => "bytes",
        CounterUnit::PacketsAndBytes => "packets and bytes",
    };
    name.to_owned()
}

/// Returns the unit of a meter, as text.
fn meter_unit(bytes: bool) -> String {
    unit(if bytes { CounterUnit::Bytes } else { CounterUnit::Packets })
}
