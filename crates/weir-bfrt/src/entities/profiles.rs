//! Changes members of action profiles, and groups of selectors.

use std::collections::{BTreeMap, BTreeSet};

use weir_grpc::Problem;
use weir_ir::ExternId;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::control::{GroupMember, Update};

use super::attributes::is_scoped;
use super::match_tables::call;
use super::writer::{Wanted, Writer};
use crate::explain::explain;
use crate::info::{Object, Table, field};
use crate::matches::index;
use crate::notes::{Chosen, Group};
use crate::values::Data;

/// The maximum number of members of a group.
const MAX_MEMBERS: usize = 4096;

/// Returns the members in the data, each with its status. Without statuses, all can be chosen.
fn members(data: &Data<'_>) -> Result<Option<Vec<Chosen>>, Problem> {
    let statuses = data.flags(field::ACTION_MEMBER_STATUS);
    let Some(members) = data.numbers(field::ACTION_MEMBER_ID) else {
        return match statuses {
            None => Ok(None),
            Some(_) => Err(Problem::invalid("statuses need members (`$ACTION_MEMBER_ID`)")),
        };
    };
    let statuses = statuses.map_or_else(|| vec![true; members.len()], <[bool]>::to_vec);
    if statuses.len() != members.len() {
        return Err(Problem::invalid(format!(
            "the group has {} members and {} statuses",
            members.len(),
            statuses.len()
        )));
    }
    Ok(Some(members.iter().copied().zip(statuses).collect()))
}

/// Returns the members that can be chosen. One that is listed several times has that weight.
fn weighted(members: &[Chosen]) -> Vec<GroupMember> {
    let mut places = BTreeMap::new();
    let mut weights: Vec<(u32, u32)> = Vec::new();
    for (member, _) in members.iter().filter(|(_, can_be_chosen)| *can_be_chosen) {
        let place = *places.entry(*member).or_insert(weights.len());
        match weights.get_mut(place) {
            Some((_, weight)) => *weight += 1,
            None => weights.push((*member, 1)),
        }
    }
    weights.into_iter().map(|(member, weight)| GroupMember::new(member, weight)).collect()
}

impl Writer<'_, '_, '_> {
    pub(super) fn has_member(
        &self,
        table: &Table,
        id: ExternId,
        wanted: &Wanted<'_>,
    ) -> Result<bool, Problem> {
        let member = index(table, wanted.key()?)?;
        let found = self.control().member(id, member).map_err(|error| explain(self.schema(), error))?;
        Ok(found.is_some())
    }

    pub(super) fn member(
        &mut self,
        table: &Table,
        profile: ExternId,
        wanted: &Wanted<'_>,
    ) -> Result<(), Problem> {
        let own = |error| explain(self.schema(), error);
        if wanted.is_for_all() && wanted.kind == Type::Delete {
            let all: Vec<u32> =
                self.control().members(profile).map_err(own)?.map(|(member, _)| member).collect();
            return all
                .into_iter()
                .try_for_each(|member| self.change(&Update::DeleteMember { profile, member }).map(drop));
        }
        let member = index(table, wanted.key()?)?;
        let old = self.control().member(profile, member).map_err(own)?;
        let action = || match wanted.data.action {
            Some(action) => call(action, &wanted.data, old.as_ref()),
            None => Err(Problem::invalid(format!("a member of `{}` needs an action", table.name))),
        };
        let update = match wanted.kind {
            Type::Insert => Update::InsertMember { profile, member: Some(member), action: action()? },
            Type::Modify => Update::ModifyMember { profile, member, action: action()? },
            Type::Delete => Update::DeleteMember { profile, member },
            _ => return Err(wanted.unsupported(table)),
        };
        self.change(&update).map(drop)
    }

    pub(super) fn has_group(&self, table: &Table, wanted: &Wanted<'_>) -> Result<bool, Problem> {
        Ok(self.notes.groups.contains_key(&(table.id, index(table, wanted.key()?)?)))
    }

    pub(super) fn group(
        &mut self,
        table: &Table,
        profile: ExternId,
        wanted: &Wanted<'_>,
    ) -> Result<(), Problem> {
        if wanted.is_for_all() && wanted.kind == Type::Delete {
            let own = |error| explain(self.schema(), error);
            let all: Vec<u32> =
                self.control().groups(profile).map_err(own)?.map(|(group, _)| group).collect();
            for group in all {
                self.change(&Update::DeleteGroup { profile, group })?;
            }
            self.notes.groups.retain(|(of, _), _| *of != table.id);
            return Ok(());
        }
        let number = index(table, wanted.key()?)?;
        if wanted.is_for_pipe && wanted.kind != Type::Insert && !self.has_groups_of_pipes(profile) {
            return Err(Problem::not_found(format!(
                "the group {number} is one for all pipes: changes of it name all pipes (65535)"
            )));
        }
        let place = (table.id, number);
        let known = self.notes.groups.get(&place).cloned();
        let given = members(&wanted.data)?;
        let was_empty = known.as_ref().is_some_and(|known| known.members.is_empty());
        let mut group = match (wanted.kind, known) {
            (Type::Delete, _) => {
                self.change(&Update::DeleteGroup { profile, group: number })?;
                self.notes.groups.remove(&place);
                return Ok(());
            }
            (Type::Insert, _) => Group { members: given.unwrap_or_default(), max_size: 0 },
            (Type::Modify, known) => {
                let known = known.unwrap_or_else(|| self.group_of_switch(profile, number));
                Group { members: given.unwrap_or(known.members), max_size: known.max_size }
            }
            (Type::ModifyInc, known) => {
                let mut known = known.unwrap_or_else(|| self.group_of_switch(profile, number));
                let given = given.unwrap_or_default();
                let named: BTreeSet<u32> = given.iter().map(|(member, _)| *member).collect();
                known.members.retain(|(member, _)| !named.contains(member));
                if !wanted.removes() {
                    known.members.extend(given);
                }
                known
            }
            _ => return Err(wanted.unsupported(table)),
        };
        if let Some(size) = wanted.data.uint32(field::MAX_GROUP_SIZE) {
            if let Some(most) = table.group_size.filter(|most| size > *most) {
                return Err(Problem::invalid(format!(
                    "`$MAX_GROUP_SIZE` is {size}, and a group has at most {most} members"
                )));
            }
            group.max_size = size;
        }
        let most = if group.max_size == 0 { MAX_MEMBERS } else { MAX_MEMBERS.min(group.max_size as usize) };
        if group.members.len() > most {
            return Err(Problem::new(
                weir_grpc::Code::ResourceExhausted,
                format!("the group has {} members, of at most {most}", group.members.len()),
            ));
        }
        // Such a group has no result for packets.
        let is_without = group.members.iter().all(|(_, can_be_chosen)| !can_be_chosen);
        if is_without && !(was_empty && group.members.is_empty()) && self.uses_group(profile, number) {
            return Err(Problem::invalid(
                "entries use the group, and packets need a member with the status true",
            ));
        }
        for (member, _) in group.members.iter().filter(|(_, can_be_chosen)| !can_be_chosen) {
            let found = self.control().member(profile, *member).ok().flatten();
            found.ok_or_else(|| Problem::not_found(format!("there is no member {member}")))?;
        }
        let members = weighted(&group.members);
        self.change(&match wanted.kind {
            Type::Insert => Update::InsertGroup { profile, group: Some(number), members },
            _ => Update::ModifyGroup { profile, group: number, members },
        })?;
        self.notes.groups.insert(place, group);
        Ok(())
    }

    /// Returns whether the tables of a selector have entries of their own in each pipe.
    fn has_groups_of_pipes(&self, profile: ExternId) -> bool {
        let tables = &self.schema().tables;
        let uses = |table: &Table| match table.object {
            Object::Match(id) => tables[id.index()].profile == Some(profile),
            _ => false,
        };
        self.info.tables().iter().any(|table| uses(table) && is_scoped(self.notes, table.id))
    }

    /// Returns a group that another protocol has made.
    fn group_of_switch(&self, profile: ExternId, number: u32) -> Group {
        let groups = self.control().groups(profile).into_iter().flatten();
        let found = groups.into_iter().find(|(group, _)| *group == number);
        let members = found.into_iter().flat_map(|(_, members)| members);
        Group { members: members.map(|one| (one.member, true)).collect(), max_size: 0 }
    }
}
