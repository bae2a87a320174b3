//! A program that applies twenty tables in sequence.

use weir_tables::FieldKind::{self, Exact, Lpm, Range, Ternary};

use super::{Benchmark, BenchmarkTable, NamedCall, Source, Work, kinds, next_hops};
use crate::workload::Shape;

/// The bits of the IPv4 source address.
const SRC: Source = Source::Packet(26 * 8);
/// The bits of the IPv4 destination address.
const DST: Source = Source::Packet(30 * 8);
/// The bits of the IPv4 protocol number.
const PROTOCOL: Source = Source::Packet(23 * 8);
const SRC_PORT: Source = Source::Packet(34 * 8);
const DST_PORT: Source = Source::Packet(36 * 8);

/// A key: its name, width, match kind, and the source of its value.
type Key = (&'static str, u32, FieldKind, Source);

/// A table: its name, keys, the parameter of its action with its width, entries, whether packets
/// are generated to match them.
type Row = (&'static str, &'static [Key], (&'static str, u32), usize, bool);

/// The tables of the chain: for each table its name and its keys.
const ROWS: [Row; 19] = [
    ("ingress_ports", &[("standard.ingress_port", 9, Exact, Source::IngressPort)], ("zone", 8), 32, false),
    ("senders", &[("hdr.ethernet.src", 48, Exact, Source::Packet(48))], ("group", 8), 4096, true),
    ("receivers", &[("hdr.ethernet.dst", 48, Exact, Source::Packet(0))], ("group", 8), 4096, true),
    (
        "zone_pairs",
        &[("meta.sender", 8, Exact, Source::Other), ("meta.receiver", 8, Exact, Source::Other)],
        ("mark", 16),
        16384,
        false,
    ),
    ("source_sites", &[("hdr.ipv4.src", 32, Lpm, SRC)], ("site", 8), 1000, false),
    ("target_sites", &[("hdr.ipv4.dst", 32, Lpm, DST)], ("site", 8), 1000, false),
    (
        "site_pairs",
        &[("meta.source_site", 8, Exact, Source::Other), ("meta.target_site", 8, Exact, Source::Other)],
        ("mark", 16),
        16384,
        false,
    ),
    ("services", &[("hdr.udp.dst", 16, Range, DST_PORT)], ("service", 8), 100, false),
    ("clients", &[("hdr.udp.src", 16, Range, SRC_PORT)], ("mark", 16), 100, false),
    (
        "guards",
        &[("hdr.ipv4.src", 32, Ternary, SRC), ("hdr.ipv4.dst", 32, Ternary, DST)],
        ("mark", 16),
        200,
        false,
    ),
    ("classes", &[("hdr.ipv4.tos", 8, Exact, Source::Packet(15 * 8))], ("class", 8), 64, true),
    (
        "connections",
        &[
            ("hdr.ipv4.src", 32, Exact, SRC),
            ("hdr.ipv4.dst", 32, Exact, DST),
            ("hdr.ipv4.protocol", 8, Exact, PROTOCOL),
            ("hdr.udp.src", 16, Exact, SRC_PORT),
            ("hdr.udp.dst", 16, Exact, DST_PORT),
        ],
        ("mark", 16),
        10_000,
        true,
    ),
    (
        "policies",
        &[
            ("meta.service", 8, Ternary, Source::Other),
            ("meta.class", 8, Ternary, Source::Other),
            ("meta.zone", 8, Ternary, Source::Other),
        ],
        ("mark", 16),
        100,
        false,
    ),
    ("lengths", &[("hdr.ipv4.total_length", 16, Range, Source::Packet(16 * 8))], ("class", 8), 20, false),
    (
        "queues",
        &[("meta.class", 8, Exact, Source::Other), ("meta.service", 8, Exact, Source::Other)],
        ("priority", 3),
        1024,
        false,
    ),
    ("overlays", &[("hdr.ipv4.dst", 32, Lpm, DST)], ("mark", 16), 500, false),
    (
        "limits",
        &[("hdr.ipv4.ttl", 8, Range, Source::Packet(22 * 8)), ("hdr.ipv4.protocol", 8, Ternary, PROTOCOL)],
        ("mark", 16),
        30,
        false,
    ),
    ("routes", &[("hdr.ipv4.dst", 32, Lpm, DST)], ("next_hop", 16), 1000, false),
    ("exits", &[("standard.egress_spec", 9, Exact, Source::Other)], ("code", 6), 64, false),
];

/// Returns the benchmark of a chain of tables with exact, prefix, ternary and range keys, of 20 to
/// 16 384 entries.
pub fn table_chain() -> Benchmark {
    let mut tables: Vec<BenchmarkTable> =
        ROWS.iter().enumerate().map(|(row, table)| filled_table(row, table)).collect();
    tables.insert(18, next_hops("next_hops"));
    let mut template = Shape::udp(64, 1).template;
    // Always UDP: the table of connections would generate other protocols.
    template[23] = 17;
    let description = format!(
        "twenty tables with exact, prefix, ternary and range keys and {} entries together",
        tables.iter().map(|table| table.contents.entries.len()).sum::<usize>()
    );
    Benchmark {
        name: "chain-20",
        what: description,
        file: "chain.p4",
        source: include_str!("../../../../benches/programs/chain.p4"),
        tables,
        template,
        ipv4: Some(14),
        work: Work { parsed: 42, emitted: 42, checksums: 1 },
    }
}

fn filled_table(row: usize, (name, keys, (param, width), entries, drawn): &Row) -> BenchmarkTable {
    let fields: Vec<(u32, FieldKind)> = keys.iter().map(|(_, width, kind, _)| (*width, *kind)).collect();
    let mut contents = kinds::random(100 + row as u64, &fields, *entries);
    if *name == "connections" {
        // All entries have the protocol UDP.
        for key in contents.keys.chunks_exact_mut(5) {
            key[2] = 17;
        }
        for entry in &mut contents.entries {
            entry.0[2] = weir_tables::Pattern::Value([17].into());
        }
    }
    let (name, param, width) = (*name, *param, *width);
    BenchmarkTable {
        name,
        keys: keys.iter().map(|(name, _, _, source)| (*name, *source)).collect(),
        contents,
        drawn: *drawn,
        after_drops: false,
        call: Box::new(move |[draw, _]| {
            // There are 256 next hops; other values are cut to the parameter's width.
            let bits = if param == "next_hop" { 8 } else { width };
            NamedCall::new(format!("set_{name}"), &[(param, width, draw & (u64::MAX >> (64 - bits)))])
        }),
    }
}
