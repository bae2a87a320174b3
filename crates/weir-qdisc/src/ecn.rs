//! Explicit congestion notification (RFC 3168): packets are marked instead of dropped.

use weir_tcp::fold;

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
/// The value of the two-bit ECN field for congestion experienced (CE).
const CE: u8 = 0b11;
/// ECT(1), which L4S packets carry (RFC 9331). CE has this bit, too.
pub(super) const ECT_1: u8 = 0b01;

/// Returns the ECN field of an IP packet; 0 for other packets.
pub(super) fn ecn_field(frame: &[u8]) -> u8 {
    let (ether_type, at) = weir_filter::network(frame);
    match (ether_type, frame.get(at..)) {
        (Some(IPV4), Some(header)) if header.len() >= 20 => header[1] & CE,
        (Some(IPV6), Some(header)) if header.len() >= 40 => header[1] >> 4 & CE,
        _ => 0,
    }
}

/// Sets CE in an IP packet of an ECN-capable transport, which replaces ECT(0) or ECT(1), and
/// updates the IPv4 checksum (RFC 1624). Returns whether the packet has CE now, even if it already
/// had CE before, as in Linux.
pub fn mark_congestion(frame: &mut [u8]) -> bool {
    let (ether_type, at) = weir_filter::network(frame);
    match (ether_type, frame.get_mut(at..)) {
        (Some(IPV4), Some(header)) if header.len() >= 20 => mark_ipv4(header),
        (Some(IPV6), Some(header)) if header.len() >= 40 => mark_ipv6(header),
        _ => false,
    }
}

fn mark_ipv4(header: &mut [u8]) -> bool {
    let field = header[1] & CE;
    if field == 0 {
        return false;
    }
    let word = |header: &[u8], at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
    let before = word(header, 0);
    header[1] |= CE;
    let sum = u32::from(!word(header, 10)) + u32::from(!before) + u32::from(word(header, 0));
    header[10..12].copy_from_slice(&fold(sum).to_be_bytes());
    true
}

/// Marks an IPv6 packet; the traffic class spans the first two bytes: its low bits are the upper
/// half of the second byte.
fn mark_ipv6(header: &mut [u8]) -> bool {
    let capable = header[1] >> 4 & CE != 0;
    if capable {
        header[1] |= CE << 4;
    }
    capable
}

#[cfg(test)]
mod tests {
    use etherparse::{IpFragOffset, Ipv4Header, Ipv6Header, PacketBuilder, SlicedPacket};

    use super::*;

    /// Returns a UDP frame with this ECN field and this many VLAN tags.
    fn frame(v6: bool, class: u8, tags: usize) -> Vec<u8> {
        let ip = if v6 {
            let header = Ipv6Header {
                traffic_class: class,
                hop_limit: 64,
                source: [1; 16],
                destination: [2; 16],
                ..Default::default()
            };
            etherparse::IpHeaders::Ipv6(header, Default::default())
        } else {
            let mut header = Ipv4Header {
                time_to_live: 64,
                source: [10, 0, 0, 1],
                destination: [10, 0, 0, 2],
                fragment_offset: IpFragOffset::ZERO,
                ..Default::default()
            };
            header.dscp = (class >> 2).try_into().unwrap();
            header.ecn = (class & 3).try_into().unwrap();
            etherparse::IpHeaders::Ipv4(header, Default::default())
        };
        let mut bytes = Vec::new();
        PacketBuilder::ethernet2([1; 6], [2; 6]).ip(ip).udp(1, 2).write(&mut bytes, b"x").unwrap();
        for _ in 0..tags {
            bytes.splice(12..12, [0x81, 0, 0, 5]);
        }
        bytes
    }

    #[test]
    fn only_ecn_capable_packets_are_marked() {
        for v6 in [false, true] {
            for class in 0..=255 {
                for tags in [0, 1, 2] {
                    let mut marked = frame(v6, class, tags);
                    let capable = class & 3 != 0;
                    assert_eq!(ecn_field(&marked), class & 3);
                    assert_eq!(mark_congestion(&mut marked), capable);
                    // The result equals a packet that was built with that traffic class, including
                    // the checksum.
                    assert_eq!(marked, frame(v6, if capable { class | 3 } else { class }, tags));
                    assert!(SlicedPacket::from_ethernet(&marked).is_ok());
                }
            }
        }
    }

    #[test]
    fn truncated_headers_are_unchanged() {
        for v6 in [false, true] {
            let whole = frame(v6, 2, 0);
            for length in 0..if v6 { 54 } else { 34 } {
                let mut part = whole[..length].to_vec();
                assert!(!mark_congestion(&mut part));
                assert_eq!(part, whole[..length]);
            }
        }
        let mut arp = [[0; 12].as_slice(), &[8, 6], &[0xff; 46]].concat();
        assert!(!mark_congestion(&mut arp));
    }
}
