//! Assembles entries, calls and targets from named parts, and takes them apart again.

use smallvec::{SmallVec, smallvec};
use weir_ir::{ActionId, Bits, TableId};
use weir_json::Value;
use weir_switch::control::{ActionUse, Call, KeySchema, Match, MatchKind, ParamSchema};

use crate::matching::read_match;
use crate::value::read_value;
use crate::{Error, Names};

/// The largest priority that requests may give: P4Runtime's are signed numbers of 32 bits.
pub const MAX_PRIORITY: u32 = (1 << 31) - 1;

impl Names<'_> {
    /// Reads the match for the key with this name. Returns the key's position and the match.
    pub fn read_match(self, table: TableId, key: &str, value: &Value) -> Result<(usize, Match), Error> {
        let index = self.key(table, key)?;
        let key = &self.table_schema(table).keys[index];
        let read = read_match(value, key, &key.name)
            .map_err(|error| error.in_part(format_args!("key {}", key.name)))?;
        Ok((index, read))
    }

    /// Reads the matches of an entry from its keys by name.
    pub fn read_matches(self, table: TableId, matches: &[(String, Value)]) -> Result<Vec<Match>, Error> {
        let matches = matches.iter().map(|(key, value)| self.read_match(table, key, value));
        self.all_matches(table, matches)
    }

    /// Reads an action of a table with its parameters by name.
    pub fn read_call(
        self,
        table: TableId,
        action: &str,
        params: &[(String, Value)],
        wanted: ActionUse,
    ) -> Result<Call, Error> {
        let action = self.action(table, action)?;
        self.check_use(table, action, wanted)?;
        let params = params.iter().map(|(name, value)| self.read_parameter(action, name, value));
        self.all_parameters(action, params)
    }

    /// Returns one match for each key of a table, in order; omitted keys that are not exact accept
    /// everything.
    pub fn all_matches(
        self,
        table: TableId,
        given: impl IntoIterator<Item = Result<(usize, Match), Error>>,
    ) -> Result<Vec<Match>, Error> {
        let schema = self.table_schema(table);
        if schema.keys.is_empty() {
            return Err(Error::new(self.no_keys(table)));
        }
        let mut matches = vec![Match::Any; schema.keys.len()];
        let mut is_given: SmallVec<[bool; 16]> = smallvec![false; schema.keys.len()];
        for given in given {
            let (index, accepts) = given?;
            if std::mem::replace(&mut is_given[index], true) {
                return Err(Error::new(format!("key {} is set twice", schema.keys[index].name)));
            }
            matches[index] = accepts;
        }
        let missing = |(key, given): &(&KeySchema, bool)| key.kind == MatchKind::Exact && !given;
        match schema.keys.iter().zip(is_given).find(missing) {
            Some((key, _)) => Err(self.missing_key(table, key)),
            None => Ok(matches),
        }
    }

    /// Returns the error for an entry without a match for an exact key.
    pub(crate) fn missing_key(self, table: TableId, key: &KeySchema) -> Error {
        let table = &self.table_schema(table).name;
        Error::new(format!("table {table} needs a value for the exact key {}", key.name))
    }

    /// Returns the error for a call without a value for a parameter.
    pub(crate) fn missing_parameter(self, action: ActionId, param: &ParamSchema) -> Error {
        let action = &self.action_schema(action).name;
        Error::new(format!("action {action} needs the parameter {} ({} bits)", param.name, param.width))
    }

    /// Reads the value of the parameter of this name: the parameter's position, and the value.
    pub fn read_parameter(self, action: ActionId, name: &str, value: &Value) -> Result<(usize, Bits), Error> {
        let index = self.parameter(action, name)?;
        let schema = self.action_schema(action);
        let param = &schema.params[index];
        let read = read_value(value, param);
        let read =
            read.map_err(|error| error.in_part(format_args!("parameter {} of {}", param.name, schema.name)))?;
        Ok((index, read))
    }

    /// Returns a value for each parameter of an action, in order.
    pub fn all_parameters(
        self,
        action: ActionId,
        given: impl IntoIterator<Item = Result<(usize, Bits), Error>>,
    ) -> Result<Call, Error> {
        let schema = self.action_schema(action);
        let mut args: Vec<Bits> = schema.params.iter().map(|param| Bits::zero(param.width)).collect();
        let mut is_given: SmallVec<[bool; 16]> = smallvec![false; schema.params.len()];
        for given in given {
            let (index, value) = given?;
            if std::mem::replace(&mut is_given[index], true) {
                return Err(Error::new(format!("parameter {} is set twice", schema.params[index].name)));
            }
            args[index] = value;
        }
        match schema.params.iter().zip(is_given).find(|(_, given)| !given) {
            Some((param, _)) => Err(self.missing_parameter(action, param)),
            None => Ok(Call { action, args }),
        }
    }

    /// Checks that a table allows this use of an action.
    pub fn check_use(self, table: TableId, action: ActionId, wanted: ActionUse) -> Result<(), Error> {
        let listed = self.table_schema(table).actions.iter().find(|listed| listed.id == action);
        match listed.and_then(|listed| listed.refuses(table, wanted)) {
            Some(refused) => Err(self.explain(refused)),
            None => Ok(()),
        }
    }

    /// Returns the given priority if the table's entries need one; otherwise no priority may be
    /// given. 0 stands for no priority.
    pub fn priority(self, table: TableId, priority: Option<i64>) -> Result<Option<u32>, Error> {
        if !self.table_schema(table).needs_priority() {
            return match priority {
                None | Some(0) => Ok(None),
                Some(_) => Err(Error::new(self.priority_not_allowed(table))),
            };
        }
        match priority {
            None | Some(0) => Err(Error::new(self.priority_missing(table))),
            Some(given) => match u32::try_from(given) {
                Ok(priority @ 1..=MAX_PRIORITY) => Ok(Some(priority)),
                _ => Err(Error::new(priority_range_message(given))),
            },
        }
    }
}

/// Returns the message for a priority that no table accepts.
pub fn priority_range_message(given: impl std::fmt::Display) -> String {
    format!("priority {given} is out of range: expected 1 to {MAX_PRIORITY}")
}
