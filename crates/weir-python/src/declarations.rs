//! A program's declarations for the control plane: tables, actions and other objects.

use std::sync::Arc;

use pyo3::prelude::*;
use weir_control::Names;
use weir_ir::{Annotation, TableId};
use weir_switch::control::{CounterUnit, KeySchema, Schema, TableActionSchema, TableSchema, Values};

use crate::errors;

/// A match key: name, width in bits, match kind.
type KeyRow = (String, u32, &'static str);

/// The objects of a program, whether it runs here or elsewhere.
#[pyclass(frozen)]
pub struct Declarations(pub Arc<Schema>);

/// A table declaration of a program.
#[pyclass(frozen, get_all)]
pub struct TableInfo {
    name: String,
    keys: Vec<KeyRow>,
    actions: Vec<ActionInfo>,
    size: Option<u64>,
    const_entries: bool,
    const_default: bool,
    needs_priority: bool,
    support_timeout: bool,
    /// The direct counter and what it counts.
    direct_counter: Option<(String, &'static str)>,
    /// The direct meter and what it measures.
    direct_meter: Option<(String, &'static str)>,
    profile: Option<String>,
    /// The names of its annotations.
    annotations: Vec<String>,
}

/// An action of a table.
#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub struct ActionInfo {
    name: String,
    params: Vec<(String, u32)>,
    default_only: bool,
    table_only: bool,
    /// The names of its annotations.
    annotations: Vec<String>,
}

/// The width as in P4Info: 0 for texts that stand for numbers elsewhere.
fn shown_width(width: u32, values: &Values) -> u32 {
    if *values == Values::Texts { 0 } else { width }
}

fn key_row(key: &KeySchema) -> KeyRow {
    (key.name.clone(), shown_width(key.width, &key.values), key.kind.name())
}

#[pymethods]
impl Declarations {
    /// The tables.
    fn tables(&self) -> Vec<TableInfo> {
        let names = |annotations: &[Annotation]| {
            annotations.iter().map(|annotation| annotation.name.clone()).collect()
        };
        let action = |listed: &TableActionSchema| ActionInfo {
            name: listed.action.clone(),
            params: {
                let params = self.0.actions[listed.id.index()].params.iter();
                params.map(|param| (param.name.clone(), shown_width(param.width, &param.values))).collect()
            },
            default_only: listed.default_only,
            table_only: listed.table_only,
            annotations: names(&self.0.actions[listed.id.index()].annotations),
        };
        let table = |table: &TableSchema| TableInfo {
            name: table.name.clone(),
            keys: table.keys.iter().map(key_row).collect(),
            actions: table.actions.iter().map(action).collect(),
            size: table.size,
            const_entries: table.const_entries,
            const_default: table.const_default,
            needs_priority: table.needs_priority(),
            support_timeout: table.support_timeout,
            direct_counter: table.direct_counter.clone().zip(table.direct_counter_unit.map(unit)),
            direct_meter: table.direct_meter.clone().map(|name| (name, metered(table.direct_meter_bytes))),
            profile: table.profile.map(|id| Names::new(&self.0).extern_name(id).to_owned()),
            annotations: names(&table.annotations),
        };
        self.0.tables.iter().map(table).collect()
    }

    /// Resolves the full name of a table, counter, register, meter, action profile or value set.
    fn find(&self, kind: &str, name: &str) -> PyResult<String> {
        let found = Names::new(&self.0).full_name(kind, name);
        found.map(str::to_owned).map_err(|error| errors::request(&error))
    }

    /// The counters, registers and meters: kind, name, number of cells, and the width of a cell in
    /// bits (registers) or what it counts (counters and meters).
    fn objects(&self) -> Vec<(&'static str, String, u64, u32, &'static str)> {
        let schema = &self.0;
        let counters = schema.counters.iter().map(|c| ("counter", c.name.clone(), c.size, 0, unit(c.unit)));
        let registers = schema.registers.iter().map(|r| ("register", r.name.clone(), r.size, r.width, ""));
        let meters = schema.meters.iter().map(|m| ("meter", m.name.clone(), m.size, 0, metered(m.bytes)));
        counters.chain(registers).chain(meters).collect()
    }

    /// The fields of the cells of a register with their widths in bits. The first field is in the
    /// most significant bits. Cells that hold a single value have one field without a name.
    fn register_fields(&self, register: &str) -> Vec<(String, u32)> {
        let found = self.0.registers.iter().find(|known| known.name == register);
        found.map_or_else(Vec::new, |register| register.fields.clone())
    }

    /// For each of these fields, whether its values are signed.
    fn register_signs(&self, register: &str) -> Vec<bool> {
        let found = self.0.registers.iter().find(|known| known.name == register);
        let signs = found.map(|register| register.values.iter().map(Values::are_signed).collect());
        signs.unwrap_or_default()
    }

    /// For each of these fields, whether its values are texts that stand for numbers elsewhere.
    fn register_texts(&self, register: &str) -> Vec<bool> {
        let found = self.0.registers.iter().find(|known| known.name == register);
        let texts = found.map(|register| register.values.iter().map(|of| *of == Values::Texts).collect());
        texts.unwrap_or_default()
    }

    /// The parser value sets: name, maximum number of members, fields (name, width in bits, match
    /// kind).
    fn value_sets(&self) -> Vec<(String, u64, Vec<KeyRow>)> {
        let sets = self.0.value_sets.iter();
        sets.map(|set| (set.name.clone(), set.size, set.fields.iter().map(key_row).collect())).collect()
    }

    /// The action profiles and selectors: name, maximum number of members (0: no limit), whether
    /// there are groups, tables that use it.
    fn profiles(&self) -> Vec<(String, u64, bool, Vec<String>)> {
        let profiles = self.0.profiles.iter();
        let tables = |ids: &[TableId]| ids.iter().map(|id| self.0.tables[id.index()].name.clone()).collect();
        profiles.map(|p| (p.name.clone(), p.size, p.is_selector, tables(&p.tables))).collect()
    }
}

/// The unit of a counter, as text.
fn unit(unit: CounterUnit) -> &'static str {
    match unit {
        CounterUnit::Packets => "packets",
        CounterUnit::Bytes => "bytes",
        CounterUnit::PacketsAndBytes => "packets and bytes",
    }
}

/// The unit of a meter, as text.
fn metered(bytes: bool) -> &'static str {
    if bytes { "bytes" } else { "packets" }
}
