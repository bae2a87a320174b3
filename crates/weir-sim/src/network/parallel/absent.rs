//! Placeholders for nodes and links that are in another part of the network.

use std::collections::BTreeMap;

use weir_device::{Device, Drop, Nanos, Packet, PacketAccount, Port, Transmission};

use crate::event_queue::Alarm;
use crate::link::Transmitter;
use crate::network::{DeviceNode, LinkState, NodeKind, NodeState, Ports};

/// A device that is in another part.
struct Absent;

impl Device for Absent {
    fn receive(&mut self, _: Nanos, _: Port, _: Packet) {
        debug_assert!(false, "a frame arrives in the wrong part of the network");
    }

    fn next_deadline(&self) -> Option<Nanos> {
        None
    }

    fn advance(&mut self, _: Nanos, _: &mut Vec<Transmission>) {}

    fn take_drops(&mut self) -> Vec<Drop> {
        Vec::new()
    }

    fn record_drops(&mut self, _: bool) {}

    fn in_flight(&self) -> usize {
        0
    }

    fn account(&self) -> PacketAccount {
        PacketAccount::default()
    }

    fn drop_counts(&self) -> Vec<(String, String, u64)> {
        Vec::new()
    }
}

impl NodeState {
    /// Returns a placeholder.
    pub(super) fn absent() -> Self {
        let node = DeviceNode { device: Box::new(Absent), transmitted: 0, inside: None };
        NodeState {
            ports: Ports::default(),
            alarm: Alarm::default(),
            packets_named: 0,
            running: 0,
            kind: NodeKind::Device(Box::new(node)),
            name: String::new(),
            unread: 0,
            unconnected: BTreeMap::new(),
        }
    }
}

impl LinkState {
    /// Returns a placeholder for a link, which receives frames for this link's ends.
    pub(super) fn absent(&self) -> Self {
        let [a, b] = self.ends;
        let transmitters = [Transmitter::receiving_only(b), Transmitter::receiving_only(a)];
        LinkState { transmitters, ends: self.ends, taps: [Vec::new(), Vec::new()] }
    }
}
