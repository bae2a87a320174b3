//! An Ethernet switch with many stations.

use weir_tables::workload::Workload as TableWorkload;

use super::{Benchmark, BenchmarkTable, NamedCall, PORTS, Source, Work};
use crate::workload::Shape;

/// Returns the benchmark of a switch with this many stations at random addresses.
pub fn stations(stations: usize) -> Benchmark {
    let table = BenchmarkTable {
        name: "stations",
        keys: vec![("hdr.ethernet.dst", Source::Packet(0))],
        contents: TableWorkload::exact(stations),
        drawn: true,
        after_drops: false,
        call: Box::new(|[port, _]| NamedCall::new("forward", &[("port", 9, port % u64::from(PORTS))])),
    };
    Benchmark {
        name: "switch-1m",
        what: format!("an Ethernet switch with {stations} stations"),
        file: "switch.p4",
        source: include_str!("../../../../benches/programs/switch.p4"),
        tables: vec![table],
        template: Shape::udp(64, 1).template,
        ipv4: None,
        work: Work { parsed: 14, emitted: 14, checksums: 0 },
    }
}
