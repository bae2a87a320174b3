//! Neighbour solicitations and advertisements (RFC 4861, sections 4.3 and 4.4).
//!
//! Addresses are configured, so there is neither router discovery nor duplicate address detection
//! (RFC 4862).

use std::net::{IpAddr, Ipv6Addr};

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetAddress, Icmpv6Packet, Icmpv6Repr, NdiscNeighborFlags, NdiscRepr, RawHardwareAddress,
};
use weir_device::{Nanos, Port};

use super::ip::{Header, ICMPV6, Packet};
use super::neighbour::NeighbourActions;
use super::{Host, HostDrop};
use crate::MacAddress;
use weir_filter::is_unicast;

/// The ICMPv6 type of a neighbour solicitation.
pub(super) const SOLICITATION: u8 = 135;
/// The ICMPv6 type of a neighbour advertisement.
pub(super) const ADVERTISEMENT: u8 = 136;
/// The hop limit of messages that no router has forwarded (RFC 4861, section 7.1).
const HOP_LIMIT: u8 = 255;

/// The address of the all-nodes group (RFC 4291, section 2.7.1).
pub(super) const ALL_NODES: Ipv6Addr = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 1);

/// Returns the solicited-node group of an address (RFC 4291, section 2.7.1).
pub(super) fn solicited_node(address: Ipv6Addr) -> Ipv6Addr {
    let [.., a, b, c] = address.octets();
    Ipv6Addr::new(0xff02, 0, 0, 0, 0, 1, 0xff00 | u16::from(a), u16::from(b) << 8 | u16::from(c))
}

/// A received message of neighbour discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ndp {
    Solicitation {
        target: Ipv6Addr,
        /// The sender's MAC address.
        mac: Option<MacAddress>,
    },
    Advertisement {
        target: Ipv6Addr,
        /// The target's MAC address.
        mac: Option<MacAddress>,
        /// The solicited flag: the message answers a solicitation.
        solicited: bool,
        /// The override flag: the message replaces a known address.
        replaces: bool,
    },
}

/// Parses a message whose checksum has been verified.
pub(super) fn parse(packet: &Packet<'_>) -> Result<Ndp, HostDrop> {
    let (IpAddr::V6(source), IpAddr::V6(destination)) = (packet.source, packet.destination) else {
        return Err(HostDrop::BadNdp);
    };
    let message = Icmpv6Packet::new_checked(packet.payload).map_err(|_| HostDrop::BadNdp)?;
    let repr = Icmpv6Repr::parse(&source, &destination, &message, &ChecksumCapabilities::ignored());
    let address = |raw: Option<RawHardwareAddress>| -> Option<MacAddress> {
        raw.and_then(|raw| raw.as_bytes().try_into().ok()).map(MacAddress)
    };
    let found = match repr {
        Ok(Icmpv6Repr::Ndisc(NdiscRepr::NeighborSolicit { target_addr, lladdr })) => {
            Ndp::Solicitation { target: target_addr, mac: address(lladdr) }
        }
        Ok(Icmpv6Repr::Ndisc(NdiscRepr::NeighborAdvert { flags, target_addr, lladdr })) => {
            Ndp::Advertisement {
                target: target_addr,
                mac: address(lladdr),
                solicited: flags.contains(NdiscNeighborFlags::SOLICITED),
                replaces: flags.contains(NdiscNeighborFlags::OVERRIDE),
            }
        }
        _ => return Err(HostDrop::BadNdp),
    };
    let target = match found {
        Ndp::Solicitation { target, .. } | Ndp::Advertisement { target, .. } => target,
    };
    if packet.ttl != HOP_LIMIT || target.is_multicast() { Err(HostDrop::BadNdp) } else { Ok(found) }
}

impl Host {
    pub(super) fn receive_ndp(&mut self, now: Nanos, port: Port, source: IpAddr, message: Ndp) {
        let mut actions = NeighbourActions::default();
        match message {
            Ndp::Solicitation { target, mac } => {
                if !self.has_address_on(port, target.into()) {
                    return;
                }
                // A node that performs duplicate address detection has no address yet.
                let known = is_unicast(source);
                if let Some(mac) = mac.filter(|mac| known && mac.is_unicast() && !self.has_address(source)) {
                    self.neighbours[port as usize].learn(now, source, mac, true, &mut actions);
                    self.path_cache.clear();
                }
                self.run_neighbour_actions(now, port, actions);
                let to = if known { source } else { ALL_NODES.into() };
                let advertisement = NdiscRepr::NeighborAdvert {
                    flags: if known {
                        NdiscNeighborFlags::SOLICITED | NdiscNeighborFlags::OVERRIDE
                    } else {
                        NdiscNeighborFlags::OVERRIDE
                    },
                    target_addr: target,
                    lladdr: Some(self.raw_mac(port)),
                };
                self.send_ndp(now, port, target, to, None, advertisement);
            }
            Ndp::Advertisement { target, mac: Some(mac), solicited, replaces } => {
                let target = IpAddr::V6(target);
                self.path_cache.clear();
                let table = &mut self.neighbours[port as usize];
                let contradicts = table.known_mac(target).is_some_and(|known| known != mac);
                if mac.is_unicast() && (replaces || !contradicts) && (solicited || replaces) {
                    table.learn(now, target, mac, false, &mut actions);
                }
                self.run_neighbour_actions(now, port, actions);
            }
            Ndp::Advertisement { mac: None, .. } => {}
        }
    }

    /// Solicits a neighbour: at its old MAC address, or at its solicited-node group.
    pub(super) fn solicit(&mut self, now: Nanos, port: Port, target: Ipv6Addr, mac: Option<MacAddress>) {
        let Some(IpAddr::V6(source)) = self.interface_address(port, target.into()) else { return };
        let to = if mac.is_some() { target } else { solicited_node(target) };
        let solicitation =
            NdiscRepr::NeighborSolicit { target_addr: target, lladdr: Some(self.raw_mac(port)) };
        self.send_ndp(now, port, source, to.into(), mac, solicitation);
    }

    fn raw_mac(&self, port: Port) -> RawHardwareAddress {
        EthernetAddress(self.macs[port as usize].0).into()
    }

    /// Sends a message to a known MAC address, or otherwise in the same way as other packets to
    /// `to`.
    fn send_ndp(
        &mut self,
        now: Nanos,
        port: Port,
        source: Ipv6Addr,
        to: IpAddr,
        mac: Option<MacAddress>,
        message: NdiscRepr<'_>,
    ) {
        let IpAddr::V6(destination) = to else { return };
        let message = Icmpv6Repr::Ndisc(message);
        let header = Header { ttl: HOP_LIMIT, ..Header::new(source.into(), to, ICMPV6) };
        let mut frame = self.frame_for(port, &header, message.buffer_len(), None, |buffer| {
            let checksums = ChecksumCapabilities::default();
            message.emit(&source, &destination, &mut Icmpv6Packet::new_unchecked(buffer), &checksums);
        });
        match mac {
            Some(mac) => {
                self.created += 1;
                frame[..6].copy_from_slice(&mac.0);
                self.enqueue_frame(port, frame);
            }
            None => self.transmit(now, port, to, frame),
        }
    }
}
