//! Commands on tables whose entries use members and groups of an action profile.

use weir_switch::control::{Target, Update};

use super::profiles::{group_number, member_number, profile_of};
use super::registry::{Command, Output, Session};
use super::tables::{add, split_entry, table_delete, table_reset_default};
use crate::Error;

/// The heading of these commands in help.
const GROUP: &str = "Tables with action profiles";

/// The commands on tables whose entries refer to members and groups of an action profile.
pub(super) const COMMANDS: [Command; 6] = [
    Command::new(
        GROUP,
        "table_indirect_add",
        "TABLE KEY… => MEMBER [PRIORITY]",
        "add an entry that uses a member",
        "table_indirect_add routes 10.0.1.0/24 => 0",
        |session, args| insert(session, args, member),
    ),
    Command::new(
        GROUP,
        "table_indirect_add_with_group",
        "TABLE KEY… => GROUP [PRIORITY]",
        "add an entry that uses a group",
        "table_indirect_add_with_group routes 10.0.1.0/24 => 0",
        |session, args| insert(session, args, group),
    ),
    Command::new(
        GROUP,
        "table_indirect_delete",
        "TABLE HANDLE",
        "remove an entry",
        "table_indirect_delete routes 0",
        |session, args| {
            profile_of(session.names(), args[0])?;
            table_delete(session, args)
        },
    ),
    Command::new(
        GROUP,
        "table_indirect_set_default",
        "TABLE MEMBER",
        "set the member that is used when no entry matches",
        "table_indirect_set_default routes 0",
        |session, args| set_default(session, args, member),
    ),
    Command::new(
        GROUP,
        "table_indirect_set_default_with_group",
        "TABLE GROUP",
        "set the group that is used when no entry matches",
        "table_indirect_set_default_with_group routes 0",
        |session, args| set_default(session, args, group),
    ),
    Command::new(
        GROUP,
        "table_indirect_reset_default",
        "TABLE",
        "restore the default action of the program",
        "table_indirect_reset_default routes",
        |session, args| {
            profile_of(session.names(), args[0])?;
            table_reset_default(session, args)
        },
    ),
];

/// Parses the last word of a command, which is the member or group that an entry uses.
type Read = fn(&str) -> Result<Target, Error>;

/// Reads the number of a member as the target of an entry.
fn member(text: &str) -> Result<Target, Error> {
    Ok(Target::Member(member_number(text)?))
}

/// Reads the number of a group as the target of an entry.
fn group(text: &str) -> Result<Target, Error> {
    Ok(Target::Group(group_number(text)?))
}

/// Inserts an entry whose target `read` reads from the arguments.
fn insert(session: &mut Session<'_, '_>, args: &[&str], read: Read) -> Output {
    let names = session.names();
    let (table, _) = profile_of(names, args[0])?;
    let (keys, target, priority) = split_entry(names, table, &args[1..])?;
    let [target] = target[..] else {
        return Err(Error::new(format!("expected one number after \"=>\", found {} words", target.len())));
    };
    add(session, table, &keys, priority, read(target)?)
}

fn set_default(session: &mut Session<'_, '_>, args: &[&str], read: Read) -> Output {
    let (table, _) = profile_of(session.names(), args[0])?;
    session.change(&Update::SetDefault { table, action: read(args[1])? })?;
    Ok(Vec::new())
}
