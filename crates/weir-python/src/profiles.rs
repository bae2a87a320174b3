//! Action profiles and parser value sets of a switch.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use weir_control::Names;
use weir_control::matching::format_match;
use weir_json::{Kind, Value};
use weir_switch::control::{self, ActionUse, Match, Update};

use crate::control::{call_texts, members};
use crate::record::{Texts, numbers, records};
use crate::switch::Switch;
use crate::value;

numbers! {
    MemberNumber(u32), "a member's or group's number", 0..=u32::MAX;
    Weight(u32), "a weight", 1..=u32::MAX;
    WatchPort(u32), "a port to watch", 0..=u32::MAX;
}

records! {
    /// A member of an action profile.
    Member {
        /// The control-plane name of the member's action.
        action: String,
        /// The action's parameters, as text.
        params: Texts,
        /// The number of groups, entries and defaults that use the member.
        users: usize = 0,
    }

    /// A member of a group, with its weight.
    GroupMember {
        /// The member's number.
        member: MemberNumber,
        /// The member's share of the flows relative to the other members.
        weight: Weight = Weight(1),
        /// The member can be chosen only while the link of this port is up; `None` if it can always
        /// be chosen. If no member takes part, the table's default action from the program runs.
        watch_port: Option<WatchPort> = None,
    }
}

impl GroupMember {
    fn from_member(given: &control::GroupMember) -> Self {
        let control::GroupMember { member, weight, watch } = *given;
        Self { member: MemberNumber(member), weight: Weight(weight), watch_port: watch.map(WatchPort) }
    }

    fn read(self) -> control::GroupMember {
        let watch = self.watch_port.map(|port| port.0);
        control::GroupMember { member: self.member.0, weight: self.weight.0, watch }
    }
}

#[pymethods]
impl Switch {
    /// Returns the members of an action profile, by number.
    fn members(&self, profile: &str) -> PyResult<BTreeMap<u32, Member>> {
        self.with(|control, names| {
            let state = control.profile(names.profile(profile)?)?;
            let member = |(number, member): (u32, control::MemberState)| {
                let (action, params) = call_texts(names, &member.action);
                (number, Member { action, params, users: member.users })
            };
            Ok(state.members.into_iter().map(member).collect())
        })
    }

    /// Returns the groups of an action selector, by number.
    fn groups(&self, profile: &str) -> PyResult<BTreeMap<u32, Vec<GroupMember>>> {
        self.with(|control, names| {
            let groups = control.profile(names.profile(profile)?)?.groups.into_iter();
            Ok(groups
                .map(|(number, (members, _))| {
                    (number, members.iter().map(GroupMember::from_member).collect())
                })
                .collect())
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
    fn insert_group(&self, profile: &str, group: Option<u32>, members: Vec<GroupMember>) -> PyResult<u64> {
        let members = members.into_iter().map(GroupMember::read).collect();
        self.change(|names| Ok(Update::InsertGroup { profile: names.profile(profile)?, group, members }))
    }

    fn modify_group(&self, profile: &str, group: u32, members: Vec<GroupMember>) -> PyResult<()> {
        let members = members.into_iter().map(GroupMember::read).collect();
        let update =
            |names: Names<'_>| Ok(Update::ModifyGroup { profile: names.profile(profile)?, group, members });
        self.change(update).map(drop)
    }

    fn delete_group(&self, profile: &str, group: u32) -> PyResult<()> {
        self.change(|names| Ok(Update::DeleteGroup { profile: names.profile(profile)?, group })).map(drop)
    }

    /// Returns the members of a parser value set, each with one text per field.
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

/// Returns the values of a member of a value set.
fn values_of(member: &Value) -> &[Value] {
    match &member.kind {
        Kind::List(values) => values,
        _ => std::slice::from_ref(member),
    }
}
