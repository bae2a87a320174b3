//! The IPv4 header (RFC 791, section 3.1).

use std::net::{IpAddr, Ipv4Addr};

use weir_tcp::{fold, sum};

use super::{Fragment, Header, MAX_PACKET, Packet, be_u16};
use crate::host::HostDrop;

/// The length of an IPv4 header without options, in bytes.
pub(in crate::host) const HEADER: usize = 20;
const DONT_FRAGMENT: u16 = 0x4000;
const MORE_FRAGMENTS: u16 = 0x2000;
/// The bits of the fragment offset.
const OFFSET_MASK: u16 = 0x1fff;

/// Parses an IPv4 packet and checks its header.
pub(in crate::host) fn parse(bytes: &[u8]) -> Result<Packet<'_>, HostDrop> {
    let packet = parse_unchecked(bytes)?;
    if bytes[0] >> 4 != 4 {
        return Err(HostDrop::NotIpv4);
    }
    let header = packet.whole.len() - packet.payload.len();
    if fold(sum(&bytes[..header])) != 0 {
        return Err(HostDrop::BadHeaderChecksum);
    }
    if let Some(Fragment { offset, more, .. }) = packet.fragment {
        let length = packet.payload.len();
        if offset + length + HEADER > MAX_PACKET {
            return Err(HostDrop::FragmentTooLong);
        }
        if length == 0 || more && !length.is_multiple_of(8) {
            return Err(HostDrop::BadFragment);
        }
    }
    Ok(packet)
}

/// Parses a header with valid lengths.
fn parse_unchecked(bytes: &[u8]) -> Result<Packet<'_>, HostDrop> {
    let mut packet = parse_quoted(bytes).ok_or(HostDrop::TruncatedIpv4)?;
    let total = usize::from(be_u16(bytes, 2));
    let header = packet.whole.len() - packet.payload.len();
    if total < header || total > bytes.len() {
        return Err(HostDrop::TruncatedIpv4);
    }
    packet.whole = &bytes[..total];
    packet.payload = &bytes[header..total];
    Ok(packet)
}

/// Parses the beginning of a packet that an ICMP error quotes; its payload is truncated.
pub(in crate::host) fn parse_quoted(bytes: &[u8]) -> Option<Packet<'_>> {
    let header = usize::from(bytes.first()? & 15) * 4;
    if header < HEADER || bytes.len() < header {
        return None;
    }
    let flags = be_u16(bytes, 6);
    let fragment = Fragment {
        ident: u32::from(be_u16(bytes, 4)),
        offset: usize::from(flags & OFFSET_MASK) * 8,
        more: flags & MORE_FRAGMENTS != 0,
    };
    let address =
        |at: usize| IpAddr::V4(Ipv4Addr::new(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]));
    Some(Packet {
        source: address(12),
        destination: address(16),
        protocol: bytes[9],
        ttl: bytes[8],
        class: bytes[1],
        options: &bytes[HEADER..header],
        fragment: (fragment.more || fragment.offset > 0).then_some(fragment),
        payload: &bytes[header..],
        whole: bytes,
        unfragmentable: header,
    })
}

/// Writes a header for a payload of `payload` bytes. A packet that is not a fragment has no
/// identification (RFC 6864, section 4.1). It has the don't-fragment bit, because it must not be
/// fragmented on its path (RFC 1191).
pub(in crate::host) fn emit(
    buffer: &mut [u8],
    header: &Header<'_>,
    addresses: [Ipv4Addr; 2],
    payload: usize,
    fragment: Option<Fragment>,
) {
    let length = HEADER + header.options.len();
    let buffer = &mut buffer[..length];
    buffer[0] = 0x40 | (length / 4) as u8;
    buffer[1] = header.class;
    buffer[2..4].copy_from_slice(&((length + payload) as u16).to_be_bytes());
    let (ident, flags) = match fragment {
        None => (0, DONT_FRAGMENT),
        Some(Fragment { ident, offset, more }) => {
            (ident as u16, (offset / 8) as u16 | if more { MORE_FRAGMENTS } else { 0 })
        }
    };
    buffer[4..6].copy_from_slice(&ident.to_be_bytes());
    buffer[6..8].copy_from_slice(&flags.to_be_bytes());
    buffer[8] = header.ttl;
    buffer[9] = header.protocol;
    buffer[10..12].fill(0);
    buffer[12..16].copy_from_slice(&addresses[0].octets());
    buffer[16..20].copy_from_slice(&addresses[1].octets());
    buffer[HEADER..].copy_from_slice(header.options);
    let checksum = fold(sum(buffer));
    buffer[10..12].copy_from_slice(&checksum.to_be_bytes());
}

/// Turns the header of a first fragment into that of the whole packet with a payload of `payload`
/// bytes; returns `None` if that packet is too long.
pub(in crate::host) fn to_whole_packet(header: &mut [u8], payload: usize, class: u8) -> Option<()> {
    let total = u16::try_from(header.len() + payload).ok()?;
    header[1] = class;
    header[2..4].copy_from_slice(&total.to_be_bytes());
    header[6..8].fill(0);
    header[10..12].fill(0);
    let checksum = fold(sum(header));
    header[10..12].copy_from_slice(&checksum.to_be_bytes());
    Some(())
}
