//! The virtio-net header (virtio 1.2, section 5.1.6) that packet sockets and TAP devices put in
//! front of each frame, in the byte order of the machine.

use crate::offload::{network_before, network_start};
use crate::{Checksum, Gso, GsoKind, Metadata};

/// The number of bytes of the header.
pub(crate) const VNET_BYTES: usize = 10;

const NEEDS_CSUM: u8 = 1;
const DATA_VALID: u8 = 2;
const GSO_NONE: u8 = 0;
const GSO_TCPV4: u8 = 1;
const GSO_TCPV6: u8 = 4;
const GSO_UDP_L4: u8 = 5;
const GSO_ECN: u8 = 0x80;

/// The fields of the header that the kernel puts in front of a frame (`virtio_net_hdr`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VnetHeader {
    flags: u8,
    gso_type: u8,
    hdr_len: u16,
    gso_size: u16,
    csum_start: u16,
    csum_offset: u16,
}

impl VnetHeader {
    /// Decodes the header that the kernel puts in front of a frame.
    #[inline]
    pub(crate) fn read(bytes: &[u8; VNET_BYTES]) -> Self {
        let half = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
        let [flags, gso_type, ..] = *bytes;
        let (hdr_len, gso_size, csum_start, csum_offset) = (half(2), half(4), half(6), half(8));
        Self { flags, gso_type, hdr_len, gso_size, csum_start, csum_offset }
    }

    /// Encodes the header that the kernel reads in front of a frame.
    #[inline]
    pub(crate) fn write(&self) -> [u8; VNET_BYTES] {
        let mut bytes = [0; VNET_BYTES];
        (bytes[0], bytes[1]) = (self.flags, self.gso_type);
        let halves = [self.hdr_len, self.gso_size, self.csum_start, self.csum_offset];
        for (to, from) in bytes[2..].chunks_exact_mut(2).zip(halves) {
            to.copy_from_slice(&from.to_ne_bytes());
        }
        bytes
    }

    /// Returns the frame's metadata according to the header; `None` if the header requests an
    /// offload that Weir does not support.
    #[inline]
    pub(crate) fn metadata(&self, frame: &[u8]) -> Option<Metadata> {
        let checksum = if self.flags & NEEDS_CSUM != 0 {
            Checksum::Partial { start: self.csum_start, offset: self.csum_offset }
        } else if self.flags & DATA_VALID != 0 {
            Checksum::Valid
        } else {
            Checksum::Unverified
        };
        let kind = match self.gso_type & !GSO_ECN {
            GSO_NONE => return Some(Metadata { checksum, ..Metadata::default() }),
            GSO_TCPV4 => GsoKind::TcpV4,
            GSO_TCPV6 => GsoKind::TcpV6,
            GSO_UDP_L4 => GsoKind::Udp,
            _ => return None,
        };
        let first = network_start(frame);
        let network = network_before(frame, usize::from(self.csum_start)).or(first)?;
        let (size, ecn) = (self.gso_size, self.gso_type & GSO_ECN != 0);
        let in_tunnel = first.is_some_and(|first| first != network);
        let gso = Gso { kind, size, network: network as u16, in_tunnel, ecn };
        Some(Metadata { checksum, gso: Some(gso), ..Metadata::default() })
    }

    /// Makes the header of a frame.
    #[inline]
    pub(crate) fn for_frame(frame: &[u8], metadata: &Metadata) -> Self {
        let mut header = Self::default();
        if let Checksum::Partial { start, offset } = metadata.checksum {
            (header.flags, header.csum_start, header.csum_offset) = (NEEDS_CSUM, start, offset);
        }
        if let Some(gso) = metadata.gso {
            let (kind, transport) = match gso.kind {
                // The data offset is in the upper half of byte 12.
                GsoKind::TcpV4 => (GSO_TCPV4, 12),
                GsoKind::TcpV6 => (GSO_TCPV6, 12),
                GsoKind::Udp => (GSO_UDP_L4, 0),
            };
            let start = usize::from(header.csum_start);
            let bytes = match frame.get(start + transport) {
                Some(offset) if transport > 0 => usize::from(offset >> 4) * 4,
                _ => 8,
            };
            let headers = (start + bytes).min(frame.len());
            // The kernel drops some GSO frames of one segment.
            if frame.len() - headers > usize::from(gso.size) {
                // Only TCP has the CWR flag.
                header.gso_type = kind | if gso.ecn && transport > 0 { GSO_ECN } else { 0 };
                header.gso_size = gso.size;
                header.hdr_len = headers as u16;
            }
        }
        header
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_written_and_read_back() {
        let mut frame = [0; 2000];
        (frame[12], frame[14], frame[34 + 12]) = (0x08, 0x45, 0x80);
        let partial = Checksum::Partial { start: 34, offset: 16 };
        let gso = Gso { kind: GsoKind::TcpV4, size: 1448, network: 14, in_tunnel: false, ecn: true };
        for metadata in [
            Metadata::default(),
            Metadata { checksum: partial, ..Metadata::default() },
            Metadata { checksum: partial, gso: Some(gso), ..Metadata::default() },
        ] {
            let header = VnetHeader::for_frame(&frame, &metadata);
            assert_eq!(VnetHeader::read(&header.write()), header);
            assert_eq!(header.metadata(&frame), Some(metadata));
            assert_eq!(header.hdr_len, if metadata.gso.is_some() { 34 + 32 } else { 0 });
        }
        assert_eq!(VnetHeader { gso_type: 3, ..VnetHeader::default() }.metadata(&frame), None, "UFO");
    }

    /// The packet to be cut is the one whose checksum is partial, regardless of the bytes before
    /// it.
    #[test]
    fn the_inner_packet_is_found() {
        // IPv4 and TCP with 100 bytes.
        let mut inner = vec![0x45, 0, 0, 140, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        let sum = !crate::offload::internet_sum(0, &inner);
        inner[10..12].copy_from_slice(&sum.to_be_bytes());
        inner.extend([0; 12]);
        inner.push(0x50);
        inner.extend([0; 107]);
        let mut front = vec![0; 12];
        front.extend([0x08, 0x00, 0x45, 0, 0, 190, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        front.extend([0; 16 + 12]);
        front.extend([0x08, 0x00]);
        let mut labelled = vec![0; 12];
        labelled.extend([0x88, 0x47, 0, 1, 1, 64]);
        for (front, in_tunnel) in [(front, true), (labelled, false)] {
            let (network, start) = (front.len() as u16, front.len() as u16 + 20);
            let mut header =
                VnetHeader { flags: NEEDS_CSUM, gso_type: GSO_TCPV4, gso_size: 50, ..VnetHeader::default() };
            (header.csum_start, header.csum_offset) = (start, 16);
            let mut frame = [front, inner.clone()].concat();
            let gso = header.metadata(&frame).and_then(|metadata| metadata.gso).unwrap();
            assert_eq!((gso.network, gso.in_tunnel), (network, in_tunnel));
            // With a wrong checksum, these bytes are not a header, and the first IP header is used
            // if there is one.
            frame[usize::from(network) + 11] ^= 1;
            let gso = header.metadata(&frame).and_then(|metadata| metadata.gso);
            assert_eq!(gso.map(|gso| (gso.network, gso.in_tunnel)), in_tunnel.then_some((14, false)));
        }
    }
}
