//! Why hosts drop packets.

/// A reason, in the order of the layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostDrop {
    TruncatedEthernet,
    NotForMac,
    NoReceiver,
    BadArp,
    TruncatedIpv4,
    NotIpv4,
    BadHeaderChecksum,
    BadSource,
    NotForAddress,
    FragmentTooLong,
    TruncatedIcmp,
    BadIcmpChecksum,
    TruncatedUdp,
    BadUdpChecksum,
    NoRoute,
    TooManyWaiting,
    NoNeighbour,
}

impl HostDrop {
    /// Whether the packet was the host's own, on its way out.
    pub(crate) fn is_outbound(self) -> bool {
        matches!(self, HostDrop::NoRoute | HostDrop::TooManyWaiting | HostDrop::NoNeighbour)
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            HostDrop::TruncatedEthernet => "truncated Ethernet header",
            HostDrop::NotForMac => "destination MAC address of another station",
            HostDrop::NoReceiver => "no receiver for this EtherType",
            HostDrop::BadArp => "malformed ARP packet",
            HostDrop::TruncatedIpv4 => "truncated IPv4 packet",
            HostDrop::NotIpv4 => "EtherType says IPv4, version field does not",
            HostDrop::BadHeaderChecksum => "bad IPv4 header checksum",
            HostDrop::BadSource => "impossible IPv4 source address",
            HostDrop::NotForAddress => "destination IPv4 address of another host",
            HostDrop::FragmentTooLong => "fragment beyond 65535 bytes",
            HostDrop::TruncatedIcmp => "truncated ICMP message",
            HostDrop::BadIcmpChecksum => "bad ICMP checksum",
            HostDrop::TruncatedUdp => "truncated UDP datagram",
            HostDrop::BadUdpChecksum => "bad UDP checksum",
            HostDrop::NoRoute => "no route",
            HostDrop::TooManyWaiting => "too many packets wait for ARP",
            HostDrop::NoNeighbour => "no answer to ARP",
        }
    }
}
