//! Parser value sets.

use std::sync::Arc;

use weir_ir::ValueSetId;
use weir_tables::{InsertError, Table};

use super::error::Field;
use super::undo::Undo;
use super::words::write_match;
use super::{Control, ControlError, ValueSetSchema};
use crate::tables::{Match, match_from_pattern};

impl Control<'_> {
    /// Returns a parser value set's members, each with one match per field, in the order in which
    /// they were given.
    pub fn value_set(&self, set: ValueSetId) -> Result<Vec<Vec<Match>>, ControlError> {
        let fields = &self.value_set_schema(set)?.fields;
        let member = |entry: weir_tables::Entry| {
            fields
                .iter()
                .zip(&entry.patterns)
                .map(|(field, pattern)| match_from_pattern(field.width, pattern))
                .collect()
        };
        Ok(self.state.settings.value_sets[set.index()].iter().map(member).collect())
    }

    fn value_set_schema(&self, set: ValueSetId) -> Result<&ValueSetSchema, ControlError> {
        self.schema.value_sets.get(set.index()).ok_or(ControlError::NoSuchValueSet(set))
    }

    pub(super) fn set_members(
        &mut self,
        set: ValueSetId,
        members: &[Vec<Match>],
    ) -> Result<Undo, ControlError> {
        let schema = self.value_set_schema(set)?;
        let (mut values, mut masks) = (Vec::new(), Vec::new());
        let mut table = Table::new(self.state.settings.value_sets[set.index()].layout().clone(), 0);
        for (position, member) in members.iter().enumerate() {
            if member.len() != schema.fields.len() {
                return Err(ControlError::MemberFields { set, given: member.len() });
            }
            values.clear();
            masks.clear();
            for (index, (field, accepts)) in schema.fields.iter().zip(member).enumerate() {
                let start = values.len();
                for words in [&mut values, &mut masks] {
                    words.resize(start + field.width.div_ceil(64) as usize, 0);
                }
                let place = Field::Member(set, index);
                write_match(place, field, accepts, &mut values[start..], &mut masks[start..])?;
            }
            match table.insert_words((&values, &masks), 0, 0, &[]) {
                Ok(_) => {}
                Err(InsertError::Duplicate(_)) => {
                    return Err(ControlError::SameMember { set, member: position });
                }
                Err(_) => unreachable!("patterns were made for the fields"),
            }
        }
        if table.len() as u64 > schema.size {
            return Err(ControlError::ValueSetFull { set, given: table.len() });
        }
        let members = &mut self.state.settings.value_sets[set.index()];
        Ok(Undo::ValueSet(set, std::mem::replace(members, Arc::new(table))))
    }
}
