//! Any bytes as a frame, with any metadata about offloads: filters, flows, TCP, checksums,
//! segments.

use std::sync::OnceLock;

use weir_filter::Filter;
use weir_ports::offload::{
    Malformed, Segments, complete, for_interface, infer_checksum, network_before, network_start, wire_size,
};
use weir_ports::{Checksum, Frame, Gso, GsoKind, Metadata, Offloads};

static FILTERS: OnceLock<Vec<Filter>> = OnceLock::new();

/// The maximum number of segments that are looked at.
const MAX_FRAMES: u64 = 1 << 16;

pub fn run(bytes: &[u8]) {
    let Some((given, frame)) = bytes.split_first_chunk::<10>() else { return };
    looked_at(frame);
    let metadata = metadata(*given);
    let frame = Frame::copy_of(frame, metadata);
    let size = wire_size(&frame);
    assert!(size.frames >= 1 && size.bytes >= frame.len() as u64);
    if size.frames > MAX_FRAMES {
        return;
    }
    if let Ok(segments) = Segments::from_frame(&frame) {
        let mut longest = 0;
        for number in 0..segments.count() {
            let mut out = Vec::new();
            segments.write(number, &mut out);
            longest = longest.max(out.len());
        }
        assert!(longest <= segments.longest_frame());
    }
    let _ = complete(&mut Frame::copy_of(frame.bytes(), metadata));
    for offloads in [Offloads { checksum: false, gso: false }, Offloads { checksum: true, gso: false }] {
        let mut passed = 0;
        let all = for_interface(&frame, offloads, |_| {
            passed += 1;
            Ok::<(), Malformed>(())
        });
        assert!(all.is_ok() || passed == 0, "nothing is passed on of a frame that contradicts itself");
    }
}

/// Reads a frame with all functions that need no metadata.
fn looked_at(frame: &[u8]) {
    let filters = FILTERS.get_or_init(|| {
        [
            "",
            "tcp port 80",
            "udp and not host 10.0.0.1",
            "vlan 5 and ip6",
            "ether proto 0x88b5",
            "icmp or arp",
        ]
        .map(|text| Filter::parse(text).expect("it is a filter"))
        .into()
    });
    for filter in filters {
        filter.matches(frame);
    }
    weir_filter::flow(frame);
    let (_, start) = weir_filter::network(frame);
    // The header may begin after the end of a frame that was cut in a VLAN tag.
    assert!(start <= frame.len().max(14) + 4, "{start}");
    network_start(frame);
    network_before(frame, frame.len() / 2);
    infer_checksum(frame);
    let pseudo = weir_tcp::PseudoSum::default();
    if let Ok(segment) = weir_tcp::Segment::parse(frame, pseudo) {
        segment.reset_for();
    }
}

/// Returns metadata as packet sockets give it: positions may be anywhere.
fn metadata(given: [u8; 10]) -> Metadata {
    let half = |at: usize| u16::from_le_bytes([given[at], given[at + 1]]);
    let checksum = match given[0] & 3 {
        0 => Checksum::default(),
        1 => Checksum::Valid,
        _ => Checksum::Partial { start: half(1) & 0x1ff, offset: u16::from(given[3] & 31) },
    };
    let kind = match given[0] >> 2 & 3 {
        0 => GsoKind::TcpV4,
        1 => GsoKind::TcpV6,
        _ => GsoKind::Udp,
    };
    let gso = (given[0] & 0x10 != 0).then_some(Gso {
        kind,
        size: half(4),
        network: half(6) & 0x1ff,
        in_tunnel: given[0] & 0x20 != 0,
        ecn: given[0] & 0x40 != 0,
    });
    Metadata { time: None, checksum, gso }
}
