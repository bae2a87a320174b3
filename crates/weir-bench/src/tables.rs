//! The speed of synthetic tables (`weir_tables::workload`) on this machine.

use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

use weir_tables::Table;
use weir_tables::workload::{DATA_WORDS, Workload};

/// Lookups in one measurement. There are many measurements, so that some are not disturbed by other
/// work on the machine.
const LOOKUPS: usize = 256;
/// The number of keys in a batch.
const BATCH: usize = 64;

/// The tables that can be measured.
pub const TABLES: [&str; 7] =
    ["exact-1k", "exact-1m", "ipv4-1k", "ipv4-1m", "ipv6-200k", "acl-1k", "acl-10k"];

/// The measured costs of a table: times and memory.
#[derive(Clone, Debug)]
pub struct TableFigures {
    /// The match kind of the key, and its width in bits.
    pub what: &'static str,
    /// The number of entries.
    pub entries: usize,
    /// The time to fill the table, in seconds.
    pub load_seconds: f64,
    /// The number of nanoseconds per lookup, one after the other: the 10th percentile of many short
    /// measurements.
    pub ns_per_lookup: f64,
    /// The nanoseconds per lookup in batches of 64, measured in the same way.
    pub ns_per_batched_lookup: f64,
    /// The number of microseconds to remove or insert an entry, on average.
    pub us_per_update: f64,
    /// The bytes of memory for each entry.
    pub bytes_per_entry: f64,
}

/// Measures one of [`TABLES`], which can take several seconds. Returns `None` for an unknown name.
pub fn measure_table(name: &str) -> Option<TableFigures> {
    Some(measure(&match name {
        "exact-1k" => Workload::exact(1_000),
        "exact-1m" => Workload::exact(1_000_000),
        "ipv4-1k" => Workload::ipv4(1_000),
        "ipv4-1m" => Workload::ipv4(1_000_000),
        "ipv6-200k" => Workload::ipv6(200_000),
        "acl-1k" => Workload::acl(1_000),
        "acl-10k" => Workload::acl(10_000),
        _ => return None,
    }))
}

/// Measures how long a table's changes and lookups take with this workload.
fn measure(workload: &Workload) -> TableFigures {
    let words = workload.layout.words();
    let mut table = Table::new(workload.layout.clone(), DATA_WORDS);
    let start = Instant::now();
    let mut handles: Vec<_> = workload
        .entries
        .iter()
        .map(|(patterns, priority, action, data)| {
            table.insert(patterns, *priority, *action, data).expect("a workload's entries differ")
        })
        .collect();
    let load_seconds = start.elapsed().as_secs_f64();
    let view = table.view();
    let keys = workload.keys.len() / words;
    let ns_per_lookup = undisturbed_ns(keys, |window| {
        for key in workload.keys[window.start * words..window.end * words].chunks_exact(words) {
            black_box(view.find(key).map(|hits| hits.row.data(0)));
        }
    });
    let ns_per_batched_lookup = undisturbed_ns(keys, |window| {
        let mut hits = [None; BATCH];
        for keys in workload.keys[window.start * words..window.end * words].chunks_exact(BATCH * words) {
            view.find_batch(keys, &mut hits);
            black_box(hits.iter().flatten().map(|hits| hits.row.data(0)).sum::<u64>());
        }
    });
    let bytes_per_entry = table.memory().per_entry();
    let start = Instant::now();
    for (index, patterns) in workload.others.iter().enumerate() {
        let (_, priority, action, data) = &workload.entries[index];
        black_box(table.remove(handles[index]));
        handles[index] =
            table.insert(patterns, *priority, *action, data).expect("a workload's entries differ");
    }
    TableFigures {
        what: workload.name,
        entries: workload.entries.len(),
        load_seconds,
        ns_per_lookup,
        ns_per_batched_lookup,
        us_per_update: start.elapsed().as_secs_f64() * 1e6 / (2 * workload.others.len()) as f64,
        bytes_per_entry,
    }
}

/// Returns the nanoseconds per lookup: the 10th percentile over windows of keys, each looked up
/// once.
pub(crate) fn undisturbed_ns(keys: usize, mut measure: impl FnMut(Range<usize>)) -> f64 {
    let mut times: Vec<f64> = (0..keys / LOOKUPS)
        .map(|window| {
            let start = Instant::now();
            measure(window * LOOKUPS..(window + 1) * LOOKUPS);
            start.elapsed().as_nanos() as f64 / LOOKUPS as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 10]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_of_the_table_that_was_named() {
        let figures = measure_table("ipv4-1k").expect("it is listed");
        assert_eq!((figures.what, figures.entries), ("lpm 32", 1000));
        assert!(figures.ns_per_lookup > 0.0 && figures.bytes_per_entry > 8.0 && figures.load_seconds > 0.0);
        assert!(measure_table("ipv5-1k").is_none());
    }
}
