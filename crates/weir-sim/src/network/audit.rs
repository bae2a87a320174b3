//! The accounting of a network's packets.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{DeviceNode, Event, LinkState, Network, NodeKind};
use crate::audit::add_drops;
use crate::link::Direction;
use crate::{Audit, InFlight, Losses, PacketAccount};

/// The reason why packets to a port without a link are dropped.
const NOT_CONNECTED: &str = "port not connected";
/// The reason why packets are dropped while they wait for the computer.
const COMPUTER_BUSY: &str = "the computer is too busy";

impl DeviceNode {
    /// Removes a packet that left the device or was dropped. Copies have the id of the original, so
    /// only the first one to leave is removed.
    pub(super) fn forget_packet(&mut self, id: u64) {
        let Some(inside) = &mut self.inside else { return };
        if let Entry::Occupied(mut inside) = inside.entry(id) {
            *inside.get_mut() -= 1;
            if *inside.get() == 0 {
                inside.remove();
            }
        }
    }
}

impl Network {
    /// Whether to track each packet in a device by its id, and not only by counts: this detects a
    /// device that loses one packet and creates another. It costs time and memory, and makes
    /// switches record each drop. Call it before any packet is sent; packets inside devices at that
    /// time are not tracked.
    pub fn track_packet_ids(&mut self, on: bool) {
        self.tracks_packet_ids = on;
        for node in &mut self.nodes {
            if let NodeKind::Device(state) = &mut node.kind {
                state.device.record_drops(on);
                state.inside = on.then(BTreeMap::new);
            }
        }
    }

    pub(super) fn note_device_drops(&mut self, node: usize) {
        let NodeKind::Device(state) = &mut self.nodes[node].kind else { return };
        if state.inside.is_some() {
            for drop in state.device.take_drops() {
                state.forget_packet(drop.packet);
            }
        }
    }

    /// Accounts for every packet since the start.
    pub fn audit(&mut self) -> Audit {
        for node in 0..self.nodes.len() {
            self.note_device_drops(node);
        }
        let mut audit = Audit::default();
        // Frames on wires by link and direction, frames that hosts will process later,
        // transmissions that devices announced for later.
        let mut wires = vec![[0u64; 2]; self.links.len()];
        let mut processing = vec![0u64; self.nodes.len()];
        let mut announced = vec![0u64; self.nodes.len()];
        let mut loopback = 0;
        if let Some(computing) = &self.computing {
            for (node, frames) in computing.frames().enumerate() {
                processing[node] += frames.arriving;
                announced[node] += frames.leaving;
            }
        }
        for event in self.events.iter() {
            match event {
                Event::Arrived { wire, .. } => wires[wire.link()][wire.side()] += 1,
                Event::Process { wire, .. } => {
                    processing[self.links[wire.link()].ends[1 - wire.side()].0] += 1;
                }
                Event::Transmit { node, .. } => announced[*node as usize] += 1,
                Event::Loopback { .. } => loopback += 1,
                _ => {}
            }
        }
        self.audit_links(&mut audit, &wires);
        self.audit_nodes(&mut audit, &processing, &announced);
        audit.drops.sort();
        let came = audit.created + audit.created_by_devices + audit.created_by_links;
        let went = audit.delivered + audit.dropped() + audit.in_flight.total();
        audit.balance("the network", came, went);
        // Each frame in the pool must be a frame in flight.
        let held = audit.in_flight.queues + audit.in_flight.wires + announced.iter().sum::<u64>() + loopback;
        audit.balance("the frames in memory", self.frames.in_use() as u64, held);
        audit
    }

    /// Returns where packets were dropped since the start, as in [`Network::audit`], but without
    /// checking that every packet is accounted for. The call changes nothing and takes little time.
    pub fn losses(&self) -> Losses {
        let mut losses = Losses::default();
        let drops = &mut losses.drops;
        for link in &self.links {
            for side in Direction::BOTH.map(Direction::index) {
                for (reason, packets) in link.transmitters[side].counters().drops() {
                    add_drops(drops, || self.direction_name(link, side), reason, packets);
                }
            }
        }
        for node in &self.nodes {
            for (port, packets) in &node.unconnected {
                add_drops(drops, || node.port_name(*port), NOT_CONNECTED, *packets);
            }
            add_drops(drops, || node.name.clone(), COMPUTER_BUSY, node.unread);
            match &node.kind {
                NodeKind::Host(host) => {
                    for (place, drop, packets) in host.drops() {
                        add_drops(drops, || place, drop.text(), packets);
                    }
                    for (reason, packets) in host.discards() {
                        add_drops(drops, || node.name.clone(), reason, packets);
                    }
                    let waiting = host.waiting_for();
                    losses.waiting.extend(
                        waiting.map(|(address, packets)| (node.name.clone(), address, packets as u64)),
                    );
                }
                NodeKind::Device(state) => {
                    let place = |place: &str| format!("{} {place}", node.name);
                    for (at, reason, packets) in state.device.drop_counts() {
                        add_drops(drops, || place(&at), &reason, packets);
                    }
                    let frames = state.device.dropped_frames().into_iter();
                    losses.frames.extend(frames.map(|(at, reason, frame)| (place(&at), reason, frame)));
                    let PacketAccount { created: copies, in_flight, repeated, .. } = state.device.account();
                    losses.copies.extend((copies > 0).then(|| (node.name.clone(), copies)));
                    losses.repeats.extend((repeated > 0).then(|| (node.name.clone(), in_flight, repeated)));
                    let failed = state.device.failed_lookups().into_iter();
                    losses.failed_lookups.extend(failed.map(|lookups| (node.name.clone(), lookups)));
                }
            }
        }
        losses
    }

    fn direction_name(&self, link: &LinkState, side: usize) -> String {
        format!("{}->{}", self.end_name(link.ends[side]), self.end_name(link.ends[1 - side]))
    }

    fn audit_links(&self, audit: &mut Audit, wires: &[[u64; 2]]) {
        for (link, wires) in self.links.iter().zip(wires) {
            for direction in Direction::BOTH {
                let side = direction.index();
                let transmitter = &link.transmitters[side];
                let counters = transmitter.counters();
                let name = self.direction_name(link, side);
                for (reason, packets) in counters.drops() {
                    audit.add_drops(name.clone(), reason, packets);
                }
                let waiting = counters.queue_now as u64;
                let went = counters.delivered_packets + counters.dropped_packets() + waiting + wires[side];
                audit.created_by_links += counters.duplicates;
                audit.balance(&name, counters.offered_packets + counters.duplicates, went);
                audit.in_flight.queues += waiting;
                audit.in_flight.wires += wires[side];
            }
        }
    }

    fn audit_nodes(&self, audit: &mut Audit, processing: &[u64], announced: &[u64]) {
        for (index, node) in self.nodes.iter().enumerate() {
            // The number of frames that the links delivered to this node and got from it.
            let (mut came, mut went) = (0, 0);
            for (_, wire) in node.ports.iter() {
                let transmitters = &self.links[wire.link()].transmitters;
                went += transmitters[wire.side()].counters().offered_packets;
                came += transmitters[1 - wire.side()].counters().delivered_packets;
            }
            let unconnected = node.unconnected.values().sum::<u64>();
            for (port, packets) in &node.unconnected {
                audit.add_drops(node.port_name(*port), NOT_CONNECTED, *packets);
            }
            audit.add_drops(node.name.clone(), COMPUTER_BUSY, node.unread);
            let (waiting_for_work, leaving) = (processing[index] + node.unread, announced[index]);
            let InFlight { hosts, wires, devices, .. } = &mut audit.in_flight;
            match &node.kind {
                NodeKind::Host(host) => {
                    let (received, waiting) = (host.counters().received_packets, host.waiting() as u64);
                    *hosts += waiting + leaving;
                    *wires += processing[index];
                    audit.created += host.packets_created();
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
                        received + refused + waiting_for_work,
                    );
                    audit.balance(
                        &format!("{} sending", node.name),
                        host.packets_created(),
                        went + unconnected + unsent + waiting + leaving,
                    );
                }
                NodeKind::Device(state) => {
                    let PacketAccount {
                        received,
                        created: made,
                        transmitted,
                        dropped,
                        in_flight: inside,
                        ..
                    } = state.device.account();
                    *devices += inside + leaving;
                    *wires += processing[index];
                    let mut counted = 0;
                    for (place, reason, packets) in state.device.drop_counts() {
                        audit.add_drops(format!("{} {place}", node.name), &reason, packets);
                        counted += packets;
                    }
                    // A device may create packets, so more may leave than arrived; but each packet
                    // that arrived must be accounted for.
                    audit.created_by_devices += made;
                    let missing = state.inside.iter().flat_map(|inside| inside.values());
                    let missing = missing.map(|packets| u64::from(*packets)).sum::<u64>();
                    let lost = (received + made).saturating_sub(transmitted + dropped + inside);
                    if missing > inside || received + made != transmitted + dropped + inside {
                        audit.violations.push(format!(
                            "{}: {received} packets arrived, it created {made}, {transmitted} left, {dropped} were dropped, it reports \
                             {inside} inside, and {} never left",
                            node.name,
                            lost.max(missing.saturating_sub(inside)),
                        ));
                    }
                    audit.balance(&format!("{} dropping", node.name), dropped, counted);
                    audit.balance(&format!("{} transmitting", node.name), transmitted, state.transmitted);
                    audit.balance(&format!("{} receiving", node.name), came, received + waiting_for_work);
                    audit.balance(
                        &format!("{} sending", node.name),
                        state.transmitted,
                        went + unconnected + leaving,
                    );
                }
            }
        }
    }
}

/// With debug assertions, dropping a network checks that every packet is accounted for. This covers
/// every network in every test.
#[cfg(debug_assertions)]
impl Drop for Network {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let violations = self.audit().violations;
            assert!(violations.is_empty(), "packets are not accounted for: {violations:#?}");
        }
    }
}
