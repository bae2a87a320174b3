//! From an interface up to the IP stack.

use std::net::IpAddr;

use smoltcp::wire::{
    EthernetFrame, EthernetProtocol, Icmpv4Packet, IpAddress, IpProtocol, Ipv4Packet, UdpPacket,
};
use weir_switch::{Nanos, Port};

use super::ip::MAX_PACKET;
use super::neighbour::{Arp, Outcome};
use super::{Host, HostDrop};
use crate::MacAddress;
use crate::address::is_unicast;

impl Host {
    /// Takes a frame that has arrived on an interface.
    pub(crate) fn receive_frame(&mut self, now: Nanos, port: Port, mut bytes: Vec<u8>) {
        match self.check_frame(port, &bytes) {
            Err(reason) => self.drop_packet(Some(port), reason),
            Ok(accepted) => {
                self.counters.received_packets += 1;
                self.counters.received_bytes += bytes.len() as u64;
                match accepted {
                    Accepted::Arp(arp) => self.receive_arp(now, port, &arp),
                    Accepted::Ipv4 { total_len } => {
                        bytes.drain(..ETHERNET_HEADER);
                        bytes.truncate(total_len);
                        self.receive_packet(now, bytes);
                    }
                }
            }
        }
    }

    /// Takes an IPv4 packet that is for this host.
    pub(crate) fn receive_packet(&mut self, now: Nanos, packet: Vec<u8>) {
        self.ip.receive(now, packet);
        self.flush(now);
        self.deliver(now);
    }

    fn check_frame(&self, port: Port, bytes: &[u8]) -> Result<Accepted, HostDrop> {
        let frame = EthernetFrame::new_checked(bytes).map_err(|_| HostDrop::TruncatedEthernet)?;
        // Links end only at interfaces that are there.
        let interface = &self.config.interfaces[port as usize];
        let destination = MacAddress(frame.dst_addr().0);
        if destination != interface.mac && !destination.is_group() {
            return Err(HostDrop::NotForMac);
        }
        match frame.ethertype() {
            EthernetProtocol::Arp => Arp::parse(frame.payload()).map(Accepted::Arp).ok_or(HostDrop::BadArp),
            EthernetProtocol::Ipv4 => self.check_ipv4(frame.payload()),
            _ => Err(HostDrop::NoReceiver),
        }
    }

    /// Checks what smoltcp would drop without a word, so that a wrong data plane can be told what is wrong with its packets.
    fn check_ipv4(&self, bytes: &[u8]) -> Result<Accepted, HostDrop> {
        let packet = Ipv4Packet::new_checked(bytes).map_err(|_| HostDrop::TruncatedIpv4)?;
        if packet.version() != 4 {
            return Err(HostDrop::NotIpv4);
        }
        if !packet.verify_checksum() {
            return Err(HostDrop::BadHeaderChecksum);
        }
        let (source, destination) = (packet.src_addr(), packet.dst_addr());
        if source.is_multicast()
            || self.is_broadcast(source.into())
            || source.is_loopback()
            || self.owns(source.into())
        {
            return Err(HostDrop::BadSource);
        }
        if !self.owns(destination.into()) && !self.is_broadcast(destination.into()) {
            return Err(HostDrop::NotForAddress);
        }
        let total_len = usize::from(packet.total_len());
        if packet.more_frags() || packet.frag_offset() != 0 {
            // Reassembled, it would not fit a header's length field.
            let header = usize::from(packet.header_len());
            if usize::from(packet.frag_offset()) + total_len - header + MIN_HEADER > MAX_PACKET {
                return Err(HostDrop::FragmentTooLong);
            }
            return Ok(Accepted::Ipv4 { total_len });
        }
        match packet.next_header() {
            IpProtocol::Icmp => {
                let icmp =
                    Icmpv4Packet::new_checked(packet.payload()).map_err(|_| HostDrop::TruncatedIcmp)?;
                if !icmp.verify_checksum() {
                    return Err(HostDrop::BadIcmpChecksum);
                }
            }
            IpProtocol::Udp => {
                let udp = UdpPacket::new_checked(packet.payload()).map_err(|_| HostDrop::TruncatedUdp)?;
                if !udp.verify_checksum(&IpAddress::Ipv4(source), &IpAddress::Ipv4(destination)) {
                    return Err(HostDrop::BadUdpChecksum);
                }
            }
            _ => {}
        }
        Ok(Accepted::Ipv4 { total_len })
    }

    /// Whether an address is that of all hosts of a network this host is in.
    pub(super) fn is_broadcast(&self, address: IpAddr) -> bool {
        let IpAddr::V4(address) = address else { return false };
        let mut prefixes = self.config.interfaces.iter().flat_map(|interface| &interface.addresses);
        address.is_broadcast() || prefixes.any(|prefix| prefix.broadcast() == Some(address))
    }

    fn receive_arp(&mut self, now: Nanos, port: Port, arp: &Arp) {
        if !arp.sender_mac.is_unicast() || self.owns(arp.sender.into()) {
            return;
        }
        let for_us = self.owns(arp.target.into());
        // A probe (RFC 5227) has no sender address: answered, but nothing to learn.
        if is_unicast(arp.sender.into()) {
            let mut outcome = Outcome::default();
            self.neighbours[port as usize].learn(
                now,
                arp.sender.into(),
                arp.sender_mac,
                for_us,
                &mut outcome,
            );
            self.carry_out(now, port, outcome);
        }
        if for_us && arp.request {
            let answer = Arp {
                request: false,
                sender_mac: self.config.interfaces[port as usize].mac,
                sender: arp.target,
                target_mac: arp.sender_mac,
                target: arp.sender,
            };
            self.send_arp(port, arp.sender_mac, &answer);
        }
    }
}

/// Bytes of an Ethernet header without tags.
pub(super) const ETHERNET_HEADER: usize = 14;
/// Bytes of an IPv4 header without options.
const MIN_HEADER: usize = 20;

/// A frame for this host.
enum Accepted {
    Arp(Arp),
    Ipv4 {
        /// What follows is padding.
        total_len: usize,
    },
}
