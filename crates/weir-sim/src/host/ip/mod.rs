//! IP, versions 4 (RFC 791) and 6 (RFC 8200): parsing and writing of headers, fragments, path MTUs.

pub(super) mod fragments;
pub(super) mod path_mtu;
pub(super) mod v4;
pub(super) mod v6;

use std::net::IpAddr;

use weir_tcp::{PseudoSum, fold, sum};

/// The maximum length of an IP packet: the length field has 16 bits.
pub(super) const MAX_PACKET: usize = 65535;

/// The protocol number of ICMP, which is also an IPv6 next-header value.
pub(super) const ICMP: u8 = 1;
/// The IP protocol number of TCP.
pub(super) const TCP: u8 = 6;
/// The IP protocol number of UDP.
pub(super) const UDP: u8 = 17;
/// The protocol number of ICMPv6.
pub(super) const ICMPV6: u8 = 58;

/// The ECN codepoint CE, which is also the mask of the ECN field (RFC 3168, section 5).
pub(super) const CONGESTION_EXPERIENCED: u8 = 0b11;
/// The ECN codepoint ECT(0) of an ECN-capable transport.
pub(super) const ECN_CAPABLE: u8 = 0b10;

/// Where a fragment belongs in its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fragment {
    pub(super) ident: u32,
    /// The offset in the payload in bytes.
    pub(super) offset: usize,
    /// Whether other fragments follow.
    pub(super) more: bool,
}

/// A parsed IP packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet<'a> {
    pub(super) source: IpAddr,
    pub(super) destination: IpAddr,
    /// The protocol of the payload, after all extension headers.
    pub(super) protocol: u8,
    /// The time to live or hop limit.
    pub(super) ttl: u8,
    /// The type of service or traffic class: six bits of DSCP, two of ECN.
    pub(super) class: u8,
    /// The IPv4 options.
    pub(super) options: &'a [u8],
    pub(super) fragment: Option<Fragment>,
    pub(super) payload: &'a [u8],
    /// The whole packet, without Ethernet padding.
    pub(super) whole: &'a [u8],
    /// The length of the header that every fragment repeats.
    pub(super) unfragmentable: usize,
}

/// The header of a packet to send.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header<'a> {
    pub(super) source: IpAddr,
    pub(super) destination: IpAddr,
    pub(super) protocol: u8,
    pub(super) ttl: u8,
    pub(super) class: u8,
    /// The IPv4 options, a multiple of 4 bytes.
    pub(super) options: &'a [u8],
}

impl Header<'_> {
    /// Creates a header with the default time to live of 64 and no options.
    pub(super) fn new(source: IpAddr, destination: IpAddr, protocol: u8) -> Self {
        Header { source, destination, protocol, ttl: 64, class: 0, options: &[] }
    }

    /// Returns the length of the header in bytes.
    pub(super) fn len(&self) -> usize {
        match self.source {
            IpAddr::V4(_) => v4::HEADER + self.options.len(),
            IpAddr::V6(_) => v6::HEADER,
        }
    }
}

/// Parses a packet of either family.
pub(super) fn parse(bytes: &[u8]) -> Result<Packet<'_>, super::HostDrop> {
    if bytes.first().is_some_and(|byte| byte >> 4 == 6) { v6::parse(bytes) } else { v4::parse(bytes) }
}

/// Returns the partial sum of the pseudo header: addresses and protocol, without the length.
pub(super) fn pseudo_header_sum(source: IpAddr, destination: IpAddr, protocol: u8) -> PseudoSum {
    PseudoSum(sum_of_words(source) + sum_of_words(destination) + u32::from(protocol))
}

/// Returns the sum of the 16-bit words of an address: at most eight.
fn sum_of_words(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(address) => {
            let bits = address.to_bits();
            (bits >> 16) + (bits & 0xffff)
        }
        IpAddr::V6(address) => address.segments().into_iter().map(u32::from).sum(),
    }
}

/// Returns the checksum of the pseudo header and the bytes. It is 0 if the bytes contain a correct
/// checksum.
pub(super) fn checksum(pseudo: PseudoSum, bytes: &[u8]) -> u16 {
    let length = bytes.len() as u32;
    // The sum of 16 address words, the length and the payload is far below 2^32, and two folds
    // reduce it to 16 bits.
    fold(pseudo.0 + (length >> 16) + (length & 0xffff) + sum(bytes))
}

/// Reads two bytes as a big-endian number.
pub(super) fn be_u16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}
