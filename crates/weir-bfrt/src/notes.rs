//! Keeps the data of clients for which the switch has no place: groups with members that cannot be
//! chosen, the nodes of multicast groups, settings of ports and mirror sessions.

use std::collections::BTreeMap;

use weir_device::Nanos;
use weir_p4runtime_proto::bfrt;
use weir_switch::control::{CounterValue, EntryRef};

/// A member of a selector's group, and whether it can be chosen.
pub type Chosen = (u32, bool);

/// Data as clients set them: the number of the action, and the fields.
pub type WithAction = (u32, Vec<bfrt::DataField>);

/// Returns the key of an entry's counts in [`Notes`].
pub fn count_key(entry: &EntryRef) -> u64 {
    if let EntryRef::Handle(handle) = entry { *handle } else { u64::MAX }
}

/// A group of a selector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The members in the order of the request.
    pub members: Vec<Chosen>,
    /// The maximum number of members; 0 means no limit.
    pub max_size: u32,
}

/// A node of multicast groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The replication id of the copies that the node makes.
    pub rid: u16,
    /// The ports to which the node sends copies.
    pub ports: Vec<u32>,
    /// The link aggregation groups to which the node sends copies.
    pub lags: Vec<u8>,
}

/// A node or an ECMP group in a multicast group, which may have a level 1 exclusion id.
pub type MulticastMember = (u32, Option<u16>);

/// The nodes and the ECMP groups of a multicast group, in the order of the requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Multicast {
    /// The nodes.
    pub nodes: Vec<MulticastMember>,
    /// The ECMP groups.
    pub ecmps: Vec<MulticastMember>,
}

/// The data of clients for which the switch has no place.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// The groups of selectors, by the numbers of their table and of the group.
    pub groups: BTreeMap<(u32, u32), Group>,
    /// The nodes of multicast groups.
    pub nodes: BTreeMap<u32, Node>,
    /// The places of each ECMP group of nodes.
    pub ecmps: BTreeMap<u32, Vec<Option<u32>>>,
    /// The multicast groups.
    pub multicast: BTreeMap<u16, Multicast>,
    /// The settings of the device's multicast that have no effect in the switch.
    pub multicast_device: bfrt::PreDeviceConfig,
    /// The data of each mirror session.
    pub mirrors: BTreeMap<u16, Vec<bfrt::DataField>>,
    /// The applications of packet generators, without the counts.
    pub generators: BTreeMap<u32, WithAction>,
    /// The functions of hashes as clients set them, by the number of the table: the number of the
    /// action, and the data.
    pub hashes: BTreeMap<u32, WithAction>,
    /// The settings of the device.
    pub device: Vec<bfrt::DataField>,
    /// The settings of each port that a client has added.
    pub ports: BTreeMap<u32, Vec<bfrt::DataField>>,
    /// The settings of idle time-outs, by the number of the table.
    pub idle: BTreeMap<u32, bfrt::IdleTable>,
    /// The scopes of entries, by the number of the table.
    pub scopes: BTreeMap<u32, bfrt::EntryScope>,
    /// The times from which the time-outs of entries run, by the number of the table and the
    /// handle.
    pub timed: BTreeMap<(u32, u64), Nanos>,
    /// The times of the last two updates of the hit states, by the number of the table.
    pub hit_states: BTreeMap<u32, (Nanos, Nanos)>,
    /// The hit states that clients have set since the last update, with the times, by the number of
    /// the table and the handle.
    pub set_states: BTreeMap<(u32, u64), (bool, Nanos)>,
    /// The last hits of the entries that clients know to be idle, by the number of the table and
    /// the handle.
    pub told_idle: BTreeMap<(u32, u64), Option<Nanos>>,
    /// The counts at the last synchronization, by the number of the table and the index or handle;
    /// 0 if there is none.
    pub counts: BTreeMap<(u32, u64), CounterValue>,
    /// Whether clients receive a message when a port goes up or down.
    pub tells_ports: bool,
}

impl Notes {
    /// Forgets an entry of a table of the program.
    pub fn forget_entry(&mut self, table: u32, handle: u64) {
        self.timed.remove(&(table, handle));
        self.set_states.remove(&(table, handle));
        self.told_idle.remove(&(table, handle));
        self.counts.remove(&(table, handle));
    }

    /// Forgets all entries of a table of the program.
    pub fn forget_entries(&mut self, table: u32) {
        self.timed.retain(|(of, _), _| *of != table);
        self.set_states.retain(|(of, _), _| *of != table);
        self.told_idle.retain(|(of, _), _| *of != table);
        self.counts.retain(|(of, _), _| *of != table);
    }

    /// Returns the notes that outlast a reset: a switch keeps its ports and sessions.
    pub fn after_reset(self) -> Self {
        let Self { device, ports, mirrors, tells_ports, .. } = self;
        Self { device, ports, mirrors, tells_ports, ..Self::default() }
    }
}

/// Replaces the fields that `new` has, and adds its other fields.
pub fn merge(fields: &mut Vec<bfrt::DataField>, new: &[bfrt::DataField]) {
    for field in new {
        match fields.iter_mut().find(|known| known.field_id == field.field_id) {
            Some(known) => known.clone_from(field),
            None => fields.push(field.clone()),
        }
    }
    fields.sort_by_key(|field| field.field_id);
}
