//! Cuts GSO frames into the frames of a wire, exactly as Linux does without hardware
//! (`tcp_gso_segment`, `__udp_gso_segment`, `inet_gso_segment`, `ipv6_gso_segment`, and for tunnels
//! `__skb_udp_tunnel_segment` and `gre_gso_segment`).

use super::Malformed;
use super::bytes::{internet_sum, read_u16, write_ip_lengths, write_u16};
use super::network::header_end;
use super::tunnel::Tunnel;
use crate::{Checksum, Frame, Gso, GsoKind};

/// Bytes of a UDP header, of a TCP header without options, and of an IPv6 header.
const UDP: usize = 8;
/// The length of a TCP header without options.
const TCP: usize = 20;
const IPV6: usize = 40;
/// The FIN flag of TCP, in byte 13 of its header.
const FIN: u8 = 0x01;
/// The PSH flag of TCP.
const PSH: u8 = 0x08;
/// The CWR flag of TCP.
const CWR: u8 = 0x80;

/// A GSO frame that was checked and can be cut.
#[derive(Debug)]
pub struct Segments<'f> {
    frame: &'f [u8],
    network: usize,
    transport: usize,
    /// The number of bytes of all headers.
    headers: usize,
    gso: Gso,
    tunnel: Option<Tunnel>,
}

impl<'f> Segments<'f> {
    /// Checks a GSO frame. There may be any bytes between its Ethernet and IP headers, which each
    /// segment repeats.
    ///
    /// # Errors
    /// The frame has no GSO metadata, or the metadata contradicts the bytes.
    pub fn from_frame(frame: &'f Frame<'_>) -> Result<Self, Malformed> {
        let gso = frame.metadata.gso.ok_or(Malformed("it is not a GSO frame"))?;
        let Checksum::Partial { start, offset } = frame.metadata.checksum else {
            return Err(Malformed("a GSO frame's checksum is partial"));
        };
        let (bytes, network, transport) = (frame.bytes(), usize::from(gso.network), usize::from(start));
        if gso.size == 0 {
            return Err(Malformed("its segments have no bytes"));
        }
        let (protocol, field, least) = if gso.kind == GsoKind::Udp { (17, 6, UDP) } else { (6, 16, TCP) };
        if usize::from(offset) != field {
            return Err(Malformed("its partial checksum is not where TCP or UDP has one"));
        }
        if bytes.len() < transport + least {
            return Err(Malformed("it ends before its transport header does"));
        }
        let between = transport.checked_sub(network).ok_or(Malformed("its IP header comes too late"))?;
        let version = bytes[network] >> 4;
        let right = match (version, gso.kind) {
            (4, GsoKind::TcpV4 | GsoKind::Udp) => {
                between >= 20
                    && between == usize::from(bytes[network] & 15) * 4
                    && bytes[network + 9] == protocol
            }
            (6, GsoKind::TcpV6 | GsoKind::Udp) => {
                between >= IPV6 && header_end(bytes, network) == Some(transport)
            }
            _ => false,
        };
        if !right {
            return Err(Malformed("its IP header does not fit its kind"));
        }
        let header = match gso.kind {
            GsoKind::Udp => UDP,
            GsoKind::TcpV4 | GsoKind::TcpV6 => usize::from(bytes[transport + 12] >> 4) * 4,
        };
        let headers = transport + header;
        if header < least || bytes.len() < headers {
            return Err(Malformed("its transport header's length is wrong"));
        }
        let tunnel = gso.in_tunnel.then(|| Tunnel::containing(bytes, network)).transpose()?;
        Ok(Self { frame: bytes, network, transport, headers, gso, tunnel })
    }

    /// Returns the number of frames that the GSO frame is cut into.
    pub fn count(&self) -> usize {
        (self.frame.len() - self.headers).div_ceil(usize::from(self.gso.size)).max(1)
    }

    /// Returns the length of the longest of these frames in bytes.
    pub fn longest_frame(&self) -> usize {
        self.frame.len().min(self.headers + usize::from(self.gso.size))
    }

    /// Appends one of the frames, with complete checksums.
    ///
    /// # Panics
    /// `number` is not less than [`Segments::count`].
    pub fn write(&self, number: usize, out: &mut Vec<u8>) {
        assert!(number < self.count(), "segment {number} of {}", self.count());
        let payload = &self.frame[self.headers..];
        let first = number * usize::from(self.gso.size);
        let last = payload.len().min(first + usize::from(self.gso.size));
        let begin = out.len();
        out.extend_from_slice(&self.frame[..self.headers]);
        out.extend_from_slice(&payload[first..last]);
        let segment = &mut out[begin..];
        write_ip_lengths(number, self.network, self.transport, segment);
        match self.gso.kind {
            GsoKind::Udp => self.write_udp(segment),
            GsoKind::TcpV4 | GsoKind::TcpV6 => self.write_tcp(number, first, segment),
        }
        if let Some(tunnel) = &self.tunnel {
            tunnel.write(number, segment);
        }
    }

    fn write_tcp(&self, number: usize, first: usize, segment: &mut [u8]) {
        let covered = &mut segment[self.transport..];
        let sequence = u32::from_be_bytes([covered[4], covered[5], covered[6], covered[7]]);
        covered[4..8].copy_from_slice(&sequence.wrapping_add(first as u32).to_be_bytes());
        if number > 0 {
            covered[13] &= !CWR;
        }
        if number + 1 < self.count() {
            covered[13] &= !(FIN | PSH);
        }
        self.replace_length_in_sum(16, covered);
        let sum = !internet_sum(0, covered);
        write_u16(covered, 16, sum);
    }

    fn write_udp(&self, segment: &mut [u8]) {
        let covered = &mut segment[self.transport..];
        write_u16(covered, 4, covered.len() as u16);
        self.replace_length_in_sum(6, covered);
        let sum = !internet_sum(0, covered);
        write_u16(covered, 6, if sum == 0 { 0xffff } else { sum });
    }

    /// Corrects the sum of the pseudo-header in the field: replaces the length of the whole frame
    /// by the length of the segment.
    fn replace_length_in_sum(&self, field: usize, covered: &mut [u8]) {
        let whole = (self.frame.len() - self.transport) as u16;
        let lengths = [(!whole).to_be_bytes(), (covered.len() as u16).to_be_bytes()].concat();
        write_u16(covered, field, internet_sum(read_u16(covered, field), &lengths));
    }
}
