//! The properties of tables that readers of the schema show by name, without a meaning of their
//! own.

use std::collections::BTreeMap;

use weir_ir::Table;

use crate::tables::limit_of_added;

/// The value of a property.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PropertyValue {
    /// Whether something holds.
    Flag(bool),
    /// A number.
    Number(u64),
    /// A name, or another text.
    Text(String),
}

/// Returns a property of a table; `None` if the table does not have it.
type Read = fn(&Table) -> Option<PropertyValue>;

/// The properties with their names. To show another property of tables in Python, the shell and
/// clients, add it here, and to `docs/reference/control.md`.
const PROPERTIES: &[(&str, Read)] = &[
    // Packets may add entries.
    ("adds_on_miss", |table| limit_of_added(table).map(|_| PropertyValue::Flag(true))),
    // The number of entries in the program, which the table has before a controller changes it.
    ("initial_entries", |table| {
        (!table.entries.is_empty()).then_some(PropertyValue::Number(table.entries.len() as u64))
    }),
];

/// Returns the properties that a table has, by name.
pub(super) fn table_properties(table: &Table) -> BTreeMap<String, PropertyValue> {
    let properties = PROPERTIES.iter().filter_map(|(name, read)| Some(((*name).to_owned(), read(table)?)));
    properties.collect()
}
