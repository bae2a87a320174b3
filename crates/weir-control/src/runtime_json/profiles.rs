//! Action profiles, in the shape of P4Runtime's `ActionProfileMember` and `ActionProfileGroup`.

use weir_json::{Diagnostic, Node};
use weir_switch::control::{ActionUse, ControlError, GroupMember, Update};

use super::{named, number32, tables, watch_port};
use crate::Names;

/// An element of `action_profile_members`.
pub(super) fn member(names: Names<'_>, node: Node<'_>) -> Result<Update, Diagnostic> {
    node.only(&["action_profile", "member_id", "action_name", "action_params"])?;
    let profile = named(node, "action_profile", |name| names.profile(name))?;
    let table = named(node, "action_profile", |_| names.profile_table(profile))?;
    let member = number32(node.require("member_id")?, "a member's number", 0)?;
    let action = tables::call(names, table, node, ActionUse::Entry)?;
    Ok(Update::InsertMember { profile, member: Some(member), action })
}

/// An element of `action_profile_groups`.
pub(super) fn group(names: Names<'_>, node: Node<'_>) -> Result<Update, Diagnostic> {
    node.only(&["action_profile", "group_id", "members"])?;
    let profile = named(node, "action_profile", |name| names.profile(name))?;
    let group = number32(node.require("group_id")?, "a group's number", 0)?;
    let mut members: Vec<GroupMember> = Vec::new();
    for one in node.require("members")?.items()? {
        one.only(&["member_id", "weight", "watch_port"])?;
        let at = one.require("member_id")?;
        let member = number32(at, "a member's number", 0)?;
        let weight = one.get("weight").map_or(Ok(1), |weight| number32(weight, "a weight", 1))?;
        if members.iter().any(|known| known.member == member) {
            return Err(at.fail(format!("member {member} is listed twice; give it a larger weight instead")));
        }
        members.push(GroupMember { member, weight, watch: watch_port(one)? });
    }
    if names.profile_schema(profile).is_some_and(|schema| !schema.is_selector) {
        let error = names.explain(ControlError::NoSelector(profile));
        return Err(error.at(node.require("action_profile")?));
    }
    Ok(Update::InsertGroup { profile, group: Some(group), members })
}
