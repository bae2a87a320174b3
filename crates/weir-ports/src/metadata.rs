//! The metadata of frames: their time of arrival and offloads.

use weir_device::{Buffer, Nanos};

/// A frame, starting with its Ethernet header, without preamble and frame check sequence, in memory
/// of the port that received it. VLAN tags are in the bytes.
pub type Frame<'a> = Buffer<'a, Metadata>;

/// The state of the TCP or UDP checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checksum {
    /// The checksum has not been verified.
    #[default]
    Unverified,
    /// The kernel or the network card has verified it, or the frame never left this computer.
    Valid,
    /// The checksum is not complete: its field holds the sum of the pseudo-header only. The sender
    /// that puts the frame on a wire adds the bytes from `start` to the end of the frame, and
    /// writes the sum's complement at `start + offset`.
    Partial {
        /// The position of the header, in bytes from the start of the frame.
        start: u16,
        /// The position of the field, in bytes from `start`: 16 for TCP, 6 for UDP.
        offset: u16,
    },
}

/// The protocols of the segments in a GSO frame: the address family, and TCP or UDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GsoKind {
    /// TCP over IPv4.
    TcpV4,
    /// TCP over IPv6.
    TcpV6,
    /// UDP over IPv4 or IPv6, one datagram per segment (`UDP_SEGMENT`).
    Udp,
}

/// A GSO frame ("generic segmentation offload") has one header, and a payload of many segments. The
/// sender that puts it on a wire cuts it into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gso {
    /// The protocols of the segments.
    pub kind: GsoKind,
    /// The bytes of payload in each segment. The last segment has the rest.
    pub size: u16,
    /// The position of the IP header of the packet to be cut, in bytes from the start of the frame.
    pub network: u16,
    /// Whether this packet is in a tunnel: other IP headers, with their own lengths, precede it.
    pub in_tunnel: bool,
    /// Whether TCP's CWR flag is set. Only the first segment keeps the flag.
    pub ecn: bool,
}

/// The metadata of a frame: its time, checksum state and segmentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// When the frame arrived, in nanoseconds from the Unix epoch, if its port gives times.
    pub time: Option<Nanos>,
    /// The state of the frame's checksum.
    pub checksum: Checksum,
    /// The segmentation of the frame; `None` if it goes on the wire as a single frame.
    pub gso: Option<Gso>,
}

impl Metadata {
    /// Adds `bytes` to each position, because the frame now starts that many bytes earlier.
    pub(crate) fn shift_positions(&mut self, bytes: u16) {
        if let Checksum::Partial { start, .. } = &mut self.checksum {
            *start = start.saturating_add(bytes);
        }
        if let Some(gso) = &mut self.gso {
            gso.network = gso.network.saturating_add(bytes);
        }
    }
}
