//! The IPv6 header and its extension headers (RFC 8200).

use std::net::{IpAddr, Ipv6Addr};

use super::{Fragment, Header, MAX_PACKET, Packet, be_u16};
use crate::host::HostDrop;

/// The length of the fixed IPv6 header in bytes.
pub(in crate::host) const HEADER: usize = 40;
/// The length of a fragment header in bytes (RFC 8200, section 4.5).
pub(in crate::host) const FRAGMENT_HEADER: usize = 8;

/// The next-header value of a hop-by-hop options header.
const HOP_BY_HOP: u8 = 0;
/// The next-header value of a routing header.
const ROUTING: u8 = 43;
/// The next-header value of a fragment header.
const FRAGMENT: u8 = 44;
/// The next-header value of a destination options header.
const DESTINATION_OPTIONS: u8 = 60;

/// Parses an IPv6 packet and checks its headers.
pub(in crate::host) fn parse(bytes: &[u8]) -> Result<Packet<'_>, HostDrop> {
    if bytes.len() < HEADER {
        return Err(HostDrop::TruncatedIpv6);
    }
    if bytes[0] >> 4 != 6 {
        return Err(HostDrop::NotIpv6);
    }
    let total = HEADER + usize::from(be_u16(bytes, 4));
    if total > bytes.len() {
        return Err(HostDrop::TruncatedIpv6);
    }
    let packet = read(&bytes[..total])?;
    if let Some(Fragment { offset, more, .. }) = packet.fragment {
        let length = packet.payload.len();
        if offset + length > MAX_PACKET {
            return Err(HostDrop::FragmentTooLong);
        }
        if length == 0 || more && !length.is_multiple_of(8) {
            return Err(HostDrop::BadFragment);
        }
    }
    Ok(packet)
}

/// Parses the beginning of a packet that an ICMPv6 error quotes; its payload is truncated.
pub(in crate::host) fn parse_quoted(bytes: &[u8]) -> Option<Packet<'_>> {
    if bytes.len() < HEADER { None } else { read(bytes).ok() }
}

/// Skips the extension headers, up to a fragment header or the upper-layer header.
fn read(bytes: &[u8]) -> Result<Packet<'_>, HostDrop> {
    let address = |at: usize| {
        let octets: [u8; 16] = std::array::from_fn(|place| bytes[at + place]);
        IpAddr::V6(Ipv6Addr::from(octets))
    };
    let (mut next, mut at, mut fragment) = (bytes[6], HEADER, None);
    while matches!(next, HOP_BY_HOP | ROUTING | FRAGMENT | DESTINATION_OPTIONS) {
        let rest = &bytes[at..];
        if rest.len() < 8 {
            return Err(HostDrop::TruncatedIpv6);
        }
        if next == FRAGMENT {
            let place = be_u16(rest, 2);
            let found = Fragment {
                ident: u32::from(be_u16(rest, 4)) << 16 | u32::from(be_u16(rest, 6)),
                offset: usize::from(place & 0xfff8),
                more: place & 1 != 0,
            };
            next = rest[0];
            if found.more || found.offset > 0 {
                fragment = Some(found);
                // The remaining headers belong to the whole packet and are parsed after reassembly.
                break;
            }
            // A fragment that contains the whole packet is parsed like any packet (RFC 6946).
            at += FRAGMENT_HEADER;
            continue;
        }
        let length = (usize::from(rest[1]) + 1) * 8;
        let Some(header) = rest.get(..length) else { return Err(HostDrop::TruncatedIpv6) };
        // Hosts do not take part in source routing, and follow the action bits of unknown options
        // (section 4.2).
        let refused = if next == ROUTING { header[3] != 0 } else { !options_may_be_skipped(&header[2..]) };
        if refused {
            return Err(HostDrop::BadExtension);
        }
        next = header[0];
        at += length;
    }
    let unfragmentable = at;
    let payload = &bytes[if fragment.is_some() { at + FRAGMENT_HEADER } else { at }..];
    Ok(Packet {
        source: address(8),
        destination: address(24),
        protocol: next,
        ttl: bytes[7],
        class: bytes[0] << 4 | bytes[1] >> 4,
        options: &[],
        fragment,
        payload,
        whole: bytes,
        unfragmentable,
    })
}

/// Returns whether the two highest bits of each option's type allow skipping it.
fn options_may_be_skipped(mut options: &[u8]) -> bool {
    while let Some(&kind) = options.first() {
        if kind == 0 {
            options = &options[1..];
            continue;
        }
        let Some(rest) = options.get(1).and_then(|length| options.get(2 + usize::from(*length)..)) else {
            return false;
        };
        if kind >> 6 != 0 {
            return false;
        }
        options = rest;
    }
    true
}

/// Writes a header for a payload of `payload` bytes, with a fragment header if this is a fragment.
pub(in crate::host) fn emit(
    buffer: &mut [u8],
    header: &Header<'_>,
    addresses: [Ipv6Addr; 2],
    payload: usize,
    fragment: Option<Fragment>,
) {
    let more = if fragment.is_some() { FRAGMENT_HEADER } else { 0 };
    buffer[0] = 0x60 | header.class >> 4;
    buffer[1] = header.class << 4;
    buffer[2..4].fill(0);
    buffer[4..6].copy_from_slice(&((payload + more) as u16).to_be_bytes());
    buffer[6] = if fragment.is_some() { FRAGMENT } else { header.protocol };
    buffer[7] = header.ttl;
    buffer[8..24].copy_from_slice(&addresses[0].octets());
    buffer[24..40].copy_from_slice(&addresses[1].octets());
    if let Some(Fragment { ident, offset, more }) = fragment {
        buffer[40] = header.protocol;
        buffer[41] = 0;
        buffer[42..44].copy_from_slice(&(offset as u16 | u16::from(more)).to_be_bytes());
        buffer[44..48].copy_from_slice(&ident.to_be_bytes());
    }
}

/// Turns the header of a first fragment into that of the whole packet, whose payload of `payload`
/// bytes begins with `protocol`; returns `None` if that packet is too long.
pub(in crate::host) fn to_whole_packet(
    header: &mut [u8],
    protocol: u8,
    payload: usize,
    class: u8,
) -> Option<()> {
    let total = u16::try_from(header.len() - HEADER + payload).ok()?;
    header[4..6].copy_from_slice(&total.to_be_bytes());
    header[0] = 0x60 | class >> 4;
    header[1] = class << 4 | header[1] & 15;
    // Finds the next-header field that points to the fragment header: in the fixed header, or in
    // the last extension header before it.
    let (mut at, mut field) = (HEADER, 6);
    while at < header.len() {
        field = at;
        at += (usize::from(header[at + 1]) + 1) * 8;
    }
    header[field] = protocol;
    Some(())
}
