//! The headers of a frame that filters use.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub(super) const IPV4: u16 = 0x0800;
/// The EtherType of ARP.
pub(super) const ARP: u16 = 0x0806;
pub(super) const IPV6: u16 = 0x86dd;
/// The EtherTypes of VLAN tags (IEEE 802.1Q and 802.1ad).
const TAGS: [u16; 2] = [0x8100, 0x88a8];
/// The IPv6 extension headers that a transport header may follow (RFC 8200, section 4; RFC 4302):
/// hop-by-hop options, routing, fragment, authentication, destination options.
const EXTENSIONS: [u8; 5] = [0, 43, 44, 51, 60];

/// The positions of a frame's headers. A truncated header counts as absent.
pub(super) struct View<'a> {
    pub(super) frame: &'a [u8],
    /// The identifier of the outermost VLAN tag.
    pub(super) vlan: Option<u16>,
    pub(super) ether_type: Option<u16>,
    /// The offset of the header after the Ethernet header.
    pub(super) network: usize,
    /// The IP protocol, after IPv6 extension headers.
    pub(super) protocol: Option<u8>,
    /// The offset of the transport header; absent in all fragments but the first.
    pub(super) transport: Option<usize>,
}

impl<'a> View<'a> {
    pub(super) fn new(frame: &'a [u8]) -> Self {
        let mut view =
            View { frame, vlan: None, ether_type: None, network: 14, protocol: None, transport: None };
        view.ether_type = view.read_u16(12);
        while let Some(tag) = view.ether_type
            && TAGS.contains(&tag)
        {
            let identifier = view.read_u16(view.network).map(|tag| tag & 0xfff);
            view.vlan = view.vlan.or(identifier);
            view.ether_type = view.read_u16(view.network + 2);
            view.network += 4;
        }
        match view.ether_type {
            Some(IPV4) => view.look_at_ipv4(),
            Some(IPV6) => view.look_at_ipv6(),
            _ => {}
        }
        view
    }

    /// Reads two bytes in network byte order.
    fn read_u16(&self, at: usize) -> Option<u16> {
        let bytes = self.frame.get(at..)?.first_chunk::<2>()?;
        Some(u16::from_be_bytes(*bytes))
    }

    fn look_at_ipv4(&mut self) {
        let Some(header) = self.frame.get(self.network..) else { return };
        self.protocol = header.get(9).copied();
        let [first, _, _, _, _, _, high, low, ..] = header else { return };
        let length = usize::from(first & 15) * 4;
        let fragment = u16::from_be_bytes([*high, *low]) & 0x1fff;
        if length >= 20 && fragment == 0 {
            self.transport = Some(self.network + length);
        }
    }

    fn look_at_ipv6(&mut self) {
        let Some(header) = self.frame.get(self.network..).filter(|header| header.len() >= 40) else { return };
        let (mut next, mut at) = (header[6], self.network + 40);
        // Each extension header is at least 8 bytes long, so the loop ends.
        while EXTENSIONS.contains(&next) {
            let Some([following, length, ..]) = self.frame.get(at..).and_then(|rest| rest.first_chunk::<4>())
            else {
                return;
            };
            let (length, later) = match next {
                44 => (8, self.read_u16(at + 2).is_none_or(|field| field >> 3 != 0)),
                51 => (usize::from(*length) * 4 + 8, false),
                _ => (usize::from(*length) * 8 + 8, false),
            };
            next = *following;
            if later {
                self.protocol = Some(next);
                return;
            }
            at += length;
        }
        self.protocol = Some(next);
        self.transport = Some(at);
    }

    /// Returns the frame's source or destination MAC address.
    pub(super) fn mac_address(&self, source: bool) -> Option<[u8; 6]> {
        let offset = if source { 6 } else { 0 };
        self.frame.get(offset..)?.first_chunk::<6>().copied()
    }

    /// Returns the frame's source or destination IP address.
    pub(super) fn address(&self, source: bool) -> Option<IpAddr> {
        let header = self.frame.get(self.network..)?;
        match self.ether_type? {
            IPV4 => {
                let bytes = header.get(if source { 12 } else { 16 }..)?.first_chunk::<4>()?;
                Some(Ipv4Addr::from(*bytes).into())
            }
            IPV6 => {
                let bytes = header.get(if source { 8 } else { 24 }..)?.first_chunk::<16>()?;
                Some(Ipv6Addr::from(*bytes).into())
            }
            _ => None,
        }
    }

    /// Returns the IPv4 address of an ARP packet's sender or target (RFC 826).
    pub(super) fn arp_address(&self, sender: bool) -> Option<IpAddr> {
        if self.ether_type != Some(ARP) || self.read_u16(self.network + 2) != Some(IPV4) {
            return None;
        }
        let bytes = self.frame.get(self.network + if sender { 14 } else { 24 }..)?.first_chunk::<4>()?;
        Some(Ipv4Addr::from(*bytes).into())
    }

    /// Returns the source or destination port of TCP, UDP or SCTP.
    pub(super) fn port(&self, source: bool) -> Option<u16> {
        match self.protocol? {
            6 | 17 | 132 => self.read_u16(self.transport? + if source { 0 } else { 2 }),
            _ => None,
        }
    }
}

/// Returns the EtherType after VLAN tags, and the offset of the header after it. In a frame that
/// was cut, the offset may lie after the end.
pub fn network(frame: &[u8]) -> (Option<u16>, usize) {
    let view = View::new(frame);
    (view.ether_type, view.network)
}

/// Returns a hash that identifies a flow in one direction: addresses, protocol and ports for IP,
/// otherwise MAC addresses and EtherType. Never 0.
pub fn flow(frame: &[u8]) -> u64 {
    let view = View::new(frame);
    // FNV-1a with 64 bits, which gives the same hashes on all machines.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut take = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    take(&view.ether_type.unwrap_or(0).to_be_bytes());
    match (view.address(true), view.address(false)) {
        (Some(source), Some(destination)) => {
            for address in [source, destination] {
                match address {
                    IpAddr::V4(address) => take(&address.octets()),
                    IpAddr::V6(address) => take(&address.octets()),
                }
            }
            take(&[view.protocol.unwrap_or(0)]);
            for source in [true, false] {
                take(&view.port(source).unwrap_or(0).to_be_bytes());
            }
        }
        _ => take(frame.get(..12).unwrap_or(frame)),
    }
    hash.max(1)
}
