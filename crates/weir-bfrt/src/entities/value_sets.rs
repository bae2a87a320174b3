//! Changes and reads parser value sets: each member is an entry without data.

use weir_grpc::{Code, Problem};
use weir_ir::ValueSetId;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::control::{Control, Match, MatchKind, Update};

use super::writer::{Wanted, Writer};
use crate::explain::explain;
use crate::info::Table;
use crate::matches;

/// Returns the match kinds of a value set's fields.
fn kinds(control: &Control<'_>, id: ValueSetId) -> Vec<MatchKind> {
    control.schema().value_sets[id.index()].fields.iter().map(|field| field.kind).collect()
}

impl Writer<'_, '_, '_> {
    /// Returns the members of a value set, and the one that a request names.
    fn members(
        &self,
        table: &Table,
        id: ValueSetId,
        wanted: &Wanted<'_>,
    ) -> Result<(Vec<Vec<Match>>, Vec<Match>), Problem> {
        let members = self.control().value_set(id).map_err(|error| explain(self.schema(), error))?;
        let member = matches::read(table, &kinds(self.control(), id), wanted.key()?)?.matches;
        Ok((members, member))
    }

    pub(super) fn has_value(
        &self,
        table: &Table,
        id: ValueSetId,
        wanted: &Wanted<'_>,
    ) -> Result<bool, Problem> {
        let (members, member) = self.members(table, id, wanted)?;
        Ok(members.contains(&member))
    }

    pub(super) fn value_set(
        &mut self,
        table: &Table,
        id: ValueSetId,
        wanted: &Wanted<'_>,
    ) -> Result<(), Problem> {
        if wanted.is_for_all() && matches!(wanted.kind, Type::Delete | Type::Reset) {
            return self.change(&Update::SetValueSet { set: id, members: Vec::new() }).map(drop);
        }
        let (mut members, member) = self.members(table, id, wanted)?;
        let place = members.iter().position(|known| *known == member);
        match (wanted.kind, place) {
            (Type::Insert, None) => members.push(member),
            (Type::Insert, Some(_)) => {
                return Err(Problem::new(Code::AlreadyExists, "the value set has this member already"));
            }
            (Type::Modify, Some(_)) => return Ok(()),
            (Type::Delete, Some(place)) => drop(members.remove(place)),
            (Type::Delete | Type::Modify, None) => {
                return Err(Problem::not_found("the value set has no such member"));
            }
            _ => return Err(wanted.unsupported(table)),
        }
        self.change(&Update::SetValueSet { set: id, members }).map(drop)
    }
}
