//! Entries, calls and targets put together from named parts, and taken apart.

use weir_ir::{ActionId, Bits, TableId};
use weir_json::Value;
use weir_switch::control::{Call, ControlError, Match};

use crate::matching::read_match;
use crate::value::read_value;
use crate::{Error, Names};

/// The largest priority that requests may give: P4Runtime's are signed numbers of 32 bits.
pub const MAX_PRIORITY: u32 = (1 << 31) - 1;

impl Names<'_> {
    /// What an entry says of the key of this name: the key's position, and what it accepts.
    pub fn read_match(self, table: TableId, key: &str, value: &Value) -> Result<(usize, Match), Error> {
        let index = self.key(table, key)?;
        let key = &self.table_schema(table).keys[index];
        let read = read_match(value, key, &key.name)
            .map_err(|error| error.about(format_args!("key {}", key.name)))?;
        Ok((index, read))
    }

    /// What an entry matches, from its keys by name.
    pub fn read_matches(self, table: TableId, given: &[(String, Value)]) -> Result<Vec<Match>, Error> {
        self.all_matches(table, given.iter().map(|(key, value)| self.read_match(table, key, value)))
    }

    /// An action of a table with its parameters by name.
    pub fn read_call(
        self,
        table: TableId,
        action: &str,
        params: &[(String, Value)],
        as_default: bool,
    ) -> Result<Call, Error> {
        let action = self.action(table, action)?;
        self.check_use(table, action, as_default)?;
        self.all_parameters(
            action,
            params.iter().map(|(name, value)| self.read_parameter(action, name, value)),
        )
    }

    /// One match for each key of a table, in order; keys that are not exact and not given accept
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
        let mut matches: Vec<Option<Match>> = vec![None; schema.keys.len()];
        for given in given {
            let (index, accepts) = given?;
            if matches[index].replace(accepts).is_some() {
                return Err(Error::new(format!("key {} is set twice", schema.keys[index].name)));
            }
        }
        let exact =
            |key: &weir_switch::control::KeySchema| key.kind == weir_switch::control::MatchKind::Exact;
        let all = matches.into_iter().zip(&schema.keys).map(|(accepts, key)| match accepts {
            None if exact(key) => {
                Err(Error::new(format!("table {} needs a value for the exact key {}", schema.name, key.name)))
            }
            accepts => Ok(accepts.unwrap_or(Match::Any)),
        });
        all.collect()
    }

    /// The value of the parameter of this name: the parameter's position, and the value.
    pub fn read_parameter(self, action: ActionId, name: &str, value: &Value) -> Result<(usize, Bits), Error> {
        let index = self.parameter(action, name)?;
        let schema = self.action_schema(action);
        let param = &schema.params[index];
        let read = read_value(value, param.width);
        let read =
            read.map_err(|error| error.about(format_args!("parameter {} of {}", param.name, schema.name)))?;
        Ok((index, read))
    }

    /// A value for each parameter of an action, in order.
    pub fn all_parameters(
        self,
        action: ActionId,
        given: impl IntoIterator<Item = Result<(usize, Bits), Error>>,
    ) -> Result<Call, Error> {
        let schema = self.action_schema(action);
        let mut args: Vec<Option<Bits>> = vec![None; schema.params.len()];
        for given in given {
            let (index, value) = given?;
            if args[index].replace(value).is_some() {
                return Err(Error::new(format!("parameter {} is set twice", schema.params[index].name)));
            }
        }
        let all = args.into_iter().zip(&schema.params).map(|(value, param)| {
            value.ok_or_else(|| {
                let (name, width) = (&param.name, param.width);
                Error::new(format!("action {} needs the parameter {name} ({width} bits)", schema.name))
            })
        });
        Ok(Call { action, args: all.collect::<Result<_, _>>()? })
    }

    /// Checks that an action may stand in an entry, or as the default.
    pub fn check_use(self, table: TableId, action: ActionId, as_default: bool) -> Result<(), Error> {
        let listed = self.table_schema(table).actions.iter().find(|listed| listed.id == action);
        match listed {
            Some(listed) if listed.default_only && !as_default => {
                Err(self.explain(ControlError::DefaultOnly { table, action }))
            }
            Some(listed) if listed.table_only && as_default => {
                Err(self.explain(ControlError::TableOnly { table, action }))
            }
            _ => Ok(()),
        }
    }

    /// A priority where the table's entries need one, and none elsewhere; 0 stands for none.
    pub fn priority(self, table: TableId, priority: Option<i64>) -> Result<Option<u32>, Error> {
        if !self.table_schema(table).needs_priority {
            return match priority {
                None | Some(0) => Ok(None),
                Some(_) => Err(Error::new(self.priority_not_allowed(table))),
            };
        }
        match priority.and_then(|priority| u32::try_from(priority).ok()) {
            Some(priority @ 1..=MAX_PRIORITY) => Ok(Some(priority)),
            _ => Err(Error::new(self.priority_missing(table))),
        }
    }
}
