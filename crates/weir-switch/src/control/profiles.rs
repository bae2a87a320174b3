//! Action profiles: members, groups, and the entries that point at them.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_ir::{ActionCall, ExternId, TableId};

use super::names::resolve;
use super::{Control, ControlError, GroupMember, MemberState, ProfileState, Target, WeightedCall};
use crate::externs::ExternState;
use crate::externs::profile::{MAX_WEIGHT, Outcome, Profile};

impl Control<'_> {
    /// An action profile's or selector's members and groups, by number.
    pub fn profile(&self, profile: &str) -> Result<ProfileState, ControlError> {
        let (id, _) = self.profile_id(profile)?;
        let state = self.profile_ref(id);
        let mut users = BTreeMap::<u32, usize>::new();
        let mut group_users = users.clone();
        for (_, outcome) in self.outcomes(id) {
            match outcome {
                Outcome::Member(member) => *users.entry(member).or_default() += 1,
                Outcome::Group(group) => *group_users.entry(group).or_default() += 1,
                Outcome::Call(_) | Outcome::OneOf(_) => {}
            }
        }
        for (member, _) in state.groups.values().flatten() {
            *users.entry(*member).or_default() += 1;
        }
        let used = |users: &BTreeMap<u32, usize>, id| users.get(id).copied().unwrap_or(0);
        Ok(ProfileState {
            members: state
                .members
                .iter()
                .map(|(member, call)| {
                    let action = self.named_call(call);
                    (*member, MemberState { action, users: used(&users, member) })
                })
                .collect(),
            groups: state
                .groups
                .iter()
                .map(|(group, members)| {
                    let member =
                        |(member, weight): &(u32, u32)| GroupMember { member: *member, weight: *weight };
                    (*group, (members.iter().map(member).collect(), used(&group_users, group)))
                })
                .collect(),
        })
    }

    /// A profile by its name or an unambiguous suffix, and its position in the schema.
    pub(super) fn profile_id(&self, name: &str) -> Result<(ExternId, usize), ControlError> {
        let names = self.schema.profiles.iter().map(|profile| profile.name.as_str());
        let position = resolve("action profile", None, name, names)?;
        let is_profile = |kind: &str| matches!(kind, "action_profile" | "action_selector");
        let mut objects = self.program.externs.iter().filter(|(_, object)| is_profile(&object.kind));
        let (id, _) = objects.nth(position).expect("the schema lists the program's profiles in order");
        Ok((id, position))
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

    /// All that the entries and defaults of the profile's tables do, with how to call them.
    fn outcomes(&self, profile: ExternId) -> impl Iterator<Item = (String, Outcome)> {
        self.profile_ref(profile).tables.iter().flat_map(|id| {
            let name = &self.table_schema(*id).name;
            let table = self.table_ref(*id);
            let entry = move |handle| format!("entry {handle} of table `{name}`");
            let default = (format!("the default of table `{name}`"), table.default().clone());
            let slots = table.entries.slots();
            slots
                .map(move |slot| (entry(table.entries.handle(slot)), table.outcome_at(slot)))
                .chain([default])
        })
    }

    /// An action for a member: every table of the profile must have it.
    pub(super) fn member_call(
        &self,
        name: &str,
        call: &super::Call,
    ) -> Result<(ExternId, Arc<ActionCall>), ControlError> {
        let (id, position) = self.profile_id(name)?;
        let tables = &self.profile_ref(id).tables;
        let Some((first, others)) = tables.split_first() else {
            return Err(ControlError::ProfileUnused { profile: self.schema.profiles[position].name.clone() });
        };
        let resolved = self.call(*first, call, false)?;
        for table in others {
            self.call(*table, call, false)?;
        }
        Ok((id, resolved))
    }

    /// A number for a new member or group: the one that is wished for, or the first after all others.
    pub(super) fn new_number<T>(
        &self,
        what: &'static str,
        profile: ExternId,
        wish: Option<u32>,
        taken: &BTreeMap<u32, T>,
    ) -> Result<u32, ControlError> {
        let name = || self.program.externs[profile].name.clone();
        match wish {
            Some(id) if taken.contains_key(&id) => {
                Err(ControlError::NumberTaken { what, profile: name(), id })
            }
            Some(id) => Ok(id),
            None => match taken.last_key_value() {
                None => Ok(0),
                Some((last, _)) if *last < u32::MAX => Ok(last + 1),
                Some(_) => (0..u32::MAX)
                    .find(|id| !taken.contains_key(id))
                    .ok_or_else(|| ControlError::ProfileFull { profile: name(), size: u64::from(u32::MAX) }),
            },
        }
    }

    pub(super) fn known_member(&self, profile: ExternId, member: u32) -> Result<(), ControlError> {
        let members = &self.profile_ref(profile).members;
        let known = || members.keys().copied().collect();
        self.known_number("member", profile, member, members.contains_key(&member), known)
    }

    pub(super) fn known_group(&self, profile: ExternId, group: u32) -> Result<(), ControlError> {
        let groups = &self.profile_ref(profile).groups;
        let known = || groups.keys().copied().collect();
        self.known_number("group", profile, group, groups.contains_key(&group), known)
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
        let profile = self.program.externs[profile].name.clone();
        Err(ControlError::NoSuchNumber { what, profile, id, known: known() })
    }

    /// That nothing points at the member, or at the group.
    pub(super) fn unused(&self, profile: ExternId, outcome: &Outcome) -> Result<(), ControlError> {
        let mut users: Vec<String> =
            self.outcomes(profile).filter(|(_, used)| used == outcome).map(|(name, _)| name).collect();
        let (what, id) = match outcome {
            Outcome::Member(member) => {
                let groups = self.profile_ref(profile).groups.iter();
                let of = groups.filter(|(_, members)| members.iter().any(|(m, _)| m == member));
                users.splice(0..0, of.map(|(group, _)| format!("group {group}")));
                ("member", *member)
            }
            Outcome::Group(group) => ("group", *group),
            Outcome::Call(_) | Outcome::OneOf(_) => return Ok(()),
        };
        if users.is_empty() {
            return Ok(());
        }
        Err(ControlError::InUse { what, profile: self.program.externs[profile].name.clone(), id, users })
    }

    /// A group's members as it keeps them: each once, in order.
    pub(super) fn group_members(
        &self,
        profile: ExternId,
        members: &[GroupMember],
    ) -> Result<Vec<(u32, u32)>, ControlError> {
        let name = || self.program.externs[profile].name.clone();
        let mut of_group = Vec::with_capacity(members.len());
        for GroupMember { member, weight } in members {
            self.known_member(profile, *member)?;
            of_group.push((*member, *weight));
        }
        self.weights(of_group.iter().map(|(_, weight)| *weight))?;
        of_group.sort_unstable();
        if let Some(pair) = of_group.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(ControlError::MemberTwice { profile: name(), member: pair[0].0 });
        }
        Ok(of_group)
    }

    fn weights(&self, weights: impl Iterator<Item = u32> + Clone) -> Result<(), ControlError> {
        if weights.clone().any(|weight| weight == 0) {
            return Err(ControlError::WeightZero);
        }
        let sum = weights.map(u64::from).sum();
        if sum > MAX_WEIGHT { Err(ControlError::TooMuchWeight { sum, most: MAX_WEIGHT }) } else { Ok(()) }
    }

    /// That a profile has groups.
    pub(super) fn needs_selector(&self, profile: ExternId) -> Result<(), ControlError> {
        match self.profile_ref(profile).hash {
            Some(_) => Ok(()),
            None => Err(ControlError::NoSelector { profile: self.program.externs[profile].name.clone() }),
        }
    }

    /// What an entry or a default of the table shall do.
    pub(super) fn outcome(
        &self,
        table: TableId,
        target: &Target,
        as_default: bool,
    ) -> Result<Outcome, ControlError> {
        let name = || self.table_schema(table).name.clone();
        let Some(profile) = self.table_ref(table).shape.profile else {
            return match target {
                Target::Action(call) => Ok(Outcome::Call(self.call(table, call, as_default)?)),
                _ => Err(ControlError::NoProfile { table: name() }),
            };
        };
        match target {
            Target::Action(call) if as_default => Ok(Outcome::Call(self.call(table, call, true)?)),
            Target::Action(_) => {
                let profile = self.program.externs[profile].name.clone();
                Err(ControlError::NeedsMember { table: name(), profile })
            }
            Target::Member(member) => {
                self.known_member(profile, *member)?;
                Ok(Outcome::Member(*member))
            }
            Target::Group(group) => {
                self.needs_selector(profile)?;
                self.known_group(profile, *group)?;
                Ok(Outcome::Group(*group))
            }
            Target::OneOf(calls) => {
                self.needs_selector(profile)?;
                self.weights(calls.iter().map(|one| one.weight))?;
                let one = |one: &WeightedCall| Ok((self.call(table, &one.action, as_default)?, one.weight));
                Ok(Outcome::OneOf(calls.iter().map(one).collect::<Result<_, ControlError>>()?))
            }
        }
    }

    /// An outcome in names.
    pub(super) fn named_target(&self, outcome: &Outcome) -> Target {
        match outcome {
            Outcome::Call(call) => Target::Action(self.named_call(call)),
            Outcome::Member(member) => Target::Member(*member),
            Outcome::Group(group) => Target::Group(*group),
            Outcome::OneOf(calls) => Target::OneOf(
                calls
                    .iter()
                    .map(|(call, weight)| WeightedCall { action: self.named_call(call), weight: *weight })
                    .collect(),
            ),
        }
    }
}
