//! Access lists in front of a router.

use weir_tables::workload::Workload as TableWorkload;

use super::{Benchmark, BenchmarkTable, NamedCall, Source, Work, next_hops};
use crate::workload::Shape;

/// One rule out of this many denies packets.
const DENY: u64 = 16;

/// Returns the benchmark of an access list of `count` rules in front of 1000 routes.
pub fn rules(count: usize) -> Benchmark {
    let ports = |packet: &[u8]| matches!(packet[23], 6 | 17);
    let rules = BenchmarkTable {
        name: "rules",
        keys: vec![
            ("hdr.ipv4.src", Source::Packet(26 * 8)),
            ("hdr.ipv4.dst", Source::Packet(30 * 8)),
            ("meta.src_port", Source::PacketIf(34 * 8, ports)),
            ("meta.dst_port", Source::PacketIf(36 * 8, ports)),
            ("hdr.ipv4.protocol", Source::Packet(23 * 8)),
        ],
        contents: TableWorkload::acl(count),
        drawn: true,
        after_drops: false,
        call: Box::new(|[draw, _]| NamedCall::new(if draw % DENY == 0 { "deny" } else { "permit" }, &[])),
    };
    let routes = BenchmarkTable {
        name: "routes",
        keys: vec![("hdr.ipv4.dst", Source::Packet(30 * 8))],
        contents: TableWorkload::ipv4(1_000),
        drawn: false,
        after_drops: true,
        call: Box::new(|[hop, _]| NamedCall::new("via", &[("next_hop", 16, hop)])),
    };
    Benchmark {
        name: "acl-10k",
        what: format!(
            "{count} rules on the 5-tuple, one in {DENY} denies, before an IPv4 router with 1000 routes"
        ),
        file: "acl.p4",
        source: include_str!("../../../../benches/programs/acl.p4"),
        tables: vec![rules, routes, next_hops("next_hops")],
        template: Shape::udp(64, 1).template,
        ipv4: Some(14),
        work: Work { parsed: 38, emitted: 38, checksums: 1 },
    }
}
