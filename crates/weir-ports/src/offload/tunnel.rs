//! Packets in tunnels: IP in IP, GRE, and tunnels over UDP (VXLAN, Geneve, FOU).

use super::Malformed;
use super::bytes::{internet_sum, read_u16, write_ip_lengths, write_u16};
use super::network::{header_end, network_start};

/// The IP protocol number of IPv4 in IP.
const IPIP: u8 = 4;
/// The IP protocol number of UDP.
const UDP: u8 = 17;
/// The IP protocol number of IPv6 in IP.
const SIT: u8 = 41;
/// The IP protocol number of GRE.
const GRE: u8 = 47;

/// The EtherType of Ethernet frames in GRE.
const ETHERNET: u16 = 0x6558;
/// The flag of a checksum in GRE's header.
const GRE_CHECKSUM: u16 = 0x8000;
/// The flag of a key in GRE's header.
const GRE_KEY: u16 = 0x2000;
const GRE_OTHER: u16 = 0x5fff & !GRE_KEY;

/// The headers of a tunnel around the packet that is cut into segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tunnel {
    /// The position at which the outer IP header begins.
    network: usize,
    end: usize,
    /// The position of the checksum over all bytes after the IP header, if there is one.
    checksum: Option<usize>,
    udp: bool,
}

impl Tunnel {
    /// Returns the tunnel that contains the IP header at `inner`.
    pub(super) fn containing(frame: &[u8], inner: usize) -> Result<Self, Malformed> {
        network_start(frame)
            .and_then(|network| Self::find(frame, network, inner))
            .ok_or(Malformed("it is in a tunnel of another kind than IP, GRE or one over UDP"))
    }

    /// Finds the tunnel whose outer IP header is at `network` and whose inner IP header is at
    /// `inner`.
    fn find(frame: &[u8], network: usize, inner: usize) -> Option<Self> {
        let end = header_end(frame, network).filter(|end| *end <= inner)?;
        let (v6, least) = (frame[network] >> 4 == 6, if frame[network] >> 4 == 6 { 40 } else { 20 });
        // Outer IPv6 headers with options (the encapsulation limit) are not supported.
        if end < network + least || v6 && end != network + 40 {
            return None;
        }
        let protocol = frame[network + if v6 { 6 } else { 9 }];
        let is_packet = |at: usize| at == inner;
        let is_frame = |at: usize| {
            let rest = frame.get(at..)?;
            Some(network_start(rest)? + at == inner)
        };
        let is_either = |at: usize| is_packet(at) || is_frame(at) == Some(true);
        let (checksum, udp) = match protocol {
            IPIP | SIT if is_packet(end) => (None, false),
            GRE => (
                gre_checksum(frame.get(end..inner)?, end, is_packet, |at| is_frame(at) == Some(true))?,
                false,
            ),
            UDP => {
                let header = frame.get(end..end + 8)?;
                // Geneve says how long its options are; FOU has no header.
                let geneve = end + 16 + usize::from(*frame.get(end + 8)? & 0x3f) * 4;
                let is_there = is_packet(end + 8) || is_either(end + 16) || is_either(geneve);
                if !is_there || usize::from(read_u16(header, 4)) != frame.len() - end {
                    return None;
                }
                ((read_u16(header, 6) != 0).then_some(end + 6), true)
            }
            _ => return None,
        };
        Some(Self { network, end, checksum, udp })
    }

    /// Sets the lengths and checksums of a segment, whose inner packet is complete.
    pub(super) fn write(&self, number: usize, segment: &mut [u8]) {
        if self.udp {
            let length = (segment.len() - self.end) as u16;
            write_u16(segment, self.end + 4, length);
        }
        if let Some(at) = self.checksum {
            write_u16(segment, at, 0);
            let sum = internet_sum(self.pseudo_header(segment), &segment[self.end..]);
            write_u16(segment, at, if self.udp && sum == 0xffff { 0xffff } else { !sum });
        }
        write_ip_lengths(number, self.network, self.end, segment);
    }

    /// Returns the sum of UDP's pseudo-header; GRE has none.
    fn pseudo_header(&self, segment: &[u8]) -> u16 {
        if !self.udp {
            return 0;
        }
        let header = &segment[self.network..];
        let addresses = if header[0] >> 4 == 6 { &header[8..40] } else { &header[12..20] };
        let length = ((segment.len() - self.end) as u16).to_be_bytes();
        internet_sum(internet_sum(0, addresses), &[0, UDP, length[0], length[1]])
    }
}

/// Returns the position of the checksum of a GRE header, if it has one; an error if the packet in
/// GRE is not the inner packet.
fn gre_checksum(
    header: &[u8],
    start: usize,
    is_packet: impl Fn(usize) -> bool,
    is_frame: impl Fn(usize) -> bool,
) -> Option<Option<usize>> {
    let (flags, kind) = (read_u16(header.get(..4)?, 0), read_u16(header, 2));
    let has_checksum = flags & GRE_CHECKSUM != 0;
    let end = start + 4 + if has_checksum { 4 } else { 0 } + if flags & GRE_KEY != 0 { 4 } else { 0 };
    let is_there = if kind == ETHERNET { is_frame(end) } else { is_packet(end) };
    (flags & GRE_OTHER == 0 && is_there && start + header.len() >= end)
        .then_some(has_checksum.then_some(start + 4))
}
