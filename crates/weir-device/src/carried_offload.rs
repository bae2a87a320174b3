//! The offloads of a packet that are not done yet when a device receives it.

/// The work that the sender of a TCP or UDP packet has left to the network card: to complete the
/// checksum, and for a GSO frame also to cut it into segments.
///
/// The positions of headers are counted from the packet's end, because devices add and remove
/// headers before the IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarriedOffload {
    /// The number of bytes from the start of the TCP or UDP header to the packet's end.
    pub transport_bytes: u16,
    /// Whether the packet is IPv6; otherwise, it is IPv4. The IP header has no options and no
    /// extensions.
    pub v6: bool,
    /// Whether the packet is UDP; otherwise, it is TCP.
    pub udp: bool,
    /// The segmentation of the packet; `None` if only its checksum must be completed.
    pub gso: Option<CarriedGso>,
}

/// How the packet of a GSO frame is cut into segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarriedGso {
    /// The number of payload bytes in each segment.
    pub size: u16,
    /// Whether TCP's CWR flag is set.
    pub ecn: bool,
}
