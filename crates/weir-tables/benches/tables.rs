//! Measures lookups and changes: `cargo bench -p weir-tables`, followed by parts of workloads'
//! names to select them.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a benchmark reads the clock and starts threads"
)]
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

mod by_hand;

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use arc_swap::ArcSwap;
use weir_tables::Table;
use weir_tables::workload::{DATA_WORDS, Workload};

/// Lookups in one measurement. There are many measurements, and nine tenths of them may be
/// disturbed by other work on the machine.
const LOOKUPS: usize = 1 << 8;
const BATCH: usize = 64;

/// Returns the time of a lookup in nanoseconds: the lowest decile over windows of keys. Each key is
/// looked up once.
fn undisturbed_ns(keys: usize, mut measure: impl FnMut(std::ops::Range<usize>)) -> f64 {
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

/// Returns the processor time of this thread in nanoseconds, if the system reports it.
fn processor_time() -> Option<f64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

/// Nanoseconds of processor time, or of wall-clock time if the system does not report processor
/// time.
fn nanoseconds(work: impl FnOnce()) -> f64 {
    let (start, before) = (Instant::now(), processor_time());
    work();
    match (before, processor_time()) {
        (Some(before), Some(without_first)) => without_first - before,
        _ => start.elapsed().as_nanos() as f64,
    }
}

fn bench(workload: &Workload) {
    let words = workload.layout.words();
    let keys = workload.keys.len() / words;
    let mut table = Table::new(workload.layout.clone(), DATA_WORDS);
    let mut handles = Vec::with_capacity(workload.entries.len());
    let load = nanoseconds(|| {
        for (patterns, priority, action, data) in &workload.entries {
            handles.push(table.insert(patterns, *priority, *action, data).expect("entries differ"));
        }
    });
    let memory = table.memory();
    let view = table.view();
    let key = |index: usize| &workload.keys[index * words..][..words];
    let single = undisturbed_ns(keys, |window| {
        for index in window {
            black_box(view.find(key(index)).map(|found| found.row.data(0)));
        }
    });
    let dependent = undisturbed_ns(keys, |window| {
        let mut last = 0;
        for index in window {
            // The next key depends on the result, as in a program that processes one packet at a
            // time.
            let found = view.find(key(index ^ last)).map_or(0, |found| found.row.data(0));
            last = (black_box(found) & 1) as usize;
        }
    });
    let batched = undisturbed_ns(keys, |window| {
        let mut found = [None; BATCH];
        for keys in workload.keys[window.start * words..window.end * words].chunks_exact(BATCH * words) {
            view.find_batch(keys, &mut found);
            black_box(found.iter().flatten().map(|found| found.row.data(0)).sum::<u64>());
        }
    });
    let placed = undisturbed_ns(keys, |window| {
        let mut places = [None; BATCH];
        for keys in workload.keys[window.start * words..window.end * words].chunks_exact(BATCH * words) {
            view.find_hits(keys, words, &mut places);
            black_box(places.iter().flatten().map(|place| view.row(place.row()).data(0)).sum::<u64>());
        }
    });
    let by_hand = by_hand::hand_written_table(workload).map(|form| {
        undisturbed_ns(keys, |window| {
            for keys in workload.keys[window.start * words..window.end * words].chunks_exact(BATCH * words) {
                black_box(form.sum(keys));
            }
        })
    });
    let updates = workload.others.len();
    let update = nanoseconds(|| {
        for (index, patterns) in workload.others.iter().enumerate() {
            let (_, priority, action, data) = &workload.entries[index];
            black_box(table.remove(handles[index]));
            handles[index] = table.insert(patterns, *priority, *action, data).expect("entries differ");
        }
    }) / (2 * updates) as f64;
    let (flow, published, alone) = measure_while_changing(&mut table, workload, &mut handles);
    println!(
        "{:<16} {:>9} entries  lookup {single:>6.1} ns, in a chain {dependent:>6.1}, in batches {batched:>6.1}, hits {placed:>6.1}{}  load {:>6.3} s  update {:>5.2} us ({updates})  \
         published one by one {:>5.2} us, readers at {:>3.0} %  {:>6.1} B/entry{}",
        workload.name,
        workload.entries.len(),
        by_hand.map(|ns| format!(", by hand {ns:>5.1}")).unwrap_or_default(),
        load / 1e9,
        update / 1e3,
        published / 1e3,
        100.0 * flow / alone,
        memory.per_entry(),
        table.tuples().map(|tuples| format!("  {tuples} tuples")).unwrap_or_default(),
    );
}

/// Measures the lookups per second of another thread while 100 000 changes per second are published
/// one by one, the median time of a change, and lookups per second without changes.
fn measure_while_changing(table: &mut Table, workload: &Workload, handles: &mut [u64]) -> (f64, f64, f64) {
    let words = workload.layout.words();
    let published = ArcSwap::from_pointee(vec![table.snapshot()]);
    let (done, looked) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut times = Vec::with_capacity(50_000);
    let rates = std::thread::scope(|scope| {
        let (published, done, looked) = (&published, &done, &looked);
        scope.spawn(move || {
            for keys in workload.keys.chunks_exact(BATCH * words).cycle() {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                let views = published.load();
                let mut lookups = [None; BATCH];
                views[0].find_batch(keys, &mut lookups);
                black_box(lookups.iter().flatten().map(|lookup| lookup.row.data(0)).sum::<u64>());
                looked.fetch_add(BATCH as u64, Ordering::Relaxed);
            }
        });
        let rate = |work: &mut dyn FnMut()| {
            let (start, before) = (Instant::now(), looked.load(Ordering::Relaxed));
            work();
            (looked.load(Ordering::Relaxed) - before) as f64 / start.elapsed().as_secs_f64()
        };
        let alone = rate(&mut || std::thread::sleep(std::time::Duration::from_millis(300)));
        let flowing = rate(&mut || {
            let start = Instant::now();
            for update in 0..50_000usize {
                while start.elapsed().as_nanos() < update as u128 * 10_000 {
                    std::hint::spin_loop();
                }
                let before = Instant::now();
                let index = update % handles.len();
                let hop = update as u64 % 256;
                if update % 2 == 0 {
                    black_box(table.modify(handles[index], 0, &[hop, hop])).expect("the same entries");
                } else {
                    let entry = table.remove(handles[index]).expect("it is there");
                    handles[index] = table
                        .insert(&entry.patterns, entry.priority, 0, &[hop, hop])
                        .expect("its place is free");
                }
                published.store(vec![table.snapshot()].into());
                times.push(before.elapsed().as_nanos() as f64);
            }
        });
        done.store(true, Ordering::Relaxed);
        (flowing, alone)
    });
    times.sort_by(f64::total_cmp);
    (rates.0, times[times.len() / 2], rates.1)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    type Make = fn() -> Workload;
    let all: [(&str, Make); 7] = [
        ("exact-1k", || Workload::exact(1_000)),
        ("exact-1m", || Workload::exact(1_000_000)),
        ("ipv4-1k", || Workload::ipv4(1_000)),
        ("ipv4-1m", || Workload::ipv4(1_000_000)),
        ("ipv6-200k", || Workload::ipv6(200_000)),
        ("acl-1k", || Workload::acl(1_000)),
        ("acl-10k", || Workload::acl(10_000)),
    ];
    for (name, make) in all {
        if wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str())) {
            bench(&make());
        }
    }
}
