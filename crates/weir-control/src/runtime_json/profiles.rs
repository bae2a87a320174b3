//! Reads action profiles, which have the structure of P4Runtime's `ActionProfileMember` and
//! `ActionProfileGroup`.

use std::collections::BTreeSet;

use weir_json::{Mistakes, Node};
use weir_switch::control::{ActionUse, ControlError, GroupMember, Update};

use super::{find_object, number32, tables, watch_port, weight};
use crate::Names;

/// Reads an element of `action_profile_members`.
pub(super) fn member(names: Names<'_>, node: Node<'_>) -> Result<Update, Mistakes> {
    let mut object = node.object(&["action_profile", "member_id", "action_name", "action_params"]);
    let profile = find_object(&mut object, "action_profile", |name| {
        let profile = names.profile(name)?;
        Ok((profile, names.profile_table(profile)?))
    });
    let member = object.required("member_id", |id| number32(id, "a member's number", 0));
    let table = profile.map(|(_, table)| table);
    let action = tables::call(names, table, &mut object, ActionUse::Entry);
    object
        .finish(|| Some(Update::InsertMember { profile: profile?.0, member: Some(member?), action: action? }))
}

/// Reads an element of `action_profile_groups`.
pub(super) fn group(names: Names<'_>, node: Node<'_>) -> Result<Update, Mistakes> {
    let mut object = node.object(&["action_profile", "group_id", "members"]);
    let profile = find_object(&mut object, "action_profile", |name| {
        let profile = names.profile(name)?;
        match names.profile_schema(profile).is_some_and(|schema| !schema.is_selector) {
            true => Err(names.explain(ControlError::NoSelector(profile))),
            false => Ok(profile),
        }
    });
    let group = object.required("group_id", |id| number32(id, "a group's number", 0));
    let mut listed = BTreeSet::new();
    let members = object.required("members", |members| {
        members.list(|one| {
            let mut object = one.object(&["member_id", "weight", "watch_port"]);
            let member = object.required("member_id", |at| {
                let member = number32(at, "a member's number", 0)?;
                match listed.insert(member) {
                    true => Ok(member),
                    false => Err(
                        at.error(format!("member {member} is listed twice; give it a larger weight instead"))
                    ),
                }
            });
            let weight = weight(&mut object);
            let watch = watch_port(&mut object);
            object.finish(|| Some(GroupMember { member: member?, weight: weight?, watch }))
        })
    });
    object.finish(|| Some(Update::InsertGroup { profile: profile?, group: Some(group?), members: members? }))
}
