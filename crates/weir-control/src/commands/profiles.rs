//! Commands on action profiles and selectors, by their names or by a table that uses them.

use weir_ir::{ExternId, TableId};
use weir_switch::control::{ActionUse, Call, ControlError, GroupMember, ProfileState, Update};

use super::registry::{Command, Output, Session};
use super::tables;
use super::values::number32;
use crate::listing::listing;
use crate::{Error, Names};

/// The heading of these commands in help.
const GROUP: &str = "Action profiles";
const BY_TABLE: &str = "Action profiles by their tables";

/// Runs a command on a profile with the arguments that follow the profile's name.
type Act = fn(&mut Session<'_, '_>, ExternId, &[&str]) -> Output;

/// Runs a command that names a profile.
fn run_by_name(session: &mut Session<'_, '_>, args: &[&str], act: Act) -> Output {
    let profile = session.names().profile(args[0])?;
    act(session, profile, &args[1..])
}

/// Runs a command that names a table that uses the profile.
fn run_by_table(session: &mut Session<'_, '_>, args: &[&str], act: Act) -> Output {
    let (_, profile) = profile_of(session.names(), args[0])?;
    act(session, profile, &args[1..])
}

/// Finds a table and the action profile that it uses.
pub(super) fn profile_of(names: Names<'_>, table: &str) -> Result<(TableId, ExternId), Error> {
    let table = names.table(table)?;
    let schema = names.table_schema(table);
    let missing =
        || Error::new(format!("table {} has no action profile: table_add adds its entries", schema.name));
    Ok((table, schema.profile.ok_or_else(missing)?))
}

/// The commands on the members and groups of action profiles.
pub(super) const COMMANDS: [Command; 10] = [
    Command::new(
        GROUP,
        "act_prof_create_member",
        "PROFILE ACTION [PARAMETER…]",
        "add a member",
        "act_prof_create_member ecmp set_port 3",
        |session, args| run_by_name(session, args, create_member),
    )
    .details("The command prints the number of the member."),
    Command::new(
        GROUP,
        "act_prof_modify_member",
        "PROFILE ACTION MEMBER [PARAMETER…]",
        "change the action of a member",
        "act_prof_modify_member ecmp set_port 0 4",
        |session, args| run_by_name(session, args, modify_member),
    ),
    Command::new(
        GROUP,
        "act_prof_delete_member",
        "PROFILE MEMBER",
        "remove a member that no entry or group uses",
        "act_prof_delete_member ecmp 0",
        |session, args| run_by_name(session, args, delete_member),
    ),
    Command::new(
        GROUP,
        "act_prof_create_group",
        "SELECTOR",
        "add an empty group and print its number",
        "act_prof_create_group ecmp",
        |session, args| run_by_name(session, args, create_group),
    ),
    Command::new(
        GROUP,
        "act_prof_delete_group",
        "SELECTOR GROUP",
        "remove a group that no entry uses",
        "act_prof_delete_group ecmp 0",
        |session, args| run_by_name(session, args, delete_group),
    ),
    Command::new(
        GROUP,
        "act_prof_add_member_to_group",
        "SELECTOR MEMBER GROUP",
        "add a member to a group",
        "act_prof_add_member_to_group ecmp 0 0",
        |session, args| run_by_name(session, args, add_to_group),
    ),
    Command::new(
        GROUP,
        "act_prof_remove_member_from_group",
        "SELECTOR MEMBER GROUP",
        "remove a member from a group",
        "act_prof_remove_member_from_group ecmp 0 0",
        |session, args| run_by_name(session, args, remove_from_group),
    ),
    Command::new(
        GROUP,
        "act_prof_dump",
        "PROFILE",
        "show the members and groups of a profile",
        "act_prof_dump ecmp",
        |session, args| run_by_name(session, args, dump_profile),
    ),
    Command::new(
        GROUP,
        "act_prof_dump_member",
        "PROFILE MEMBER",
        "show a member",
        "act_prof_dump_member ecmp 0",
        |session, args| run_by_name(session, args, dump_member),
    ),
    Command::new(
        GROUP,
        "act_prof_dump_group",
        "SELECTOR GROUP",
        "show a group",
        "act_prof_dump_group ecmp 0",
        |session, args| run_by_name(session, args, dump_group),
    ),
];

pub(super) const COMMANDS_BY_TABLE: [Command; 9] = [
    Command::new(
        BY_TABLE,
        "table_indirect_create_member",
        "TABLE ACTION [PARAMETER…]",
        "as act_prof_create_member, on the profile that a table uses",
        "table_indirect_create_member routes set_port 3",
        |session, args| run_by_table(session, args, create_member),
    ),
    Command::new(
        BY_TABLE,
        "table_indirect_modify_member",
        "TABLE ACTION MEMBER [PARAMETER…]",
        "as act_prof_modify_member, on the profile that a table uses",
        "table_indirect_modify_member routes set_port 0 4",
        |session, args| run_by_table(session, args, modify_member),
    ),
    Command::new(
        BY_TABLE,
        "table_indirect_delete_member",
        "TABLE MEMBER",
        "as act_prof_delete_member, on the profile that a table uses",
        "table_indirect_delete_member routes 0",
        |session, args| run_by_table(session, args, delete_member),
    ),
    Command::new(
        BY_TABLE,
        "table_indirect_create_group",
        "TABLE",
        "as act_prof_create_group, on the profile that a table uses",
        "table_indirect_create_group routes",
        |session, args| run_by_table(session, args, create_group),
    ),
    Command::new(
        BY_TABLE,
        "table_indirect_delete_group",
        "TABLE GROUP",
        "as act_prof_delete_group, on the profile that a table uses",
        "table_indirect_delete_group routes 0",
        |session, args| run_by_table(session, args, delete_group),
    ),
    Command::new(
        BY_TABLE,
        "table_indirect_add_member_to_group",
        "TABLE MEMBER GROUP",
        "as act_prof_add_member_to_group, on the profile that a table uses",
        "table_indirect_add_member_to_group routes 0 0",
        |session, args| run_by_table(session, args, add_to_group),
    ),
    Command::new(
        BY_TABLE,
        "table_indirect_remove_member_from_group",
        "TABLE MEMBER GROUP",
        "as act_prof_remove_member_from_group, on the profile that a table uses",
        "table_indirect_remove_member_from_group routes 0 0",
        |session, args| run_by_table(session, args, remove_from_group),
    ),
    Command::new(
        BY_TABLE,
        "table_dump_member",
        "TABLE MEMBER",
        "as act_prof_dump_member, on the profile that a table uses",
        "table_dump_member routes 0",
        |session, args| run_by_table(session, args, dump_member),
    ),
    Command::new(
        BY_TABLE,
        "table_dump_group",
        "TABLE GROUP",
        "as act_prof_dump_group, on the profile that a table uses",
        "table_dump_group routes 0",
        |session, args| run_by_table(session, args, dump_group),
    ),
];

/// Reads the number of an action profile's member.
pub(super) fn member_number(text: &str) -> Result<u32, Error> {
    number32(text, "a member's number")
}

/// Reads the number of an action profile's group.
pub(super) fn group_number(text: &str) -> Result<u32, Error> {
    number32(text, "a group's number")
}

fn member_call(names: Names<'_>, profile: ExternId, action: &str, params: &[&str]) -> Result<Call, Error> {
    let table = names.profile_table(profile)?;
    let action = names.usable_action(table, action, ActionUse::Entry)?;
    names.command_call(action, params)
}

fn create_member(session: &mut Session<'_, '_>, profile: ExternId, args: &[&str]) -> Output {
    let action = member_call(session.names(), profile, args[0], &args[1..])?;
    let new_number = session.change(&Update::InsertMember { profile, member: None, action })?;
    Ok(vec![format!("member {} created", new_number.unwrap_or_default())])
}

fn modify_member(session: &mut Session<'_, '_>, profile: ExternId, args: &[&str]) -> Output {
    let params = if args.get(2) == Some(&"=>") { &args[3..] } else { &args[2..] };
    let action = member_call(session.names(), profile, args[0], params)?;
    session.change(&Update::ModifyMember { profile, member: member_number(args[1])?, action })?;
    Ok(Vec::new())
}

fn delete_member(session: &mut Session<'_, '_>, profile: ExternId, args: &[&str]) -> Output {
    session.change(&Update::DeleteMember { profile, member: member_number(args[0])? })?;
    Ok(Vec::new())
}

fn create_group(session: &mut Session<'_, '_>, profile: ExternId, _: &[&str]) -> Output {
    let new_number = session.change(&Update::InsertGroup { profile, group: None, members: Vec::new() })?;
    Ok(vec![format!("group {} created", new_number.unwrap_or_default())])
}

fn delete_group(session: &mut Session<'_, '_>, profile: ExternId, args: &[&str]) -> Output {
    session.change(&Update::DeleteGroup { profile, group: group_number(args[0])? })?;
    Ok(Vec::new())
}

fn add_to_group(session: &mut Session<'_, '_>, profile: ExternId, args: &[&str]) -> Output {
    let (member, group) = (member_number(args[0])?, group_number(args[1])?);
    let mut members = members(session, profile, group)?;
    if members.iter().any(|known| known.member == member) {
        return Err(Error::new(format!("member {member} is in group {group} already")));
    }
    members.push(GroupMember::new(member, 1));
    session.change(&Update::ModifyGroup { profile, group, members })?;
    Ok(Vec::new())
}

fn remove_from_group(session: &mut Session<'_, '_>, profile: ExternId, args: &[&str]) -> Output {
    let (member, group) = (member_number(args[0])?, group_number(args[1])?);
    let mut members = members(session, profile, group)?;
    let before = members.len();
    members.retain(|known| known.member != member);
    if members.len() == before {
        return Err(Error::new(format!("member {member} is not in group {group}")));
    }
    session.change(&Update::ModifyGroup { profile, group, members })?;
    Ok(Vec::new())
}

/// Reads the members and groups of an action profile.
fn state(session: &mut Session<'_, '_>, profile: ExternId) -> Result<ProfileState, Error> {
    session.control.profile(profile)
}

/// Reads the members of one group of an action selector.
fn members(session: &mut Session<'_, '_>, profile: ExternId, group: u32) -> Result<Vec<GroupMember>, Error> {
    let names = session.names();
    if names.profile_schema(profile).is_some_and(|schema| !schema.is_selector) {
        return Err(names.explain(ControlError::NoSelector(profile)));
    }
    let mut groups = state(session, profile)?.groups;
    match groups.remove(&group) {
        Some((members, _)) => Ok(members),
        None => Err(no_such_number(names, profile, "group", group, groups.keys())),
    }
}

fn no_such_number<'n>(
    names: Names<'_>,
    profile: ExternId,
    what: &str,
    number: u32,
    known: impl Iterator<Item = &'n u32>,
) -> Error {
    let profile = names.extern_name(profile);
    Error::new(format!("{profile} has no {what} {number} (there are: {})", listing(known)))
}

fn dump_profile(session: &mut Session<'_, '_>, profile: ExternId, _: &[&str]) -> Output {
    let names = session.names();
    let state = state(session, profile)?;
    let members = state.members.iter().map(|(number, member)| member_line(names, *number, &member.action));
    let groups = state.groups.iter().map(|(number, (members, _))| group_line(*number, members));
    Ok(members.chain(groups).collect())
}

fn dump_member(session: &mut Session<'_, '_>, profile: ExternId, args: &[&str]) -> Output {
    let number = member_number(args[0])?;
    let (names, state) = (session.names(), state(session, profile)?);
    match state.members.get(&number) {
        Some(member) => Ok(vec![member_line(names, number, &member.action)]),
        None => Err(no_such_number(names, profile, "member", number, state.members.keys())),
    }
}

fn dump_group(session: &mut Session<'_, '_>, profile: ExternId, args: &[&str]) -> Output {
    let number = group_number(args[0])?;
    let (names, state) = (session.names(), state(session, profile)?);
    match state.groups.get(&number) {
        Some((members, _)) => Ok(vec![group_line(number, members)]),
        None => Err(no_such_number(names, profile, "group", number, state.groups.keys())),
    }
}

fn member_line(names: Names<'_>, number: u32, action: &Call) -> String {
    format!("member {number}: {}", tables::call_text(names, action))
}

fn group_line(number: u32, members: &[GroupMember]) -> String {
    let texts: Vec<_> = members
        .iter()
        .map(|one| match one.weight {
            1 => one.member.to_string(),
            weight => format!("{} (weight {weight})", one.member),
        })
        .collect();
    let texts = if texts.is_empty() { "empty".to_owned() } else { texts.join(" ") };
    format!("group {number}: {texts}")
}
