//! Parser value sets.

use std::sync::Arc;

use weir_ir::ValueSetId;
use weir_tables::{InsertError, Table};

use super::names::resolve;
use super::words::accept;
use super::write::Undo;
use super::{Control, ControlError, Match};
use crate::tables::accepts;

impl Control<'_> {
    /// A parser value set's members, each one match a field, in the order in which they were given.
    pub fn value_set(&self, set: &str) -> Result<Vec<Vec<Match>>, ControlError> {
        let index = self.value_set_index(set)?;
        let fields = &self.schema.value_sets[index].fields;
        let member = |entry: weir_tables::Entry| {
            fields.iter().zip(&entry.patterns).map(|(field, pattern)| accepts(field.width, pattern)).collect()
        };
        Ok(self.state.settings.value_sets[index].iter().map(member).collect())
    }

    pub(super) fn set_members(&mut self, set: &str, members: &[Vec<Match>]) -> Result<Undo, ControlError> {
        let index = self.value_set_index(set)?;
        let schema = &self.schema.value_sets[index];
        let owner = || format!("value set `{}`", schema.name);
        let (mut values, mut masks) = (Vec::new(), Vec::new());
        let mut table = Table::new(self.state.settings.value_sets[index].layout().clone(), 0);
        for member in members {
            if member.len() != schema.fields.len() {
                let (expected, given) = (schema.fields.len(), member.len());
                return Err(ControlError::MemberFields { set: schema.name.clone(), expected, given });
            }
            values.clear();
            masks.clear();
            for (field, accepts) in schema.fields.iter().zip(member) {
                let start = values.len();
                for words in [&mut values, &mut masks] {
                    words.resize(start + field.width.div_ceil(64) as usize, 0);
                }
                accept(&owner, field, accepts, &mut values[start..], &mut masks[start..])?;
            }
            match table.insert_words((&values, &masks), 0, 0, &[]) {
                // Twice in a set is as good as once.
                Ok(_) | Err(InsertError::Duplicate(_)) => {}
                Err(_) => unreachable!("patterns were made for the fields"),
            }
        }
        if table.len() as u64 > schema.size {
            let (set, given) = (schema.name.clone(), table.len());
            return Err(ControlError::ValueSetFull { set, size: schema.size, given });
        }
        let set = &mut self.state.settings.value_sets[index];
        Ok(Undo::ValueSet(ValueSetId::new(index), std::mem::replace(set, Arc::new(table))))
    }

    fn value_set_index(&self, set: &str) -> Result<usize, ControlError> {
        let names = self.schema.value_sets.iter().map(|set| set.name.as_str());
        resolve("value set", None, set, names)
    }
}
