//! An Ethernet switch that knows many stations.

use weir_tables::workload::Workload as MadeUp;

use super::{Benchmark, Filled, PORTS, Source, Work, call};
use crate::workload::Shape;

/// With so many stations at random addresses.
pub fn stations(stations: usize) -> Benchmark {
    let table = Filled {
        name: "stations",
        keys: vec![("hdr.ethernet.dst", Source::Packet(0))],
        made: MadeUp::exact(stations),
        drawn: true,
        behind_drops: false,
        call: Box::new(|[port, _]| call("forward", &[("port", 9, port % u64::from(PORTS))])),
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
