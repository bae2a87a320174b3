//! Ethernet headers.

/// The length of an Ethernet header without VLAN tags, in bytes.
pub(super) const ETHERNET_HEADER: usize = 14;

pub(super) const ETHERTYPE_IPV4: u16 = 0x0800;
pub(super) const ETHERTYPE_ARP: u16 = 0x0806;
pub(super) const ETHERTYPE_IPV6: u16 = 0x86dd;
