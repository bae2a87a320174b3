//! Action profiles: members, groups, and the entries that use them.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_ir::{ActionCall, ExternId, TableId};

use super::calls::to_call;
use super::undo::Undo;
use super::{
    ActionSet, ActionUse, Call, Control, ControlError, GroupMember, MemberState, ProfileState, ProfileUser,
    Target, WeightedCall,
};
use crate::externs::ExternState;
use crate::externs::profile::{ActionList, MAX_WEIGHT, Outcome, Profile, WeightedAction};

impl Control<'_> {
    /// Returns an action profile's or selector's members and groups, by number.
    pub fn profile(&self, profile: ExternId) -> Result<ProfileState, ControlError> {
        let state = self.known_profile(profile)?;
        let mut users = BTreeMap::<u32, usize>::new();
        let mut group_users = users.clone();
        for (_, outcome) in self.outcomes(profile) {
            match outcome {
                Outcome::Member(member) => *users.entry(member).or_default() += 1,
                Outcome::Group(group) => *group_users.entry(group).or_default() += 1,
                Outcome::Call(_) | Outcome::OneOf(_) => {}
            }
        }
        for one in state.groups.values().flatten() {
            *users.entry(one.member).or_default() += 1;
        }
        let used = |users: &BTreeMap<u32, usize>, id| users.get(id).copied().unwrap_or(0);
        Ok(ProfileState {
            members: state
                .members
                .iter()
                .map(|(member, call)| {
                    let action = to_call(call);
                    (*member, MemberState { action, users: used(&users, member) })
                })
                .collect(),
            groups: state
                .groups
                .iter()
                .map(|(group, members)| (*group, (members.clone(), used(&group_users, group))))
                .collect(),
        })
    }

    pub(super) fn known_profile(&self, id: ExternId) -> Result<&Profile, ControlError> {
        match self.state.settings.externs.get(id.index()) {
            Some(ExternState::Profile(profile)) => Ok(profile),
            _ => Err(ControlError::NoSuchExtern { what: "action profile", id }),
        }
    }

    pub(super) fn profile_ref(&self, id: ExternId) -> &Profile {
        match &self.state.settings.externs[id.index()] {
            ExternState::Profile(profile) => profile,
            _ => unreachable!("objects of these types are profiles"),
        }
    }

    pub(super) fn profile_mut(&mut self, id: ExternId) -> &mut Profile {
        match self.state.extern_mut(id) {
            ExternState::Profile(profile) => Arc::make_mut(profile),
            _ => unreachable!("objects of these types are profiles"),
        }
    }

    /// Returns the outcomes of the entries and defaults in the profile's tables.
    fn outcomes(&self, profile: ExternId) -> impl Iterator<Item = (ProfileUser, Outcome)> {
        self.profile_ref(profile).tables.iter().flat_map(|id| {
            let table = self.table_ref(*id);
            let entry =
                move |slot| (ProfileUser::Entry(*id, table.entries.handle(slot)), table.outcome_at(slot));
            let default = (ProfileUser::Default(*id), table.default().clone());
            table.entries.slots().map(entry).chain([default])
        })
    }

    pub(super) fn insert_member(
        &mut self,
        profile: ExternId,
        member: Option<u32>,
        action: &Call,
    ) -> Result<Undo, ControlError> {
        let call = self.member_call(profile, action)?;
        let Profile { size, members, .. } = self.profile_ref(profile);
        let size = *size;
        let number = new_number("member", profile, member, members)?;
        if size != 0 && members.len() as u64 >= size {
            return Err(ControlError::ProfileFull { profile, size });
        }
        self.profile_mut(profile).members.insert(number, call);
        Ok(Undo::Member(profile, number, None))
    }

    pub(super) fn modify_member(
        &mut self,
        profile: ExternId,
        member: u32,
        action: &Call,
    ) -> Result<Undo, ControlError> {
        let call = self.member_call(profile, action)?;
        self.known_member(profile, member)?;
        Ok(Undo::Member(profile, member, self.profile_mut(profile).members.insert(member, call)))
    }

    pub(super) fn delete_member(&mut self, profile: ExternId, member: u32) -> Result<Undo, ControlError> {
        self.known_profile(profile)?;
        self.known_member(profile, member)?;
        self.check_unused(profile, &Outcome::Member(member))?;
        Ok(Undo::Member(profile, member, self.profile_mut(profile).members.remove(&member)))
    }

    pub(super) fn insert_group(
        &mut self,
        profile: ExternId,
        group: Option<u32>,
        members: &[GroupMember],
    ) -> Result<Undo, ControlError> {
        self.check_selector(profile)?;
        let number = new_number("group", profile, group, &self.profile_ref(profile).groups)?;
        let members = self.group_members(profile, members)?;
        self.profile_mut(profile).groups.insert(number, members);
        Ok(Undo::SelectorGroup(profile, number, None))
    }

    pub(super) fn modify_group(
        &mut self,
        profile: ExternId,
        group: u32,
        members: &[GroupMember],
    ) -> Result<Undo, ControlError> {
        self.check_selector(profile)?;
        self.known_group(profile, group)?;
        let members = self.group_members(profile, members)?;
        Ok(Undo::SelectorGroup(profile, group, self.profile_mut(profile).groups.insert(group, members)))
    }

    pub(super) fn delete_group(&mut self, profile: ExternId, group: u32) -> Result<Undo, ControlError> {
        self.check_selector(profile)?;
        self.known_group(profile, group)?;
        self.check_unused(profile, &Outcome::Group(group))?;
        Ok(Undo::SelectorGroup(profile, group, self.profile_mut(profile).groups.remove(&group)))
    }

    /// Converts and checks an action for a member. Every table of the profile must have this
    /// action.
    fn member_call(&self, profile: ExternId, call: &Call) -> Result<Arc<ActionCall>, ControlError> {
        let tables = &self.known_profile(profile)?.tables;
        let Some((first, others)) = tables.split_first() else {
            return Err(ControlError::ProfileUnused(profile));
        };
        let read = self.call(*first, call, ActionUse::Entry)?;
        for table in others {
            // An action that refers to different storage in different tables has a different id in
            // each table, but the same name.
            let name = &self.schema.actions[call.action.index()].name;
            let listed = self.table_schema(*table).actions.iter().find(|listed| listed.action == *name);
            let action = listed.map_or(call.action, |listed| listed.id);
            self.call(*table, &Call { action, args: call.args.clone() }, ActionUse::Entry)?;
        }
        Ok(read)
    }

    fn known_member(&self, profile: ExternId, member: u32) -> Result<(), ControlError> {
        let members = &self.profile_ref(profile).members;
        let numbers = || members.keys().copied().collect();
        self.known_number("member", profile, member, members.contains_key(&member), numbers)
    }

    fn known_group(&self, profile: ExternId, group: u32) -> Result<(), ControlError> {
        let groups = &self.profile_ref(profile).groups;
        let numbers = || groups.keys().copied().collect();
        self.known_number("group", profile, group, groups.contains_key(&group), numbers)
    }

    fn known_number(
        &self,
        what: &'static str,
        profile: ExternId,
        id: u32,
        there: bool,
        known: impl FnOnce() -> Vec<u32>,
    ) -> Result<(), ControlError> {
        if there {
            return Ok(());
        }
        Err(ControlError::NoSuchNumber { what, profile, id, known: known() })
    }

    /// Checks that nothing uses the member or group.
    fn check_unused(&self, profile: ExternId, outcome: &Outcome) -> Result<(), ControlError> {
        let mut users: Vec<_> =
            self.outcomes(profile).filter(|(_, used)| used == outcome).map(|(user, _)| user).collect();
        let (what, id) = match outcome {
            Outcome::Member(member) => {
                let groups = self.profile_ref(profile).groups.iter();
                let containing =
                    groups.filter(|(_, members)| members.iter().any(|one| one.member == *member));
                users.splice(0..0, containing.map(|(group, _)| ProfileUser::Group(*group)));
                ("member", *member)
            }
            Outcome::Group(group) => ("group", *group),
            Outcome::Call(_) | Outcome::OneOf(_) => return Ok(()),
        };
        if users.is_empty() { Ok(()) } else { Err(ControlError::InUse { what, profile, id, users }) }
    }

    /// Converts and checks a group's members. The result has each member once, in order.
    fn group_members(
        &self,
        profile: ExternId,
        members: &[GroupMember],
    ) -> Result<Vec<GroupMember>, ControlError> {
        for one in members {
            self.known_member(profile, one.member)?;
            one.watch.map_or(Ok(()), |port| self.known_port(port))?;
        }
        self.weights(members.iter().map(|one| one.weight))?;
        let mut of_group = members.to_vec();
        of_group.sort_unstable();
        if let Some(pair) = of_group.windows(2).find(|pair| pair[0].member == pair[1].member) {
            return Err(ControlError::MemberTwice { profile, member: pair[0].member });
        }
        Ok(of_group)
    }

    /// Checks that no weight is 0 and that their sum is not too large.
    fn weights(&self, weights: impl Iterator<Item = u32> + Clone) -> Result<(), ControlError> {
        if weights.clone().any(|weight| weight == 0) {
            return Err(ControlError::WeightZero);
        }
        let sum = weights.map(u64::from).sum();
        if sum > MAX_WEIGHT { Err(ControlError::TooMuchWeight { sum, most: MAX_WEIGHT }) } else { Ok(()) }
    }

    /// Checks that a profile has groups.
    fn check_selector(&self, profile: ExternId) -> Result<(), ControlError> {
        match self.known_profile(profile)?.hash {
            Some(_) => Ok(()),
            None => Err(ControlError::NoSelector(profile)),
        }
    }

    /// Converts and checks the target of an entry or default of the table.
    pub(super) fn to_outcome(
        &self,
        table: TableId,
        target: &Target,
        wanted: ActionUse,
    ) -> Result<Outcome, ControlError> {
        let Some(profile) = self.table_ref(table).shape.profile else {
            return match target {
                Target::Action(call) => Ok(Outcome::Call(self.call(table, call, wanted)?)),
                _ => Err(ControlError::NoProfile(table)),
            };
        };
        match target {
            Target::Action(call) if wanted == ActionUse::Default => {
                Ok(Outcome::Call(self.call(table, call, wanted)?))
            }
            Target::Action(_) => Err(ControlError::NeedsMember { table, profile }),
            Target::Member(member) => {
                self.known_member(profile, *member)?;
                Ok(Outcome::Member(*member))
            }
            Target::Group(group) => {
                self.check_selector(profile)?;
                self.known_group(profile, *group)?;
                Ok(Outcome::Group(*group))
            }
            Target::OneOf(set) => {
                self.check_selector(profile)?;
                self.weights(set.actions.iter().map(|weighted| weighted.weight))?;
                let first = set.group_action.as_ref();
                let first = first.map(|call| self.call(table, call, ActionUse::GroupAction)).transpose()?;
                let to_action = |weighted: &WeightedCall| {
                    weighted.watch.map_or(Ok(()), |port| self.known_port(port))?;
                    let call = self.call(table, &weighted.action, wanted)?;
                    let runs = match &first {
                        Some(first) => Arc::new(self.table_ref(table).shape.composed.call(first, &call)),
                        None => Arc::clone(&call),
                    };
                    Ok(WeightedAction { call, runs, weight: weighted.weight, watch: weighted.watch })
                };
                let actions = set.actions.iter().map(to_action).collect::<Result<_, ControlError>>()?;
                Ok(Outcome::OneOf(Arc::new(ActionList { actions, at_random: set.at_random, first })))
            }
        }
    }

    /// Converts an outcome to the form of requests.
    pub(super) fn to_target(&self, outcome: &Outcome) -> Target {
        match outcome {
            Outcome::Call(call) => Target::Action(to_call(call)),
            Outcome::Member(member) => Target::Member(*member),
            Outcome::Group(group) => Target::Group(*group),
            Outcome::OneOf(list) => {
                let to_weighted_call = |weighted: &WeightedAction| WeightedCall {
                    action: to_call(&weighted.call),
                    weight: weighted.weight,
                    watch: weighted.watch,
                };
                Target::OneOf(ActionSet {
                    actions: list.actions.iter().map(to_weighted_call).collect(),
                    at_random: list.at_random,
                    group_action: list.first.as_deref().map(to_call),
                })
            }
        }
    }
}

/// Returns the number for a new member or group: the requested number, or one more than the largest
/// existing number.
fn new_number<T>(
    what: &'static str,
    profile: ExternId,
    requested: Option<u32>,
    taken: &BTreeMap<u32, T>,
) -> Result<u32, ControlError> {
    match requested {
        Some(id) if taken.contains_key(&id) => Err(ControlError::NumberTaken { what, profile, id }),
        Some(id) => Ok(id),
        None => match taken.last_key_value() {
            None => Ok(0),
            Some((last, _)) if *last < u32::MAX => Ok(last + 1),
            Some(_) => (0..u32::MAX)
                .find(|id| !taken.contains_key(id))
                .ok_or(ControlError::ProfileFull { profile, size: u64::from(u32::MAX) }),
        },
    }
}
