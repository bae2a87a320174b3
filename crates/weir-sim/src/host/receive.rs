//! Processing of received frames, from the interface up to the transport protocols.

use std::net::IpAddr;

use weir_device::{Nanos, Port};
use weir_tcp::Segment;

use super::arp::Arp;
use super::drops::Discard;
use super::ethernet::{ETHERNET_HEADER, ETHERTYPE_ARP, ETHERTYPE_IPV4, ETHERTYPE_IPV6};
use super::icmp::{self, ErrorReason, IcmpMessage};
use super::ip::fragments::AddOutcome;
use super::ip::{self, ICMP, ICMPV6, Packet, TCP, UDP, v4, v6};
use super::ndp::{self, ALL_NODES, Ndp, solicited_node};
use super::neighbour::NeighbourActions;
use super::udp::{self, Datagram};
use super::{Host, HostDrop, tcp};
use crate::MacAddress;
use weir_filter::is_unicast;

/// The next-header value of a packet that ends after its extension headers.
const NO_NEXT_HEADER: u8 = 59;

/// A frame that the interface accepted.
enum Accepted<'a> {
    Arp(Arp),
    Ip(Packet<'a>, Transport<'a>),
}

/// The payload of a packet, parsed and checked.
enum Transport<'a> {
    Fragment,
    Icmp(IcmpMessage<'a>),
    Ndp(Ndp),
    Udp(Datagram<'a>),
    Tcp(Segment<'a>),
    Other,
}

impl Host {
    /// Processes a frame that arrived at an interface.
    pub(crate) fn receive_frame(&mut self, now: Nanos, port: Port, frame: &[u8]) {
        match self.check_frame(port, frame) {
            Err(_) if self.config.accepts_all => {
                self.counters.received_packets += 1;
                self.counters.received_bytes += frame.len() as u64;
            }
            Err(reason) => self.drop_packet(Some(port), reason),
            Ok(accepted) => {
                self.counters.received_packets += 1;
                self.counters.received_bytes += frame.len() as u64;
                match accepted {
                    Accepted::Arp(arp) => self.receive_arp(now, port, &arp),
                    Accepted::Ip(packet, transport) => self.receive_ip(now, Some(port), &packet, transport),
                }
            }
        }
    }

    /// Processes a packet that the host sent to one of its own addresses.
    pub(crate) fn receive_loopback(&mut self, now: Nanos, frame: &[u8]) {
        if let Ok(packet) = ip::parse(&frame[ETHERNET_HEADER..])
            && let Ok(transport) = read_transport(&packet)
        {
            self.receive_ip(now, None, &packet, transport);
        }
    }

    /// Checks a frame. Each error has its own reason, so that users can find out what their data
    /// plane did wrong.
    fn check_frame<'a>(&self, port: Port, frame: &'a [u8]) -> Result<Accepted<'a>, HostDrop> {
        let (Some(destination), Some(payload)) = (frame.first_chunk::<6>(), frame.get(ETHERNET_HEADER..))
        else {
            return Err(HostDrop::TruncatedEthernet);
        };
        // Links are connected only to interfaces that exist.
        let destination = MacAddress(*destination);
        if destination != self.macs[port as usize] && !destination.is_group() {
            return Err(HostDrop::NotForMac);
        }
        let packet = match ip::be_u16(frame, 12) {
            ETHERTYPE_ARP => return Arp::parse(payload).map(Accepted::Arp).ok_or(HostDrop::BadArp),
            ETHERTYPE_IPV4 => v4::parse(payload)?,
            ETHERTYPE_IPV6 => v6::parse(payload)?,
            _ => return Err(HostDrop::NoReceiver),
        };
        self.check_addresses(port, &packet)?;
        let transport = read_transport(&packet)?;
        Ok(Accepted::Ip(packet, transport))
    }

    fn check_addresses(&self, port: Port, packet: &Packet<'_>) -> Result<(), HostDrop> {
        let (source, destination) = (packet.source, packet.destination);
        // The path cache contains only valid source and destination addresses.
        if self.path_cache.get(source).is_some_and(|path| path.source == destination) {
            return Ok(());
        }
        let bad_source = source.is_multicast()
            || source.is_loopback()
            || self.has_address(source)
            || self.is_broadcast(source);
        let (bad, other) = match source {
            IpAddr::V4(_) => (HostDrop::BadSource, HostDrop::NotForAddress),
            IpAddr::V6(_) => (HostDrop::BadSourceV6, HostDrop::NotForAddressV6),
        };
        if bad_source {
            return Err(bad);
        }
        if self.has_address(destination)
            || self.is_broadcast(destination)
            || self.listens_to(port, destination)
        {
            return Ok(());
        }
        Err(other)
    }

    /// Returns whether the address is a broadcast address of one of the host's networks.
    pub(super) fn is_broadcast(&self, address: IpAddr) -> bool {
        let IpAddr::V4(address) = address else { return false };
        address.is_broadcast() || self.broadcasts.contains(&address)
    }

    /// Returns whether the group is one that every IPv6 node joins.
    fn listens_to(&self, port: Port, group: IpAddr) -> bool {
        let IpAddr::V6(group) = group else { return false };
        group.is_multicast()
            && self.config.interfaces[port as usize].has_v6()
            && (group == ALL_NODES
                || self.addresses.iter().any(|(own, at)| {
                    *at == port && matches!(own, IpAddr::V6(own) if solicited_node(*own) == group)
                }))
    }

    fn receive_ip(&mut self, now: Nanos, port: Option<Port>, packet: &Packet<'_>, transport: Transport<'_>) {
        match (transport, port) {
            (Transport::Udp(datagram), _) => self.receive_udp(now, packet, datagram),
            (Transport::Tcp(segment), _) => self.receive_tcp(now, packet, &segment),
            (Transport::Icmp(message), _) => self.receive_icmp(now, packet, message),
            (Transport::Ndp(message), Some(port)) => self.receive_ndp(now, port, packet.source, message),
            (Transport::Fragment, _) => self.receive_fragment(now, port, packet),
            (Transport::Ndp(_), None) => {}
            (Transport::Other, _) if packet.protocol == NO_NEXT_HEADER && packet.source.is_ipv6() => {}
            (Transport::Other, _) => {
                self.discard(Discard::NoProtocol);
                self.send_icmp_error(now, packet, ErrorReason::Protocol);
            }
        }
    }

    fn receive_fragment(&mut self, now: Nanos, port: Option<Port>, packet: &Packet<'_>) {
        self.no_deadlines = false;
        let whole = match self.fragments.add(now, port, packet) {
            AddOutcome::Incomplete { pushed_out } => {
                (0..pushed_out).for_each(|_| self.discard(Discard::TooManyFragments));
                return;
            }
            AddOutcome::Overlaps => return self.discard(Discard::FragmentsOverlap),
            AddOutcome::TooLong => return self.discard(Discard::Reassembled(HostDrop::FragmentTooLong)),
            AddOutcome::Complete(whole) => whole,
        };
        let read = ip::parse(&whole).and_then(|packet| Ok((packet, read_transport(&packet)?)));
        match read {
            Ok((packet, transport)) => self.receive_ip(now, port, &packet, transport),
            Err(reason) => self.discard(Discard::Reassembled(reason)),
        }
    }

    /// Discards packets whose fragments did not arrive in time, and notifies their senders (RFC
    /// 792; RFC 8200, section 4.5).
    pub(super) fn expire_fragments(&mut self, now: Nanos) {
        for expired in self.fragments.advance(now) {
            self.discard(Discard::FragmentsTimedOut);
            let Some(first) = expired.first.filter(|_| expired.port.is_some()) else { continue };
            // The packet is truncated for the quote, so its length field exceeds the actual length.
            let quoted = if first[0] >> 4 == 4 { v4::parse_quoted(&first) } else { v6::parse_quoted(&first) };
            if let Some(packet) = quoted {
                self.send_icmp_error(now, &packet, ErrorReason::Reassembly);
            }
        }
    }

    fn receive_arp(&mut self, now: Nanos, port: Port, arp: &Arp) {
        if !arp.sender_mac.is_unicast() || self.has_address(arp.sender.into()) {
            return;
        }
        let for_us = self.has_address(arp.target.into());
        // An ARP probe (RFC 5227) has no sender address: it is answered, but nothing is learned.
        if is_unicast(arp.sender.into()) {
            let mut actions = NeighbourActions::default();
            let (sender, mac) = (arp.sender.into(), arp.sender_mac);
            self.neighbours[port as usize].learn(now, sender, mac, for_us, &mut actions);
            self.path_cache.clear();
            self.run_neighbour_actions(now, port, actions);
        }
        if for_us && arp.request {
            let answer = Arp {
                request: false,
                sender_mac: self.macs[port as usize],
                sender: arp.target,
                target_mac: arp.sender_mac,
                target: arp.sender,
            };
            self.send_arp(port, arp.sender_mac, &answer);
        }
    }
}

fn read_transport<'a>(packet: &Packet<'a>) -> Result<Transport<'a>, HostDrop> {
    if packet.fragment.is_some() {
        return Ok(Transport::Fragment);
    }
    match (packet.protocol, packet.source) {
        (TCP, _) => tcp::parse(packet).map(Transport::Tcp),
        (UDP, _) => udp::parse(packet).map(Transport::Udp),
        (ICMP, IpAddr::V4(_)) => icmp::parse(packet).map(Transport::Icmp),
        (ICMPV6, IpAddr::V6(_)) => match icmp::parse(packet)? {
            message if message.is_ndp() => ndp::parse(packet).map(Transport::Ndp),
            message => Ok(Transport::Icmp(message)),
        },
        _ => Ok(Transport::Other),
    }
}
