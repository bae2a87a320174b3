//! Changes multicast groups and the nodes of which they consist. A node has a replication id and
//! ports; a group of the switch has a copy for each port of each node.

use weir_grpc::{Code, Problem};
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::control::{Replica, Update};

use super::writer::{Wanted, Writer};
use crate::info::{Object, Table, fixed_ids};
use crate::matches::index;
use crate::notes::{Node, Notes};

/// The maximum number of ports of a node, and of nodes of a group.
const MAX_ITEMS: usize = 4096;
/// The maximum number of copies of a group.
const MAX_COPIES: usize = 1 << 16;
/// The maximum number of nodes.
const MAX_NODES: usize = 1 << 16;

fn too_many(what: &str, most: usize) -> Problem {
    Problem::new(Code::ResourceExhausted, format!("there are more than {most} {what}"))
}

/// Returns the copies of a group with these nodes.
fn copies(notes: &Notes, nodes: &[u32]) -> Result<Vec<Replica>, Problem> {
    let mut copies = Vec::new();
    for id in nodes {
        let node = notes.nodes.get(id);
        let node = node.ok_or_else(|| Problem::not_found(format!("there is no multicast node {id}")))?;
        if copies.len() + node.ports.len() > MAX_COPIES {
            return Err(too_many("copies in the group", MAX_COPIES));
        }
        copies.extend(node.ports.iter().map(|port| Replica::new(*port, node.rid)));
    }
    Ok(copies)
}

/// Adds items to a list, or removes them.
fn change_list(list: &mut Vec<u32>, items: &[u32], removes: bool) {
    list.retain(|known| !items.contains(known));
    if !removes {
        list.extend(items);
    }
}

impl Writer<'_, '_, '_> {
    /// Returns whether a table of the device has an entry with the key of a request.
    pub(super) fn has_device_entry(&self, table: &Table, wanted: &Wanted<'_>) -> Result<bool, Problem> {
        let key = index(table, wanted.key()?)?;
        let short = key as u16;
        Ok(match table.object {
            Object::MulticastGroups => self.notes.multicast.contains_key(&short),
            Object::MulticastNodes => self.notes.nodes.contains_key(&key),
            Object::MirrorSessions => self.notes.mirrors.contains_key(&short),
            _ => self.notes.ports.contains_key(&key),
        })
    }

    pub(super) fn multicast_node(&mut self, table: &Table, wanted: &Wanted<'_>) -> Result<(), Problem> {
        use fixed_ids::node as f;
        if wanted.is_for_all() && wanted.kind == Type::Delete {
            if self.notes.multicast.values().any(|nodes| !nodes.is_empty()) {
                return Err(Problem::new(
                    Code::AlreadyExists,
                    "multicast groups have nodes: delete them first",
                ));
            }
            self.notes.nodes.clear();
            return Ok(());
        }
        let id = index(table, wanted.key()?)?;
        let missing = || Problem::not_found(format!("there is no multicast node {id}"));
        let known = self.notes.nodes.get(&id).cloned();
        if wanted.data.numbers(f::LAGS).is_some_and(|lags| !lags.is_empty()) {
            return Err(Problem::unsupported("the switch has no groups of ports (`$MULTICAST_LAG_ID`)"));
        }
        let rid = wanted.data.uint(f::RID).map(|rid| rid as u16);
        let ports = wanted.data.numbers(f::PORTS);
        let node = match (wanted.kind, known) {
            (Type::Insert, Some(_)) => {
                return Err(Problem::new(Code::AlreadyExists, format!("there is a multicast node {id}")));
            }
            (Type::Insert, None) if self.notes.nodes.len() >= MAX_NODES => {
                return Err(too_many("multicast nodes", MAX_NODES));
            }
            (Type::Insert, None) => {
                let rid = rid.ok_or_else(|| Problem::invalid("a multicast node needs `$MULTICAST_RID`"))?;
                Node { rid, ports: ports.unwrap_or_default().to_vec() }
            }
            (Type::Modify, Some(known)) => {
                Node { rid: rid.unwrap_or(known.rid), ports: ports.map_or(known.ports, <[u32]>::to_vec) }
            }
            (Type::ModifyInc, Some(mut known)) => {
                change_list(&mut known.ports, ports.unwrap_or_default(), wanted.removes());
                known
            }
            (Type::Delete, Some(_)) => {
                if self.notes.multicast.values().any(|nodes| nodes.contains(&id)) {
                    let why = format!("a multicast group has the node {id}");
                    return Err(Problem::new(Code::AlreadyExists, why));
                }
                self.notes.nodes.remove(&id);
                return Ok(());
            }
            (Type::Modify | Type::ModifyInc | Type::Delete, None) => return Err(missing()),
            _ => return Err(wanted.unsupported(table)),
        };
        if node.ports.len() > MAX_ITEMS {
            return Err(too_many("ports of the node", MAX_ITEMS));
        }
        let before = self.notes.nodes.insert(id, node);
        let groups: Vec<u16> = self
            .notes
            .multicast
            .iter()
            .filter(|(_, nodes)| nodes.contains(&id))
            .map(|(group, _)| *group)
            .collect();
        let changed = groups.into_iter().try_for_each(|group| {
            let replicas = copies(self.notes, &self.notes.multicast[&group])?;
            self.change(&Update::SetMulticastGroup { group, replicas: Some(replicas) }).map(drop)
        });
        if changed.is_err() {
            match before {
                Some(before) => drop(self.notes.nodes.insert(id, before)),
                None => drop(self.notes.nodes.remove(&id)),
            }
        }
        changed
    }

    pub(super) fn multicast_group(&mut self, table: &Table, wanted: &Wanted<'_>) -> Result<(), Problem> {
        use fixed_ids::mgid as f;
        if wanted.is_for_all() && wanted.kind == Type::Delete {
            let all: Vec<u16> = self.notes.multicast.keys().copied().collect();
            for group in all {
                self.change(&Update::SetMulticastGroup { group, replicas: None })?;
            }
            self.notes.multicast.clear();
            return Ok(());
        }
        let group = index(table, wanted.key()?)? as u16;
        if wanted.data.flags(f::XID_VALID).is_some_and(|valid| valid.contains(&true)) {
            return Err(Problem::unsupported("the switch has no exclusion ids (`$MULTICAST_NODE_L1_XID`)"));
        }
        let given = wanted.data.numbers(f::NODES);
        if let Some(nodes) = given {
            let lengths = [
                wanted.data.flags(f::XID_VALID).map(<[bool]>::len),
                wanted.data.numbers(f::XID).map(<[u32]>::len),
            ];
            if lengths.iter().flatten().any(|length| *length != nodes.len()) {
                return Err(Problem::invalid("the lists of a multicast group need the same length"));
            }
        }
        let known = self.notes.multicast.get(&group).cloned();
        let nodes = match (wanted.kind, known) {
            (Type::Insert, Some(_)) => {
                return Err(Problem::new(Code::AlreadyExists, format!("there is a multicast group {group}")));
            }
            (Type::Insert, None) => given.unwrap_or_default().to_vec(),
            (Type::Modify, Some(known)) => given.map_or(known, <[u32]>::to_vec),
            (Type::ModifyInc, Some(mut known)) => {
                change_list(&mut known, given.unwrap_or_default(), wanted.removes());
                known
            }
            (Type::Delete, Some(_)) => {
                self.change(&Update::SetMulticastGroup { group, replicas: None })?;
                self.notes.multicast.remove(&group);
                return Ok(());
            }
            (Type::Modify | Type::ModifyInc | Type::Delete, None) => {
                return Err(Problem::not_found(format!("there is no multicast group {group}")));
            }
            _ => return Err(wanted.unsupported(table)),
        };
        if nodes.len() > MAX_ITEMS {
            return Err(too_many("nodes in the group", MAX_ITEMS));
        }
        let replicas = copies(self.notes, &nodes)?;
        self.change(&Update::SetMulticastGroup { group, replicas: Some(replicas) })?;
        self.notes.multicast.insert(group, nodes);
        Ok(())
    }
}
