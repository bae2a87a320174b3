//! Multicast groups. A group is a list of copies, or a tree in which the metadata of each packet
//! choose copies, as in the packet replication engine of Tofino.

use std::collections::{BTreeMap, BTreeSet};

use smallvec::SmallVec;
use weir_device::Port;

use super::{CopyChoice, Replica, Settings};

/// The ports and replication ids of copies.
type Destinations = SmallVec<[(Port, u16); 4]>;

/// A multicast group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    /// The copies; those of a tree are all that it can make.
    pub replicas: Vec<Replica>,
    pub tree: Option<MulticastTree>,
}

/// A multicast tree. A packet gets the copies of one node of each branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MulticastTree {
    /// The branches, in any order.
    pub branches: Vec<MulticastBranch>,
}

/// A branch of a multicast tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MulticastBranch {
    /// Packets with this level 1 exclusion id get no copies from this branch.
    pub exclusion_id: Option<u16>,
    /// The nodes. The level 1 hash chooses one of them. `None` is an empty place.
    pub nodes: Vec<Option<MulticastNode>>,
}

/// A node of a multicast tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MulticastNode {
    /// The replication id of its copies.
    pub rid: u16,
    /// The ports, each of which gets a copy.
    pub ports: Vec<Port>,
    /// The link aggregation groups (LAG), each of which gets a copy.
    pub lags: Vec<u8>,
}

/// A link aggregation group of multicast nodes. The level 2 hash chooses a port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MulticastLag {
    /// The ports of this switch.
    pub ports: BTreeSet<Port>,
    /// The number of ports of other switches, which come before and after those of this switch. A
    /// packet whose hash chooses one of them gets no copy.
    pub remote: (u32, u32),
}

/// The settings that all multicast groups share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replication {
    /// The link aggregation groups.
    pub lags: BTreeMap<u8, MulticastLag>,
    /// The ports that get no copies of packets with a level 2 exclusion id, if the packet and the
    /// copy have the same replication id.
    pub pruned: BTreeMap<u16, BTreeSet<Port>>,
    /// Packets with this replication id are compared with no copy: the ports are always pruned.
    pub global_rid: u16,
    /// The ports that stand in for ports that are down, if `protects`.
    pub backups: BTreeMap<Port, Port>,
    /// Whether backup ports are used.
    pub protects: bool,
    /// The ports that a controller has declared to be down for multicast.
    pub inactive: BTreeSet<Port>,
    /// The port to which packets for the CPU are copied, if it is not that of the chip.
    pub cpu_port: Option<Port>,
}

/// The largest level 2 hash.
const MAX_HASH: u16 = 0x1fff;

impl MulticastTree {
    /// Returns all copies that the tree can make.
    pub fn all_copies(&self, replication: &Replication) -> Vec<Replica> {
        let nodes = self.branches.iter().flat_map(|branch| branch.nodes.iter().flatten());
        let copies = nodes.flat_map(|node| {
            let lags = node.lags.iter().filter_map(|lag| replication.lags.get(lag));
            let ports = node.ports.iter().chain(lags.flat_map(|lag| &lag.ports));
            ports.map(|port| Replica::new(*port, node.rid))
        });
        copies.collect()
    }
}

impl MulticastBranch {
    /// Returns the node for a hash: the one at its place, or if there is none, one of the others.
    fn choose(&self, hash: u16) -> Option<&MulticastNode> {
        let hash = usize::from(hash);
        let at_place = self.nodes.get(hash % self.nodes.len().max(1)).and_then(Option::as_ref);
        at_place.or_else(|| {
            let live = self.nodes.iter().flatten().count();
            self.nodes.iter().flatten().nth(hash % live.max(1))
        })
    }
}

impl Group {
    /// Returns the ports and replication ids of a packet's copies, given the ports that are down.
    pub(crate) fn copies(
        &self,
        replication: &Replication,
        down: &BTreeSet<Port>,
        choice: CopyChoice,
    ) -> Destinations {
        let ports = Ports { replication, down, choice };
        let Some(tree) = &self.tree else {
            let kept = self.replicas.iter().filter(|one| !ports.is_pruned(one.port, one.rid));
            let destination = |one: &Replica| match one.backups.is_empty() {
                true => (ports.destination(one.port), one.rid),
                false => one.destination(down),
            };
            return kept.map(destination).collect();
        };
        let is_excluded = |branch: &&MulticastBranch| branch.exclusion_id == Some(choice.level1_exclusion_id);
        let branches = tree.branches.iter().filter(|branch| !is_excluded(branch));
        let nodes = branches.filter_map(|branch| branch.choose(choice.level1_hash));
        nodes.flat_map(|node| ports.of_node(node)).collect()
    }
}

impl Settings {
    /// Returns the destinations of the copies that a multicast group makes of a packet with this
    /// choice.
    pub(crate) fn destinations(&self, group: u16, choice: CopyChoice) -> Destinations {
        let group = self.groups.get(&group);
        group.map(|group| group.copies(&self.replication, &self.down_ports, choice)).unwrap_or_default()
    }
}

/// The ports that get copies of a packet.
struct Ports<'a> {
    replication: &'a Replication,
    down: &'a BTreeSet<Port>,
    choice: CopyChoice,
}

impl Ports<'_> {
    fn is_live(&self, port: Port) -> bool {
        !self.down.contains(&port) && !self.replication.inactive.contains(&port)
    }

    fn is_pruned(&self, port: Port, rid: u16) -> bool {
        let CopyChoice { rid: own, level2_exclusion_id, .. } = self.choice;
        let pruned = self.replication.pruned.get(&level2_exclusion_id);
        pruned.is_some_and(|ports| ports.contains(&port))
            && (own == rid || own == self.replication.global_rid)
    }

    /// Returns the port that gets the copy of a port.
    fn destination(&self, port: Port) -> Port {
        match self.replication.backups.get(&port) {
            Some(backup) if self.replication.protects && !self.is_live(port) => *backup,
            _ => port,
        }
    }

    fn of_node<'n>(&'n self, node: &'n MulticastNode) -> impl Iterator<Item = (Port, u16)> + 'n {
        let lags = node.lags.iter().filter_map(|lag| self.of_lag(self.replication.lags.get(lag)?, node.rid));
        let chosen = node.ports.iter().copied().chain(lags).filter(|port| !self.is_pruned(*port, node.rid));
        chosen.map(|port| (self.destination(port), node.rid))
    }

    /// Returns the port of a link aggregation group that the level 2 hash chooses: if it is down,
    /// one of those that are not. `None` if it is a port of another switch.
    fn of_lag(&self, lag: &MulticastLag, rid: u16) -> Option<Port> {
        let CopyChoice { level2_hash, mixes_rid, .. } = self.choice;
        let hash = u64::from(if mixes_rid { (level2_hash ^ rid) & MAX_HASH } else { level2_hash });
        let (before, after) = (u64::from(lag.remote.0), u64::from(lag.remote.1));
        let all = before + lag.ports.len() as u64 + after;
        let place = (hash % all.max(1)).checked_sub(before)?;
        let port = *lag.ports.iter().nth(usize::try_from(place).ok()?)?;
        let live = || lag.ports.iter().filter(|port| self.is_live(**port));
        match live().count() as u64 {
            0 => Some(port),
            _ if self.is_live(port) => Some(port),
            count => live().nth((hash % count) as usize).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(rid: u16, ports: &[Port], lags: &[u8]) -> MulticastNode {
        MulticastNode { rid, ports: ports.to_vec(), lags: lags.to_vec() }
    }

    fn branch(exclusion_id: Option<u16>, nodes: Vec<Option<MulticastNode>>) -> MulticastBranch {
        MulticastBranch { exclusion_id, nodes }
    }

    fn copies(
        branches: Vec<MulticastBranch>,
        replication: &Replication,
        choice: CopyChoice,
    ) -> Vec<(Port, u16)> {
        let group = Group { replicas: Vec::new(), tree: Some(MulticastTree { branches }) };
        group.copies(replication, &BTreeSet::from([9]), choice).into_vec()
    }

    #[test]
    fn an_exclusion_id_leaves_out_branches() {
        let branches = || {
            vec![
                branch(Some(7), vec![Some(node(1, &[1], &[]))]),
                branch(None, vec![Some(node(2, &[2], &[]))]),
            ]
        };
        let with = |level1_exclusion_id| CopyChoice { level1_exclusion_id, ..CopyChoice::default() };
        assert_eq!(copies(branches(), &Replication::default(), with(7)), [(2, 2)]);
        assert_eq!(copies(branches(), &Replication::default(), with(0)), [(1, 1), (2, 2)]);
    }

    #[test]
    fn a_hash_chooses_one_node_of_a_branch() {
        let nodes = || vec![Some(node(1, &[1], &[])), None, Some(node(2, &[2], &[])), None];
        let chosen: Vec<_> = (0..5)
            .flat_map(|level1_hash| {
                let choice = CopyChoice { level1_hash, ..CopyChoice::default() };
                copies(vec![branch(None, nodes())], &Replication::default(), choice)
            })
            .map(|(port, _)| port)
            .collect();
        // The places 1 and 3 are empty: their packets go to the first and the second node that
        // there is, by the hash modulo 2.
        assert_eq!(chosen, [1, 2, 2, 2, 1]);
    }

    #[test]
    fn a_hash_chooses_a_port_of_a_lag_that_is_up() {
        let mut replication = Replication::default();
        replication.lags.insert(3, MulticastLag { ports: BTreeSet::from([4, 9]), remote: (1, 0) });
        let ports = |level2_hash| {
            let choice = CopyChoice { level2_hash, ..CopyChoice::default() };
            copies(vec![branch(None, vec![Some(node(1, &[], &[3]))])], &replication, choice)
        };
        assert_eq!([ports(0), ports(1), ports(2)], [vec![], vec![(4, 1)], vec![(4, 1)]], "9 is down");
    }

    #[test]
    fn ports_are_pruned_if_the_replication_ids_are_equal() {
        let mut replication = Replication { global_rid: 5, ..Replication::default() };
        replication.pruned.insert(8, BTreeSet::from([1]));
        let of = |rid, level2_exclusion_id| {
            let choice = CopyChoice { rid, level2_exclusion_id, ..CopyChoice::default() };
            copies(vec![branch(None, vec![Some(node(1, &[1, 2], &[]))])], &replication, choice)
        };
        assert_eq!(of(1, 8), [(2, 1)]);
        assert_eq!(of(5, 8), [(2, 1)], "the global replication id");
        assert_eq!([of(2, 8), of(1, 7)], [vec![(1, 1), (2, 1)], vec![(1, 1), (2, 1)]]);
    }

    #[test]
    fn backups_stand_in_for_ports_that_are_down() {
        let mut replication = Replication { protects: true, ..Replication::default() };
        replication.backups.extend([(9, 1), (2, 3)]);
        let ports = |replication: &Replication| {
            let branches = vec![branch(None, vec![Some(node(0, &[2, 9], &[]))])];
            copies(branches, replication, CopyChoice::default())
        };
        assert_eq!(ports(&replication), [(2, 0), (1, 0)]);
        replication.inactive.insert(2);
        assert_eq!(ports(&replication), [(3, 0), (1, 0)]);
        let list = Group { replicas: vec![Replica::new(9, 7)], tree: None };
        let copies = list.copies(&replication, &BTreeSet::from([9]), CopyChoice::default());
        assert_eq!(copies.as_slice(), [(1, 7)], "those of a list, too");
        replication.protects = false;
        assert_eq!(ports(&replication), [(2, 0), (9, 0)]);
    }
}
