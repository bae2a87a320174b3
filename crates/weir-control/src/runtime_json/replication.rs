//! Multicast groups and clone sessions.

use weir_json::{Diagnostic, Node};
use weir_switch::control::{Backup, CloneSession, Replica, Update};

use super::{number32, optional_number};
use crate::Names;

/// An element of `multicast_group_entries`.
pub(super) fn group(names: Names<'_>, node: Node<'_>) -> Result<Update, Diagnostic> {
    node.only(&["multicast_group_id", "replicas"])?;
    let group =
        node.require("multicast_group_id")?.integer("a group's number", 1, u64::from(u16::MAX))? as u16;
    Ok(Update::SetMulticastGroup { group, replicas: Some(replicas(names, node)?) })
}

/// An element of `clone_session_entries`.
pub(super) fn session(names: Names<'_>, node: Node<'_>) -> Result<Update, Diagnostic> {
    node.only(&["clone_session_id", "replicas", "packet_length_bytes"])?;
    let session = number32(node.require("clone_session_id")?, "a session's number", 1)?;
    let most = i32::MAX as u64;
    let length = optional_number(node, "packet_length_bytes", "a packet length in bytes", 0, most)?;
    // 0 means the whole packet (P4Runtime, CloneSessionEntry).
    let truncate = length.filter(|length| *length > 0).map(|length| length as usize);
    let replicas = replicas(names, node)?;
    let to = match &replicas[..] {
        [] => return Err(node.require("replicas")?.fail("a clone session needs a replica")),
        [Replica { port, rid: 0, backups }] if backups.is_empty() => {
            CloneSession { port: Some(*port), ..CloneSession::default() }
        }
        _ => CloneSession { replicas, ..CloneSession::default() },
    };
    Ok(Update::SetCloneSession { session, config: Some(CloneSession { truncate, ..to }) })
}

/// Ports and instances (replication ids), with backups.
fn replicas(names: Names<'_>, node: Node<'_>) -> Result<Vec<Replica>, Diagnostic> {
    let replica = |replica: Node<'_>| {
        replica.only(&["egress_port", "instance", "backup_replicas"])?;
        let port = port(names, replica.require("egress_port")?)?;
        let given = replica.get("backup_replicas").map(Node::items).transpose()?;
        let backups =
            given.into_iter().flatten().map(|one| backup(names, one)).collect::<Result<_, Diagnostic>>()?;
        Ok(Replica { port, rid: instance(replica)?, backups })
    };
    node.require("replicas")?.items()?.map(replica).collect()
}

/// An element of `backup_replicas`.
fn backup(names: Names<'_>, node: Node<'_>) -> Result<Backup, Diagnostic> {
    node.only(&["port", "instance"])?;
    Ok(Backup { port: port(names, node.require("port")?)?, rid: instance(node)? })
}

/// A port for which the program has bits.
fn port(names: Names<'_>, node: Node<'_>) -> Result<u32, Diagnostic> {
    let most = names.schema.last_port.unwrap_or(u32::MAX);
    Ok(node.integer("a port", 0, u64::from(most))? as u32)
}

fn instance(node: Node<'_>) -> Result<u16, Diagnostic> {
    let instance = optional_number(node, "instance", "an instance", 0, u64::from(u16::MAX))?;
    Ok(instance.unwrap_or(0) as u16)
}
