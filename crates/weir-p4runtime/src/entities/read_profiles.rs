//! Reads members and groups of action profiles.

use weir_grpc::Problem;
use weir_switch::control::{Call, GroupMember};

use super::actions::action_message;
use super::explain::explain;
use super::read::Reader;
use super::weights::{Watch, watched_port};
use crate::pipeline::{GroupNote, Profile, Translator};
use crate::proto::v1;
use crate::proto::v1::action_profile_group::member::WatchKind;
use crate::proto::v1::entity::Entity;

impl<'r> Reader<'r, '_> {
    /// Reads a member. An id of 0 means all members of the profile. Without a profile, reads the
    /// members of all profiles.
    pub(super) fn members(&mut self, entry: &v1::ActionProfileMember) -> Result<(), Problem> {
        let control = self.control;
        for (_, profile) in self.profiles(entry.action_profile_id, entry.member_id)? {
            if entry.member_id != 0 {
                let member = control.member(profile.profile, entry.member_id).map_err(explain)?;
                if let Some(call) = member {
                    self.member(profile, entry.member_id, &call);
                }
                continue;
            }
            for (number, call) in control.members(profile.profile).map_err(explain)? {
                if !self.member(profile, number, &call) {
                    break;
                }
            }
        }
        Ok(())
    }

    fn member(&mut self, profile: &Profile, member_id: u32, call: &Call) -> bool {
        let table = profile.tables.first().map(|table| &self.layout.tables[*table]);
        let action = table.and_then(|table| action_message(self.layout, self.translator, table, call));
        let action_profile_id = profile.id;
        let member = v1::ActionProfileMember { action_profile_id, member_id, action };
        self.emit(Entity::ActionProfileMember(member))
    }

    /// Reads a group. An id of 0 means all groups of the selector. Without a selector, reads the
    /// groups of all selectors.
    pub(super) fn groups(&mut self, entry: &v1::ActionProfileGroup) -> Result<(), Problem> {
        let control = self.control;
        for (position, profile) in self.profiles(entry.action_profile_id, entry.group_id)? {
            if !profile.is_selector {
                if entry.action_profile_id != 0 {
                    let name = &profile.name;
                    return Err(Problem::invalid(format!("`{name}` is not a selector: it has no groups")));
                }
                continue;
            }
            for (number, members) in control.groups(profile.profile).map_err(explain)? {
                self.looked_at += 1;
                if entry.group_id != 0 && entry.group_id != number {
                    continue;
                }
                let note = self.notes.groups.get((position, number));
                let (max_size, members) =
                    match note.filter(|note| is_as_written(self.translator, note, &members)) {
                        Some(note) => (note.max_size, note.members.clone()),
                        // Someone other than a controller has changed the group.
                        None => (
                            note.map_or(0, |note| note.max_size),
                            members.iter().map(|member| member_message(self.translator, member)).collect(),
                        ),
                    };
                let (action_profile_id, group_id) = (profile.id, number);
                let group = v1::ActionProfileGroup { action_profile_id, group_id, members, max_size };
                if !self.emit(Entity::ActionProfileGroup(group)) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Returns the profile with this id, or all profiles, with their positions.
    fn profiles(&self, id: u32, part: u32) -> Result<Vec<(usize, &'r Profile)>, Problem> {
        let layout = self.layout;
        let found: Vec<_> = match (id, part) {
            (0, 0) => layout.profiles.iter().enumerate().collect(),
            (0, _) => return Err(Problem::invalid("members and groups have ids in an action profile only")),
            _ => vec![layout.profile(id)?],
        };
        Ok(found.into_iter().filter(|(_, profile)| (self.may_read)(profile.id)).collect())
    }
}

/// Returns whether the group still has the members that a controller wrote.
fn is_as_written(translator: &Translator, note: &GroupNote, members: &[GroupMember]) -> bool {
    let written = note.members.iter().map(|member| {
        let watch = watched_port(translator, member.watch_kind.as_ref().map(Watch::from)).ok()?;
        Some(GroupMember { member: member.member_id, weight: member.weight.max(1) as u32, watch })
    });
    written.collect::<Option<Vec<_>>>().is_some_and(|mut written| {
        written.sort_unstable();
        written == members
    })
}

fn member_message(translator: &Translator, member: &GroupMember) -> v1::action_profile_group::Member {
    v1::action_profile_group::Member {
        member_id: member.member,
        weight: i32::try_from(member.weight).unwrap_or(i32::MAX),
        watch_kind: member.watch.map(|port| WatchKind::WatchPort(translator.port_bytes(port))),
    }
}
