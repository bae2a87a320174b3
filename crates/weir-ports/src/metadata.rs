//! What accompanies a frame besides its bytes.

use weir_device::Nanos;

/// What is known about the checksum of TCP or UDP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checksum {
    /// Nobody has verified it.
    #[default]
    Unverified,
    /// The kernel or the network card has verified it, or the frame never left this computer.
    Valid,
    /// It is not complete: the field holds the sum of the pseudo-header only. Whoever puts the
    /// frame on a wire adds the bytes from `start` to the end of the frame, and writes the sum's
    /// complement at `start + offset`.
    Partial {
        /// Where the header begins, in bytes from the start of the frame.
        start: u16,
        /// Where the field is, in bytes from `start`: 16 for TCP, 6 for UDP.
        offset: u16,
    },
}

/// What the segments of a GSO frame are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GsoKind {
    /// TCP over IPv4.
    TcpV4,
    /// TCP over IPv6.
    TcpV6,
    /// UDP over IPv4 or IPv6, a datagram for each segment (`UDP_SEGMENT`).
    Udp,
}

/// A GSO frame ("generic segmentation offload") has one header, and a payload of many segments.
/// Whoever puts it on a wire cuts it into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gso {
    /// What the segments are.
    pub kind: GsoKind,
    /// Bytes of payload in each segment but the last, which has the rest.
    pub size: u16,
    /// Where the IP header of the packet that is cut begins, in bytes from the start of the frame.
    pub network: u16,
    /// Whether a tunnel is around this packet: other IP headers, with lengths of their own, are in
    /// front of it.
    pub in_tunnel: bool,
    /// Whether TCP's flag CWR is set: only the first segment keeps it.
    pub ecn: bool,
}

/// What accompanies a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// When the frame arrived, in nanoseconds from the Unix epoch, if its port says.
    pub time: Option<Nanos>,
    /// What is known about its checksum.
    pub checksum: Checksum,
    /// How it is cut into segments; none if the frame goes on the wire as it is.
    pub gso: Option<Gso>,
}

impl Metadata {
    /// Counts the places in the metadata from another byte: `change` gets each place.
    pub(crate) fn move_places(&mut self, change: impl Fn(u16) -> u16) {
        if let Checksum::Partial { start, .. } = &mut self.checksum {
            *start = change(*start);
        }
        if let Some(gso) = &mut self.gso {
            gso.network = change(gso.network);
        }
    }
}
