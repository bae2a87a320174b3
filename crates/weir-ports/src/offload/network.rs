//! Finds a frame's IP headers.

use super::bytes::{internet_sum, read_u16};

/// The EtherType of IPv4.
const IPV4: u16 = 0x0800;
/// The EtherType of IPv6.
const IPV6: u16 = 0x86dd;
/// The EtherTypes of VLAN tags.
const VLAN: [u16; 3] = [0x8100, 0x88a8, 0x9100];

/// The number of bytes of an IPv6 header.
const IPV6_BYTES: usize = 40;
/// The number of bytes of the longest IPv4 header.
const MAX_IPV4_HEADER: usize = 60;
/// The IPv6 extension headers that packets with TCP or UDP can have: hop-by-hop options, routing,
/// destination options.
const EXTENSIONS: [u8; 3] = [0, 43, 60];

/// Returns the position of the IP header, in bytes from the start of the frame. It follows the
/// Ethernet header and any VLAN tags. `None` if another protocol follows them.
pub fn network_start(frame: &[u8]) -> Option<usize> {
    let mut offset = 12;
    loop {
        let kind = u16::from_be_bytes([*frame.get(offset)?, *frame.get(offset + 1)?]);
        match kind {
            IPV4 | IPV6 => return Some(offset + 2),
            tag if VLAN.contains(&tag) => offset += 4,
            _ => return None,
        }
    }
}

/// Returns the position of the IP header that belongs to the transport header at `transport`. In a
/// tunnel, this is not the first IP header of the frame, but the one that ends at `transport` and
/// has the right length (and for IPv4, the right checksum). `None` if there is no such header.
pub fn network_before(frame: &[u8], transport: usize) -> Option<usize> {
    let first = network_start(frame).filter(|first| header_end(frame, *first) == Some(transport));
    first.or_else(|| inner_v4(frame, transport)).or_else(|| inner_v6(frame, transport))
}

/// Returns the end of the IPv4 header at `at`, or of the IPv6 header at `at` with its extensions.
pub(super) fn header_end(frame: &[u8], at: usize) -> Option<usize> {
    let ip = frame.get(at..)?;
    match ip.first()? >> 4 {
        4 => Some(at + usize::from(ip[0] & 15) * 4),
        6 => {
            let (mut next, mut end) = (*ip.get(6)?, IPV6_BYTES);
            while EXTENSIONS.contains(&next) {
                next = *ip.get(end)?;
                end += (usize::from(*ip.get(end + 1)?) + 1) * 8;
            }
            Some(at + end)
        }
        _ => None,
    }
}

fn inner_v4(frame: &[u8], transport: usize) -> Option<usize> {
    (20..=MAX_IPV4_HEADER).step_by(4).find_map(|length| {
        let start = transport.checked_sub(length)?;
        let header = frame.get(start..transport)?;
        let is_one = usize::from(header[0]) == (0x40 | (length / 4))
            && usize::from(read_u16(header, 2)) == frame.len() - start
            && internet_sum(0, header) == 0xffff;
        is_one.then_some(start)
    })
}

fn inner_v6(frame: &[u8], transport: usize) -> Option<usize> {
    let start = transport.checked_sub(IPV6_BYTES)?;
    let header = frame.get(start..transport)?;
    let is_one = header[0] >> 4 == 6
        && !EXTENSIONS.contains(&header[6])
        && usize::from(read_u16(header, 4)) == frame.len() - transport;
    is_one.then_some(start)
}
