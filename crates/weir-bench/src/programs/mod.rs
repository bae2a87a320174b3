//! Benchmark programs (`benches/programs`) with generated entries and packets, the same on every
//! machine.
//!
//! A [`Benchmark`] lists the tables of a program, their entries, and the packet bits in their keys.
//! This makes it possible to generate packets that match the entries, and to measure each table
//! separately with the keys of these packets. The [`model`] of a program's cost is the sum of these
//! measurements.

mod acl;
mod chain;
mod entries;
mod kinds;
pub mod model;
mod routers;
mod switch;
mod telemetry;

use weir_control::{Error, Names};
use weir_device::Port;
use weir_ir::Bits;
use weir_switch::control::{Control, Match, Update};
use weir_tables::workload::Workload as TableWorkload;
use weir_tables::{Pattern, Table};

pub use entries::{NamedCall, insert};

use crate::workload::{Workload, checksum};

/// Updates in a batch: as many as a controller would send at once.
const BATCH: usize = 1024;

/// The number of ports that packets arrive on and leave by.
pub const PORTS: Port = 8;

/// A program of `benches/programs` with the contents of its tables and its packets.
pub struct Benchmark {
    /// The program's name and a size: `switch-1m`.
    pub name: &'static str,
    /// A description for people.
    pub what: String,
    /// The file's name in `benches/programs`.
    pub file: &'static str,
    /// The file's text.
    pub source: &'static str,
    /// The tables, in the order in which the program applies them.
    pub tables: Vec<BenchmarkTable>,
    /// The packet that all others are made from.
    pub template: Vec<u8>,
    /// The offset in the packet of a 20-byte IPv4 header, whose checksum must be correct.
    pub ipv4: Option<usize>,
    /// The work of the program besides lookups.
    pub work: Work,
}

/// The work of a program for each packet that it does not drop, besides lookups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The number of bytes of headers that are parsed.
    pub parsed: usize,
    /// The number of bytes of headers that are emitted.
    pub emitted: usize,
    /// IPv4 checksums that are verified and updated.
    pub checksums: usize,
}

/// A table of a [`Benchmark`].
pub struct BenchmarkTable {
    /// The name in the program.
    pub name: &'static str,
    /// For each key its name and the source of its value.
    pub keys: Vec<(&'static str, Source)>,
    /// The entries, and keys for lookups.
    pub contents: TableWorkload,
    /// Whether packets are generated to match its entries.
    pub drawn: bool,
    /// Whether only packets that the program does not drop are looked up in it.
    pub after_drops: bool,
    /// The action of an entry with this data.
    pub call: Box<dyn Fn([u64; 2]) -> NamedCall + Send + Sync>,
}

/// The source of the value of a key.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// The packet, starting at this bit.
    Packet(usize),
    /// The packet, starting at this bit, if the condition holds, else 0.
    PacketIf(usize, fn(&[u8]) -> bool),
    /// The port that the packet arrives on.
    IngressPort,
    /// Results of other tables; the table is then measured with keys generated for it.
    Other,
}

/// The names that [`benchmark`] accepts.
pub const BENCHMARKS: [&str; 10] = [
    "router-1k",
    "router-psa",
    "router-pna",
    "router-1m",
    "switch-1m",
    "acl-10k",
    "router6-200k",
    "telemetry",
    "telemetry-stack",
    "chain-20",
];

/// Returns the benchmark of this name; `None` if there is no such benchmark.
pub fn benchmark(name: &str) -> Option<Benchmark> {
    reduced_benchmark(name, 1)
}

/// Returns the benchmark of this name with a fraction of its entries, for tests.
pub fn reduced_benchmark(name: &str, part: usize) -> Option<Benchmark> {
    let part = part.max(1);
    Some(match name {
        "router-1k" => routers::ipv4("router-1k", 1_000 / part),
        "router-psa" => routers::psa(1_000 / part),
        "router-pna" => routers::pna(1_000 / part),
        "router-1m" => routers::ipv4("router-1m", 1_000_000 / part),
        "switch-1m" => switch::stations(1_000_000 / part),
        "acl-10k" => acl::rules(10_000 / part),
        "router6-200k" => routers::ipv6(200_000 / part),
        "telemetry" => telemetry::one_header(),
        "telemetry-stack" => telemetry::header_stack(),
        "chain-20" => chain::table_chain(),
        _ => return None,
    })
}

impl Benchmark {
    /// Inserts the entries of all tables of the benchmark into a switch.
    pub fn insert_entries(&self, control: &mut Control<'_>) -> Result<(), Error> {
        let names = Names::new(control.schema());
        for table in &self.tables {
            let id = names.table(table.name)?;
            for entries in table.contents.entries.chunks(BATCH) {
                let entry = |(patterns, priority, _, data): &(Vec<Pattern>, u32, u32, [u64; 2])| {
                    insert(names, id, table.matches(patterns), *priority, &(table.call)(*data))
                };
                let updates = entries.iter().map(entry).collect::<Result<Vec<Update>, Error>>()?;
                control.write(&updates).map_err(|failed| names.explain(failed.error))?;
            }
        }
        Ok(())
    }

    /// Returns the number of entries in all tables.
    pub fn entries(&self) -> usize {
        self.tables.iter().map(|table| table.contents.entries.len()).sum()
    }

    /// Generates this many different packets.
    pub fn packets(&self, flows: usize) -> Workload {
        let length = self.template.len();
        let mut bytes = self.template.repeat(flows.max(1));
        for (flow, packet) in bytes.chunks_exact_mut(length).enumerate() {
            for table in self.tables.iter().filter(|table| table.drawn) {
                let mut key = table.key(flow);
                for ((_, source), field) in table.keys.iter().zip(table.contents.layout.fields()) {
                    let (words, rest) = key.split_at(field.width.div_ceil(64) as usize);
                    if let Source::Packet(bit) | Source::PacketIf(bit, _) = source {
                        write_bits(packet, *bit, field.width, words);
                    }
                    key = rest;
                }
            }
            if let Some(header) = self.ipv4 {
                checksum(&mut packet[header..header + 20]);
            }
        }
        Workload::new(bytes, length, (0..PORTS).collect())
    }
}

impl BenchmarkTable {
    /// Reads the patterns of an entry as matches of the table's keys.
    fn matches(&self, patterns: &[Pattern]) -> Vec<(&'static str, Match)> {
        let fields = self.contents.layout.fields().iter();
        let number = |width: u32, bytes: &[u8]| Bits::from_be_bytes(width, bytes);
        let accepts = patterns.iter().zip(fields).map(|(pattern, field)| match pattern {
            Pattern::Value(value) => Match::Exact(number(field.width, value)),
            Pattern::Prefix(value, length) => Match::Lpm(number(field.width, value), *length),
            Pattern::Mask(value, mask) => {
                Match::Ternary(number(field.width, value), number(field.width, mask))
            }
            Pattern::Range(low, high) => Match::Range(number(field.width, low), number(field.width, high)),
            Pattern::Any => Match::Any,
        });
        self.keys.iter().map(|(name, _)| *name).zip(accepts).collect()
    }

    /// Draws one of the keys that were generated to match the table's entries.
    fn key(&self, flow: usize) -> &[u64] {
        let words = self.contents.layout.words();
        let flow = flow % (self.contents.keys.len() / words);
        &self.contents.keys[flow * words..(flow + 1) * words]
    }

    /// Returns the keys with which these packets are looked up, at most `max`.
    pub fn keys(&self, load: &Workload, max: usize) -> Vec<u64> {
        let mut keys = Vec::new();
        for flow in 0..load.len().min(max) {
            if self.keys.iter().any(|(_, source)| matches!(source, Source::Other)) {
                keys.extend_from_slice(self.key(flow));
                continue;
            }
            let (port, packet) = load.packet(flow);
            for ((_, source), field) in self.keys.iter().zip(self.contents.layout.fields()) {
                let mut words = vec![0; field.width.div_ceil(64) as usize];
                match source {
                    Source::Packet(bit) => read_bits(packet, *bit, field.width, &mut words),
                    Source::PacketIf(bit, present) if present(packet) => {
                        read_bits(packet, *bit, field.width, &mut words);
                    }
                    Source::IngressPort => words[0] = u64::from(port),
                    Source::PacketIf(..) | Source::Other => {}
                }
                keys.extend(words);
            }
        }
        keys
    }

    /// Returns the table with its entries, without a switch.
    pub fn table(&self) -> Table {
        let mut table = Table::new(self.contents.layout.clone(), weir_tables::workload::DATA_WORDS);
        for (patterns, priority, action, data) in &self.contents.entries {
            table.insert(patterns, *priority, *action, data).expect("a workload's entries differ");
        }
        table
    }
}

fn write_bits(packet: &mut [u8], start: usize, width: u32, words: &[u64]) {
    for bit in 0..width as usize {
        let position = start + bit;
        let from = width as usize - 1 - bit;
        let mask = 0x80 >> (position % 8);
        if words[from / 64] >> (from % 64) & 1 == 1 {
            packet[position / 8] |= mask;
        } else {
            packet[position / 8] &= !mask;
        }
    }
}

fn read_bits(packet: &[u8], start: usize, width: u32, words: &mut [u64]) {
    for bit in 0..width as usize {
        let position = start + bit;
        let to = width as usize - 1 - bit;
        words[to / 64] |= u64::from(packet[position / 8] >> (7 - position % 8) & 1) << (to % 64);
    }
}

/// Returns the action of a next hop, with its addresses and port.
fn forward([hop, _]: [u64; 2]) -> NamedCall {
    let (dst, src) = (0x0200_0001_0000 | hop, 0x0200_0002_0000 | (hop % u64::from(PORTS)));
    NamedCall::new("forward", &[("dst", 48, dst), ("src", 48, src), ("port", 9, hop % u64::from(PORTS))])
}

fn next_hops(name: &'static str) -> BenchmarkTable {
    BenchmarkTable {
        name,
        keys: vec![("meta.next_hop", Source::Other)],
        contents: kinds::numbered_entries(16, 256),
        drawn: false,
        after_drops: true,
        call: Box::new(forward),
    }
}
