//! Sending packets, from the transport protocols down to the interfaces.

use std::net::{IpAddr, Ipv4Addr};

use weir_device::{Nanos, Port};

use super::arp::{self, Arp};
use super::ethernet::{ETHERNET_HEADER, ETHERTYPE_ARP, ETHERTYPE_IPV4, ETHERTYPE_IPV6};
use super::ip::{Fragment, Header, v4, v6};
use super::neighbour::{NeighbourActions, NeighbourDecision};
use super::{Host, HostDrop, OutgoingFrame};
use crate::MacAddress;

impl Host {
    /// Returns the interface and next hop for a destination.
    pub(crate) fn route(&self, destination: IpAddr) -> Option<(Port, IpAddr)> {
        match self.routes.lookup(destination) {
            // Limited broadcast and multicast need no route.
            None if destination == IpAddr::V4(Ipv4Addr::BROADCAST) || destination.is_multicast() => {
                Some((0, destination))
            }
            // A multicast group is never reached through a gateway.
            Some((port, _)) if destination.is_multicast() => Some((port, destination)),
            found => found,
        }
    }

    /// Returns the source address for packets to a destination; `None` without a route or an
    /// address.
    pub(crate) fn source_for(&self, destination: IpAddr) -> Option<IpAddr> {
        if let Some(path) = self.path_cache.get(destination) {
            return Some(path.source);
        }
        if self.has_address(destination) {
            return Some(destination);
        }
        let (port, next_hop) = self.route(destination)?;
        // Packets to a neighbour have a source address in the neighbour's network. Packets to a
        // destination behind a router must not have a link-local source address.
        let near = if link_local(next_hop) && !link_local(destination) { destination } else { next_hop };
        self.interface_address(port, near)
    }

    /// Returns the address of an interface in the network of `near`, otherwise its first address of
    /// that family.
    pub(super) fn interface_address(&self, port: Port, near: IpAddr) -> Option<IpAddr> {
        let interface = self.config.interfaces.get(port as usize)?;
        if link_local(near) && interface.has_v6() {
            return Some(interface.mac.link_local().into());
        }
        let same = interface.addresses.iter().find(|prefix| prefix.contains(near));
        let mut family =
            interface.addresses.iter().filter(|prefix| prefix.address().is_ipv4() == near.is_ipv4());
        same.or_else(|| family.next()).map(|prefix| prefix.address())
    }

    /// Returns the longest packet to a destination that needs no fragmentation; `None` without a
    /// route.
    pub(super) fn path_mtu(&self, now: Nanos, destination: IpAddr) -> Option<usize> {
        let (port, _) = self.route(destination)?;
        let mtu = self.config.interfaces[port as usize].mtu;
        Some(self.paths.get(now, destination).map_or(mtu, |path| path.min(mtu)))
    }

    /// Sends a packet whose payload of `length` bytes is written by `write`, in fragments if it
    /// exceeds the path MTU.
    pub(super) fn send_ip(
        &mut self,
        now: Nanos,
        header: &Header<'_>,
        length: usize,
        write: impl FnOnce(&mut [u8]),
    ) {
        let destination = header.destination;
        if let Some(path) = self.path_cache.find(now, destination)
            && header.len() + length <= path.mtu as usize
        {
            let mut frame = self.frame_for(path.port, header, length, None, write);
            self.created += 1;
            frame[..6].copy_from_slice(&path.mac.0);
            self.enqueue_frame(path.port, frame);
            return;
        }
        if self.has_address(destination) {
            let frame = self.frame_for(0, header, length, None, write);
            self.outbox().loopback.push(frame);
            return;
        }
        let Some((port, next_hop)) = self.route(destination) else {
            self.drop_unroutable();
            return;
        };
        let mtu = self.config.interfaces[port as usize].mtu;
        let mtu = self.paths.get(now, destination).map_or(mtu, |path| path.min(mtu));
        if header.len() + length <= mtu {
            let frame = self.frame_for(port, header, length, None, write);
            self.transmit(now, port, next_hop, frame);
            self.cache_path(now, destination);
        } else {
            let mut payload = self.frame_buffer(length);
            write(&mut payload);
            self.send_fragments(now, (port, next_hop), header, &payload, mtu);
            self.outbox().recycle(payload);
        }
    }

    fn send_fragments(
        &mut self,
        now: Nanos,
        (port, next_hop): (Port, IpAddr),
        header: &Header<'_>,
        payload: &[u8],
        mtu: usize,
    ) {
        let repeated = header.len() + if header.source.is_ipv6() { v6::FRAGMENT_HEADER } else { 0 };
        // Fragments carry at least 8 bytes even if options leave no space; offsets are multiples of
        // 8.
        let step = (mtu.saturating_sub(repeated) & !7).max(8);
        self.ident = self.ident.wrapping_add(1);
        let ident = self.ident;
        for (place, part) in payload.chunks(step).enumerate() {
            let offset = place * step;
            let fragment = Fragment { ident, offset, more: offset + part.len() < payload.len() };
            let frame = self
                .frame_for(port, header, part.len(), Some(fragment), |buffer| buffer.copy_from_slice(part));
            self.transmit(now, port, next_hop, frame);
        }
    }

    /// Makes the frame for a packet, complete except for the destination MAC address.
    pub(super) fn frame_for(
        &mut self,
        port: Port,
        header: &Header<'_>,
        length: usize,
        fragment: Option<Fragment>,
        write: impl FnOnce(&mut [u8]),
    ) -> Vec<u8> {
        let more = if fragment.is_some() && header.source.is_ipv6() { v6::FRAGMENT_HEADER } else { 0 };
        let start = ETHERNET_HEADER + header.len() + more;
        let mut frame = self.frame_buffer(start + length);
        frame[6..12].copy_from_slice(&self.macs[port as usize].0);
        let buffer = &mut frame[ETHERNET_HEADER..start];
        let ethertype = match (header.source, header.destination) {
            (IpAddr::V4(source), IpAddr::V4(destination)) => {
                v4::emit(buffer, header, [source, destination], length, fragment);
                ETHERTYPE_IPV4
            }
            (IpAddr::V6(source), IpAddr::V6(destination)) => {
                v6::emit(buffer, header, [source, destination], length, fragment);
                ETHERTYPE_IPV6
            }
            // The source was selected for the destination, so both have the same family.
            _ => 0,
        };
        frame[12..ETHERNET_HEADER].copy_from_slice(&ethertype.to_be_bytes());
        write(&mut frame[start..]);
        frame
    }

    /// Sends a frame to a next hop, now or when its MAC address is resolved.
    pub(super) fn transmit(&mut self, now: Nanos, port: Port, next_hop: IpAddr, mut frame: Vec<u8>) {
        self.created += 1;
        let group = if next_hop.is_multicast() {
            Some(MacAddress::of_multicast(next_hop))
        } else {
            self.is_broadcast(next_hop).then_some(MacAddress::BROADCAST)
        };
        if let Some(mac) = group {
            frame[..6].copy_from_slice(&mac.0);
            self.enqueue_frame(port, frame);
            return;
        }
        let mut actions = NeighbourActions::default();
        match self.neighbours[port as usize].resolve(now, next_hop, &mut frame, &mut actions) {
            NeighbourDecision::Now(mac) => {
                frame[..6].copy_from_slice(&mac.0);
                self.enqueue_frame(port, frame);
            }
            NeighbourDecision::Waits { pushed_out: false } => {}
            NeighbourDecision::Waits { pushed_out: true } => {
                let v4 = next_hop.is_ipv4();
                let reason = if v4 { HostDrop::TooManyWaiting } else { HostDrop::TooManyWaitingV6 };
                self.drop_packet(Some(port), reason);
            }
        }
        self.run_neighbour_actions(now, port, actions);
    }

    /// Executes the actions of a neighbour table.
    pub(super) fn run_neighbour_actions(&mut self, now: Nanos, port: Port, actions: NeighbourActions) {
        self.no_deadlines = false;
        for (mac, mut frame) in actions.released {
            frame[..6].copy_from_slice(&mac.0);
            self.enqueue_frame(port, frame);
        }
        for (target, mac) in actions.requests {
            match target {
                IpAddr::V4(target) => self.send_arp_request(port, target, mac),
                IpAddr::V6(target) => self.solicit(now, port, target, mac),
            }
        }
        for frame in actions.unreachable {
            let packet = &frame[ETHERNET_HEADER..];
            let v4 = packet[0] >> 4 == 4;
            self.drop_packet(Some(port), if v4 { HostDrop::NoNeighbour } else { HostDrop::NoNeighbourV6 });
            self.report_unreachable(now, port, packet);
        }
    }

    /// Sends an ARP request to the neighbour's old MAC address, or as a broadcast.
    fn send_arp_request(&mut self, port: Port, target: Ipv4Addr, mac: Option<MacAddress>) {
        let sender = match self.interface_address(port, target.into()) {
            Some(IpAddr::V4(sender)) => sender,
            _ => Ipv4Addr::UNSPECIFIED,
        };
        let request = Arp {
            request: true,
            sender_mac: self.macs[port as usize],
            sender,
            target_mac: MacAddress::default(),
            target,
        };
        self.send_arp(port, mac.unwrap_or(MacAddress::BROADCAST), &request);
    }

    pub(super) fn send_arp(&mut self, port: Port, destination: MacAddress, packet: &Arp) {
        self.created += 1;
        let mut frame = self.frame_buffer(ETHERNET_HEADER + arp::LENGTH);
        frame[..6].copy_from_slice(&destination.0);
        frame[6..12].copy_from_slice(&self.macs[port as usize].0);
        frame[12..ETHERNET_HEADER].copy_from_slice(&ETHERTYPE_ARP.to_be_bytes());
        packet.emit(&mut frame[ETHERNET_HEADER..]);
        self.enqueue_frame(port, frame);
    }

    pub(super) fn enqueue_frame(&mut self, port: Port, frame: Vec<u8>) {
        self.counters.sent_packets += 1;
        self.counters.sent_bytes += frame.len() as u64;
        let (socket, earliest) = self.sending_segment.as_mut().map_or((0, 0), |sending| {
            sending.queued = true;
            (sending.socket, sending.earliest)
        });
        self.outbox().frames.push(OutgoingFrame { port, bytes: frame, socket, earliest });
    }

    /// Returns a buffer for a frame.
    pub(super) fn frame_buffer(&mut self, length: usize) -> Vec<u8> {
        self.outbox().buffer(length)
    }

    /// Sends a raw frame.
    pub(crate) fn send_raw_frame(&mut self, port: Port, frame: Vec<u8>) {
        self.created += 1;
        self.enqueue_frame(port, frame);
    }

    /// Sets a static neighbour entry, as `arp -s` does.
    pub(crate) fn set_neighbour(
        &mut self,
        now: Nanos,
        port: Port,
        address: IpAddr,
        mac: MacAddress,
    ) -> Result<(), crate::Error> {
        self.config.check_neighbour(port, address, mac)?;
        let mut actions = NeighbourActions::default();
        self.path_cache.clear();
        self.neighbours[port as usize].set_fixed(address, mac, &mut actions);
        self.run_neighbour_actions(now, port, actions);
        Ok(())
    }

    /// Deletes a neighbour entry, static or learned, as `arp -d` does; waiting frames are dropped.
    pub(crate) fn remove_neighbour(&mut self, now: Nanos, port: Port, address: IpAddr) -> bool {
        let Some(table) = self.neighbours.get_mut(port as usize) else { return false };
        let mut actions = NeighbourActions::default();
        let removed = table.remove(address, &mut actions);
        self.path_cache.clear();
        self.run_neighbour_actions(now, port, actions);
        removed
    }
}

/// Returns whether an address is only valid on one link.
fn link_local(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.is_unicast_link_local()
        || address.octets()[..2] == [0xff, 0x02])
}
