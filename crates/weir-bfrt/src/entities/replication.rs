//! Changes multicast groups, and the nodes and ECMP groups of which they consist. A node has a
//! replication id, ports and link aggregation groups. An ECMP group has places for nodes; each
//! packet gets one node.

use weir_grpc::{Code, Problem};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::control::{MulticastBranch, MulticastNode, MulticastTree, Replica, Update};

use super::writer::{Wanted, Writer};
use crate::info::{Object, Table, fixed_ids};
use crate::matches::index;
use crate::notes::{Multicast, MulticastMember, Node, Notes};
use crate::values::{Data, write_flags, write_numbers, write_uint};

/// The maximum number of ports of a node, and of nodes and ECMP groups of a group.
const MAX_ITEMS: usize = 4096;
/// The maximum number of copies of a group.
const MAX_COPIES: usize = 1 << 16;
/// The maximum number of nodes, and of ECMP groups.
const MAX_NODES: usize = 1 << 16;
/// The number of nodes for which an ECMP group has a place.
const ECMP_PLACES: usize = 32;

fn too_many(what: &str, most: usize) -> Problem {
    Problem::new(Code::ResourceExhausted, format!("there are more than {most} {what}"))
}

fn no_node(id: u32) -> Problem {
    Problem::not_found(format!("there is no multicast node {id}"))
}

fn node(notes: &Notes, id: u32) -> Result<MulticastNode, Problem> {
    let Node { rid, ports, lags } = notes.nodes.get(&id).cloned().ok_or_else(|| no_node(id))?;
    Ok(MulticastNode { rid, ports, lags })
}

/// Returns the tree of a group.
fn tree(notes: &Notes, group: &Multicast) -> Result<MulticastTree, Problem> {
    let of_nodes = group.nodes.iter().map(|(id, exclusion_id)| {
        Ok(MulticastBranch { exclusion_id: *exclusion_id, nodes: vec![Some(node(notes, *id)?)] })
    });
    let of_ecmps = group.ecmps.iter().map(|(id, exclusion_id)| {
        let places = notes.ecmps.get(id);
        let places = places.ok_or_else(|| Problem::not_found(format!("there is no ECMP group {id}")))?;
        let nodes = places.iter().map(|place| place.map(|id| node(notes, id)).transpose());
        Ok(MulticastBranch { exclusion_id: *exclusion_id, nodes: nodes.collect::<Result<_, _>>()? })
    });
    Ok(MulticastTree { branches: of_nodes.chain(of_ecmps).collect::<Result<_, Problem>>()? })
}

/// Returns the copies of a tree in which nothing is chosen; `None` for other trees.
fn list(tree: &MulticastTree) -> Option<Vec<Replica>> {
    let mut copies = Vec::new();
    for branch in &tree.branches {
        match (branch.exclusion_id, branch.nodes.as_slice()) {
            (None, [Some(node)]) if node.lags.is_empty() => {
                copies.extend(node.ports.iter().map(|port| Replica::new(*port, node.rid)));
            }
            _ => return None,
        }
    }
    Some(copies)
}

/// Adds items to a list, or removes them.
fn change_list<T: Copy + PartialEq>(list: &mut Vec<T>, items: &[T], removes: bool) {
    list.retain(|known| !items.contains(known));
    if !removes {
        list.extend(items);
    }
}

/// Returns the members of a group in three lists of the data: numbers, whether each has an
/// exclusion id, and this id. `None` if the data have no numbers.
fn members(data: &Data<'_>, ids: [u32; 3]) -> Result<Option<Vec<MulticastMember>>, Problem> {
    let [numbers, valid, xids] = ids;
    let (valid, xids) = (data.flags(valid), data.numbers(xids));
    let lengths = [valid.map(<[bool]>::len), xids.map(<[u32]>::len)];
    let Some(numbers) = data.numbers(numbers) else { return Ok(None) };
    if lengths.iter().flatten().any(|length| *length != numbers.len()) {
        return Err(Problem::invalid("the lists of a multicast group need the same length"));
    }
    let member = |(place, number): (usize, &u32)| {
        let is_valid = valid.is_some_and(|valid| valid[place]);
        let xid = xids.map_or(0, |xids| xids[place] as u16);
        (*number, is_valid.then_some(xid))
    };
    Ok(Some(numbers.iter().enumerate().map(member).collect()))
}

const NODES: [u32; 3] = [fixed_ids::mgid::NODES, fixed_ids::mgid::XID_VALID, fixed_ids::mgid::XID];
const ECMPS: [u32; 3] = [fixed_ids::mgid::ECMPS, fixed_ids::mgid::ECMP_XID_VALID, fixed_ids::mgid::ECMP_XID];

/// Writes a multicast group.
pub(super) fn write_group(group: &Multicast) -> Vec<bfrt::DataField> {
    let write = |[numbers, valid, xids]: [u32; 3], members: &[MulticastMember]| {
        let xid = |(_, xid): &MulticastMember| u32::from(xid.unwrap_or(0));
        [
            write_numbers(numbers, members.iter().map(|(number, _)| *number).collect()),
            write_flags(valid, members.iter().map(|(_, xid)| xid.is_some()).collect()),
            write_numbers(xids, members.iter().map(xid).collect()),
        ]
    };
    write(NODES, &group.nodes).into_iter().chain(write(ECMPS, &group.ecmps)).collect()
}

/// Writes a node.
pub(super) fn write_node(node: &Node) -> Vec<bfrt::DataField> {
    use fixed_ids::node as f;
    vec![
        write_uint(f::RID, 16, node.rid.into()),
        write_numbers(f::LAGS, node.lags.iter().copied().map(u32::from).collect()),
        write_numbers(f::PORTS, node.ports.clone()),
    ]
}

impl Writer<'_, '_, '_> {
    /// Returns whether a table of the device has an entry with the key of a request.
    pub(super) fn has_device_entry(&self, table: &Table, wanted: &Wanted<'_>) -> Result<bool, Problem> {
        let key = index(table, wanted.key()?)?;
        let short = key as u16;
        Ok(match table.object {
            Object::MulticastGroups => self.notes.multicast.contains_key(&short),
            Object::MulticastNodes => self.notes.nodes.contains_key(&key),
            Object::MulticastEcmps => self.notes.ecmps.contains_key(&key),
            Object::MirrorSessions => self.notes.mirrors.contains_key(&short),
            _ => self.notes.ports.contains_key(&key),
        })
    }

    pub(super) fn multicast_node(&mut self, table: &Table, wanted: &Wanted<'_>) -> Result<(), Problem> {
        use fixed_ids::node as f;
        if wanted.is_for_all() && wanted.kind == Type::Delete {
            return self.delete_nodes(|_| true);
        }
        let id = index(table, wanted.key()?)?;
        let known = self.notes.nodes.get(&id).cloned();
        let rid = wanted.data.uint(f::RID).map(|rid| rid as u16);
        let ports = wanted.data.numbers(f::PORTS);
        let lags = wanted.data.numbers(f::LAGS);
        let lags: Option<Vec<u8>> = lags.map(|lags| lags.iter().map(|lag| *lag as u8).collect());
        let node = match (wanted.kind, known) {
            (Type::Insert, Some(_)) => {
                return Err(Problem::new(Code::AlreadyExists, format!("there is a multicast node {id}")));
            }
            (Type::Insert, None) if self.notes.nodes.len() >= MAX_NODES => {
                return Err(too_many("multicast nodes", MAX_NODES));
            }
            (Type::Insert, None) => {
                let rid = rid.ok_or_else(|| Problem::invalid("a multicast node needs `$MULTICAST_RID`"))?;
                Node { rid, ports: ports.unwrap_or_default().to_vec(), lags: lags.unwrap_or_default() }
            }
            (Type::Modify, Some(known)) => Node {
                rid: rid.unwrap_or(known.rid),
                ports: ports.map_or(known.ports, <[u32]>::to_vec),
                lags: lags.unwrap_or(known.lags),
            },
            (Type::ModifyInc, Some(mut known)) => {
                change_list(&mut known.ports, ports.unwrap_or_default(), wanted.removes());
                change_list(&mut known.lags, &lags.unwrap_or_default(), wanted.removes());
                known
            }
            (Type::Delete, Some(_)) => return self.delete_nodes(|node| node == id),
            (Type::Modify | Type::ModifyInc | Type::Delete, None) => return Err(no_node(id)),
            _ => return Err(wanted.unsupported(table)),
        };
        if node.ports.len() > MAX_ITEMS {
            return Err(too_many("ports of the node", MAX_ITEMS));
        }
        let before = self.notes.nodes.insert(id, node);
        let changed = self.set_groups_with(|node| node == id);
        if changed.is_err() {
            match before {
                Some(before) => drop(self.notes.nodes.insert(id, before)),
                None => drop(self.notes.nodes.remove(&id)),
            }
        }
        changed
    }

    /// Deletes nodes, and takes them out of the groups and ECMP groups that have them.
    fn delete_nodes(&mut self, is_deleted: impl Fn(u32) -> bool) -> Result<(), Problem> {
        let groups = self.groups_with(&is_deleted);
        for group in self.notes.multicast.values_mut() {
            group.nodes.retain(|(node, _)| !is_deleted(*node));
        }
        for place in self.notes.ecmps.values_mut().flatten() {
            *place = place.filter(|node| !is_deleted(*node));
        }
        self.notes.nodes.retain(|node, _| !is_deleted(*node));
        groups.into_iter().try_for_each(|group| self.set_group(group))
    }

    /// Changes an ECMP group.
    pub(super) fn multicast_ecmp(&mut self, table: &Table, wanted: &Wanted<'_>) -> Result<(), Problem> {
        let used = |notes: &Notes, id: u32| {
            notes.multicast.values().any(|group| group.ecmps.iter().any(|(ecmp, _)| *ecmp == id))
        };
        let in_use =
            |id: u32| Problem::new(Code::Unavailable, format!("a multicast group has the ECMP group {id}"));
        if wanted.is_for_all() && wanted.kind == Type::Delete {
            if let Some(id) = self.notes.ecmps.keys().find(|id| used(self.notes, **id)) {
                return Err(in_use(*id));
            }
            self.notes.ecmps.clear();
            return Ok(());
        }
        let id = index(table, wanted.key()?)?;
        let known = self.notes.ecmps.get(&id).cloned();
        let given = wanted.data.numbers(fixed_ids::ITEMS);
        let all = |nodes: &[u32]| nodes.iter().copied().map(Some).collect::<Vec<_>>();
        let mut places = match (wanted.kind, known) {
            (Type::Insert, Some(_)) => {
                return Err(Problem::new(Code::AlreadyExists, format!("there is an ECMP group {id}")));
            }
            (Type::Insert, None) if self.notes.ecmps.len() >= MAX_NODES => {
                return Err(too_many("ECMP groups", MAX_NODES));
            }
            (Type::Insert, None) => all(given.unwrap_or_default()),
            (Type::Modify, Some(known)) => given.map_or(known, all),
            (Type::ModifyInc, Some(mut known)) => {
                for node in given.unwrap_or_default() {
                    let wanted_place = if wanted.removes() { Some(*node) } else { None };
                    match known.iter_mut().find(|place| **place == wanted_place) {
                        Some(place) => *place = wanted_place.is_none().then_some(*node),
                        None if wanted.removes() => return Err(no_node(*node)),
                        None => known.push(Some(*node)),
                    }
                }
                known
            }
            (Type::Delete, Some(_)) if used(self.notes, id) => return Err(in_use(id)),
            (Type::Delete, Some(_)) => {
                self.notes.ecmps.remove(&id);
                return Ok(());
            }
            (Type::Modify | Type::ModifyInc | Type::Delete, None) => {
                return Err(Problem::not_found(format!("there is no ECMP group {id}")));
            }
            _ => return Err(wanted.unsupported(table)),
        };
        if places.len() > ECMP_PLACES {
            return Err(too_many("nodes in the ECMP group", ECMP_PLACES));
        }
        places.resize(ECMP_PLACES, None);
        if let Some(missing) = places.iter().flatten().find(|node| !self.notes.nodes.contains_key(node)) {
            return Err(no_node(*missing));
        }
        let before = self.notes.ecmps.insert(id, places);
        let groups = self.notes.multicast.iter();
        let groups = groups.filter(|(_, group)| group.ecmps.iter().any(|(ecmp, _)| *ecmp == id));
        let groups: Vec<u16> = groups.map(|(number, _)| *number).collect();
        let changed = groups.into_iter().try_for_each(|group| self.set_group(group));
        if changed.is_err() {
            match before {
                Some(before) => drop(self.notes.ecmps.insert(id, before)),
                None => drop(self.notes.ecmps.remove(&id)),
            }
        }
        changed
    }

    /// Sets the groups of the switch that have a wanted node, also in an ECMP group.
    pub(super) fn set_groups_with(&mut self, is_wanted: impl Fn(u32) -> bool) -> Result<(), Problem> {
        self.groups_with(is_wanted).into_iter().try_for_each(|group| self.set_group(group))
    }

    /// Returns the groups that have a wanted node, also in an ECMP group.
    fn groups_with(&self, is_wanted: impl Fn(u32) -> bool) -> Vec<u16> {
        let has = |group: &Multicast| {
            let places = group.ecmps.iter().filter_map(|(id, _)| self.notes.ecmps.get(id)).flatten();
            let mut nodes = group.nodes.iter().map(|(node, _)| *node).chain(places.copied().flatten());
            nodes.any(&is_wanted)
        };
        let groups = self.notes.multicast.iter().filter(|(_, group)| has(group));
        groups.map(|(number, _)| *number).collect()
    }

    /// Sets a group of the switch as the notes say.
    fn set_group(&mut self, group: u16) -> Result<(), Problem> {
        let tree = tree(self.notes, &self.notes.multicast[&group])?;
        if tree.all_copies(self.control().replication()).len() > MAX_COPIES {
            return Err(too_many("copies in the group", MAX_COPIES));
        }
        self.change(&match list(&tree) {
            Some(replicas) => Update::SetMulticastGroup { group, replicas: Some(replicas) },
            None => Update::SetMulticastTree { group, tree },
        })
        .map(drop)
    }

    pub(super) fn multicast_group(&mut self, table: &Table, wanted: &Wanted<'_>) -> Result<(), Problem> {
        if wanted.is_for_all() && wanted.kind == Type::Delete {
            let all: Vec<u16> = self.notes.multicast.keys().copied().collect();
            for group in all {
                self.change(&Update::SetMulticastGroup { group, replicas: None })?;
            }
            self.notes.multicast.clear();
            return Ok(());
        }
        let number = index(table, wanted.key()?)? as u16;
        let (nodes, ecmps) = (members(&wanted.data, NODES)?, members(&wanted.data, ECMPS)?);
        let known = self.notes.multicast.get(&number).cloned();
        let group = match (wanted.kind, known) {
            (Type::Insert, Some(_)) => {
                return Err(Problem::new(
                    Code::AlreadyExists,
                    format!("there is a multicast group {number}"),
                ));
            }
            (Type::Insert, None) => {
                Multicast { nodes: nodes.unwrap_or_default(), ecmps: ecmps.unwrap_or_default() }
            }
            (Type::Modify, Some(known)) => {
                Multicast { nodes: nodes.unwrap_or(known.nodes), ecmps: ecmps.unwrap_or(known.ecmps) }
            }
            (Type::ModifyInc, Some(mut known)) => {
                for (list, given) in [(&mut known.nodes, nodes), (&mut known.ecmps, ecmps)] {
                    let given = given.unwrap_or_default();
                    list.retain(|(known, _)| !given.iter().any(|(number, _)| number == known));
                    if !wanted.removes() {
                        list.extend(given);
                    }
                }
                known
            }
            (Type::Delete, Some(_)) => {
                self.change(&Update::SetMulticastGroup { group: number, replicas: None })?;
                self.notes.multicast.remove(&number);
                return Ok(());
            }
            (Type::Modify | Type::ModifyInc | Type::Delete, None) => {
                return Err(Problem::not_found(format!("there is no multicast group {number}")));
            }
            _ => return Err(wanted.unsupported(table)),
        };
        if group.nodes.len() > MAX_ITEMS || group.ecmps.len() > MAX_ITEMS {
            return Err(too_many("nodes in the group", MAX_ITEMS));
        }
        let before = self.notes.multicast.insert(number, group);
        let changed = self.set_group(number);
        if changed.is_err() {
            match before {
                Some(before) => drop(self.notes.multicast.insert(number, before)),
                None => drop(self.notes.multicast.remove(&number)),
            }
        }
        changed
    }
}
