//! Partial checksums of frames without metadata, as AF_XDP delivers them.

use super::{internet_sum, network_start};
use crate::Checksum;

/// The IP protocol number of TCP.
const TCP: u8 = 6;
/// The IP protocol number of UDP.
const UDP: u8 = 17;
/// The IP protocol number of SCTP.
const SCTP: u8 = 132;

/// Infers the state of a frame's checksum from its bytes. The checksum is assumed to be partial if
/// its field contains the sum of the pseudo-header, as in frames of this computer, and the sum over
/// all bytes is wrong. One in 65 536 packets that were damaged on a wire also meets this condition.
/// An SCTP checksum is partial if it is zero. Fragments, packets with IPv6 extension headers, and
/// packets in tunnels are not examined.
pub fn infer_checksum(frame: &[u8]) -> Checksum {
    partial_checksum(frame).unwrap_or_default()
}

#[inline]
fn partial_checksum(frame: &[u8]) -> Option<Checksum> {
    let network = network_start(frame)?;
    let ip = frame.get(network..)?;
    let half = |at: usize| Some(u16::from_be_bytes([*ip.get(at)?, *ip.get(at + 1)?]));
    let (protocol, addresses, header, length) = match ip.first()? >> 4 {
        4 if half(6)? & 0x3fff == 0 => {
            let header = usize::from(ip[0] & 0xf) * 4;
            (*ip.get(9)?, ip.get(12..20)?, header, usize::from(half(2)?).checked_sub(header)?)
        }
        6 => (*ip.get(6)?, ip.get(8..40)?, 40, usize::from(half(4)?)),
        _ => return None,
    };
    let offset = match protocol {
        TCP => 16,
        UDP => 6,
        SCTP => 8,
        _ => return None,
    };
    if header < 20 {
        return None;
    }
    let transport = ip.get(header..header + length)?;
    let field = u16::from_be_bytes([*transport.get(offset)?, *transport.get(offset + 1)?]);
    let start = (network + header) as u16;
    let partial = Checksum::Partial { start, offset: offset as u16 };
    if protocol == SCTP {
        return (transport.get(8..12)? == [0; 4]).then_some(partial);
    }
    // A UDP packet without a checksum has zero in the field.
    if field == 0 {
        return None;
    }
    let mut pseudo = [0, protocol, 0, 0];
    pseudo[2..].copy_from_slice(&(length as u16).to_be_bytes());
    let sum = internet_sum(internet_sum(0, addresses), &pseudo);
    (field == sum && internet_sum(sum, transport) != 0xffff).then_some(partial)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offload::complete;
    use crate::{Frame, Metadata};

    /// Makes a UDP packet with two bytes of payload. Its checksum field holds the sum of the
    /// pseudo-header.
    fn packet(payload: [u8; 2]) -> Vec<u8> {
        let mut bytes = vec![0; 12];
        bytes.extend([0x08, 0x00, 0x45, 0, 0, 30, 0, 0, 0, 0, 64, UDP, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        bytes.extend([0x30, 0x39, 0x30, 0x39, 0, 10]);
        let sum = internet_sum(0, &[10, 0, 0, 1, 10, 0, 0, 2, 0, UDP, 0, 10]);
        bytes.extend(sum.to_be_bytes());
        bytes.extend(payload);
        bytes
    }

    #[test]
    fn partial_checksums_differ_from_whole_ones() {
        let partial = Checksum::Partial { start: 34, offset: 6 };
        for payload in [[1, 2], [0xff, 0xfe]] {
            let bytes = packet(payload);
            assert_eq!(infer_checksum(&bytes), partial);
            let mut frame = Frame::copy_of(&bytes, Metadata { checksum: partial, ..Metadata::default() });
            complete(&mut frame).unwrap();
            assert_eq!(infer_checksum(frame.bytes()), Checksum::Unverified);
            for end in 0..bytes.len() {
                assert_eq!(infer_checksum(&bytes[..end]), Checksum::Unverified, "{end} bytes");
            }
        }
        // The header is too short, so that addresses would be read as the checksum.
        let mut bytes = packet([1, 2]);
        bytes[14] = 0x40;
        assert_eq!(infer_checksum(&bytes), Checksum::Unverified);
        // A packet whose whole checksum is, by chance, the sum of the pseudo-header.
        let mut bytes = packet([0, 0]);
        let rest = internet_sum(internet_sum(0, &[10, 0, 0, 1, 10, 0, 0, 2, 0, UDP, 0, 10]), &bytes[34..]);
        bytes[42..].copy_from_slice(&(!rest).to_be_bytes());
        assert_eq!(infer_checksum(&bytes), Checksum::Unverified);
    }
}
