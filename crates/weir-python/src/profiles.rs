//! Action profiles and parser value sets of a switch.

use pyo3::prelude::*;
use weir_control::Names;
use weir_control::matching::format_match;
use weir_json::{Kind, Value};
use weir_switch::control::{self, ActionUse, GroupMember, Match, Update};

use crate::control::{ActionRow, action_out, members};
use crate::switch::Switch;
use crate::value;

/// A member of a profile: its number, its action, and how many groups, entries and default actions
/// use it.
type MemberRow = (u32, ActionRow, usize);

/// A member of a group: its number, its weight, the port that it watches.
type GroupMemberRow = (u32, u32, Option<u32>);

/// A group of a profile: its number, its members, and how many entries and default actions use it.
type GroupRow = (u32, Vec<GroupMemberRow>, usize);

#[pymethods]
impl Switch {
    fn profile(&self, profile: &str) -> PyResult<(Vec<MemberRow>, Vec<GroupRow>)> {
        self.with(|control, names| {
            let state = control.profile(names.profile(profile)?)?;
            let member = |(number, member): (u32, control::MemberState)| {
                (number, action_out(names, &member.action, 1, None), member.users)
            };
            let group = |(number, (members, users)): (u32, (Vec<GroupMember>, usize))| {
                (number, members.into_iter().map(|one| (one.member, one.weight, one.watch)).collect(), users)
            };
            let members = state.members.into_iter().map(member).collect();
            Ok((members, state.groups.into_iter().map(group).collect()))
        })
    }

    /// Adds a member to an action profile and returns its number.
    fn insert_member(
        &self,
        profile: &str,
        member: Option<u32>,
        action: &str,
        params: &Bound<'_, PyAny>,
    ) -> PyResult<u64> {
        let params = members(params)?;
        self.change(|names| {
            let profile = names.profile(profile)?;
            let action = names.read_call(names.profile_table(profile)?, action, &params, ActionUse::Entry)?;
            Ok(Update::InsertMember { profile, member, action })
        })
    }

    fn modify_member(
        &self,
        profile: &str,
        member: u32,
        action: &str,
        params: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let params = members(params)?;
        let update = |names: Names<'_>| {
            let profile = names.profile(profile)?;
            let action = names.read_call(names.profile_table(profile)?, action, &params, ActionUse::Entry)?;
            Ok(Update::ModifyMember { profile, member, action })
        };
        self.change(update).map(drop)
    }

    fn delete_member(&self, profile: &str, member: u32) -> PyResult<()> {
        self.change(|names| Ok(Update::DeleteMember { profile: names.profile(profile)?, member })).map(drop)
    }

    /// Adds a group to an action selector and returns its number.
    fn insert_group(&self, profile: &str, group: Option<u32>, members: Vec<GroupMemberRow>) -> PyResult<u64> {
        let members = group_members(members);
        self.change(|names| Ok(Update::InsertGroup { profile: names.profile(profile)?, group, members }))
    }

    fn modify_group(&self, profile: &str, group: u32, members: Vec<GroupMemberRow>) -> PyResult<()> {
        let members = group_members(members);
        let update =
            |names: Names<'_>| Ok(Update::ModifyGroup { profile: names.profile(profile)?, group, members });
        self.change(update).map(drop)
    }

    fn delete_group(&self, profile: &str, group: u32) -> PyResult<()> {
        self.change(|names| Ok(Update::DeleteGroup { profile: names.profile(profile)?, group })).map(drop)
    }

    /// The members of a parser value set, each with one text per field.
    fn value_set(&self, set: &str) -> PyResult<Vec<Vec<String>>> {
        self.with(|control, names| {
            let set = names.value_set(set)?;
            let members = control.value_set(set)?;
            let fields = &names.value_set_schema(set).fields;
            let member = |member: Vec<Match>| {
                let texts = member.iter().zip(fields).enumerate();
                texts.map(|(at, (one, field))| format_match(one, field, names.field_name(set, at))).collect()
            };
            Ok(members.into_iter().map(member).collect())
        })
    }

    /// Replaces all members of a value set. Each member is a list of values.
    fn set_value_set(&self, set: &str, members: &Bound<'_, PyAny>) -> PyResult<()> {
        let members = match value::read(members)?.kind {
            Kind::List(members) => members,
            _ => Vec::new(),
        };
        let update = |names: Names<'_>| {
            let set = names.value_set(set)?;
            let members = members.iter().map(|member| names.read_member(set, values_of(member)));
            Ok(Update::SetValueSet { set, members: members.collect::<Result<_, _>>()? })
        };
        self.change(update).map(drop)
    }

    /// Adds a member, given as a list of values, to a value set.
    fn add_to_value_set(&self, set: &str, member: &Bound<'_, PyAny>) -> PyResult<()> {
        let member = value::read(member)?;
        self.with(|control, names| {
            let set = names.value_set(set)?;
            let member = names.read_member(set, values_of(&member))?;
            let mut members = control.value_set(set)?;
            if names.has_member(set, &members, &member) {
                return Ok(());
            }
            members.push(member);
            control.change(&Update::SetValueSet { set, members }).map(drop)
        })
    }

    /// Removes a member from a value set. Returns whether it existed.
    fn remove_from_value_set(&self, set: &str, member: &Bound<'_, PyAny>) -> PyResult<bool> {
        let member = value::read(member)?;
        self.with(|control, names| {
            let set = names.value_set(set)?;
            let member = names.read_member(set, values_of(&member))?;
            let mut members = control.value_set(set)?;
            let removed = names.remove_member(set, &mut members, &member);
            control.change(&Update::SetValueSet { set, members })?;
            Ok(removed)
        })
    }
}

fn group_members(members: Vec<GroupMemberRow>) -> Vec<GroupMember> {
    members.into_iter().map(|(member, weight, watch)| GroupMember { member, weight, watch }).collect()
}

/// The values of a member of a value set.
fn values_of(member: &Value) -> &[Value] {
    match &member.kind {
        Kind::List(values) => values,
        _ => std::slice::from_ref(member),
    }
}
