//! The internet protocol, versions 4 (RFC 791) and 6 (RFC 8200): headers read and written, fragments, path MTUs.

pub(super) mod fragments;
pub(super) mod path_mtu;
pub(super) mod v4;
pub(super) mod v6;

use std::net::IpAddr;

use weir_tcp::{PseudoSum, fold, sum};

/// Largest IP packet: the length field has 16 bits.
pub(super) const MAX_PACKET: usize = 65535;

/// Protocol numbers, which are IPv6's next headers too.
pub(super) const ICMP: u8 = 1;
pub(super) const TCP: u8 = 6;
pub(super) const UDP: u8 = 17;
pub(super) const ICMPV6: u8 = 58;

/// What a packet is marked with when it met congestion, and the bits where this stands (RFC 3168, section 5).
pub(super) const CONGESTION_EXPERIENCED: u8 = 0b11;
/// The mark of a packet whose ends understand it, ECT(0).
pub(super) const ECN_CAPABLE: u8 = 0b10;

/// Where a fragment belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fragment {
    pub(super) ident: u32,
    /// Bytes of payload before it.
    pub(super) offset: usize,
    /// Others follow.
    pub(super) more: bool,
}

/// An IP packet whose header has been read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet<'a> {
    pub(super) source: IpAddr,
    pub(super) destination: IpAddr,
    /// What the payload is, behind all extension headers.
    pub(super) protocol: u8,
    /// Time to live, or hop limit.
    pub(super) ttl: u8,
    /// Type of service, or traffic class: six bits of DSCP, two of ECN.
    pub(super) class: u8,
    /// IPv4's options.
    pub(super) options: &'a [u8],
    pub(super) fragment: Option<Fragment>,
    pub(super) payload: &'a [u8],
    /// The whole packet, without padding of its frame.
    pub(super) whole: &'a [u8],
    /// Bytes of it that every fragment repeats.
    pub(super) unfragmentable: usize,
}

/// A packet to send, but for its payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header<'a> {
    pub(super) source: IpAddr,
    pub(super) destination: IpAddr,
    pub(super) protocol: u8,
    pub(super) ttl: u8,
    pub(super) class: u8,
    /// IPv4's options, a multiple of 4 bytes.
    pub(super) options: &'a [u8],
}

impl Header<'_> {
    /// With the time to live of 64 that hosts use, no options.
    pub(super) fn new(source: IpAddr, destination: IpAddr, protocol: u8) -> Self {
        Header { source, destination, protocol, ttl: 64, class: 0, options: &[] }
    }

    /// Bytes on the wire.
    pub(super) fn len(&self) -> usize {
        match self.source {
            IpAddr::V4(_) => v4::HEADER + self.options.len(),
            IpAddr::V6(_) => v6::HEADER,
        }
    }
}

/// Reads a packet of either family.
pub(super) fn parse(bytes: &[u8]) -> Result<Packet<'_>, super::HostDrop> {
    if bytes.first().is_some_and(|byte| byte >> 4 == 6) { v6::parse(bytes) } else { v4::parse(bytes) }
}

/// The sum over the addresses and the protocol of a pseudo header, without the length.
pub(super) fn pseudo(source: IpAddr, destination: IpAddr, protocol: u8) -> PseudoSum {
    PseudoSum(halves(source) + halves(destination) + u32::from(protocol))
}

/// The sum of an address's 16-bit words: at most eight.
fn halves(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(address) => {
            let bits = address.to_bits();
            (bits >> 16) + (bits & 0xffff)
        }
        IpAddr::V6(address) => address.segments().into_iter().map(u32::from).sum(),
    }
}

/// The checksum over a pseudo header and what it stands before; 0 if one that is in the bytes is right.
pub(super) fn checksum(pseudo: PseudoSum, bytes: &[u8]) -> u16 {
    let length = bytes.len() as u32;
    // Sixteen words of addresses, two of the length and a sum: far below 32 bits, and two folds make 16 of them.
    fold(pseudo.0 + (length >> 16) + (length & 0xffff) + sum(bytes))
}

/// Two bytes, big-endian.
pub(super) fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}
