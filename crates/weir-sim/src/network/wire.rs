//! Which wires lead away from a node.

use std::collections::BTreeMap;

use smallvec::SmallVec;
use weir_device::Port;

use crate::link::Direction;

/// One direction of a link: twice the link's number, plus 1 if backward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wire(u32);

impl Wire {
    pub(super) fn new(link: usize, direction: Direction) -> Self {
        Wire((link * 2 + direction.index()) as u32)
    }

    /// All wires of a network are numbered, from 0 on.
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }

    pub(super) fn link(self) -> usize {
        self.0 as usize / 2
    }

    /// The direction's number, which is also that of the end where frames leave.
    pub(super) fn side(self) -> usize {
        self.0 as usize % 2
    }
}

/// The wires that lead away from a node's ports.
#[derive(Default)]
pub(super) struct Ports {
    /// Of small numbers, by number: as good as all there are. [`NONE`] where there is none.
    near: SmallVec<[u32; 4]>,
    far: BTreeMap<Port, Wire>,
}

/// No wire.
const NONE: u32 = u32::MAX;
/// Ports from here on are looked up.
const NEAR: Port = 4096;

impl Ports {
    pub(super) fn get(&self, port: Port) -> Option<Wire> {
        if port >= NEAR {
            return self.far.get(&port).copied();
        }
        self.near.get(port as usize).filter(|wire| **wire != NONE).map(|wire| Wire(*wire))
    }

    pub(super) fn insert(&mut self, port: Port, wire: Wire) {
        if port >= NEAR {
            self.far.insert(port, wire);
            return;
        }
        if self.near.len() <= port as usize {
            self.near.resize(port as usize + 1, NONE);
        }
        self.near[port as usize] = wire.0;
    }

    /// All, by port.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Port, Wire)> {
        let near =
            (0..).zip(&self.near).filter(|(_, wire)| **wire != NONE).map(|(port, wire)| (port, Wire(*wire)));
        near.chain(self.far.iter().map(|(port, wire)| (*port, *wire)))
    }
}
