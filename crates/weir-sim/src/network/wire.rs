//! The wires at the ports of a node.

use std::collections::BTreeMap;

use smallvec::SmallVec;
use weir_device::Port;

use crate::link::Direction;

/// One direction of a link: twice the link number, plus 1 for the backward direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wire(u32);

impl Wire {
    pub(super) fn new(link: usize, direction: Direction) -> Self {
        Wire((link * 2 + direction.index()) as u32)
    }

    /// Returns the number of the wire, from 0.
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }

    /// Returns the number of the wire's link.
    pub(super) fn link(self) -> usize {
        self.0 as usize / 2
    }

    /// Returns the number of the direction, which is also that of the sending end.
    pub(super) fn side(self) -> usize {
        self.0 as usize % 2
    }
}

/// The wires that start at the ports of a node.
#[derive(Default)]
pub(super) struct Ports {
    /// The wires at small port numbers, by port; [`NO_WIRE`] for ports without a wire.
    low_ports: SmallVec<[u32; 4]>,
    high_ports: BTreeMap<Port, Wire>,
}

/// The value that marks a port without a wire.
const NO_WIRE: u32 = u32::MAX;
/// The first port whose wire is in `high_ports`.
const FIRST_HIGH_PORT: Port = 4096;

impl Ports {
    /// Returns the wire at a port.
    pub(super) fn get(&self, port: Port) -> Option<Wire> {
        if port >= FIRST_HIGH_PORT {
            return self.high_ports.get(&port).copied();
        }
        self.low_ports.get(port as usize).filter(|wire| **wire != NO_WIRE).map(|wire| Wire(*wire))
    }

    /// Adds a wire at a port.
    pub(super) fn insert(&mut self, port: Port, wire: Wire) {
        if port >= FIRST_HIGH_PORT {
            self.high_ports.insert(port, wire);
            return;
        }
        if self.low_ports.len() <= port as usize {
            self.low_ports.resize(port as usize + 1, NO_WIRE);
        }
        self.low_ports[port as usize] = wire.0;
    }

    /// Iterates over all wires, by port.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Port, Wire)> {
        let low_ports = (0..)
            .zip(&self.low_ports)
            .filter(|(_, wire)| **wire != NO_WIRE)
            .map(|(port, wire)| (port, Wire(*wire)));
        low_ports.chain(self.high_ports.iter().map(|(port, wire)| (*port, *wire)))
    }
}
