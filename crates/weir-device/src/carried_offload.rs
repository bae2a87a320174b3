//! The offloads of a packet that are still to be done when a device receives it.

/// The work that the sender of a TCP or UDP packet has left to the code that puts it on a wire: to
/// complete the checksum, and for a GSO frame also to cut it into segments.
///
/// The places of headers are counted from the packet's end, because headers that a device adds or
/// removes precede the IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarriedOffload {
    /// Bytes from the beginning of the TCP or UDP header to the packet's end.
    pub transport_bytes: u16,
    /// Whether the packet is IPv6; otherwise, it is IPv4. The IP header has no options and no
    /// extensions.
    pub v6: bool,
    /// Whether the packet is UDP; otherwise, it is TCP.
    pub udp: bool,
    /// How the packet is cut; none if only its checksum is left to do.
    pub gso: Option<CarriedGso>,
}

/// How a GSO frame is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarriedGso {
    /// The bytes of payload in each segment.
    pub size: u16,
    /// Whether TCP's CWR flag is set.
    pub ecn: bool,
}
