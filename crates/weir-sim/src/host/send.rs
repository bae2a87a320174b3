//! From the IP stack down to the interfaces.

use std::net::{IpAddr, Ipv4Addr};

use weir_switch::{Nanos, Port};

use super::neighbour::{Arp, Outcome, Resolved};
use super::receive::ETHERNET_HEADER;
use super::{Host, HostDrop};
use crate::MacAddress;

const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_ARP: u16 = 0x0806;

impl Host {
    /// The interface and next hop for a destination.
    pub(crate) fn route(&self, destination: IpAddr) -> Option<(Port, IpAddr)> {
        match self.routes.lookup(destination) {
            // Limited broadcast and multicast do without a route.
            None if destination == IpAddr::V4(Ipv4Addr::BROADCAST) || destination.is_multicast() => {
                Some((0, destination))
            }
            found => found,
        }
    }

    /// The address that packets to a destination come from; none without a route or an address.
    pub(crate) fn source_for(&self, destination: IpAddr) -> Option<IpAddr> {
        if self.owns(destination) {
            return Some(destination);
        }
        let (port, next_hop) = self.route(destination)?;
        self.interface_address(port, next_hop)
    }

    /// The address of an interface in the network of `near`, or else its first.
    fn interface_address(&self, port: Port, near: IpAddr) -> Option<IpAddr> {
        let addresses = &self.config.interfaces.get(port as usize)?.addresses;
        let same = addresses.iter().find(|prefix| prefix.contains(near));
        same.or(addresses.first()).map(|prefix| prefix.address())
    }

    /// Sends what the IP stack has ready.
    pub(super) fn flush(&mut self, now: Nanos) {
        while let Some(packet) = self.ip.take_sent() {
            self.send_packet(now, packet);
        }
    }

    fn send_packet(&mut self, now: Nanos, mut packet: Vec<u8>) {
        // smoltcp emits whole headers; the destination is bytes 16 to 19 (RFC 791, section 3.1).
        let Some(&[a, b, c, d]) = packet.get(16..20) else { return };
        let destination = IpAddr::V4(Ipv4Addr::new(a, b, c, d));
        if self.owns(destination) {
            self.loopback.push_back(packet);
            return;
        }
        self.created += 1;
        let Some((port, next_hop)) = self.route(destination) else {
            self.drop_packet(None, HostDrop::NoRoute);
            return;
        };
        if next_hop.is_multicast() {
            self.send_frame(port, MacAddress::of_multicast(next_hop), ETHERTYPE_IPV4, &packet);
            return;
        }
        if self.is_broadcast(next_hop) {
            self.send_frame(port, MacAddress::BROADCAST, ETHERTYPE_IPV4, &packet);
            return;
        }
        let mut outcome = Outcome::default();
        match self.neighbours[port as usize].resolve(now, next_hop, &mut packet, &mut outcome) {
            Resolved::Now(mac) => self.send_frame(port, mac, ETHERTYPE_IPV4, &packet),
            Resolved::Waits { pushed_out: true } => self.drop_packet(Some(port), HostDrop::TooManyWaiting),
            Resolved::Waits { pushed_out: false } => {}
        }
        self.carry_out(now, port, outcome);
    }

    /// Does what a neighbour table decided.
    pub(super) fn carry_out(&mut self, now: Nanos, port: Port, outcome: Outcome) {
        for (mac, packet) in outcome.released {
            self.send_frame(port, mac, ETHERTYPE_IPV4, &packet);
        }
        for (target, mac) in outcome.requests {
            let IpAddr::V4(target) = target else { continue };
            let sender = self.interface_address(port, target.into());
            let request = Arp {
                request: true,
                sender_mac: self.config.interfaces[port as usize].mac,
                sender: if let Some(IpAddr::V4(sender)) = sender { sender } else { Ipv4Addr::UNSPECIFIED },
                target_mac: MacAddress::default(),
                target,
            };
            self.send_arp(port, mac, &request);
        }
        for packet in outcome.unreachable {
            self.drop_packet(Some(port), HostDrop::NoNeighbour);
            self.report_unreachable(now, port, &packet);
        }
    }

    pub(super) fn send_arp(&mut self, port: Port, destination: MacAddress, arp: &Arp) {
        self.created += 1;
        self.send_frame(port, destination, ETHERTYPE_ARP, &arp.emit());
    }

    fn send_frame(&mut self, port: Port, destination: MacAddress, ethertype: u16, payload: &[u8]) {
        let mut frame = Vec::with_capacity(ETHERNET_HEADER + payload.len());
        frame.extend_from_slice(&destination.0);
        frame.extend_from_slice(&self.config.interfaces[port as usize].mac.0);
        frame.extend_from_slice(&ethertype.to_be_bytes());
        frame.extend_from_slice(payload);
        self.leave(port, frame);
    }

    fn leave(&mut self, port: Port, frame: Vec<u8>) {
        self.counters.sent_packets += 1;
        self.counters.sent_bytes += frame.len() as u64;
        self.out.push_back((port, frame));
    }

    /// Sends a frame as it is.
    pub(crate) fn send_raw_frame(&mut self, port: Port, frame: Vec<u8>) {
        self.created += 1;
        self.leave(port, frame);
    }

    /// Gives a neighbour a fixed hardware address, as `arp -s` does.
    pub(crate) fn set_neighbour(
        &mut self,
        now: Nanos,
        port: Port,
        address: IpAddr,
        mac: MacAddress,
    ) -> Result<(), crate::Error> {
        self.config.check_neighbour(port, address, mac)?;
        let mut outcome = Outcome::default();
        self.neighbours[port as usize].set_fixed(address, mac, &mut outcome);
        self.carry_out(now, port, outcome);
        Ok(())
    }

    /// Forgets a neighbour, fixed or learned, as `arp -d` does; what waits for it is given up.
    pub(crate) fn remove_neighbour(&mut self, now: Nanos, port: Port, address: IpAddr) -> bool {
        let Some(table) = self.neighbours.get_mut(port as usize) else { return false };
        let mut outcome = Outcome::default();
        let found = table.remove(address, &mut outcome);
        self.carry_out(now, port, outcome);
        found
    }
}
