//! The copies that multicast groups and clone sessions make.

use std::collections::{BTreeMap, BTreeSet};

use smallvec::SmallVec;
use weir_device::Port;

use super::Settings;

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
    /// The conditions under which a packet gets the copy. Only copies of multicast groups have
    /// rules.
    pub rules: CopyRules,
}

/// The destination of a [`Replica`] while its port is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backup {
    /// The port.
    pub port: Port,
    /// The replication id of the copy that goes to this port.
    pub rid: u16,
}

/// The conditions under which a packet of TNA gets a copy of a multicast group, compared with its
/// [`CopyChoice`]. By default, each packet gets the copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CopyRules {
    /// The exclusion id of the copy's node (`L1_XID`). Packets with this level 1 exclusion id get
    /// no copy.
    pub exclusion_id: Option<u16>,
    /// The position of the copy's node among alternatives (ECMP), and the number of alternatives.
    /// Packets whose level 1 hash chooses another position get no copy.
    pub alternative: Option<(u16, u16)>,
    /// The ports of a link aggregation group. If there are any, the level 2 hash of the packet
    /// chooses one of them, and neither [`Replica::port`] nor the backups are used.
    pub links: Vec<Port>,
}

/// The metadata of a packet that select its copies in multicast groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyChoice {
    /// Chooses among the alternatives of nodes: the remainder of the division by their number.
    pub level1_hash: u16,
    /// Chooses among the ports of link aggregation groups, in the same way.
    pub level2_hash: u16,
    /// Copies of nodes with this exclusion id are not made.
    pub level1_exclusion_id: u16,
    /// Copies with [`CopyChoice::rid`] for the ports of this exclusion id are not made; see
    /// [`Update::SetExcludedPorts`](crate::control::Update::SetExcludedPorts).
    pub level2_exclusion_id: u16,
    /// The replication id of these copies.
    pub rid: u16,
}

/// The ports of each level 2 exclusion id.
pub(crate) type ExcludedPorts = BTreeMap<u16, BTreeSet<Port>>;

/// The ports and replication ids of copies.
pub(crate) type Destinations = SmallVec<[(Port, u16); 4]>;

impl Replica {
    /// Creates a copy without backups.
    pub const fn new(port: Port, rid: u16) -> Self {
        let rules = CopyRules { exclusion_id: None, alternative: None, links: Vec::new() };
        Self { port, rid, backups: Vec::new(), rules }
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

    /// Returns the port and replication id of the copy of a packet with this choice; `None` if
    /// there is no copy.
    fn chosen(&self, choice: CopyChoice, settings: &Settings) -> Option<(Port, u16)> {
        let CopyRules { exclusion_id, alternative, links } = &self.rules;
        if *exclusion_id == Some(choice.level1_exclusion_id) {
            return None;
        }
        if let Some((position, count)) = *alternative
            && choice.level1_hash % count.max(1) != position
        {
            return None;
        }
        let (port, rid) = match links.as_slice() {
            [] => self.destination(&settings.down_ports),
            links => (links[usize::from(choice.level2_hash) % links.len()], self.rid),
        };
        let excluded = || settings.excluded_ports.get(&choice.level2_exclusion_id);
        let is_excluded = choice.rid == self.rid && excluded().is_some_and(|ports| ports.contains(&port));
        (!is_excluded).then_some((port, rid))
    }
}

impl Settings {
    /// Returns the destinations of the copies that a multicast group makes of a packet with this
    /// choice.
    pub(crate) fn destinations(&self, group: u16, choice: CopyChoice) -> Destinations {
        let members = self.groups.get(&group).into_iter().flatten();
        members.filter_map(|replica| replica.chosen(choice, self)).collect()
    }
}
