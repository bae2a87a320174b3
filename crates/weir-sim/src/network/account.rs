//! The account of a network's packets.

use std::collections::btree_map::Entry;

use super::{DeviceNode, Event, Kind, Network};
use crate::link::Direction;
use crate::{Audit, InFlight};

impl DeviceNode {
    /// A packet came out. Copies share their original's id, so only the first to leave is struck off.
    fn left(&mut self, id: u64) {
        if let Entry::Occupied(mut inside) = self.inside.entry(id) {
            *inside.get_mut() -= 1;
            if *inside.get() == 0 {
                inside.remove();
            }
        }
    }
}

impl Network {
    pub(super) fn left_device(&mut self, node: usize, id: u64) {
        if let Kind::Device(state) = &mut self.nodes[node].kind {
            state.left(id);
        }
    }

    pub(super) fn note_device_drops(&mut self, node: usize) {
        let Kind::Device(state) = &mut self.nodes[node].kind else { return };
        for drop in state.device.take_drops() {
            state.left(drop.packet);
            *state.drops.entry((drop.place, drop.reason)).or_default() += 1;
        }
    }

    /// Accounts for every packet there ever was.
    pub fn audit(&mut self) -> Audit {
        for node in 0..self.nodes.len() {
            self.note_device_drops(node);
        }
        let mut audit = Audit::default();
        // Frames on wires by link and direction, frames that hosts are about to notice, transmissions announced by devices.
        let mut wires = vec![[0u64; 2]; self.links.len()];
        let mut noticing = vec![0u64; self.nodes.len()];
        let mut announced = vec![0u64; self.nodes.len()];
        for event in self.events.iter() {
            match event {
                Event::Arrived { link, direction, .. } => wires[*link][direction.index()] += 1,
                Event::Noticed { node, .. } => noticing[*node] += 1,
                Event::Transmit { node, .. } => announced[*node] += 1,
                _ => {}
            }
        }
        self.audit_links(&mut audit, &wires);
        self.audit_nodes(&mut audit, &noticing, &announced);
        audit.drops.sort();
        let came = audit.created + audit.made_by_devices;
        let went = audit.delivered + audit.dropped() + audit.in_flight.total();
        audit.balance("the network", came, went);
        audit
    }

    fn audit_links(&self, audit: &mut Audit, wires: &[[u64; 2]]) {
        for (link, wires) in self.links.iter().zip(wires) {
            for direction in Direction::BOTH {
                let side = direction.index();
                let transmitter = &link.transmitters[side];
                let counters = transmitter.counters();
                let name =
                    format!("{}->{}", self.end_name(link.ends[side]), self.end_name(link.ends[1 - side]));
                audit.add_drops(name.clone(), "queue full", counters.dropped_queue_full);
                audit.add_drops(name.clone(), "lost on the wire", counters.dropped_loss);
                audit.add_drops(name.clone(), "link down", counters.dropped_down);
                let waiting = counters.queue_now as u64;
                let went = counters.delivered_packets + counters.dropped_packets() + waiting + wires[side];
                audit.balance(&name, counters.offered_packets, went);
                audit.in_flight.queues += waiting;
                audit.in_flight.wires += wires[side];
            }
        }
    }

    fn audit_nodes(&self, audit: &mut Audit, noticing: &[u64], announced: &[u64]) {
        for (index, node) in self.nodes.iter().enumerate() {
            // What links say they handed to this node and got from it.
            let (mut came, mut went) = (0, 0);
            for (link, direction) in node.ports.values() {
                let transmitters = &self.links[*link].transmitters;
                went += transmitters[direction.index()].counters().offered_packets;
                came += transmitters[1 - direction.index()].counters().delivered_packets;
            }
            let unconnected = node.unconnected.values().sum::<u64>();
            for (port, packets) in &node.unconnected {
                audit.add_drops(node.port_name(*port), "port not connected", *packets);
            }
            let InFlight { hosts, wires, devices, .. } = &mut audit.in_flight;
            match &node.kind {
                Kind::Host(host) => {
                    let (received, waiting) = (host.counters().received_packets, host.waiting() as u64);
                    *hosts += waiting;
                    *wires += noticing[index];
                    audit.created += host.created();
                    audit.delivered += received;
                    let (mut refused, mut unsent) = (0, 0);
                    for (place, drop, packets) in host.drops() {
                        if drop.is_outbound() {
                            unsent += packets;
                        } else {
                            refused += packets;
                        }
                        audit.add_drops(place, drop.text(), packets);
                    }
                    audit.balance(
                        &format!("{} receiving", node.name),
                        came,
                        received + refused + noticing[index],
                    );
                    audit.balance(
                        &format!("{} sending", node.name),
                        host.created(),
                        went + unconnected + unsent + waiting,
                    );
                }
                Kind::Device(state) => {
                    let inside = state.device.in_flight() as u64;
                    *devices += inside + announced[index];
                    let dropped = state.drops.values().sum::<u64>();
                    for ((place, reason), packets) in &state.drops {
                        audit.add_drops(format!("{} {place}", node.name), reason, *packets);
                    }
                    let accounted = state.transmitted + dropped + inside;
                    let missing = state.inside.values().map(|n| u64::from(*n)).sum::<u64>();
                    // A device may make packets, so more may come out than went in; but each that went in must be found.
                    audit.made_by_devices += accounted.saturating_sub(state.received);
                    if missing > inside || accounted < state.received {
                        audit.violations.push(format!(
                            "{}: {} packets came in, {} left, {dropped} were dropped, it says {inside} are inside, and {missing} never \
                             left",
                            node.name, state.received, state.transmitted
                        ));
                    }
                    audit.balance(&format!("{} receiving", node.name), came, state.received);
                    audit.balance(
                        &format!("{} sending", node.name),
                        state.transmitted,
                        went + unconnected + announced[index],
                    );
                }
            }
        }
    }
}
