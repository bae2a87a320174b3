//! Table entries, defaults and value sets.

use weir_ir::TableId;
use weir_json::{Diagnostic, Kind, Node};
use weir_switch::control::{
    ActionSet, ActionUse, Call, Entry, EntryRef, Match, Target, Update, WeightedCall,
};

use super::{named, number32, optional_number, watch_port};
use crate::Names;

const MEMBER: &str = "action_profile_member_id";
const GROUP: &str = "action_profile_group_id";
const SET: &str = "action_profile_action_set";
const TARGETS: [&str; 4] = ["action_name", MEMBER, GROUP, SET];
const GROUP_ACTION: &str = "group_action";
const AT_RANDOM: &str = "at_random";

/// An element of `table_entries`.
pub(super) fn entry(names: Names<'_>, node: Node<'_>) -> Result<Update, Diagnostic> {
    let mut known = vec!["table", "match", "default_action", "action_params", "priority", "idle_timeout_ns"];
    known.extend(TARGETS);
    known.extend([GROUP_ACTION, AT_RANDOM]);
    node.only(&known)?;
    let table = named(node, "table", |name| names.table(name))?;
    let is_default = node.get("default_action").map_or(Ok(false), Node::flag)?;
    let wanted = if is_default { ActionUse::Default } else { ActionUse::Entry };
    let action = target(names, table, node, wanted)?;
    let given = |key| node.get(key).filter(|member| !member.is_null());
    if is_default {
        let is_empty =
            |member: Node<'_>| matches!(&member.value().kind, Kind::Object(members) if members.is_empty());
        if let Some(matches) = given("match").filter(|matches| !is_empty(*matches)) {
            return Err(matches.fail("a default action has no match"));
        }
        let is_zero = |member: Node<'_>| matches!(&member.value().kind, Kind::Number(text) if text == "0");
        if let Some(priority) = given("priority").filter(|priority| !is_zero(*priority)) {
            return Err(priority.fail("a default action has no priority"));
        }
        if let Some(timeout) = node.get("idle_timeout_ns") {
            return Err(timeout.fail("a default action has no idle time-out"));
        }
        return Ok(Update::SetDefault { table, action });
    }
    let matches = matches(names, table, node)?;
    let priority = priority(names, table, node)?;
    let timeout = optional_number(node, "idle_timeout_ns", "a time-out in nanoseconds", 0, i64::MAX as u64)?;
    let idle_timeout = timeout.filter(|timeout| *timeout > 0);
    Ok(Update::Insert { table, entry: Entry { matches, priority, action, idle_timeout } })
}

fn target(names: Names<'_>, table: TableId, node: Node<'_>, wanted: ActionUse) -> Result<Target, Diagnostic> {
    let given: Vec<_> = TARGETS.iter().filter_map(|name| Some((*name, node.get(name)?))).collect();
    if let [(first, _), (second, at), ..] = given[..] {
        return Err(at.fail(format!("an entry has one of {first} and {second}")));
    }
    let of_set = [GROUP_ACTION, AT_RANDOM].map(|name| node.get(name).filter(|member| !member.is_null()));
    if let (Some(stray), false) = (of_set.iter().flatten().next(), matches!(given.first(), Some((SET, _)))) {
        return Err(stray.fail(format!("an entry with {GROUP_ACTION} or {AT_RANDOM} needs {SET}")));
    }
    let [group_action, at_random] = of_set;
    Ok(match given.first() {
        Some((MEMBER, member)) => Target::Member(number32(*member, "a member's number", 0)?),
        Some((GROUP, group)) => Target::Group(number32(*group, "a group's number", 0)?),
        Some((SET, set)) => {
            let one = |one: Node<'_>| {
                one.only(&["action_name", "action_params", "weight", "watch_port"])?;
                let action = call(names, table, one, ActionUse::Entry)?;
                let weight = one.get("weight").map_or(Ok(1), |weight| number32(weight, "a weight", 1))?;
                Ok(WeightedCall { action, weight, watch: watch_port(one)? })
            };
            let first = |node: Node<'_>| {
                node.only(&["action_name", "action_params"])?;
                call(names, table, node, ActionUse::GroupAction)
            };
            Target::OneOf(ActionSet {
                actions: set.items()?.map(one).collect::<Result<_, Diagnostic>>()?,
                at_random: at_random.map_or(Ok(false), Node::flag)?,
                group_action: group_action.map(first).transpose()?,
            })
        }
        _ => Target::Action(call(names, table, node, wanted)?),
    })
}

/// The action that `action_name` and `action_params` name.
pub(super) fn call(
    names: Names<'_>,
    table: TableId,
    node: Node<'_>,
    wanted: ActionUse,
) -> Result<Call, Diagnostic> {
    let name = node.require("action_name")?;
    let action = names.action(table, name.text("an action's name")?).map_err(|error| error.at(name))?;
    let params = node.get("action_params");
    let mut given = Vec::new();
    if let Some(params) = params.filter(|params| !params.is_null()) {
        for (param, value) in params.members()? {
            given.push(names.read_parameter(action, param, value.value()).map_err(|error| error.at(value))?);
        }
    }
    let call = names
        .all_parameters(action, given.into_iter().map(Ok))
        .map_err(|error| error.at(params.unwrap_or(node)))?;
    names.check_use(table, action, wanted).map_err(|error| error.at(name))?;
    Ok(call)
}

/// The entry that `table`, `match` and `priority` name.
pub(super) fn entry_ref(names: Names<'_>, node: Node<'_>) -> Result<(TableId, EntryRef), Diagnostic> {
    let table = named(node, "table", |name| names.table(name))?;
    let matches = matches(names, table, node)?;
    let priority = priority(names, table, node)?;
    Ok((table, EntryRef::Key { matches, priority }))
}

fn matches(names: Names<'_>, table: TableId, node: Node<'_>) -> Result<Vec<Match>, Diagnostic> {
    let given = node.get("match");
    let mut read = Vec::new();
    if let Some(given) = given.filter(|given| !given.is_null()) {
        for (key, value) in given.members()? {
            read.push(names.read_match(table, key, value.value()).map_err(|error| error.at(value))?);
        }
    }
    names.all_matches(table, read.into_iter().map(Ok)).map_err(|error| error.at(given.unwrap_or(node)))
}

fn priority(names: Names<'_>, table: TableId, node: Node<'_>) -> Result<Option<u32>, Diagnostic> {
    let given = node.get("priority").filter(|priority| !priority.is_null());
    let number = given.map(|priority| priority.integer("a priority", 0, i64::MAX as u64)).transpose()?;
    let priority = names.priority(table, number.map(|number| number as i64));
    priority.map_err(|error| error.at(given.unwrap_or(node)))
}

/// An element of `value_set_entries`.
pub(super) fn value_set(names: Names<'_>, node: Node<'_>) -> Result<Update, Diagnostic> {
    node.only(&["value_set", "members"])?;
    let set = named(node, "value_set", |name| names.value_set(name))?;
    let member = |one: Node<'_>| {
        let values = match &one.value().kind {
            Kind::List(items) => items.as_slice(),
            _ => std::slice::from_ref(one.value()),
        };
        names.read_member(set, values).map_err(|error| error.at(one))
    };
    let members = node.require("members")?.items()?.map(member).collect::<Result<_, Diagnostic>>()?;
    Ok(Update::SetValueSet { set, members })
}
