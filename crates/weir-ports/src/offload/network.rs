//! Where a frame's IP header begins.

/// EtherTypes of IPv4, IPv6, and VLAN tags.
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const VLAN: [u16; 3] = [0x8100, 0x88a8, 0x9100];

/// Where the IP header begins, in bytes from the start of the frame: after the Ethernet header and
/// any VLAN tags. None if something else follows.
pub fn network_start(frame: &[u8]) -> Option<usize> {
    let mut at = 12;
    loop {
        let kind = u16::from_be_bytes([*frame.get(at)?, *frame.get(at + 1)?]);
        match kind {
            IPV4 | IPV6 => return Some(at + 2),
            tag if VLAN.contains(&tag) => at += 4,
            _ => return None,
        }
    }
}
