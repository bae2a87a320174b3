//! Segments of GSO frames, read by an independent parser.

mod common;

use common::{Shape, packet};
use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use proptest::prelude::*;
use weir_ports::offload::{Segments, complete};
use weir_ports::{Checksum, Frame, Gso, Metadata};

/// Returns a GSO frame with segments of `size` bytes.
fn gso(shape: Shape, size: u16) -> Frame<'static> {
    let (bytes, metadata) = packet(shape);
    let gso = metadata.gso.map(|gso| Gso { size, ..gso });
    Frame::copy_of(&bytes, Metadata { gso, ..metadata })
}

fn segments(frame: &Frame<'_>) -> Vec<Vec<u8>> {
    let segments = Segments::from_frame(frame).unwrap();
    let frames: Vec<Vec<u8>> = (0..segments.count())
        .map(|number| {
            let mut segment = Vec::new();
            segments.write(number, &mut segment);
            segment
        })
        .collect();
    assert_eq!(frames.iter().map(Vec::len).max(), Some(segments.longest_frame()));
    frames
}

fn shape() -> impl Strategy<Value = Shape> {
    let kinds = (any::<bool>(), any::<bool>(), 0_usize..3, any::<u8>(), 0_usize..11);
    (kinds, 1_usize..20_000, any::<u64>()).prop_map(|((v6, udp, tags, flags, words), payload, seed)| Shape {
        v6,
        udp,
        tags,
        flags,
        options: words * 4,
        payload,
        seed,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn segments_are_whole_packets_that_carry_the_payload(shape in shape(), size in 1_u16..3000) {
        let shape = Shape { payload: shape.payload.min(usize::from(size) * 40), ..shape };
        let frame = gso(shape, size);
        let all = segments(&frame);
        let whole = SlicedPacket::from_ethernet(frame.bytes()).unwrap();
        let (mut payload, count) = (Vec::new(), all.len());
        for (number, segment) in all.iter().enumerate() {
            let part = SlicedPacket::from_ethernet(segment).unwrap();
            match (part.net.as_ref().unwrap(), whole.net.as_ref().unwrap()) {
                (NetSlice::Ipv4(part), NetSlice::Ipv4(whole)) => {
                    let (part, whole) = (part.header().to_header(), whole.header().to_header());
                    prop_assert_eq!(part.header_checksum, part.calc_header_checksum());
                    prop_assert_eq!(part.identification, whole.identification.wrapping_add(number as u16));
                    prop_assert_eq!((part.source, part.time_to_live), (whole.source, whole.time_to_live));
                }
                (NetSlice::Ipv6(part), NetSlice::Ipv6(whole)) => {
                    prop_assert_eq!(part.header().source(), whole.header().source());
                }
                other => prop_assert!(false, "{:?}", other),
            }
            match (part.transport.as_ref().unwrap(), whole.transport.as_ref().unwrap()) {
                (TransportSlice::Tcp(part_tcp), TransportSlice::Tcp(whole_tcp)) => {
                    let sequence = whole_tcp.sequence_number().wrapping_add(payload.len() as u32);
                    prop_assert_eq!(part_tcp.sequence_number(), sequence);
                    let last = number + 1 == count;
                    prop_assert_eq!(part_tcp.fin(), last && whole_tcp.fin());
                    prop_assert_eq!(part_tcp.psh(), last && whole_tcp.psh());
                    prop_assert_eq!(part_tcp.cwr(), number == 0 && whole_tcp.cwr());
                    prop_assert_eq!(part_tcp.ece(), whole_tcp.ece());
                    prop_assert_eq!(part_tcp.options(), whole_tcp.options());
                    let sum = match part.net.as_ref().unwrap() {
                        NetSlice::Ipv4(ip) => {
                            let ip = ip.header().to_header();
                            part_tcp.to_header().calc_checksum_ipv4(&ip, part_tcp.payload()).unwrap()
                        }
                        NetSlice::Ipv6(ip) => {
                            let ip = ip.header().to_header();
                            part_tcp.to_header().calc_checksum_ipv6(&ip, part_tcp.payload()).unwrap()
                        }
                        _ => unreachable!(),
                    };
                    prop_assert_eq!(part_tcp.checksum(), sum);
                    payload.extend(part_tcp.payload());
                }
                (TransportSlice::Udp(part_udp), TransportSlice::Udp(_)) => {
                    let header = part_udp.to_header();
                    let sum = match part.net.as_ref().unwrap() {
                        NetSlice::Ipv4(ip) => {
                            header.calc_checksum_ipv4(&ip.header().to_header(), part_udp.payload()).unwrap()
                        }
                        NetSlice::Ipv6(ip) => {
                            header.calc_checksum_ipv6(&ip.header().to_header(), part_udp.payload()).unwrap()
                        }
                        _ => unreachable!(),
                    };
                    prop_assert_eq!(header.checksum, sum);
                    prop_assert_eq!(usize::from(header.length), 8 + part_udp.payload().len());
                    payload.extend(part_udp.payload());
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }
        prop_assert!(frame.bytes().ends_with(&payload) && payload.len() == shape.payload);
    }

    /// A frame that is one segment is the same as one that was never a GSO frame.
    #[test]
    fn one_segment_is_a_completed_frame(shape in shape(), seed in any::<u64>()) {
        let shape = Shape { payload: shape.payload.min(1400), seed, ..shape };
        let frame = gso(shape, 1400);
        let mut plain = Frame::copy_of(frame.bytes(), Metadata { gso: None, ..frame.metadata });
        complete(&mut plain).unwrap();
        prop_assert_eq!(&segments(&frame)[0][..], plain.bytes());
    }

    /// No bytes and no metadata may cause a panic.
    #[test]
    fn nonsense_is_refused_or_cut(
        shape in shape(),
        places in any::<[u16; 3]>(),
        size in any::<u16>(),
        change in proptest::collection::vec((0_usize..100, any::<u8>()), 0..4),
        near in any::<bool>(),
    ) {
        let shape = Shape { payload: shape.payload.min(300), ..shape };
        let (mut bytes, metadata) = packet(shape);
        for (at, value) in change {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        let Checksum::Partial { start, offset } = metadata.checksum else { unreachable!() };
        let checksum = if near {
            metadata.checksum
        } else {
            Checksum::Partial { start: start ^ (places[0] & 0xff), offset: offset ^ (places[1] & 1) }
        };
        let gso = metadata.gso.map(|gso| Gso { size, network: if near { gso.network } else { places[2] % 128 }, ..gso });
        let mut frame = Frame::copy_of(&bytes, Metadata { checksum, gso, time: None });
        if let Ok(segments) = Segments::from_frame(&frame) {
            let mut total = 0;
            for number in 0..segments.count() {
                let mut segment = Vec::new();
                segments.write(number, &mut segment);
                prop_assert!(segment.len() <= segments.longest_frame());
                total += segment.len();
            }
            prop_assert!(total >= bytes.len());
        }
        let _ = complete(&mut frame);
    }
}
