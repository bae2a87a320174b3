//! Programs with entries and packets made for them, the same from the same seeds everywhere: what `benches/programs` is measured with.
//!
//! A [`Benchmark`] says which tables a program has, what fills them, and which bits of a packet their keys are. So packets can be made that
//! meet the entries, and each table can be measured by itself with the very keys that those packets have, which is what the
//! [`model`] of a program's cost is made of.

mod acl;
mod chain;
mod kinds;
pub mod model;
mod routers;
mod switch;
mod telemetry;

use weir_control::by_name::{BatchError, Call, Control, Entry, Match, Update};
use weir_device::Port;
use weir_ir::Bits;
use weir_tables::workload::Workload as MadeUp;
use weir_tables::{Pattern, Table};

use crate::workload::{Workload, checksum};

/// Updates of a batch: as many as a controller would send at once.
const BATCH: usize = 1024;

/// Ports that packets come in by and leave by.
pub const PORTS: Port = 8;

/// A program of `benches/programs`, what its tables hold and what comes in.
pub struct Benchmark {
    /// The program's name and a size: `switch-1m`.
    pub name: &'static str,
    /// What it is, for people.
    pub what: String,
    /// The file's name in `benches/programs`.
    pub file: &'static str,
    /// The file's text.
    pub source: &'static str,
    /// In the order in which the program applies them.
    pub tables: Vec<Filled>,
    /// What all packets start from.
    pub template: Vec<u8>,
    /// Where in it an IPv4 header of 20 bytes begins whose checksum is to be right.
    pub ipv4: Option<usize>,
    /// What the program does beside looking up.
    pub work: Work,
}

/// What a program does to each packet that it lets through, beside look-ups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Bytes of headers that are parsed.
    pub parsed: usize,
    /// Bytes of headers that are emitted.
    pub emitted: usize,
    /// IPv4 checksums that are verified and updated.
    pub checksums: usize,
}

/// A table of a [`Benchmark`].
pub struct Filled {
    /// Its name in the program.
    pub name: &'static str,
    /// For each key its name and where its value comes from.
    pub keys: Vec<(&'static str, Source)>,
    /// What it holds.
    pub made: MadeUp,
    /// Whether packets are made to meet its entries.
    pub drawn: bool,
    /// Whether only packets that the program lets through are looked up in it.
    pub behind_drops: bool,
    /// What an entry with these data does.
    pub call: Box<dyn Fn([u64; 2]) -> Call + Send + Sync>,
}

/// Where the value of a key comes from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// The packet, from this bit on.
    Packet(usize),
    /// The packet from this bit on if it is so, else 0.
    PacketIf(usize, fn(&[u8]) -> bool),
    /// The port where the packet comes in.
    IngressPort,
    /// What other tables found; the table is then measured with keys made for it.
    Other,
}

/// The names that [`benchmark`] takes.
pub const BENCHMARKS: [&str; 8] = [
    "router-1k",
    "router-1m",
    "switch-1m",
    "acl-10k",
    "router6-200k",
    "telemetry",
    "telemetry-stack",
    "chain-20",
];

/// The benchmark of this name; none if there is none.
pub fn benchmark(name: &str) -> Option<Benchmark> {
    sized(name, 1)
}

/// The benchmark of this name with tables of a part of their entries: for tests.
pub fn sized(name: &str, part: usize) -> Option<Benchmark> {
    let part = part.max(1);
    Some(match name {
        "router-1k" => routers::ipv4("router-1k", 1_000 / part),
        "router-1m" => routers::ipv4("router-1m", 1_000_000 / part),
        "switch-1m" => switch::stations(1_000_000 / part),
        "acl-10k" => acl::rules(10_000 / part),
        "router6-200k" => routers::ipv6(200_000 / part),
        "telemetry" => telemetry::one_header(),
        "telemetry-stack" => telemetry::stack(),
        "chain-20" => chain::tables(),
        _ => return None,
    })
}

impl Benchmark {
    /// Puts all entries in.
    pub fn fill(&self, control: &mut Control<'_>) -> Result<(), BatchError> {
        for table in &self.tables {
            let names = control.names();
            let known = names.table(table.name);
            let prioritised = known.is_ok_and(|table| names.table_schema(table).needs_priority);
            for entries in table.made.entries.chunks(BATCH) {
                let updates: Vec<Update> = entries
                    .iter()
                    .map(|(patterns, priority, _, data)| Update::Insert {
                        table: table.name.to_owned(),
                        entry: Entry {
                            matches: table.matches(patterns),
                            priority: prioritised.then_some(*priority),
                            action: (table.call)(*data).into(),
                            idle_timeout: None,
                        },
                    })
                    .collect();
                control.write(&updates)?;
            }
        }
        Ok(())
    }

    /// Entries in all tables.
    pub fn entries(&self) -> usize {
        self.tables.iter().map(|table| table.made.entries.len()).sum()
    }

    /// So many different packets.
    pub fn packets(&self, flows: usize) -> Workload {
        let length = self.template.len();
        let mut bytes = self.template.repeat(flows.max(1));
        for (flow, packet) in bytes.chunks_exact_mut(length).enumerate() {
            for table in self.tables.iter().filter(|table| table.drawn) {
                let mut key = table.key(flow);
                for ((_, source), field) in table.keys.iter().zip(table.made.layout.fields()) {
                    let (words, rest) = key.split_at(field.width.div_ceil(64) as usize);
                    if let Source::Packet(bit) | Source::PacketIf(bit, _) = source {
                        put(packet, *bit, field.width, words);
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

impl Filled {
    fn matches(&self, patterns: &[Pattern]) -> Vec<(String, Match)> {
        let fields = self.made.layout.fields().iter();
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
        self.keys.iter().map(|(name, _)| (*name).to_owned()).zip(accepts).collect()
    }

    /// One of the keys that were made to meet its entries.
    fn key(&self, flow: usize) -> &[u64] {
        let words = self.made.layout.words();
        let flow = flow % (self.made.keys.len() / words);
        &self.made.keys[flow * words..(flow + 1) * words]
    }

    /// The keys that these packets are looked up with, at most so many.
    pub fn keys(&self, load: &Workload, most: usize) -> Vec<u64> {
        let mut keys = Vec::new();
        for flow in 0..load.len().min(most) {
            if self.keys.iter().any(|(_, source)| matches!(source, Source::Other)) {
                keys.extend_from_slice(self.key(flow));
                continue;
            }
            let (port, packet) = load.packet(flow);
            for ((_, source), field) in self.keys.iter().zip(self.made.layout.fields()) {
                let mut words = vec![0; field.width.div_ceil(64) as usize];
                match source {
                    Source::Packet(bit) => take(packet, *bit, field.width, &mut words),
                    Source::PacketIf(bit, present) if present(packet) => {
                        take(packet, *bit, field.width, &mut words);
                    }
                    Source::IngressPort => words[0] = u64::from(port),
                    Source::PacketIf(..) | Source::Other => {}
                }
                keys.extend(words);
            }
        }
        keys
    }

    /// A table with its entries, without the switch around it.
    pub fn table(&self) -> Table {
        let mut table = Table::new(self.made.layout.clone(), weir_tables::workload::DATA_WORDS);
        for (patterns, priority, action, data) in &self.made.entries {
            table.insert(patterns, *priority, *action, data).expect("a workload's entries differ");
        }
        table
    }
}

fn put(packet: &mut [u8], start: usize, width: u32, words: &[u64]) {
    for bit in 0..width as usize {
        let at = start + bit;
        let from = width as usize - 1 - bit;
        let mask = 0x80 >> (at % 8);
        if words[from / 64] >> (from % 64) & 1 == 1 {
            packet[at / 8] |= mask;
        } else {
            packet[at / 8] &= !mask;
        }
    }
}

fn take(packet: &[u8], start: usize, width: u32, words: &mut [u64]) {
    for bit in 0..width as usize {
        let at = start + bit;
        let to = width as usize - 1 - bit;
        words[to / 64] |= u64::from(packet[at / 8] >> (7 - at % 8) & 1) << (to % 64);
    }
}

fn call(action: &str, args: &[(&str, u32, u64)]) -> Call {
    let args =
        args.iter().map(|(name, width, value)| ((*name).to_owned(), Bits::new(*width, u128::from(*value))));
    Call { action: action.to_owned(), args: args.collect() }
}

/// A next hop's addresses and port.
fn forward([hop, _]: [u64; 2]) -> Call {
    let (dst, src) = (0x0200_0001_0000 | hop, 0x0200_0002_0000 | (hop % u64::from(PORTS)));
    call("forward", &[("dst", 48, dst), ("src", 48, src), ("port", 9, hop % u64::from(PORTS))])
}

/// 256 next hops, by number.
fn next_hops(name: &'static str) -> Filled {
    Filled {
        name,
        keys: vec![("meta.next_hop", Source::Other)],
        made: kinds::numbered(16, 256),
        drawn: false,
        behind_drops: true,
        call: Box::new(forward),
    }
}
