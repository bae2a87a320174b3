//! Segments of GSO frames inside tunnels: each is a segment of the inner frame after headers that
//! fit it.

mod common;

use common::{Shape, packet};
use etherparse::{NetSlice, SlicedPacket};
use weir_ports::offload::{Malformed, Segments, for_interface, internet_sum};
use weir_ports::{Checksum, Frame, Gso, Metadata, Offloads};

const SIZE: u16 = 500;

/// The headers between the outer IP header and the inner packet.
#[derive(Clone, Copy, Debug)]
struct TunnelHeaders {
    protocol: u8,
    bytes: &'static [u8],
    /// Whether the inner Ethernet header is part of the packet.
    ethernet: bool,
}

const AROUND: [TunnelHeaders; 8] = [
    // IP in IP; its protocol depends on the inner packet.
    TunnelHeaders { protocol: 0, bytes: &[], ethernet: false },
    // GRE: plain, with a key, with a checksum, and around an Ethernet frame.
    TunnelHeaders { protocol: 47, bytes: &[0, 0, 0x08, 0x00], ethernet: false },
    TunnelHeaders { protocol: 47, bytes: &[0x20, 0, 0x08, 0x00, 1, 2, 3, 4], ethernet: false },
    TunnelHeaders { protocol: 47, bytes: &[0x80, 0, 0x08, 0x00, 0xee, 0xee, 0, 0], ethernet: false },
    TunnelHeaders { protocol: 47, bytes: &[0, 0, 0x65, 0x58], ethernet: true },
    // UDP: VXLAN, Geneve with four bytes of options, and FOU.
    TunnelHeaders {
        protocol: 17,
        bytes: &[0x80, 1, 0x12, 0xb5, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 7, 0],
        ethernet: true,
    },
    TunnelHeaders {
        protocol: 17,
        bytes: &[0x80, 1, 0x17, 0xc1, 0, 0, 0, 0, 1, 0, 0x65, 0x58, 0, 0, 7, 0, 1, 2, 3, 0],
        ethernet: true,
    },
    TunnelHeaders { protocol: 17, bytes: &[0x80, 1, 0x15, 0xb3, 0, 0, 0, 0], ethernet: false },
];

/// Returns a GSO frame in a tunnel, as the kernel hands it over, and how many bytes precede the
/// inner packet or frame.
fn tunnelled(
    around: TunnelHeaders,
    inner: &[u8],
    metadata: Metadata,
    v6: bool,
    sum: bool,
) -> (Frame<'static>, usize) {
    let Checksum::Partial { start, offset } = metadata.checksum else { unreachable!() };
    let gso = metadata.gso.unwrap();
    let skipped = if around.ethernet { 0 } else { usize::from(gso.network) };
    let behind = around.bytes.len() + inner.len() - skipped;
    let is_v6 = inner[usize::from(gso.network)] >> 4 == 6;
    let protocol = match around.protocol {
        0 if is_v6 => 41,
        0 => 4,
        other => other,
    };
    let mut bytes = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
    if v6 {
        bytes.extend([0x86, 0xdd, 0x60, 0, 0, 0]);
        bytes.extend((behind as u16).to_be_bytes());
        bytes.extend([protocol, 64]);
        bytes.extend([0xfd; 32]);
    } else {
        let mut header = vec![0x45, 0];
        header.extend((20 + behind as u16).to_be_bytes());
        header.extend([0xff, 0xff, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        let sum = !internet_sum(0, &header);
        header[10..12].copy_from_slice(&sum.to_be_bytes());
        bytes.extend([0x08, 0x00]);
        bytes.extend(header);
    }
    let end = bytes.len();
    bytes.extend(around.bytes);
    if protocol == 17 {
        bytes[end + 4..end + 6].copy_from_slice(&(behind as u16).to_be_bytes());
        if sum {
            bytes[end + 6] = 0xee;
        }
    }
    if protocol == 47 && !around.ethernet && is_v6 {
        bytes[end + 2..end + 4].copy_from_slice(&[0x86, 0xdd]);
    }
    let front = bytes.len();
    bytes.extend(&inner[skipped..]);
    let moved = |place: u16| (usize::from(place) + front - skipped) as u16;
    let checksum = Checksum::Partial { start: moved(start), offset };
    let gso = Gso { size: SIZE, network: moved(gso.network), in_tunnel: true, ..gso };
    (Frame::copy_of(&bytes, Metadata { checksum, gso: Some(gso), time: None }), front)
}

fn segment_frame(frame: &Frame<'_>, offloads: Offloads) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for_interface(frame, offloads, |frame| {
        assert_eq!((frame.metadata.gso, frame.metadata.checksum), (None, Checksum::Valid));
        all.push(frame.bytes().to_vec());
        Ok::<(), Malformed>(())
    })
    .unwrap();
    all
}

/// Returns the sum over the pseudo-header of UDP and all bytes after the IP header, which is 0xffff
/// if the checksum is right.
fn udp_sum(segment: &[u8], end: usize, v6: bool) -> u16 {
    let addresses = if v6 { &segment[22..54] } else { &segment[26..34] };
    let length = ((segment.len() - end) as u16).to_be_bytes();
    internet_sum(internet_sum(internet_sum(0, addresses), &[0, 17, length[0], length[1]]), &segment[end..])
}

#[test]
fn segments_in_tunnels_are_those_of_the_inner_frame() {
    for (number, around) in AROUND.into_iter().enumerate() {
        for flags in 0..16_u8 {
            let (outer_v6, v6, udp, sum) = (flags & 1 > 0, flags & 2 > 0, flags & 4 > 0, flags & 8 > 0);
            let shape = Shape { v6, udp, tags: 0, flags: 0x99, options: 0, payload: 1234, seed: 7 };
            let (inner, metadata) = packet(shape);
            let gso = metadata.gso.map(|gso| Gso { size: SIZE, ..gso });
            let alone = Frame::copy_of(&inner, Metadata { gso, ..metadata });
            let expected = segment_frame(&alone, Offloads::default());
            let (frame, front) = tunnelled(around, &inner, metadata, outer_v6, sum);
            let skipped = inner.len() + front - frame.len();
            // An interface that cuts GSO frames cannot cut them in a tunnel.
            for offloads in [Offloads::default(), Offloads { gso: true, checksum: true }] {
                let all = segment_frame(&frame, offloads);
                assert_eq!(all.len(), expected.len());
                for (place, (segment, inner)) in all.iter().zip(&expected).enumerate() {
                    assert_eq!(segment[front..], inner[skipped..], "{number} {flags} {place}");
                    let end = if outer_v6 { 54 } else { 34 };
                    match SlicedPacket::from_ethernet(segment).unwrap().net.unwrap() {
                        NetSlice::Ipv4(ip) => {
                            let header = ip.header().to_header();
                            assert_eq!(header.header_checksum, header.calc_header_checksum());
                            assert_eq!(usize::from(header.total_len), segment.len() - 14);
                            assert_eq!(header.identification, 0xffff_u16.wrapping_add(place as u16));
                        }
                        NetSlice::Ipv6(ip) => {
                            assert_eq!(usize::from(ip.header().payload_length()), segment.len() - end);
                        }
                        other => panic!("{other:?}"),
                    }
                    let bytes = around.bytes;
                    let field = [segment[end + 6], segment[end + 7]];
                    match around.protocol {
                        17 if sum => assert_eq!(udp_sum(segment, end, outer_v6), 0xffff),
                        17 => assert_eq!(field, [0, 0], "no checksum stays none"),
                        47 if bytes[0] & 0x80 > 0 => assert_eq!(internet_sum(0, &segment[end..]), 0xffff),
                        _ => {}
                    }
                    if around.protocol == 17 {
                        let length = usize::from(u16::from_be_bytes([segment[end + 4], segment[end + 5]]));
                        assert_eq!(length, segment.len() - end);
                    }
                }
            }
        }
    }
}

/// The bytes between the headers are not understood, or contain lengths that would be wrong after
/// cutting.
#[test]
fn other_tunnels_are_refused() {
    let shape = Shape { v6: false, udp: false, tags: 0, flags: 0x10, options: 0, payload: 1234, seed: 7 };
    let (inner, metadata) = packet(shape);
    let vxlan = AROUND[5];
    for (at, value) in [(23, 132), (38, 0xff), (46, 9), (14, 0x46)] {
        let (mut frame, _) = tunnelled(vxlan, &inner, metadata, false, true);
        assert!(Segments::from_frame(&frame).is_ok());
        if at == 46 {
            // The inner Ethernet header is not at the place that VXLAN or Geneve require.
            frame.bytes_mut()[62] = 0x99;
        } else {
            frame.bytes_mut()[at] = value;
        }
        assert!(Segments::from_frame(&frame).is_err(), "byte {at}");
    }
    let numbered = TunnelHeaders { protocol: 47, bytes: &[0x10, 0, 0x08, 0x00, 0, 0, 0, 1], ethernet: false };
    let (frame, _) = tunnelled(numbered, &inner, metadata, false, true);
    assert!(Segments::from_frame(&frame).is_err(), "GRE with numbers");
    // An IPv6 packet whose headers end elsewhere according to the metadata.
    let (inner, metadata) = packet(Shape { v6: true, ..shape });
    let (frame, _) = tunnelled(vxlan, &inner, metadata, true, true);
    let outer = Gso { network: 14, in_tunnel: false, ..frame.metadata.gso.unwrap() };
    let wrong = Frame::copy_of(frame.bytes(), Metadata { gso: Some(outer), ..frame.metadata });
    assert!(Segments::from_frame(&wrong).is_err(), "the tunnel is not an extension header");
}
