//! Reasons for drops at hosts.

/// The reason why an interface did not accept a frame, or could not send one; in the order of the
/// layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostDrop {
    TruncatedEthernet,
    NotForMac,
    NoReceiver,
    BadArp,
    TruncatedIpv4,
    NotIpv4,
    BadHeaderChecksum,
    TruncatedIpv6,
    NotIpv6,
    BadExtension,
    BadSource,
    BadSourceV6,
    NotForAddress,
    NotForAddressV6,
    BadFragment,
    FragmentTooLong,
    TruncatedIcmp,
    BadIcmpChecksum,
    BadNdp,
    TruncatedUdp,
    BadUdpChecksum,
    TruncatedTcp,
    BadTcpChecksum,
    NoRoute,
    TooManyWaiting,
    TooManyWaitingV6,
    NoNeighbour,
    NoNeighbourV6,
}

impl HostDrop {
    /// Returns whether the packet was sent by the host.
    pub(crate) fn is_outbound(self) -> bool {
        self >= HostDrop::NoRoute
    }

    /// Returns the reason in words.
    pub(crate) fn text(self) -> &'static str {
        match self {
            HostDrop::TruncatedEthernet => "truncated Ethernet header",
            HostDrop::NotForMac => "destination MAC address of another interface",
            HostDrop::NoReceiver => "no receiver for this EtherType",
            HostDrop::BadArp => "malformed ARP packet",
            HostDrop::TruncatedIpv4 => "truncated IPv4 packet",
            HostDrop::NotIpv4 => "EtherType IPv4 with another IP version",
            HostDrop::BadHeaderChecksum => "bad IPv4 header checksum",
            HostDrop::TruncatedIpv6 => "truncated IPv6 packet",
            HostDrop::NotIpv6 => "EtherType IPv6 with another IP version",
            HostDrop::BadExtension => "unsupported or malformed IPv6 extension header",
            HostDrop::BadSource => "invalid IPv4 source address",
            HostDrop::BadSourceV6 => "invalid IPv6 source address",
            HostDrop::NotForAddress => "destination IPv4 address of another host",
            HostDrop::NotForAddressV6 => "destination IPv6 address of another host",
            HostDrop::BadFragment => "malformed fragment",
            HostDrop::FragmentTooLong => "fragment beyond 65535 bytes",
            HostDrop::TruncatedIcmp => "truncated ICMP message",
            HostDrop::BadIcmpChecksum => "bad ICMP checksum",
            HostDrop::BadNdp => "malformed NDP message",
            HostDrop::TruncatedUdp => "truncated UDP datagram",
            HostDrop::BadUdpChecksum => "bad UDP checksum",
            HostDrop::TruncatedTcp => "truncated TCP segment",
            HostDrop::BadTcpChecksum => "bad TCP checksum",
            HostDrop::NoRoute => "no route",
            HostDrop::TooManyWaiting => "too many packets wait for ARP",
            HostDrop::TooManyWaitingV6 => "too many packets wait for NDP",
            HostDrop::NoNeighbour => "no answer to ARP",
            HostDrop::NoNeighbourV6 => "no answer to NDP",
        }
    }
}

/// The reason why a host discarded a packet after its interface accepted the frame. These frames
/// count as delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Discard {
    /// The reassembled packet is not valid, for this reason.
    Reassembled(HostDrop),
    FragmentsOverlap,
    FragmentsTimedOut,
    TooManyFragments,
    NoProtocol,
    NoUdpPort,
    NoTcpPort,
    TooManyHalfOpen,
    IcmpLimit,
}

impl Discard {
    /// Returns the reason in words.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Discard::Reassembled(why) => why.text(),
            Discard::FragmentsOverlap => "fragments overlap",
            Discard::FragmentsTimedOut => "fragments missing at the reassembly time-out",
            Discard::TooManyFragments => "too many fragments wait for reassembly",
            Discard::NoProtocol => "no receiver for this IP protocol",
            Discard::NoUdpPort => "no receiver for this UDP port",
            Discard::NoTcpPort => "no connection or listener for this TCP segment",
            Discard::TooManyHalfOpen => "too many incomplete TCP handshakes",
            Discard::IcmpLimit => "ICMP error not sent: more than 1000 per second",
        }
    }
}
