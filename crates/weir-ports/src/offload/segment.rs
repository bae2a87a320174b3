//! GSO frames, cut into the frames that go on a wire.

use super::{Malformed, internet_sum};
use crate::{Checksum, Frame, GsoKind};

/// Bytes of the Ethernet header without tags.
const ETHERNET: usize = 14;
const VLAN_TAGS: [[u8; 2]; 2] = [[0x81, 0x00], [0x88, 0xa8]];
const IPV4: [u8; 2] = [0x08, 0x00];
const IPV6: [u8; 2] = [0x86, 0xdd];
const IPV6_HEADER: usize = 40;
const UDP_HEADER: usize = 8;
/// Where TCP's flags are, from the start of its header.
const TCP_FLAGS: usize = 13;
const FIN_AND_PSH: u8 = 0x01 | 0x08;
const CWR: u8 = 0x80;

/// Where the headers of a GSO frame begin and end.
struct Headers {
    ip: usize,
    is_ipv4: bool,
    transport: usize,
    /// Where the checksum is.
    checksum: usize,
    is_tcp: bool,
    /// Bytes of all headers.
    end: usize,
}

/// Cuts a GSO frame into frames with whole checksums, and passes them on in order. `memory` is used
/// for each of them in turn. A frame that is no GSO frame is passed on as it is.
///
/// Each segment has the headers of the frame, with its own lengths and checksums. IPv4's
/// identification counts up, as does TCP's sequence number. The flags FIN and PSH are those of the
/// last segment, CWR is that of the first (RFC 3168, section 6.1.2).
///
/// # Errors
/// The metadata contradicts the bytes; nothing was passed on.
pub fn segment(
    frame: &Frame<'_>,
    memory: &mut Vec<u8>,
    mut pass_on: impl FnMut(&[u8]),
) -> Result<(), Malformed> {
    let bytes = frame.bytes();
    let Some(gso) = frame.metadata.gso else {
        pass_on(bytes);
        return Ok(());
    };
    let Checksum::Partial { start, offset } = frame.metadata.checksum else {
        return Err(Malformed("it is a GSO frame with a whole checksum"));
    };
    let is_tcp = gso.kind != GsoKind::Udp;
    let headers = Headers::find(bytes, usize::from(start), usize::from(offset), is_tcp)?;
    let (header, payload) = bytes.split_at(headers.end);
    let size = usize::from(gso.size);
    if size == 0 || payload.is_empty() {
        return Err(Malformed("it is a GSO frame without segments"));
    }
    // The sum of the pseudo-header without its length.
    let length = bytes.len() - headers.transport;
    let pseudo = internet_sum(half(header, headers.checksum), &(!(length as u16)).to_be_bytes());
    let count = payload.len().div_ceil(size);
    for (index, part) in payload.chunks(size).enumerate() {
        memory.clear();
        memory.extend_from_slice(header);
        memory.extend_from_slice(part);
        headers.write_ip(memory, index);
        let length = memory.len() - headers.transport;
        if headers.is_tcp {
            let place = headers.transport + 4..headers.transport + 8;
            let first = u32::from_be_bytes([
                memory[place.start],
                memory[place.start + 1],
                memory[place.start + 2],
                memory[place.start + 3],
            ]);
            memory[place].copy_from_slice(&first.wrapping_add((index * size) as u32).to_be_bytes());
            let flags = &mut memory[headers.transport + TCP_FLAGS];
            *flags &= if index + 1 < count { !FIN_AND_PSH } else { 0xff };
            *flags &= if index > 0 { !CWR } else { 0xff };
        } else {
            set_half(memory, headers.transport + 4, length as u16);
        }
        set_half(memory, headers.checksum, internet_sum(pseudo, &(length as u16).to_be_bytes()));
        let sum = !internet_sum(0, &memory[headers.transport..]);
        set_half(memory, headers.checksum, if sum == 0 && !headers.is_tcp { 0xffff } else { sum });
        pass_on(memory);
    }
    Ok(())
}

impl Headers {
    fn find(bytes: &[u8], transport: usize, offset: usize, is_tcp: bool) -> Result<Self, Malformed> {
        let mut ip = ETHERNET;
        while ip + 4 <= bytes.len() && VLAN_TAGS.iter().any(|tag| bytes[ip - 2..ip] == *tag) {
            ip += 4;
        }
        let is_ipv4 = match bytes.get(ip - 2..ip) {
            Some(kind) if kind == IPV4 => true,
            Some(kind) if kind == IPV6 => false,
            _ => return Err(Malformed("it is a GSO frame, but no IP packet")),
        };
        let shortest = ip + if is_ipv4 { 20 } else { IPV6_HEADER };
        let fixed = transport + if is_tcp { 20 } else { UDP_HEADER };
        if transport < shortest || bytes.len() < fixed {
            return Err(Malformed("its transport header lies outside"));
        }
        if is_ipv4 && ip + usize::from(bytes[ip] & 0xf) * 4 != transport {
            return Err(Malformed("its IPv4 header does not end where its partial checksum begins"));
        }
        let (expected, length) =
            if is_tcp { (16, usize::from(bytes[transport + 12] >> 4) * 4) } else { (6, UDP_HEADER) };
        let end = transport + length;
        if offset != expected || length < fixed - transport || end > bytes.len() {
            return Err(Malformed("its transport header contradicts its metadata"));
        }
        Ok(Self { ip, is_ipv4, transport, checksum: transport + offset, is_tcp, end })
    }

    /// Writes the IP header's length, identification and checksum.
    fn write_ip(&self, segment: &mut [u8], index: usize) {
        let length = segment.len() - self.ip;
        if !self.is_ipv4 {
            return set_half(segment, self.ip + 4, (length - IPV6_HEADER) as u16);
        }
        set_half(segment, self.ip + 2, length as u16);
        let identification = half(segment, self.ip + 4).wrapping_add(index as u16);
        set_half(segment, self.ip + 4, identification);
        set_half(segment, self.ip + 10, 0);
        let sum = !internet_sum(0, &segment[self.ip..self.transport]);
        set_half(segment, self.ip + 10, sum);
    }
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn set_half(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Gso, Metadata};

    /// A GSO frame of TCP with the partial checksum that the kernel would give it.
    fn tcp(is_ipv4: bool, tags: usize, options: usize, payload: usize, flags: u8) -> Vec<u8> {
        let mut bytes = vec![2; 12];
        (0..tags).for_each(|tag| bytes.extend([0x81, 0, 0, tag as u8]));
        let transport = 20 + options + payload;
        if is_ipv4 {
            bytes.extend(IPV4);
            bytes.extend([0x45, 0]);
            bytes.extend(((20 + transport) as u16).to_be_bytes());
            bytes.extend([0xff, 0xfe, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        } else {
            bytes.extend(IPV6);
            bytes.extend([0x60, 0, 0, 0]);
            bytes.extend((transport as u16).to_be_bytes());
            bytes.extend([6, 64]);
            bytes.extend([0xfd; 32]);
        }
        let ip = 14 + 4 * tags;
        let addresses = if is_ipv4 { ip + 12..ip + 20 } else { ip + 8..ip + 40 };
        let mut pseudo = bytes[addresses].to_vec();
        pseudo.extend([0, 6]);
        pseudo.extend((transport as u16).to_be_bytes());
        bytes.extend([0x30, 0x39, 0, 80]);
        bytes.extend(0xffff_ff00_u32.to_be_bytes());
        bytes.extend([0, 0, 0, 7]);
        bytes.extend([(((20 + options) / 4) << 4) as u8, flags, 1, 0]);
        bytes.extend(internet_sum(0, &pseudo).to_be_bytes());
        bytes.extend([0, 0]);
        bytes.extend(vec![1; options]);
        bytes.extend((0..payload).map(|index| (index * 7) as u8));
        bytes
    }

    fn cut(bytes: &[u8], start: usize, offset: u16, gso: Gso) -> Result<Vec<Vec<u8>>, Malformed> {
        let checksum = Checksum::Partial { start: start as u16, offset };
        let frame = Frame::copied(bytes, Metadata { checksum, gso: Some(gso), ..Metadata::default() });
        let mut found = Vec::new();
        segment(&frame, &mut Vec::new(), |segment| found.push(segment.to_vec()))?;
        Ok(found)
    }

    /// Whether a transport checksum is right: the sum over pseudo-header and segment is 0xffff.
    fn is_right(segment: &[u8], ip: usize, is_ipv4: bool, protocol: u8) -> bool {
        let (addresses, transport) =
            if is_ipv4 { (ip + 12..ip + 20, ip + 20) } else { (ip + 8..ip + 40, ip + 40) };
        let mut pseudo = segment[addresses].to_vec();
        pseudo.extend([0, protocol]);
        pseudo.extend(((segment.len() - transport) as u16).to_be_bytes());
        let header = !is_ipv4 || internet_sum(0, &segment[ip..transport]) == 0xffff;
        header && internet_sum(internet_sum(0, &pseudo), &segment[transport..]) == 0xffff
    }

    #[test]
    fn tcp_segments_have_their_own_lengths_numbers_flags_and_checksums() {
        for (is_ipv4, tags, options) in [(true, 0, 0), (true, 2, 12), (false, 1, 12), (false, 0, 40)] {
            let (ip, kind) = (14 + 4 * tags, if is_ipv4 { GsoKind::TcpV4 } else { GsoKind::TcpV6 });
            let transport = ip + if is_ipv4 { 20 } else { 40 };
            let payload = transport + 20 + options;
            let frame = tcp(is_ipv4, tags, options, 3000, 0x10 | FIN_AND_PSH | CWR);
            let segments = cut(&frame, transport, 16, Gso { kind, size: 1448, ecn: true }).unwrap();
            assert_eq!(
                segments.iter().map(Vec::len).collect::<Vec<_>>(),
                [1448, 1448, 104].map(|size| payload + size)
            );
            for (index, segment) in segments.iter().enumerate() {
                assert!(is_right(segment, ip, is_ipv4, 6), "segment {index}");
                let sequence = u32::from_be_bytes(segment[transport + 4..transport + 8].try_into().unwrap());
                assert_eq!(sequence, 0xffff_ff00_u32.wrapping_add(1448 * index as u32));
                let flags = [0x10 | CWR, 0x10, 0x10 | FIN_AND_PSH][index];
                assert_eq!(segment[transport + 13], flags);
                if is_ipv4 {
                    assert_eq!(half(segment, ip + 4), 0xfffe_u16.wrapping_add(index as u16));
                }
            }
            let whole: Vec<u8> = segments.iter().flat_map(|segment| segment[payload..].to_vec()).collect();
            assert_eq!(whole, frame[payload..]);
        }
    }

    #[test]
    fn udp_segments_are_datagrams() {
        let mut bytes = tcp(true, 0, 0, 0, 0);
        bytes.truncate(34);
        bytes[23] = 17;
        let length = 8 + 2500_u16;
        bytes.extend([0, 9, 0, 9]);
        bytes.extend(length.to_be_bytes());
        let mut pseudo = bytes[26..34].to_vec();
        pseudo.extend([0, 17]);
        pseudo.extend(length.to_be_bytes());
        bytes.extend(internet_sum(0, &pseudo).to_be_bytes());
        bytes.extend(vec![5; 2500]);
        let segments = cut(&bytes, 34, 6, Gso { kind: GsoKind::Udp, size: 1000, ecn: false }).unwrap();
        assert_eq!(segments.len(), 3);
        for (segment, payload) in segments.iter().zip([1000, 1000, 500]) {
            assert_eq!((segment.len(), half(segment, 38)), (42 + payload, 8 + payload as u16));
            assert!(is_right(segment, 14, true, 17));
        }
    }

    #[test]
    fn frames_that_contradict_their_metadata_are_refused() {
        let gso = Gso { kind: GsoKind::TcpV4, size: 1448, ecn: false };
        let frame = tcp(true, 0, 0, 3000, 0x10);
        assert!(cut(&frame, 34, 16, Gso { size: 0, ..gso }).is_err());
        assert!(cut(&frame, 34, 6, gso).is_err());
        assert!(cut(&frame, 38, 16, gso).is_err());
        assert!(cut(&frame, 60_000, 16, gso).is_err());
        assert!(cut(&frame[..54], 34, 16, gso).is_err());
        let mut other = frame.clone();
        other[12] = 0x88;
        assert!(cut(&other, 34, 16, gso).is_err());
        for end in 0..frame.len().min(60) {
            assert!(cut(&frame[..end], 34, 16, gso).is_err() || end > 54, "{end} bytes");
        }
    }
}
