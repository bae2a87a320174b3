//! Keeps the data of clients for which the switch has no place: groups with members that cannot be
//! chosen, the nodes of multicast groups, settings of ports and mirror sessions.

use std::collections::BTreeMap;

use weir_device::Nanos;
use weir_p4runtime_proto::bfrt;

/// A member of a selector's group, and whether it can be chosen.
pub type Chosen = (u32, bool);

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
    /// The replication id of its copies.
    pub rid: u16,
    /// The ports of its copies.
    pub ports: Vec<u32>,
}

/// The data of clients for which the switch has no place.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// The groups of selectors, by the numbers of their table and of the group.
    pub groups: BTreeMap<(u32, u32), Group>,
    /// The nodes of multicast groups.
    pub nodes: BTreeMap<u32, Node>,
    /// The nodes of each multicast group, in the order of the request.
    pub multicast: BTreeMap<u16, Vec<u32>>,
    /// The data of each mirror session.
    pub mirrors: BTreeMap<u16, Vec<bfrt::DataField>>,
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
    /// Whether clients receive a message when a port goes up or down.
    pub tells_ports: bool,
}

impl Notes {
    /// Returns the notes that outlast a reset: a switch keeps its ports and sessions.
    pub fn after_reset(self) -> Self {
        let Self { ports, mirrors, tells_ports, .. } = self;
        Self { ports, mirrors, tells_ports, ..Self::default() }
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
