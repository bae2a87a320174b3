//! Changes parser value sets (specification, "`ValueSetEntry`").

use prost::Message;
use rustc_hash::FxHashSet;
use weir_grpc::{Code, Problem};
use weir_switch::control::Update;

use super::cells::only_modify;
use super::explain::explain;
use super::matches::{read_matches, write_matches};
use super::read::Reader;
use super::writer::Writer;
use crate::pipeline::ValueSet;
use crate::proto::v1;
use crate::proto::v1::entity::Entity;
use crate::proto::v1::update::Type;

impl Writer<'_, '_, '_> {
    pub(super) fn value_set_entry(&mut self, kind: Type, entry: &v1::ValueSetEntry) -> Result<(), Problem> {
        let layout = self.layout;
        let (_, set) = layout.value_set(entry.value_set_id)?;
        only_modify(kind, "value sets")?;
        self.change_set(set, entry).map_err(|problem| problem.within(&format!("`{}`", set.name)))
    }

    fn change_set(&mut self, set: &ValueSet, entry: &v1::ValueSetEntry) -> Result<(), Problem> {
        let count = entry.members.len();
        if count as u64 > set.size {
            return Err(Problem::new(
                Code::ResourceExhausted,
                format!("it has room for {} members, not for {count}", set.size),
            ));
        }
        let mut seen = FxHashSet::default();
        let mut members = Vec::with_capacity(count);
        for member in &entry.members {
            let matches = read_matches(&set.fields, self.translator, &member.r#match)?;
            let r#match = write_matches(&set.fields, self.translator, &matches);
            if !seen.insert(v1::ValueSetMember { r#match }.encode_to_vec()) {
                return Err(Problem::new(Code::AlreadyExists, "two members are the same"));
            }
            members.push(matches);
        }
        self.change(&Update::SetValueSet { set: set.set, members }).map_err(explain)?;
        Ok(())
    }
}

impl Reader<'_, '_> {
    /// Reads a value set. Without an id, reads all value sets.
    pub(super) fn value_set_entries(&mut self, entry: &v1::ValueSetEntry) -> Result<(), Problem> {
        let layout = self.layout;
        if entry.value_set_id != 0 {
            return self.value_set(layout.value_set(entry.value_set_id)?.1);
        }
        layout.value_sets.iter().try_for_each(|set| self.value_set(set))
    }

    fn value_set(&mut self, set: &ValueSet) -> Result<(), Problem> {
        if !(self.may_read)(set.id) {
            return Ok(());
        }
        let members = self.control.value_set(set.set).map_err(explain)?;
        let members = members.iter().map(|matches| v1::ValueSetMember {
            r#match: write_matches(&set.fields, self.translator, matches),
        });
        let members = members.collect();
        self.emit(Entity::ValueSetEntry(v1::ValueSetEntry { value_set_id: set.id, members }));
        Ok(())
    }
}
