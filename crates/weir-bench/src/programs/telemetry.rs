//! Switches that add telemetry to packets.

use super::{Benchmark, BenchmarkTable, NamedCall, PORTS, Source, Work, kinds};
use crate::workload::Shape;
use weir_tables::FieldKind;

/// The number of hosts in the table.
const HOSTS: usize = 1_000;
/// The number of bytes that a switch adds.
const HOP: usize = 12;
/// The number of hops that are on the stack when a packet arrives.
const HOPS_BEFORE: usize = 2;

/// Returns the table of hosts, whose key are the packet's bits from `bit` on.
fn hosts(bit: usize) -> BenchmarkTable {
    BenchmarkTable {
        name: "hosts",
        keys: vec![("hdr.ipv4.dst", Source::Packet(bit))],
        contents: kinds::random(21, &[(32, FieldKind::Exact)], HOSTS),
        drawn: true,
        after_drops: false,
        call: Box::new(|[port, _]| NamedCall::new("forward", &[("port", 9, port % u64::from(PORTS))])),
    }
}

/// Returns the benchmark of a switch that adds one header to each packet.
pub fn one_header() -> Benchmark {
    Benchmark {
        name: "telemetry",
        what: format!("{HOP} bytes of telemetry after the Ethernet header, {HOSTS} hosts"),
        file: "telemetry.p4",
        source: include_str!("../../../../benches/programs/telemetry.p4"),
        tables: vec![hosts(30 * 8)],
        template: Shape::udp(64, 1).template,
        ipv4: Some(14),
        work: Work { parsed: 34, emitted: 34 + HOP, checksums: 0 },
    }
}

/// Pushes one more header onto the stack of packets that have passed several switches.
pub fn header_stack() -> Benchmark {
    let mut template = Shape::udp(64, 1).template;
    let mut hops = vec![0; HOP * HOPS_BEFORE];
    for (number, hop) in hops.chunks_mut(HOP).enumerate() {
        hop[0] = 1 + number as u8;
        // The type of the next header: another hop, or IPv4 after the last hop.
        let next: [u8; 2] = if number + 1 == HOPS_BEFORE { [0x08, 0x00] } else { [0x88, 0xb5] };
        hop[HOP - 2..].copy_from_slice(&next);
    }
    template.splice(12..14, [0x88, 0xb5].into_iter().chain(hops));
    template.truncate(64);
    let ipv4 = 14 + HOP * HOPS_BEFORE;
    let length = template.len() - ipv4;
    template[ipv4 + 2..ipv4 + 4].copy_from_slice(&(length as u16).to_be_bytes());
    let headers = ipv4 + 20;
    Benchmark {
        name: "telemetry-stack",
        what: format!(
            "{HOP} bytes of telemetry pushed onto a stack that holds {HOPS_BEFORE} hops, {HOSTS} hosts"
        ),
        file: "telemetry_stack.p4",
        source: include_str!("../../../../benches/programs/telemetry_stack.p4"),
        tables: vec![hosts((ipv4 + 16) * 8)],
        template,
        ipv4: Some(ipv4),
        work: Work { parsed: headers, emitted: headers + HOP, checksums: 0 },
    }
}
