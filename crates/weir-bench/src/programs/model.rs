//! A model of a packet's cost: the sum of the program's steps, each measured alone.
//!
//! A packet costs a fixed amount, an amount per byte of headers that is parsed or emitted, an
//! amount per checksum, and for each table a fixed amount plus the cost of the lookup itself with
//! such keys ([`lookup_cost`]). The costs other than lookups are differences between two programs,
//! one of which does one step more ([`Costs`]).

use std::hint::black_box;

use super::{Benchmark, BenchmarkTable, Work};
use crate::tables::undisturbed_ns;
use crate::workload::Workload;

/// The number of lookups that are measured, with different keys.
const KEYS: usize = 1 << 18;

/// The costs of steps with an executor on a machine, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Costs {
    /// The cost of a packet that the program does not read.
    pub packet: f64,
    /// The cost of a byte of a header, parsed or emitted.
    pub byte: f64,
    /// The cost of verifying and updating an IPv4 header's checksum.
    pub checksum: f64,
    /// The cost of building a key, calling the table and running the action, without the lookup.
    pub apply: f64,
}

/// The cost of a lookup, and the memory of its table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookupCost {
    /// The number of nanoseconds per lookup, one lookup after the other.
    pub single: f64,
    /// The number of nanoseconds per lookup, in batches of 64.
    pub batched: f64,
    /// The bytes of memory for each entry.
    pub bytes: f64,
}

/// Measures a table alone, with the keys of the packets.
pub fn lookup_cost(filled: &BenchmarkTable, load: &Workload) -> LookupCost {
    let table = filled.table();
    let view = table.view();
    let words = filled.contents.layout.words();
    let keys = filled.keys(load, KEYS);
    // Keys of short workloads are repeated, so that there are enough for many windows.
    let keys = keys.repeat((KEYS * words).div_ceil(keys.len()));
    let single = undisturbed_ns(keys.len() / words, |window| {
        for key in keys[window.start * words..window.end * words].chunks_exact(words) {
            black_box(view.find(black_box(key)).map(|hits| hits.row.data(0)));
        }
    });
    let batched = undisturbed_ns(keys.len() / words, |window| {
        let mut hits = [None; crate::measure::BATCH];
        for keys in keys[window.start * words..window.end * words].chunks_exact(hits.len() * words) {
            view.find_batch(black_box(keys), &mut hits);
            black_box(hits.iter().flatten().map(|hits| hits.row.data(0)).sum::<u64>());
        }
    });
    LookupCost { single, batched, bytes: table.memory().per_entry() }
}

impl Costs {
    /// Computes the costs from the nanoseconds per packet of the variants of
    /// `benches/programs/steps.p4`: an empty program; with headers of that many bytes parsed and
    /// emitted; also with a checksum; also with a table, whose lookup alone takes `table.1`.
    pub fn of_steps(nothing: f64, headers: (f64, Work), checksum: f64, table: (f64, f64)) -> Self {
        let (with_headers, work) = headers;
        Self {
            packet: nothing,
            byte: (with_headers - nothing).max(0.0) / (work.parsed + work.emitted) as f64,
            checksum: (checksum - with_headers).max(0.0),
            apply: (table.0 - checksum - table.1).max(0.0),
        }
    }

    /// Returns the nanoseconds per packet of a benchmark. `lookups` are the costs of its lookups;
    /// `passed` is the fraction of packets that the program does not drop. `batched` means that
    /// lookups in the first table are made for many packets at once.
    pub fn predict(&self, benchmark: &Benchmark, lookups: &[LookupCost], passed: f64, batched: bool) -> f64 {
        let tables = benchmark.tables.iter().zip(lookups).enumerate();
        let tables = tables.map(|(position, (table, cost))| {
            let share = if table.after_drops { passed } else { 1.0 };
            share * (self.apply + if position == 0 && batched { cost.batched } else { cost.single })
        });
        let work = benchmark.work;
        self.packet
            + self.byte * (work.parsed as f64 + passed * work.emitted as f64)
            + self.checksum * work.checksums as f64
            + tables.sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::reduced_benchmark;

    #[test]
    fn a_prediction_is_the_sum_of_the_steps() {
        let work = Work { parsed: 34, emitted: 34, checksums: 0 };
        let costs = Costs::of_steps(30.0, (64.0, work), 74.0, (104.0, 20.0));
        assert_eq!(costs, Costs { packet: 30.0, byte: 0.5, checksum: 10.0, apply: 10.0 });
        let router = reduced_benchmark("router-1k", 1).expect("it is listed");
        let lookup_cost = |single, batched| LookupCost { single, batched, bytes: 40.0 };
        let lookups = [lookup_cost(50.0, 20.0), lookup_cost(5.0, 5.0)];
        let steps = 30.0 + 34.0 + 10.0;
        assert_eq!(costs.predict(&router, &lookups, 1.0, false), steps + 60.0 + 15.0);
        assert_eq!(costs.predict(&router, &lookups, 1.0, true), steps + 30.0 + 15.0);
        // A packet that is dropped before the tables is neither looked up nor emitted.
        assert_eq!(costs.predict(&router, &lookups, 0.0, false), 30.0 + 17.0 + 10.0);
    }
}
