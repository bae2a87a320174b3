//! Multicast groups and clone sessions.

use weir_json::{Diagnostic, Mistakes, Node, Object};
use weir_switch::control::{Backup, CloneSession, Replica, Update};

use super::number32;
use crate::Names;

/// Reads an element of `multicast_group_entries`.
pub(super) fn group(names: Names<'_>, node: Node<'_>) -> Result<Update, Mistakes> {
    let mut object = node.object(&["multicast_group_id", "replicas"]);
    let number = |node: Node<'_>| node.integer("a group's number", 1, u64::from(u16::MAX));
    let group = object.required("multicast_group_id", number);
    let replicas = object.required("replicas", |list| replicas(names, list));
    object.finish(|| Some(Update::SetMulticastGroup { group: group? as u16, replicas: Some(replicas?) }))
}

/// Reads an element of `clone_session_entries`.
pub(super) fn session(names: Names<'_>, node: Node<'_>) -> Result<Update, Mistakes> {
    let mut object =
        node.object(&["clone_session_id", "replicas", "packet_length_bytes", "class_of_service"]);
    let session = object.required("clone_session_id", |id| number32(id, "a session's number", 1));
    let bytes = |node: Node<'_>| node.integer("a packet length in bytes", 0, i32::MAX as u64);
    let length = object.optional("packet_length_bytes", bytes);
    // 0 means the whole packet (P4Runtime, CloneSessionEntry).
    let truncate = length.filter(|length| *length > 0).map(|length| length as usize);
    let class = |node: Node<'_>| node.integer("a class of service", 0, u64::from(u32::MAX));
    let priority = object.optional("class_of_service", class).map(|class| class as usize);
    let to = object.required("replicas", |list| {
        let replicas = replicas(names, list)?;
        Ok::<_, Mistakes>(match &replicas[..] {
            [] => return Err(list.error("a clone session needs a replica").into()),
            [Replica { port, rid: 0, backups }] if backups.is_empty() => {
                CloneSession { port: Some(*port), ..CloneSession::default() }
            }
            _ => CloneSession { replicas, ..CloneSession::default() },
        })
    });
    object.finish(|| {
        let config = CloneSession { truncate, priority, ..to? };
        Some(Update::SetCloneSession { session: session?, config: Some(config) })
    })
}

/// Ports and instances (replication ids), with backups.
fn replicas(names: Names<'_>, list: Node<'_>) -> Result<Vec<Replica>, Mistakes> {
    let replicas = list.list(|replica| {
        let mut object = replica.object(&["egress_port", "instance", "backup_replicas"]);
        let port = object.required("egress_port", |port| self::port(names, port));
        let rid = instance(&mut object);
        let backups =
            object.optional_or("backup_replicas", Vec::new(), |list| list.list(|one| backup(names, one)));
        object.finish(|| Some(Replica { port: port?, rid: rid?, backups: backups? }))
    })?;
    Replica::check_distinct(&replicas).map_err(|error| list.error(names.explain(error).to_string()))?;
    Ok(replicas)
}

/// Reads an element of `backup_replicas`.
fn backup(names: Names<'_>, node: Node<'_>) -> Result<Backup, Mistakes> {
    let mut object = node.object(&["port", "instance"]);
    let port = object.required("port", |port| self::port(names, port));
    let rid = instance(&mut object);
    object.finish(|| Some(Backup { port: port?, rid: rid? }))
}

/// Reads a port number that the program's port type can hold.
fn port(names: Names<'_>, node: Node<'_>) -> Result<u32, Diagnostic> {
    let most = names.schema.last_port.unwrap_or(u32::MAX);
    Ok(node.integer("a port", 0, u64::from(most))? as u32)
}

/// Reads the replication id `instance`, which is 0 if it is omitted.
fn instance(object: &mut Object<'_>) -> Option<u16> {
    let number = |node: Node<'_>| node.integer("an instance", 0, u64::from(u16::MAX));
    object.optional_or("instance", 0, number).map(|instance| instance as u16)
}
