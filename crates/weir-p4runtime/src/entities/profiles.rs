//! Changes members and groups of action profiles (specification, "`ActionProfileMember` &
//! `ActionProfileGroup`").

use weir_grpc::{Code, Problem};
use weir_switch::control::{ActionUse, GroupMember, Update};

use super::actions::read_call;
use super::explain::explain;
use super::weights::{Watch, check_size, size, weight};
use super::writer::Writer;
use crate::pipeline::{GroupNote, Profile};
use crate::proto::v1;
use crate::proto::v1::update::Type;

impl Writer<'_, '_, '_> {
    /// Inserts, modifies or deletes a member of an action profile.
    pub(super) fn member(&mut self, kind: Type, entry: &v1::ActionProfileMember) -> Result<(), Problem> {
        let layout = self.layout;
        let (position, profile) = layout.profile(entry.action_profile_id)?;
        let within = |problem: Problem| problem.within(&format!("`{}`", profile.name));
        self.change_member(kind, (position, profile), entry).map_err(within)
    }

    fn change_member(
        &mut self,
        kind: Type,
        (position, profile): (usize, &Profile),
        entry: &v1::ActionProfileMember,
    ) -> Result<(), Problem> {
        let member = entry.member_id;
        if member == 0 {
            return Err(Problem::invalid("0 is not an id of a member"));
        }
        if kind == Type::Delete {
            let update = Update::DeleteMember { profile: profile.profile, member };
            self.change(&update).map_err(explain)?;
            return Ok(());
        }
        self.no_one_shots_of(position)?;
        let action = entry.action.as_ref().ok_or_else(|| Problem::invalid("a member needs an `action`"))?;
        let Some(table) = profile.tables.first().map(|table| &self.layout.tables[*table]) else {
            return Err(Problem::invalid("no table has it as implementation"));
        };
        let action = read_call(self.layout, self.translator, table, action, ActionUse::Entry)?;
        let profile = profile.profile;
        let update = match kind {
            Type::Insert => Update::InsertMember { profile, member: Some(member), action },
            _ => Update::ModifyMember { profile, member, action },
        };
        self.change(&update).map_err(explain)?;
        Ok(())
    }

    /// Inserts, modifies or deletes a group of an action profile.
    pub(super) fn group(&mut self, kind: Type, entry: &v1::ActionProfileGroup) -> Result<(), Problem> {
        let layout = self.layout;
        let (position, profile) = layout.profile(entry.action_profile_id)?;
        let within = |problem: Problem| problem.within(&format!("`{}`", profile.name));
        if !profile.is_selector {
            return Err(within(Problem::invalid("it is not a selector: it has no groups")));
        }
        if entry.group_id == 0 {
            return Err(within(Problem::invalid("0 is not an id of a group")));
        }
        self.change_group(kind, (position, profile), entry).map_err(within)
    }

    fn change_group(
        &mut self,
        kind: Type,
        (position, profile): (usize, &Profile),
        entry: &v1::ActionProfileGroup,
    ) -> Result<(), Problem> {
        let group = entry.group_id;
        let key = (position, group);
        if kind == Type::Delete {
            let update = Update::DeleteGroup { profile: profile.profile, group };
            self.change(&update).map_err(explain)?;
            self.keep_group(key, None);
            return Ok(());
        }
        self.no_one_shots_of(position)?;
        self.check_max_size(kind, (position, profile), entry)?;
        let members = self.group_members(profile, entry)?;
        let new = size(entry.members.iter().map(|member| member.weight));
        check_size(profile.sizes, i64::from(entry.max_size), new).map_err(resource_exhausted)?;
        let old = self.notes.groups.get(key).map_or((0, 0), group_size);
        let (count, weights) = self.notes.group_sizes.get(position).copied().unwrap_or_default();
        let total = (count - old.0 + new.0, weights - old.1 + new.1);
        check_size(profile.sizes, profile.size, total)
            .map_err(|problem| resource_exhausted(format!("of all groups, {problem}")))?;
        let update = match kind {
            Type::Insert => Update::InsertGroup { profile: profile.profile, group: Some(group), members },
            _ => Update::ModifyGroup { profile: profile.profile, group, members },
        };
        self.change(&update).map_err(explain)?;
        let note = GroupNote { max_size: entry.max_size, members: entry.members.clone() };
        self.keep_group(key, Some(note));
        Ok(())
    }

    /// Records a group as the controller wrote it, and updates the total sizes of the profile's
    /// groups.
    fn keep_group(&mut self, key: (usize, u32), note: Option<GroupNote>) {
        let notes = &mut self.notes;
        let old = notes.groups.get(key).map_or((0, 0), group_size);
        let new = note.as_ref().map_or((0, 0), group_size);
        let (count, weights) = notes.group_sizes.get(key.0).copied().unwrap_or_default();
        notes.group_sizes.set(key.0, Some((count - old.0 + new.0, weights - old.1 + new.1)));
        notes.groups.set(key, note);
    }

    /// Checks a group's `max_size` (specification, "Rules on Setting `max_size`").
    fn check_max_size(
        &self,
        kind: Type,
        (position, profile): (usize, &Profile),
        entry: &v1::ActionProfileGroup,
    ) -> Result<(), Problem> {
        let (max, most) = (entry.max_size, profile.max_group_size);
        if max < 0 || (most > 0 && !(1..=most).contains(&max)) {
            let range = if most > 0 { format!("from 1 to {most}") } else { "0 or more".to_owned() };
            return Err(Problem::invalid(format!("`max_size` must be {range}, not {max}")));
        }
        if kind == Type::Modify
            && let Some(note) = self.notes.groups.get((position, entry.group_id))
            && note.max_size != max
        {
            let was = note.max_size;
            return Err(Problem::invalid(format!("`max_size` is {was} and cannot be changed to {max}")));
        }
        Ok(())
    }

    fn group_members(
        &self,
        profile: &Profile,
        entry: &v1::ActionProfileGroup,
    ) -> Result<Vec<GroupMember>, Problem> {
        entry
            .members
            .iter()
            .map(|member| {
                let weight = weight(profile, profile.sizes, member.weight)?;
                let watch = member.watch_kind.as_ref().map(Watch::from);
                Ok(GroupMember { member: member.member_id, weight, watch: self.checked_watch_port(watch)? })
            })
            .collect()
    }
}

fn resource_exhausted(problem: String) -> Problem {
    Problem::new(Code::ResourceExhausted, problem)
}

fn group_size(note: &GroupNote) -> (i64, i64) {
    size(note.members.iter().map(|member| member.weight))
}
