//! Commands on tables.

use weir_ir::TableId;
use weir_switch::control::{ActionUse, Call, Entry, EntryRef, EntryState, Target, Update};
use weir_units::format_time;

use super::registry::{Command, Output, Session};
use super::values::{format_match, handle, read_whole};
use crate::value::format_as;
use crate::{Error, MAX_PRIORITY, Names};

/// The heading of these commands in help.
const GROUP: &str = "Tables";

/// The commands on tables and their entries.
pub(super) const COMMANDS: [Command; 15] = [
    Command::new(GROUP, "show_tables", "", "show the tables with their keys", "show_tables", show_tables),
    Command::new(
        GROUP,
        "show_actions",
        "",
        "show the actions of all tables with their parameters",
        "show_actions",
        show_actions,
    ),
    Command::new(
        GROUP,
        "table_show_actions",
        "TABLE",
        "show a table's actions with their parameters",
        "table_show_actions ipv4_lpm",
        table_show_actions,
    ),
    Command::new(
        GROUP,
        "table_info",
        "TABLE",
        "show a table's keys, size and actions",
        "table_info ipv4_lpm",
        table_info,
    ),
    Command {
        least: Some(2),
        ..Command::new(
            GROUP,
            "table_add",
            "TABLE ACTION KEY… => [PARAMETER…] [PRIORITY]",
            "add an entry",
            "table_add ipv4_lpm ipv4_forward 10.0.1.0/24 => 00:00:00:00:01:01 1",
            table_add,
        )
        .details(
            "A key is VALUE (exact), VALUE/LENGTH (lpm), VALUE&&&MASK (ternary), LOW->HIGH (range), VALUE or * (optional).\n\
             A table with ternary, range or optional keys needs a priority at the end; the smallest is preferred.",
        )
    },
    Command::new(
        GROUP,
        "table_set_default",
        "TABLE ACTION [PARAMETER…]",
        "set the default action, which runs if no entry matches",
        "table_set_default ipv4_lpm drop",
        table_set_default,
    ),
    Command::new(
        GROUP,
        "table_reset_default",
        "TABLE",
        "restore the default action of the program",
        "table_reset_default ipv4_lpm",
        table_reset_default,
    ),
    Command::new(
        GROUP,
        "table_modify",
        "TABLE ACTION HANDLE [PARAMETER…]",
        "change the action of an entry",
        "table_modify ipv4_lpm ipv4_forward 0 00:00:00:00:01:02 2",
        table_modify,
    ),
    Command::new(
        GROUP,
        "table_delete",
        "TABLE HANDLE",
        "remove an entry",
        "table_delete ipv4_lpm 0",
        table_delete,
    ),
    Command::new(
        GROUP,
        "table_clear",
        "TABLE",
        "remove all entries except constant ones",
        "table_clear ipv4_lpm",
        table_clear,
    ),
    Command::new(
        GROUP,
        "table_num_entries",
        "TABLE",
        "show the number of entries of a table",
        "table_num_entries ipv4_lpm",
        table_num_entries,
    ),
    Command::new(
        GROUP,
        "table_dump",
        "TABLE",
        "show the entries and the default action of a table",
        "table_dump ipv4_lpm",
        table_dump,
    ),
    Command::new(
        GROUP,
        "table_dump_entry",
        "TABLE HANDLE",
        "show one entry",
        "table_dump_entry ipv4_lpm 0",
        table_dump_entry,
    ),
    Command::new(
        GROUP,
        "table_dump_entry_from_key",
        "TABLE KEY… [PRIORITY]",
        "show the entry with these keys",
        "table_dump_entry_from_key ipv4_lpm 10.0.1.0/24",
        table_dump_entry_from_key,
    ),
    Command::new(
        GROUP,
        "table_set_timeout",
        "TABLE HANDLE MILLISECONDS",
        "set the time without a hit after which an entry is reported as idle",
        "table_set_timeout flows 0 5000",
        table_set_timeout,
    )
    .details("For tables with support_timeout. 0 removes the time-out."),
];

fn show_tables(session: &mut Session<'_, '_>, _: &[&str]) -> Output {
    let names = session.names();
    let tables = (0..names.schema.tables.len()).map(TableId::new);
    Ok(tables.map(|table| declaration(names, table)).collect())
}

fn show_actions(session: &mut Session<'_, '_>, _: &[&str]) -> Output {
    let names = session.names();
    let mut lines: Vec<String> = Vec::new();
    for line in (0..names.schema.tables.len()).flat_map(|table| signatures(names, TableId::new(table))) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    Ok(lines)
}

fn table_show_actions(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let names = session.names();
    Ok(signatures(names, names.table(args[0])?))
}

fn table_info(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let names = session.names();
    let table = names.table(args[0])?;
    let size = names.table_schema(table).size.map_or("no limit".to_owned(), |size| size.to_string());
    let entries = session.control.table_state(table)?.entries;
    let mut lines = vec![declaration(names, table), format!("size: {size}"), format!("entries: {entries}")];
    lines.extend(signatures(names, table).into_iter().map(|action| format!("action: {action}")));
    Ok(lines)
}

fn table_add(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let names = session.names();
    let table = names.table(args[0])?;
    let action = names.usable_action(table, args[1], ActionUse::Entry)?;
    let (keys, call, priority) = split_entry(names, table, &args[2..])?;
    let action = names.command_call(action, &call)?.into();
    add(session, table, &keys, priority, action)
}

/// Adds an entry with keys as they are written.
pub(super) fn add(
    session: &mut Session<'_, '_>,
    table: TableId,
    keys: &[&str],
    priority: Option<u32>,
    action: Target,
) -> Output {
    let names = session.names();
    let matches = names.command_keys(table, keys)?;
    let entry = Entry { matches, priority, action, idle_timeout: None };
    let handle = session.change(&Update::Insert { table, entry })?;
    session.remarks.extend(names.surplus_bits(table, keys));
    Ok(vec![format!("entry {} added", handle.unwrap_or_default())])
}

/// The parts of an entry: keys, parameters after `=>`, and the priority in the switch's order.
type Parts<'a> = (Vec<&'a str>, Vec<&'a str>, Option<u32>);

/// Splits the words of an entry into its parts.
pub(super) fn split_entry<'a>(
    names: Names<'_>,
    table: TableId,
    words: &[&'a str],
) -> Result<Parts<'a>, Error> {
    let schema = names.table_schema(table);
    let (mut words, mut priority) = (words.to_vec(), None);
    if schema.needs_priority() {
        let Some(last) = words.pop().filter(|last| *last != "=>") else {
            return Err(Error::new(format!(
                "entries of table {} need a priority at the end (the smallest is preferred)",
                schema.name
            )));
        };
        let expected = "a priority at the end (the smallest is preferred)";
        priority = Some(MAX_PRIORITY - read_whole(last, expected, 0, u64::from(MAX_PRIORITY) - 1)? as u32);
    }
    match words.iter().position(|word| *word == "=>") {
        Some(arrow) => Ok((words[..arrow].to_vec(), words[arrow + 1..].to_vec(), priority)),
        None if words.len() == schema.keys.len() => Ok((words, Vec::new(), priority)),
        None => Err(Error::new("expected \"=>\" between the keys and the action's parameters")),
    }
}

fn table_set_default(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let names = session.names();
    let table = names.table(args[0])?;
    let action = names.usable_action(table, args[1], ActionUse::Default)?;
    let call: Vec<_> = args[2..].iter().copied().filter(|word| *word != "=>").collect();
    let action = names.command_call(action, &call)?.into();
    session.change(&Update::SetDefault { table, action })?;
    Ok(Vec::new())
}

pub(super) fn table_reset_default(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let table = session.names().table(args[0])?;
    session.change(&Update::ResetDefault { table })?;
    Ok(Vec::new())
}

fn table_modify(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let names = session.names();
    let table = names.table(args[0])?;
    let action = names.usable_action(table, args[1], ActionUse::Entry)?;
    let entry = EntryRef::Handle(handle(args[2])?);
    let call = if args.get(3) == Some(&"=>") { &args[4..] } else { &args[3..] };
    let action = names.command_call(action, call)?.into();
    session.change(&Update::Modify { table, entry, action })?;
    Ok(Vec::new())
}

pub(super) fn table_delete(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let table = session.names().table(args[0])?;
    let entry = EntryRef::Handle(handle(args[1])?);
    session.change(&Update::Delete { table, entry })?;
    Ok(Vec::new())
}

fn table_clear(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let table = session.names().table(args[0])?;
    session.change(&Update::Clear { table })?;
    Ok(Vec::new())
}

fn table_num_entries(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let table = session.names().table(args[0])?;
    Ok(vec![session.control.table_state(table)?.entries.to_string()])
}

fn table_dump(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let names = session.names();
    let table = names.table(args[0])?;
    let entries = session.control.entries(table)?;
    let default = session.control.default_action(table)?;
    let mut lines: Vec<_> = entries.iter().map(|state| entry(names, table, state)).collect();
    lines.push(format!("default => {}", target(names, &default)));
    Ok(lines)
}

fn table_dump_entry(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let names = session.names();
    let table = names.table(args[0])?;
    dump_entries(session, table, &EntryRef::Handle(handle(args[1])?))
}

fn table_dump_entry_from_key(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let names = session.names();
    let table = names.table(args[0])?;
    let (keys, rest, priority) = split_entry(names, table, &args[1..])?;
    if let Some(extra) = rest.first() {
        return Err(Error::new(format!("expected the keys alone, found \"{extra}\" after \"=>\"")));
    }
    dump_entries(session, table, &EntryRef::Key { matches: names.command_keys(table, &keys)?, priority })
}

fn dump_entries(session: &mut Session<'_, '_>, table: TableId, which: &EntryRef) -> Output {
    let state = session.control.entry(table, which)?;
    Ok(vec![entry(session.names(), table, &state)])
}

fn table_set_timeout(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let table = session.names().table(args[0])?;
    let entry = EntryRef::Handle(handle(args[1])?);
    let milliseconds = read_whole(args[2], "a time-out in milliseconds", 0, (1 << 40) - 1)?;
    let timeout = Some(milliseconds * 1_000_000).filter(|timeout| *timeout > 0);
    session.change(&Update::SetIdleTimeout { table, entry, timeout })?;
    Ok(Vec::new())
}

/// Describes a table with its keys in one line.
fn declaration(names: Names<'_>, table: TableId) -> String {
    let schema = names.table_schema(table);
    let keys = schema.keys.iter().map(|key| format!("{} ({}, {})", key.name, key.kind.name(), key.width));
    format!("{} [{}]", schema.name, keys.collect::<Vec<_>>().join(", "))
}

/// Returns a table's actions with their parameters.
fn signatures(names: Names<'_>, table: TableId) -> Vec<String> {
    let actions = names.table_schema(table).actions.iter().map(|listed| names.action_schema(listed.id));
    let signature = |action: &weir_switch::control::ActionSchema| {
        let params = action.params.iter().map(|param| format!("{}: {}", param.name, param.width));
        format!("{} ({})", action.name, params.collect::<Vec<_>>().join(", "))
    };
    actions.map(signature).collect()
}

/// Formats an entry in one line.
fn entry(names: Names<'_>, table: TableId, state: &EntryState) -> String {
    let EntryState { handle, entry, is_const, .. } = state;
    let keys = names.table_schema(table).keys.iter().zip(&entry.matches);
    let keys: Vec<_> = keys.map(|(key, accepts)| format_match(accepts, key, &key.name)).collect();
    let priority =
        entry.priority.map(|priority| format!(" priority {}", MAX_PRIORITY.saturating_sub(priority)));
    let timeout = entry.idle_timeout.map(|timeout| format!(" idle after {}", format_time(timeout)));
    format!(
        "{handle}: {} => {}{}{}{}",
        keys.join(" "),
        target(names, &entry.action),
        priority.unwrap_or_default(),
        if *is_const { " (constant)" } else { "" },
        timeout.unwrap_or_default()
    )
}

/// Formats the target of an entry: an action, a member or a group.
fn target(names: Names<'_>, target: &Target) -> String {
    match target {
        Target::Action(action) => call_text(names, action),
        Target::Member(member) => format!("member {member}"),
        Target::Group(group) => format!("group {group}"),
        Target::OneOf(set) => {
            let calls = set
                .actions
                .iter()
                .map(|one| format!("{} (weight {})", call_text(names, &one.action), one.weight));
            let first = set.group_action.as_ref().map(|first| call_text(names, first) + ", then ");
            let how = if set.at_random { "one at random" } else { "one" };
            format!("{}{how} of {}", first.unwrap_or_default(), calls.collect::<Vec<_>>().join(", "))
        }
    }
}

/// Formats an action with its values in one line.
pub(super) fn call_text(names: Names<'_>, call: &Call) -> String {
    let schema = names.action_schema(call.action);
    let values = schema
        .params
        .iter()
        .zip(&call.args)
        .map(|(param, value)| format_as(value, &param.name, &param.values));
    [schema.name.clone()].into_iter().chain(values).collect::<Vec<_>>().join(" ")
}
