//! The copies that multicast groups and clone sessions make.

use std::collections::BTreeSet;

use weir_device::Port;

/// One copy that a multicast group or a clone session makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    /// The port through which the copy leaves.
    pub port: Port,
    /// The copy's replication id, `egress_rid`.
    pub rid: u16,
    /// The alternative destinations while the port is down. The copy goes to the first backup with
    /// a port that is up, or to its own port if all backup ports are down.
    pub backups: Vec<Backup>,
}

/// The destination of a [`Replica`] while its port is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backup {
    /// The port.
    pub port: Port,
    /// The replication id of the copy that goes to this port.
    pub rid: u16,
}

/// The values of a packet that choose its copies in multicast groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyChoice {
    /// Chooses a node of each branch of a tree.
    pub level1_hash: u16,
    /// Chooses a port of each link aggregation group.
    pub level2_hash: u16,
    /// Copies of branches with this exclusion id are not made.
    pub level1_exclusion_id: u16,
    /// Copies with [`CopyChoice::rid`] for the ports of this exclusion id are not made.
    pub level2_exclusion_id: u16,
    /// The replication id of these copies.
    pub rid: u16,
    /// Whether the level 2 hash is combined with the replication id of each node, as in Tofino 2.
    pub mixes_rid: bool,
}

impl Replica {
    /// Creates a copy without backups.
    pub const fn new(port: Port, rid: u16) -> Self {
        Self { port, rid, backups: Vec::new() }
    }

    /// Returns the port and replication id of the copy, given the ports that are down.
    pub(crate) fn destination(&self, down: &BTreeSet<Port>) -> (Port, u16) {
        let own = (self.port, self.rid);
        if down.is_empty() || !down.contains(&self.port) {
            return own;
        }
        let backup = self.backups.iter().find(|backup| !down.contains(&backup.port));
        backup.map_or(own, |backup| (backup.port, backup.rid))
    }
}
