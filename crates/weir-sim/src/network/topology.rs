//! The nodes and links of a network, as callers see them.

use weir_device::Port;

use super::{LinkId, Network, NodeId, NodeKind, NodeState};
use crate::link::{Direction, LinkConfig};
use crate::{DirectionCounters, Error};

/// A port of a node, to which a link can be connected. The ports of a host are its interfaces,
/// counted from 0; those of a device are its data-plane ports.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkEnd {
    /// The name of the node.
    pub node: String,
    /// The number of the port.
    pub port: Port,
}

impl LinkEnd {
    /// Makes the end at the port with this number at the node with this name.
    pub fn new(node: impl Into<String>, port: Port) -> Self {
        LinkEnd { node: node.into(), port }
    }
}

/// The description of a node: its number, its name, and its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The node's identifier.
    pub id: NodeId,
    /// The node's name.
    pub name: String,
    /// Whether the node is a host; otherwise it is a device.
    pub is_host: bool,
    /// The node's connected ports and their links, in port order.
    pub links: Vec<(Port, LinkId)>,
}

/// The description of a link: its number and its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The link's identifier.
    pub id: LinkId,
    /// The link's ends, in the order in which they were connected.
    pub ends: [LinkEnd; 2],
    /// The settings of the forward direction (from the first end to the second) and of the backward
    /// direction.
    pub config: [LinkConfig; 2],
    /// Whether the link is up.
    pub up: bool,
}

impl Network {
    /// Returns all nodes, in the order in which they were added.
    pub fn nodes(&self) -> Vec<Node> {
        let node = |(index, state): (usize, &NodeState)| Node {
            id: NodeId(index),
            name: state.name.clone(),
            is_host: matches!(state.kind, NodeKind::Host(_)),
            links: state.ports.iter().map(|(port, wire)| (port, LinkId(wire.link()))).collect(),
        };
        self.nodes.iter().enumerate().map(node).collect()
    }

    /// Returns all links, in the order in which they were added.
    pub fn links(&self) -> Vec<Link> {
        (0..self.links.len()).map(|index| self.describe_link(index)).collect()
    }

    /// Returns one link.
    ///
    /// # Errors
    /// The link is not of this network.
    pub fn link(&self, id: LinkId) -> Result<Link, Error> {
        self.check_link(id).map(|index| self.describe_link(index))
    }

    /// Returns the link at a port.
    ///
    /// # Errors
    /// There is no such node, or nothing is connected there.
    pub fn link_at(&self, end: &LinkEnd) -> Result<LinkId, Error> {
        let node = self.index(&end.node)?;
        let link = self.nodes[node].ports.get(end.port).map(|wire| LinkId(wire.link()));
        link.ok_or_else(|| Error::NotConnected { node: end.node.clone(), port: end.port })
    }

    fn describe_link(&self, index: usize) -> Link {
        let state = &self.links[index];
        let [forward, backward] = &state.transmitters;
        Link {
            id: LinkId(index),
            ends: state.ends.map(|(node, port)| LinkEnd::new(self.nodes[node].name.clone(), port)),
            config: [forward.config().clone(), backward.config().clone()],
            up: forward.is_up(),
        }
    }

    /// Returns the counters of one direction of a link.
    ///
    /// # Errors
    /// The link is not of this network.
    pub fn link_counters(&self, id: LinkId, direction: Direction) -> Result<DirectionCounters, Error> {
        let link = self.check_link(id)?;
        Ok(self.links[link].transmitters[direction.index()].counters())
    }
}
