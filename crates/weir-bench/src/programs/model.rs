//! What a packet should cost, from what its program does: the sum of steps that are measured by themselves.
//!
//! A packet costs a fixed amount, something for each byte of headers that is parsed or emitted, something for each checksum, and for
//! each table that it is looked up in a fixed amount and what the look-up itself costs with such keys ([`look_up`]). The parts that are not look-ups
//! are differences between programs that do one step more ([`Costs`]).

use std::hint::black_box;

use super::{Benchmark, Filled, Work};
use crate::tables::undisturbed;
use crate::workload::Workload;

/// Look-ups that are measured with different keys.
const KEYS: usize = 1 << 18;

/// What steps cost an executor on a machine, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Costs {
    /// A packet of which nothing is looked at.
    pub packet: f64,
    /// A byte of a header, parsed or emitted.
    pub byte: f64,
    /// An IPv4 header's checksum, verified and updated.
    pub checksum: f64,
    /// Building a key, going to the table and running the action, beside the look-up.
    pub apply: f64,
}

/// What a look-up costs and what holds its table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookUp {
    /// Nanoseconds of one after the other.
    pub single: f64,
    /// Nanoseconds in batches of 64.
    pub batched: f64,
    /// Bytes an entry.
    pub bytes: f64,
}

/// Measures a table by itself with the keys that the packets have.
pub fn look_up(filled: &Filled, load: &Workload) -> LookUp {
    let table = filled.table();
    let view = table.view();
    let words = filled.made.layout.words();
    let keys = filled.keys(load, KEYS);
    // Short loads go round until there are enough for many windows.
    let keys = keys.repeat((KEYS * words).div_ceil(keys.len()));
    let single = undisturbed(keys.len() / words, |window| {
        for key in keys[window.start * words..window.end * words].chunks_exact(words) {
            black_box(view.find(black_box(key)).map(|found| found.row.data(0)));
        }
    });
    let batched = undisturbed(keys.len() / words, |window| {
        let mut found = [None; crate::measure::BATCH];
        for keys in keys[window.start * words..window.end * words].chunks_exact(found.len() * words) {
            view.find_batch(black_box(keys), &mut found);
            black_box(found.iter().flatten().map(|found| found.row.data(0)).sum::<u64>());
        }
    });
    LookUp { single, batched, bytes: table.memory().per_entry() }
}

impl Costs {
    /// From nanoseconds a packet of the variants of `benches/programs/steps.p4`: nothing; with headers of so many bytes parsed and
    /// emitted; also with a checksum; also with a look-up, of which the look-up itself takes so long.
    pub fn of_steps(nothing: f64, headers: (f64, Work), checksum: f64, table: (f64, f64)) -> Self {
        let (with_headers, work) = headers;
        Self {
            packet: nothing,
            byte: (with_headers - nothing).max(0.0) / (work.parsed + work.emitted) as f64,
            checksum: (checksum - with_headers).max(0.0),
            apply: (table.0 - checksum - table.1).max(0.0),
        }
    }

    /// Nanoseconds a packet of a benchmark whose tables' look-ups cost so much, if this share of the packets is let through. `ahead` says
    /// that the first table's look-ups are made for many packets at once.
    pub fn predict(&self, of: &Benchmark, look_ups: &[LookUp], passed: f64, ahead: bool) -> f64 {
        let tables = of.tables.iter().zip(look_ups).enumerate();
        let tables = tables.map(|(position, (table, cost))| {
            let share = if table.behind_drops { passed } else { 1.0 };
            share * (self.apply + if position == 0 && ahead { cost.batched } else { cost.single })
        });
        let work = of.work;
        self.packet
            + self.byte * (work.parsed as f64 + passed * work.emitted as f64)
            + self.checksum * work.checksums as f64
            + tables.sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::sized;

    #[test]
    fn a_prediction_is_the_sum_of_the_steps() {
        let work = Work { parsed: 34, emitted: 34, checksums: 0 };
        let costs = Costs::of_steps(30.0, (64.0, work), 74.0, (104.0, 20.0));
        assert_eq!(costs, Costs { packet: 30.0, byte: 0.5, checksum: 10.0, apply: 10.0 });
        let router = sized("router-1k", 1).expect("it is listed");
        let look_up = |single, batched| LookUp { single, batched, bytes: 40.0 };
        let look_ups = [look_up(50.0, 20.0), look_up(5.0, 5.0)];
        let steps = 30.0 + 34.0 + 10.0;
        assert_eq!(costs.predict(&router, &look_ups, 1.0, false), steps + 60.0 + 15.0);
        assert_eq!(costs.predict(&router, &look_ups, 1.0, true), steps + 30.0 + 15.0);
        // What is dropped before the tables is not looked up, nor emitted.
        assert_eq!(costs.predict(&router, &look_ups, 0.0, false), 30.0 + 17.0 + 10.0);
    }
}
