//! Converts entries with the names of the program to requests with ids.

use weir_control::{Error, Names};
use weir_ir::{Bits, TableId};
use weir_switch::control::{Call, Entry, Match, Update};

/// An action with its arguments, by names.
#[derive(Clone, Debug)]
pub struct NamedCall {
    /// The name of the action.
    pub action: String,
    /// The values of the parameters by name, in any order.
    pub args: Vec<(&'static str, Bits)>,
}

impl NamedCall {
    /// Parameters are names, widths in bits, and values.
    pub fn new(action: impl Into<String>, args: &[(&'static str, u32, u64)]) -> Self {
        let args = args.iter().map(|(name, width, value)| (*name, Bits::new(*width, u128::from(*value))));
        Self { action: action.into(), args: args.collect() }
    }

    /// Resolves the names in the call to the program's ids.
    pub fn resolve(&self, names: Names<'_>, table: TableId) -> Result<Call, Error> {
        let action = names.action(table, &self.action)?;
        let args = self.args.iter();
        let args = args.map(|(name, value)| Ok((names.parameter(action, name)?, value.clone())));
        names.all_parameters(action, args)
    }
}

/// Returns the request that adds an entry. `matches` gives a match for each key by the key's name.
/// The priority applies only to tables that order their entries by priority.
pub fn insert<'k>(
    names: Names<'_>,
    table: TableId,
    matches: impl IntoIterator<Item = (&'k str, Match)>,
    priority: u32,
    call: &NamedCall,
) -> Result<Update, Error> {
    let matches = matches.into_iter().map(|(key, accepts)| Ok((names.key(table, key)?, accepts)));
    let entry = Entry {
        matches: names.all_matches(table, matches)?,
        priority: names.table_schema(table).needs_priority().then_some(priority),
        action: call.resolve(names, table)?.into(),
        idle_timeout: None,
    };
    Ok(Update::Insert { table, entry })
}
