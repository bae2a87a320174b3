//! Table entries, defaults and value sets.

use std::collections::BTreeSet;

use weir_ir::TableId;
use weir_json::{Collector, Kind, Mistakes, Node, Object};
use weir_switch::control::{
    ActionSet, ActionUse, Call, Entry, EntryRef, Match, MatchKind, Target, Update, WeightedCall,
};

use super::{find_object, non_null, number32, watch_port, weight};
use crate::{Error, Names};

/// The member that names an action profile's member.
const MEMBER: &str = "action_profile_member_id";
/// The member that names an action profile's group.
const GROUP: &str = "action_profile_group_id";
/// The member with an entry's own set of weighted actions.
const SET: &str = "action_profile_action_set";
/// The members that name what an entry does. An entry has one of them.
const TARGETS: [&str; 4] = ["action_name", MEMBER, GROUP, SET];
const GROUP_ACTION: &str = "group_action";
const AT_RANDOM: &str = "at_random";

/// Reads an element of `table_entries`.
pub(super) fn entry(names: Names<'_>, node: Node<'_>) -> Result<Update, Mistakes> {
    let mut keys = vec!["table", "match", "default_action", "action_params", "priority", "idle_timeout_ns"];
    keys.extend(TARGETS);
    keys.extend([GROUP_ACTION, AT_RANDOM]);
    let mut object = node.object(&keys);
    let table = find_object(&mut object, "table", |name| names.table(name));
    // The allowed members depend on whether the element is a default action.
    let is_default = object.optional_or("default_action", false, Node::flag);
    let is_default = is_default.filter(|_| !object.is_misspelt("default_action"));
    let wanted = if is_default == Some(true) { ActionUse::Default } else { ActionUse::Entry };
    let action = target(names, table, &mut object, wanted);
    let idle_timeout = object.optional("idle_timeout_ns", |timeout| {
        timeout.integer("a time-out in nanoseconds", 0, i64::MAX as u64)
    });
    match is_default {
        Some(true) => {
            refuse_for_default(&mut object);
            object.finish(|| Some(Update::SetDefault { table: table?, action: action? }))
        }
        Some(false) => {
            let matches = matches(names, table, &mut object);
            let priority = priority(names, table, &mut object);
            let idle_timeout = idle_timeout.filter(|timeout| *timeout > 0);
            object.finish(|| {
                let entry = Entry { matches: matches?, priority: priority?, action: action?, idle_timeout };
                Some(Update::Insert { table: table?, entry })
            })
        }
        None => object.finish(|| None),
    }
}

/// Refuses members that a default action cannot have.
fn refuse_for_default(object: &mut Object<'_>) {
    let is_empty = |of: &Node<'_>| matches!(&of.value().kind, Kind::Object(members) if members.is_empty());
    if let Some(matches) = non_null(object, "match").filter(|matches| !is_empty(matches)) {
        object.add(matches.error("a default action has no match"));
    }
    let is_zero = |of: &Node<'_>| matches!(&of.value().kind, Kind::Number(text) if text == "0");
    if let Some(priority) = non_null(object, "priority").filter(|priority| !is_zero(priority)) {
        object.add(priority.error("a default action has no priority"));
    }
    if let Some(timeout) = object.get("idle_timeout_ns") {
        object.add(timeout.error("a default action has no idle time-out"));
    }
}

/// Reads the target of an entry. If the table is not known, only rules that all tables have in
/// common are checked.
fn target(
    names: Names<'_>,
    table: Option<TableId>,
    object: &mut Object<'_>,
    wanted: ActionUse,
) -> Option<Target> {
    let targets: Vec<_> = TARGETS.iter().filter_map(|name| Some((*name, object.get(name)?))).collect();
    if let [(first, _), (second, at), ..] = targets[..] {
        object.add(at.error(format!("an entry has one of {first} and {second}")));
        return None;
    }
    let chosen = targets.first().map(|(name, _)| *name);
    let of_set = [GROUP_ACTION, AT_RANDOM].map(|name| non_null(object, name));
    if let (Some(stray), false) = (of_set.iter().flatten().next(), chosen == Some(SET)) {
        if !object.is_misspelt(SET) {
            object.add(stray.error(format!("an entry with {GROUP_ACTION} or {AT_RANDOM} needs {SET}")));
        }
        return None;
    }
    match chosen {
        Some(MEMBER) => {
            object.required(MEMBER, |member| number32(member, "a member's number", 0)).map(Target::Member)
        }
        Some(GROUP) => {
            object.required(GROUP, |group| number32(group, "a group's number", 0)).map(Target::Group)
        }
        Some(SET) => {
            let actions = object.required(SET, |set| {
                let actions = set.list(|one| read_weighted_call(names, table, one))?;
                if actions.is_empty() {
                    return Err(Mistakes::from(set.error("an action set needs an action")));
                }
                Ok(actions)
            });
            let at_random = match non_null(object, AT_RANDOM) {
                Some(flag) => object.collect_result(flag.flag()),
                None => Some(false),
            };
            let group_action = non_null(object, GROUP_ACTION).and_then(|node| {
                let mut first = node.object(&["action_name", "action_params"]);
                let call = call(names, table, &mut first, ActionUse::GroupAction);
                object.collect_result(first.finish(|| Some(call)))
            });
            let group_action = group_action.flatten();
            let actions = actions?.into_iter().collect::<Option<_>>()?;
            Some(Target::OneOf(ActionSet { actions, at_random: at_random?, group_action }))
        }
        // A misspelt key may be the key of another kind of target.
        None if TARGETS.iter().any(|name| object.is_misspelt(name)) => None,
        _ => call(names, table, object, wanted).map(Target::Action),
    }
}

/// Reads an element of `action_profile_action_set`. Returns `None` if its only mistake is the
/// table.
fn read_weighted_call(
    names: Names<'_>,
    table: Option<TableId>,
    node: Node<'_>,
) -> Result<Option<WeightedCall>, Mistakes> {
    let mut object = node.object(&["action_name", "action_params", "weight", "watch_port"]);
    let action = call(names, table, &mut object, ActionUse::Entry);
    let weight = weight(&mut object);
    let watch = watch_port(&mut object);
    object.finish(|| {
        let weight = weight?;
        Some(action.map(|action| WeightedCall { action, weight, watch }))
    })
}

/// Reads the action that `action_name` and `action_params` name.
pub(super) fn call(
    names: Names<'_>,
    table: Option<TableId>,
    object: &mut Object<'_>,
    wanted: ActionUse,
) -> Option<Call> {
    let action = object.required("action_name", |name| {
        let text = name.text("an action's name")?;
        let Some(table) = table else { return Ok(None) };
        names
            .action(table, text)
            .map(|action| Some((table, action, name)))
            .map_err(|error| error.at_node(name))
    });
    let (table, action, name) = action.flatten()?;
    let params = non_null(object, "action_params");
    let use_error = names.check_use(table, action, wanted).map_err(|error| error.at_node(name));
    let is_allowed = object.collect_result(use_error).is_some();
    if object.is_misspelt("action_params") {
        return None;
    }
    let read = members(
        params.unwrap_or(object.node()),
        params,
        |name| names.parameter(action, name),
        |name, value| names.read_parameter(action, name, value.value()),
        "parameter",
        |given| {
            let schema = names.action_schema(action);
            let missing = schema.params.iter().enumerate().filter(|(index, _)| !given.contains(index));
            missing.map(|(_, param)| names.missing_parameter(action, param)).collect()
        },
    );
    let read = object.collect_result(read)?;
    let call = names.all_parameters(action, read.into_iter().map(Ok));
    let call = call.map_err(|error| error.at_node(params.unwrap_or(object.node())));
    object.collect_result(call).filter(|_| is_allowed)
}

/// Reads the entry that `table`, `match` and `priority` name.
pub(super) fn entry_ref(names: Names<'_>, object: &mut Object<'_>) -> Option<(TableId, EntryRef)> {
    let table = find_object(object, "table", |name| names.table(name));
    let matches = matches(names, table, object);
    let priority = priority(names, table, object);
    Some((table?, EntryRef::Key { matches: matches?, priority: priority? }))
}

/// Reads the matches of an entry.
fn matches(names: Names<'_>, table: Option<TableId>, object: &mut Object<'_>) -> Option<Vec<Match>> {
    let table = table.filter(|_| !object.is_misspelt("match"))?;
    let node = non_null(object, "match");
    let read = members(
        node.unwrap_or(object.node()),
        node.filter(|_| !names.table_schema(table).keys.is_empty()),
        |key| names.key(table, key),
        |key, value| names.read_match(table, key, value.value()),
        "key",
        |given| {
            let keys = names.table_schema(table).keys.iter().enumerate();
            let missing = keys.filter(|(index, key)| key.kind == MatchKind::Exact && !given.contains(index));
            missing.map(|(_, key)| names.missing_key(table, key)).collect()
        },
    );
    let read = object.collect_result(read)?;
    let matches = names.all_matches(table, read.into_iter().map(Ok));
    object.collect_result(matches.map_err(|error| error.at_node(node.unwrap_or(object.node()))))
}

/// Returns the members of an object that names keys of a table or parameters of an action, with
/// their positions. `missing` makes the error for an object that has only the members at some
/// positions. Members with a wrong value, and misspelt ones, are not also reported as missing.
fn members<'d, T>(
    place: Node<'d>,
    object: Option<Node<'d>>,
    find: impl Fn(&str) -> Result<usize, Error>,
    read: impl Fn(&str, Node<'d>) -> Result<(usize, T), Error>,
    what: &str,
    missing: impl FnOnce(&BTreeSet<usize>) -> Vec<Error>,
) -> Result<Vec<(usize, T)>, Mistakes> {
    let mut mistakes = Collector::default();
    let mut positions = BTreeSet::new();
    let members = object.map(Node::members).transpose()?.into_iter().flatten();
    let read_members = mistakes.read_each(members, |(name, value)| {
        let meant = find(name).or_else(|error| find(error.suggestion.as_deref().unwrap_or(name)));
        let is_new = meant.is_ok_and(|position| positions.insert(position));
        match read(name, value) {
            Ok(_) if !is_new => Err(value.error(format!("{what} {name} is set twice"))),
            read => read.map_err(|error| error.at_node(value)),
        }
    });
    for error in missing(&positions) {
        mistakes.add(error.at_node(place));
    }
    mistakes.finish(read_members)
}

/// Reads the priority of an entry, which depends on the table's keys.
fn priority(names: Names<'_>, table: Option<TableId>, object: &mut Object<'_>) -> Option<Option<u32>> {
    let node = non_null(object, "priority");
    let number = match node {
        Some(given) => Some(object.collect_result(given.integer("a priority", 0, i64::MAX as u64))?),
        None => None,
    };
    let table = table.filter(|_| !object.is_misspelt("priority"))?;
    let priority = names.priority(table, number.map(|number| number as i64));
    object.collect_result(priority.map_err(|error| error.at_node(node.unwrap_or(object.node()))))
}

/// Reads an element of `value_set_entries`.
pub(super) fn value_set(names: Names<'_>, node: Node<'_>) -> Result<Update, Mistakes> {
    let mut object = node.object(&["value_set", "members"]);
    let set = find_object(&mut object, "value_set", |name| names.value_set(name));
    let members = object.required("members", |members| {
        members.list(|one| {
            let values = match &one.value().kind {
                Kind::List(items) => items.as_slice(),
                _ => std::slice::from_ref(one.value()),
            };
            let read = set.map(|set| names.read_member(set, values)).transpose();
            read.map_err(|error| error.at_node(one))
        })
    });
    object
        .finish(|| Some(Update::SetValueSet { set: set?, members: members?.into_iter().flatten().collect() }))
}
