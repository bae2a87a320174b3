//! ARP packets for IPv4 over Ethernet (RFC 826).

use std::net::Ipv4Addr;

use smoltcp::wire::{ArpOperation, ArpPacket, ArpRepr, EthernetAddress};

use crate::MacAddress;

/// The length of an ARP packet in bytes.
pub(super) const LENGTH: usize = 28;

/// The contents of an ARP packet for IPv4 over Ethernet.
pub(super) struct Arp {
    pub(super) request: bool,
    pub(super) sender_mac: MacAddress,
    pub(super) sender: Ipv4Addr,
    pub(super) target_mac: MacAddress,
    pub(super) target: Ipv4Addr,
}

impl Arp {
    /// Parses an ARP packet; `None` if it is truncated or not a request or reply for IPv4 over
    /// Ethernet.
    pub(super) fn parse(bytes: &[u8]) -> Option<Arp> {
        let packet = ArpPacket::new_checked(bytes).ok()?;
        let ArpRepr::EthernetIpv4 {
            operation,
            source_hardware_addr,
            source_protocol_addr,
            target_hardware_addr,
            target_protocol_addr,
        } = ArpRepr::parse(&packet).ok()?
        else {
            return None;
        };
        let request = match operation {
            ArpOperation::Request => true,
            ArpOperation::Reply => false,
            ArpOperation::Unknown(_) => return None,
        };
        Some(Arp {
            request,
            sender_mac: MacAddress(source_hardware_addr.0),
            sender: source_protocol_addr,
            target_mac: MacAddress(target_hardware_addr.0),
            target: target_protocol_addr,
        })
    }

    /// Writes the packet into [`LENGTH`] bytes.
    pub(super) fn emit(&self, buffer: &mut [u8]) {
        let repr = ArpRepr::EthernetIpv4 {
            operation: if self.request { ArpOperation::Request } else { ArpOperation::Reply },
            source_hardware_addr: EthernetAddress(self.sender_mac.0),
            source_protocol_addr: self.sender,
            target_hardware_addr: EthernetAddress(self.target_mac.0),
            target_protocol_addr: self.target,
        };
        repr.emit(&mut ArpPacket::new_unchecked(buffer));
    }
}
