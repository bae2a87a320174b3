//! Routers for IPv4 and IPv6.

use weir_tables::workload::Workload as TableWorkload;

use super::{Benchmark, BenchmarkTable, NamedCall, Source, Work, next_hops};
use crate::workload::Shape;

/// Returns the table of routes, whose key are the packet's bits from `bit` on.
fn routes(key: &'static str, bit: usize, contents: TableWorkload) -> BenchmarkTable {
    BenchmarkTable {
        name: "routes",
        keys: vec![(key, Source::Packet(bit))],
        contents,
        drawn: true,
        after_drops: true,
        call: Box::new(|[hop, _]| NamedCall::new("via", &[("next_hop", 16, hop)])),
    }
}

/// Returns the benchmark of an IPv4 router with this many routes and random destinations.
pub fn ipv4(name: &'static str, count: usize) -> Benchmark {
    Benchmark {
        name,
        what: format!("an IPv4 router with {count} routes, random destinations"),
        file: "router.p4",
        source: include_str!("../../../../benches/programs/router.p4"),
        tables: vec![routes("hdr.ipv4.dst", 30 * 8, TableWorkload::ipv4(count)), next_hops("next_hops")],
        template: Shape::udp(64, 1).template,
        ipv4: Some(14),
        work: Work { parsed: 34, emitted: 34, checksums: 1 },
    }
}

/// Returns the benchmark of the IPv4 router as a PSA program, which parses each packet twice.
pub fn psa(count: usize) -> Benchmark {
    Benchmark {
        what: format!("an IPv4 router for PSA with {count} routes, random destinations"),
        file: "router_psa.p4",
        source: include_str!("../../../../benches/programs/router_psa.p4"),
        work: Work { parsed: 68, emitted: 68, checksums: 1 },
        ..ipv4("router-psa", count)
    }
}

/// Returns the benchmark of the IPv4 router as a PNA program.
pub fn pna(count: usize) -> Benchmark {
    Benchmark {
        what: format!("an IPv4 router for PNA with {count} routes, random destinations"),
        file: "router_pna.p4",
        source: include_str!("../../../../benches/programs/router_pna.p4"),
        ..ipv4("router-pna", count)
    }
}

/// Returns the benchmark of the IPv4 router as a TNA program. Metadata before each packet are
/// parsed, too.
pub fn tna(count: usize) -> Benchmark {
    Benchmark {
        what: format!("an IPv4 router for TNA with {count} routes, random destinations"),
        file: "router_tna.p4",
        source: include_str!("../../../../benches/programs/router_tna.p4"),
        work: Work { parsed: 77, emitted: 77, checksums: 1 },
        ..ipv4("router-tna", count)
    }
}

/// Returns the benchmark of an IPv6 router with this many routes and destinations in random routes.
pub fn ipv6(count: usize) -> Benchmark {
    let mut template = vec![
        0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x86, 0xdd, // Ethernet
        0x60, 0, 0, 0, 0, 10, 59, 64, // IPv6 with 10 bytes and no next header
    ];
    template.extend([0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    template.resize(64, 0);
    Benchmark {
        name: "router6-200k",
        what: format!("an IPv6 router with {count} routes"),
        file: "router6.p4",
        source: include_str!("../../../../benches/programs/router6.p4"),
        tables: vec![routes("hdr.ipv6.dst", 38 * 8, TableWorkload::ipv6(count)), next_hops("next_hops")],
        template,
        ipv4: None,
        work: Work { parsed: 54, emitted: 54, checksums: 0 },
    }
}
