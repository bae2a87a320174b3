//! Commands on clone sessions and multicast groups.

use std::collections::BTreeSet;

use weir_switch::control::{CloneSession, Update};

use super::registry::{Command, Output, Session};
use super::values::{number, number32, read_whole};
use crate::Error;
use crate::explain::port_too_large;

/// The heading of these commands in help.
const CLONES: &str = "Clone sessions";
/// The heading of these commands in help.
const MULTICAST: &str = "Multicast";

/// The commands on clone sessions and multicast groups.
pub(super) const COMMANDS: [Command; 13] = [
    Command::new(
        CLONES,
        "mirroring_add",
        "SESSION PORT",
        "send a session's clones to a port",
        "mirroring_add 5 2",
        mirroring_add,
    ),
    Command::new(
        CLONES,
        "mirroring_add_mc",
        "SESSION GROUP",
        "send a session's clones to a multicast group",
        "mirroring_add_mc 5 1",
        mirroring_add_mc,
    ),
    Command::new(
        CLONES,
        "mirroring_delete",
        "SESSION",
        "remove a session",
        "mirroring_delete 5",
        mirroring_delete,
    ),
    Command::new(
        CLONES,
        "mirroring_get",
        "SESSION",
        "show the ports or the multicast group of a session",
        "mirroring_get 5",
        mirroring_get,
    ),
    Command::new(
        MULTICAST,
        "mc_mgrp_create",
        "GROUP",
        "create an empty multicast group",
        "mc_mgrp_create 1",
        mc_mgrp_create,
    ),
    Command::new(
        MULTICAST,
        "mc_mgrp_destroy",
        "GROUP",
        "remove a multicast group; its nodes stay",
        "mc_mgrp_destroy 1",
        mc_mgrp_destroy,
    ),
    Command::new(
        MULTICAST,
        "mc_node_create",
        "RID [PORT…] [|] [LAG…]",
        "create a node with a replication id, which sends copies to these ports and to one port of each LAG",
        "mc_node_create 0 1 2 3",
        mc_node_create,
    )
    .details(
        "The command prints the handle of the node, which is the smallest free number. Link aggregation groups (LAGs) follow |.",
    ),
    Command::new(
        MULTICAST,
        "mc_node_update",
        "NODE [PORT…] [|] [LAG…]",
        "change the ports and LAGs of a node",
        "mc_node_update 0 1 2",
        mc_node_update,
    ),
    Command::new(
        MULTICAST,
        "mc_set_lag_membership",
        "LAG [PORT…]",
        "set the ports of a link aggregation group",
        "mc_set_lag_membership 1 3 4",
        mc_set_lag_membership,
    )
    .details(
        "A copy for a LAG goes to one of its ports. As in simple_switch, this is always the same port: of n ports in ascending\n\
         order, the port with index 255 mod n. A LAG without ports gets no copy.",
    ),
    Command::new(
        MULTICAST,
        "mc_node_associate",
        "GROUP NODE",
        "add a node to a group",
        "mc_node_associate 1 0",
        mc_node_associate,
    ),
    Command::new(
        MULTICAST,
        "mc_node_dissociate",
        "GROUP NODE",
        "remove a node from a group",
        "mc_node_dissociate 1 0",
        mc_node_dissociate,
    ),
    Command::new(MULTICAST, "mc_node_destroy", "NODE", "remove a node", "mc_node_destroy 0", mc_node_destroy),
    Command::new(MULTICAST, "mc_dump", "", "show groups, nodes and LAGs", "mc_dump", mc_dump),
];

fn session_number(text: &str) -> Result<u32, Error> {
    number32(text, "a session's number")
}

fn port(text: &str) -> Result<u32, Error> {
    number32(text, "a port")
}

/// Reads the number of a multicast group.
fn group(text: &str) -> Result<u16, Error> {
    Ok(read_whole(text, "a group's number", 1, 0xffff)? as u16)
}

/// Reads the handle of a multicast node.
fn node(text: &str) -> Result<u64, Error> {
    number(text, "a node's handle")
}

/// Reads a replication id.
fn rid(text: &str) -> Result<u16, Error> {
    Ok(read_whole(text, "a replication id", 0, 0xffff)? as u16)
}

/// Reads the number of a link aggregation group (LAG).
fn lag(text: &str) -> Result<u8, Error> {
    Ok(read_whole(text, "a LAG's number", 0, 255)? as u8)
}

fn set_session(session: &mut Session<'_, '_>, number: u32, config: Option<CloneSession>) -> Output {
    session.change(&Update::SetCloneSession { session: number, config })?;
    Ok(Vec::new())
}

fn mirroring_add(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let number = session_number(args[0])?;
    let config = CloneSession { port: Some(port(args[1])?), ..CloneSession::default() };
    set_session(session, number, Some(config))
}

fn mirroring_add_mc(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let number = session_number(args[0])?;
    let config = CloneSession { group: Some(group(args[1])?), ..CloneSession::default() };
    set_session(session, number, Some(config))
}

fn mirroring_delete(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let number = session_number(args[0])?;
    known_session(session, number)?;
    set_session(session, number, None)
}

fn mirroring_get(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let number = session_number(args[0])?;
    let CloneSession { port, replicas, group, priority, truncate, choice: _ } =
        known_session(session, number)?;
    let mut parts: Vec<_> = port.map(|port| format!("port {port}")).into_iter().collect();
    parts.extend(replicas.iter().map(|one| format!("port {} with rid {}", one.port, one.rid)));
    parts.extend(group.map(|group| format!("multicast group {group}")));
    parts.extend(priority.map(|priority| format!("priority {priority}")));
    parts.extend(truncate.map(|length| format!("cut to {length} bytes")));
    Ok(vec![format!("session {number}: {}", parts.join(", "))])
}

fn known_session(session: &mut Session<'_, '_>, number: u32) -> Result<CloneSession, Error> {
    let missing = || Error::new(format!("there is no clone session {number} (mirroring_add makes one)"));
    let sessions = session.control.clone_sessions()?;
    sessions.into_iter().find(|(other, _)| *other == number).map(|(_, config)| config).ok_or_else(missing)
}

fn mc_mgrp_create(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    session.nodes.create_group(session.control, group(args[0])?)?;
    Ok(Vec::new())
}

fn mc_mgrp_destroy(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    session.nodes.destroy_group(session.control, group(args[0])?)?;
    Ok(Vec::new())
}

fn mc_node_create(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let (ports, lags) = ports_and_lags(&args[1..])?;
    check_ports(session, &ports)?;
    let handle = session.nodes.create(rid(args[0])?, ports, lags)?;
    Ok(vec![format!("node {handle} created")])
}

fn mc_node_update(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let (ports, lags) = ports_and_lags(&args[1..])?;
    check_ports(session, &ports)?;
    session.nodes.change(session.control, node(args[0])?, ports, lags)?;
    Ok(Vec::new())
}

fn mc_set_lag_membership(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let ports = read_distinct(&args[1..], "port", port)?;
    check_ports(session, &ports)?;
    session.nodes.set_lag(session.control, lag(args[0])?, ports)?;
    Ok(Vec::new())
}

fn mc_node_associate(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    session.nodes.associate(session.control, group(args[0])?, node(args[1])?)?;
    Ok(Vec::new())
}

fn mc_node_dissociate(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    session.nodes.dissociate(session.control, group(args[0])?, node(args[1])?)?;
    Ok(Vec::new())
}

fn mc_node_destroy(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    session.nodes.destroy(session.control, node(args[0])?)?;
    Ok(Vec::new())
}

fn mc_dump(session: &mut Session<'_, '_>, _: &[&str]) -> Output {
    let mut lines = Vec::new();
    let (groups, nodes) = (session.control.multicast_groups()?, &mut *session.nodes);
    nodes.retain_groups(&groups);
    for (group, replicas) in groups {
        match nodes.nodes_of_group(group, &replicas) {
            Some(handles) => {
                lines.push(format!("group {group}"));
                let nodes_of_group =
                    handles.iter().filter_map(|handle| Some((handle, nodes.by_handle.get(handle)?)));
                lines.extend(
                    nodes_of_group.map(|(handle, node)| format!("  node {handle}: {}", node_text(node))),
                );
            }
            None => {
                lines.push(format!("group {group}, made without nodes"));
                lines.extend(replicas.iter().map(|one| format!("  rid {}, port {}", one.rid, one.port)));
            }
        }
    }
    let free = nodes.by_handle.iter().filter(|(_, node)| node.group.is_none());
    lines.extend(free.map(|(handle, node)| format!("node {handle}: {}, in no group", node_text(node))));
    lines.extend(nodes.lags.iter().map(|(lag, ports)| format!("lag {lag}: ports {}", list_numbers(ports))));
    Ok(lines)
}

fn node_text(node: &super::nodes::Node) -> String {
    let lags =
        if node.lags.is_empty() { String::new() } else { format!(", lags {}", list_numbers(&node.lags)) };
    format!("rid {}, ports {}{lags}", node.rid, list_numbers(&node.ports))
}

fn list_numbers<T: ToString>(numbers: &BTreeSet<T>) -> String {
    let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
    if numbers.is_empty() { "none".to_owned() } else { numbers.join(" ") }
}

/// Checks that the program has bits for these ports. The switch checks the ports of a node only
/// when a group contains it, so they are checked earlier here.
fn check_ports(session: &Session<'_, '_>, ports: &BTreeSet<u32>) -> Result<(), Error> {
    let (Some(last), Some(most)) = (session.names.schema.last_port, ports.last()) else { return Ok(()) };
    if *most > last { Err(Error::new(port_too_large(*most, last))) } else { Ok(()) }
}

fn ports_and_lags(words: &[&str]) -> Result<(BTreeSet<u32>, BTreeSet<u8>), Error> {
    let bar = words.iter().position(|word| *word == "|").unwrap_or(words.len());
    let ports = read_distinct(&words[..bar], "port", port)?;
    let lags = read_distinct(words.get(bar + 1..).unwrap_or_default(), "LAG", lag)?;
    Ok((ports, lags))
}

/// Reads numbers, and refuses numbers that occur twice.
fn read_distinct<T: Ord>(
    words: &[&str],
    what: &str,
    read: impl Fn(&str) -> Result<T, Error>,
) -> Result<BTreeSet<T>, Error> {
    let mut numbers = BTreeSet::new();
    for word in words {
        if !numbers.insert(read(word)?) {
            return Err(Error::new(format!("{what} {word} is listed twice")));
        }
    }
    Ok(numbers)
}
