//! Control-plane names: written in full, or only the ending after a dot if no other name ends that
//! way.

use std::fmt;

use smallvec::SmallVec;
use weir_ir::storage::VALID;
use weir_ir::{ActionId, ExternId, TableId, ValueSetId};
use weir_switch::control::{
    ActionSchema, Calculation, CalculationSchema, ControlError, CounterUnit, CrcAlgorithm, KeySchema,
    ProfileSchema, Schema, TableSchema, ValueSetSchema,
};

use crate::Error;
use crate::listing::listing;

/// The names of a program's objects, for lookups by name.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The program's schema.
    pub schema: &'a Schema,
}

/// The cells of a counter or meter: indexed, or one for each table entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Cells with an index.
    Indexed(ExternId),
    /// A cell for each entry of this table.
    Direct(TableId),
}

/// Returns the position in `known` of the name `name`, or else of the only name that ends in
/// `.name`.
///
/// `missing` begins the message when there is no such name, such as `there is no table`; `listed`
/// says what the known names are.
pub fn resolve<'n>(
    what: impl fmt::Display,
    missing: impl fmt::Display,
    listed: &str,
    name: &str,
    known: impl Iterator<Item = &'n str> + Clone,
) -> Result<usize, Error> {
    let mut ends: SmallVec<[usize; 4]> = SmallVec::new();
    for (index, known) in known.clone().enumerate() {
        match known.strip_suffix(name) {
            Some("") => return Ok(index),
            Some(before) if before.ends_with('.') && !name.is_empty() => ends.push(index),
            _ => {}
        }
    }
    match ends[..] {
        [index] => Ok(index),
        [_, _, ..] => {
            let matching =
                known.enumerate().filter(|(index, _)| ends.contains(index)).map(|(_, known)| known);
            Err(Error::new(format!("{what} \"{name}\" is ambiguous: {}", listing(matching))))
        }
        [] => match weir_suggest::nearest_dotted(name, known.clone()) {
            Some(near) => Err(Error::new(format!("{missing} \"{name}\"")).suggesting(near)),
            None => Err(Error::new(format!("{missing} \"{name}\" ({listed}: {})", listing(known)))),
        },
    }
}

/// Returns whether a name is a known name, or its end after a dot.
fn is_end(known: &str, name: &str) -> bool {
    known.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Returns the other name of a header's validity: `h.$valid$` for `h.isValid()`, and the reverse.
/// `None` if the name is not that of a validity.
fn other_validity_name(name: &str) -> Option<String> {
    let forms = ["isValid()", VALID];
    forms.iter().zip(forms.iter().rev()).find_map(|(form, other)| {
        let header = name.strip_suffix(form).filter(|header| header.is_empty() || header.ends_with('.'))?;
        Some(format!("{header}{other}"))
    })
}

/// Finds an object of the program by its name.
fn object<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str> + Clone) -> Result<usize, Error> {
    resolve(what, format_args!("there is no {what}"), "there are", name, known)
}

impl<'a> Names<'a> {
    /// Collects the names of the program with this schema.
    pub fn new(schema: &'a Schema) -> Self {
        Self { schema }
    }

    /// Finds a table by its name.
    pub fn table(self, name: &str) -> Result<TableId, Error> {
        let names = self.schema.tables.iter().map(|table| table.name.as_str());
        object("table", name, names).map(TableId::new)
    }

    /// Returns the program's description of a table.
    pub fn table_schema(self, table: TableId) -> &'a TableSchema {
        &self.schema.tables[table.index()]
    }

    /// Finds a table's key by its name, and returns the key's position. The validity of a header is
    /// the key `h.isValid()` in P4 programs, and `h.$valid$` in P4Info and p4c's JSON: both names
    /// are accepted for both.
    pub fn key(self, table: TableId, name: &str) -> Result<usize, Error> {
        let table = self.table_schema(table);
        let names = table.keys.iter().map(|key| key.name.as_str());
        let as_known = |other: &str| names.clone().any(|known| is_end(known, other));
        let other = other_validity_name(name).filter(|other| as_known(other) && !as_known(name));
        let name = other.as_deref().unwrap_or(name);
        let table_name = &table.name;
        let (what, missing) =
            (format_args!("key of table {table_name}"), format_args!("table {table_name} has no key"));
        resolve(what, missing, "its keys", name, names)
    }

    /// Finds an action of a table by its name.
    pub fn action(self, table: TableId, name: &str) -> Result<ActionId, Error> {
        let table = self.table_schema(table);
        let names = table.actions.iter().map(|listed| listed.action.as_str());
        let table_name = &table.name;
        let (what, missing) =
            (format_args!("action of table {table_name}"), format_args!("table {table_name} has no action"));
        resolve(what, missing, "its actions", name, names).map(|index| table.actions[index].id)
    }

    /// Returns the program's description of an action.
    pub fn action_schema(self, action: ActionId) -> &'a ActionSchema {
        &self.schema.actions[action.index()]
    }

    /// Finds an action's parameter by its name, and returns the parameter's position.
    pub fn parameter(self, action: ActionId, name: &str) -> Result<usize, Error> {
        let action = self.action_schema(action);
        let names = action.params.iter().map(|param| param.name.as_str());
        let action_name = &action.name;
        let (what, missing) = (
            format_args!("parameter of action {action_name}"),
            format_args!("action {action_name} has no parameter"),
        );
        resolve(what, missing, "its parameters", name, names)
    }

    /// Finds a counter by its name, indexed or direct.
    pub fn counter(self, name: &str) -> Result<Cells, Error> {
        let indexed = self.schema.counters.iter().map(|counter| (counter.id, counter.name.as_str()));
        let direct = |table: &'a TableSchema| table.direct_counter.as_deref();
        self.cells("counter", name, indexed, direct)
    }

    /// Returns the unit that the counter with this name counts; both units if the schema does not
    /// say.
    pub fn counter_unit(self, name: &str) -> Result<CounterUnit, Error> {
        let unit = match self.counter(name)? {
            Cells::Indexed(id) => {
                self.schema.counters.iter().find(|known| known.id == id).map(|known| known.unit)
            }
            Cells::Direct(table) => self.table_schema(table).direct_counter_unit,
        };
        Ok(unit.unwrap_or(CounterUnit::PacketsAndBytes))
    }

    /// Finds a meter by its name, indexed or direct.
    pub fn meter(self, name: &str) -> Result<Cells, Error> {
        let indexed = self.schema.meters.iter().map(|meter| (meter.id, meter.name.as_str()));
        self.cells("meter", name, indexed, |table| table.direct_meter.as_deref())
    }

    /// Finds an indexed or direct object by its name.
    fn cells(
        self,
        what: &str,
        name: &str,
        indexed: impl Iterator<Item = (ExternId, &'a str)>,
        direct: impl Fn(&'a TableSchema) -> Option<&'a str>,
    ) -> Result<Cells, Error> {
        let of_tables = self.schema.tables.iter().enumerate();
        let of_tables =
            of_tables.filter_map(|(index, table)| Some((Cells::Direct(TableId::new(index)), direct(table)?)));
        let named_cells: Vec<_> =
            indexed.map(|(id, name)| (Cells::Indexed(id), name)).chain(of_tables).collect();
        Ok(named_cells[object(what, name, named_cells.iter().map(|(_, name)| *name))?].0)
    }

    /// Finds a register by its name.
    pub fn register(self, name: &str) -> Result<ExternId, Error> {
        let registers = &self.schema.registers;
        Ok(registers[object("register", name, registers.iter().map(|r| r.name.as_str()))?].id)
    }

    /// Finds an action profile or selector by its name.
    pub fn profile(self, name: &str) -> Result<ExternId, Error> {
        let profiles = &self.schema.profiles;
        Ok(profiles[object("action profile", name, profiles.iter().map(|p| p.name.as_str()))?].id)
    }

    /// Returns the program's description of an action profile.
    pub fn profile_schema(self, profile: ExternId) -> Option<&'a ProfileSchema> {
        self.schema.profiles.iter().find(|known| known.id == profile)
    }

    /// Finds a table that has the actions of a profile's members.
    pub fn profile_table(self, profile: ExternId) -> Result<TableId, Error> {
        let first = self.profile_schema(profile).and_then(|profile| profile.tables.first().copied());
        first.ok_or_else(|| self.explain(ControlError::ProfileUnused(profile)))
    }

    /// Finds a parser value set by its name.
    pub fn value_set(self, name: &str) -> Result<ValueSetId, Error> {
        let names = self.schema.value_sets.iter().map(|set| set.name.as_str());
        object("value set", name, names).map(ValueSetId::new)
    }

    /// Returns the program's description of a value set.
    pub fn value_set_schema(self, set: ValueSetId) -> &'a ValueSetSchema {
        &self.schema.value_sets[set.index()]
    }

    /// Returns the name of a field of a value set; a set of plain values has one field, named after
    /// the last part of the set's name.
    pub fn field_name(self, set: ValueSetId, field: usize) -> &'a str {
        let set = self.value_set_schema(set);
        match set.fields.get(field).map_or("", |field| field.name.as_str()) {
            "" => set.name.rsplit('.').next().unwrap_or_default(),
            name => name,
        }
    }

    /// Returns a CRC calculation by its name. `crc16_custom` and `crc32_custom` stand for all
    /// calculations with this algorithm.
    pub fn calculation(self, name: &str) -> Result<Calculation, Error> {
        let algorithms = [CrcAlgorithm::Crc16, CrcAlgorithm::Crc32];
        if let Some(algorithm) = algorithms.into_iter().find(|known| known.name() == name) {
            return Ok(Calculation::All(algorithm));
        }
        let has_name = |known: &CalculationSchema| known.names.iter().any(|known| known == name);
        if let Some(index) = self.schema.calculations.iter().position(has_name) {
            return Ok(Calculation::One(index));
        }
        let names = self.schema.calculations.iter().flat_map(|known| &known.names);
        Err(Error::new(format!(
            "there is no CRC calculation \"{name}\" with parameters to set (there are: {}; `crc16_custom` and \
             `crc32_custom` mean all of an algorithm)",
            listing(names)
        )))
    }

    /// Returns the CRC algorithm of a calculation.
    pub fn algorithm(self, calculation: Calculation) -> Option<CrcAlgorithm> {
        match calculation {
            Calculation::All(algorithm) => Some(algorithm),
            Calculation::One(index) => Some(self.schema.calculations.get(index)?.algorithm),
        }
    }

    pub(crate) fn calculation_name(self, calculation: Calculation) -> &'a str {
        match calculation {
            Calculation::All(algorithm) => algorithm.name(),
            Calculation::One(index) => {
                let names = self.schema.calculations.get(index).map(|known| &known.names);
                names.and_then(|names| names.first()).map_or("", String::as_str)
            }
        }
    }

    /// Returns the full name of an object of the kind `table`, `counter`, `register`, `meter`,
    /// `action profile` or `value set`.
    pub fn full_name(self, kind: &str, name: &str) -> Result<&'a str, Error> {
        let direct = |cells: Cells, of: fn(&'a TableSchema) -> Option<&'a str>| match cells {
            Cells::Indexed(id) => self.extern_name(id),
            Cells::Direct(table) => of(self.table_schema(table)).unwrap_or_default(),
        };
        Ok(match kind {
            "table" => &self.table_schema(self.table(name)?).name,
            "counter" => direct(self.counter(name)?, |table| table.direct_counter.as_deref()),
            "meter" => direct(self.meter(name)?, |table| table.direct_meter.as_deref()),
            "register" => self.extern_name(self.register(name)?),
            "value set" => &self.value_set_schema(self.value_set(name)?).name,
            _ => self.extern_name(self.profile(name)?),
        })
    }

    /// Returns the name of a counter, register, meter or action profile.
    pub fn extern_name(self, id: ExternId) -> &'a str {
        let Schema { counters, registers, meters, profiles, .. } = self.schema;
        let counters = counters.iter().map(|one| (one.id, &one.name));
        let registers = registers.iter().map(|one| (one.id, &one.name));
        let meters = meters.iter().map(|one| (one.id, &one.name));
        let profiles = profiles.iter().map(|one| (one.id, &one.name));
        let mut externs = counters.chain(registers).chain(meters).chain(profiles);
        externs.find(|(known, _)| *known == id).map_or("", |(_, name)| name)
    }

    /// Describes a key in words: `hdr.ipv4.ttl (range, 8 bits)`.
    pub(crate) fn key_in_words(key: &KeySchema, name: &str) -> String {
        format!("{name} ({}, {} bits)", key.kind.name(), key.width)
    }
}
