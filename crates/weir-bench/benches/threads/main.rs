//! One switch, several threads: packets through one worker and through two, and while routes
//! change, all from memory to memory in one run.
//!
//! `cargo bench -p weir-bench --bench threads [-- ROUTES SECONDS]`, 1000 and 1 000 000 routes for 2
//! s each by default. Each worker has two ports. It also prints the rate by processor time where
//! the kernel provides that (Linux), because other programs on the machine do not change that rate.

#![expect(clippy::print_stdout, reason = "the person who runs it wants to see the figures")]
#![allow(clippy::disallowed_methods, reason = "a benchmark starts threads and waits for them")]

#[path = "../by_hand/mod.rs"]
mod by_hand;
#[path = "../common/mod.rs"]
mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use weir_bench::measure::BATCH;
use weir_bench::programs::NamedCall;
use weir_bench::{Workload, programs};
use weir_control::Names;
use weir_device::{Buffer, Port};
use weir_switch::control::{EntryRef, Update};
use weir_switch::{Switch, Worker};

const FLOWS: usize = 1 << 18;
/// The number of measurements of each variant; the variants take turns.
const ROUNDS: usize = 5;
/// The number of updates that a controller sends at once, and of updates per second.
const UPDATES: usize = 100;
const RATE: f64 = 100_000.0;

/// The packets that a worker forwarded, and the time for them.
#[derive(Clone, Copy, Debug, Default)]
struct Forwarded {
    packets: u64,
    seconds: f64,
    /// The number of seconds of processor time.
    busy: f64,
}

impl Forwarded {
    /// Millions of packets per second: by wall-clock time, and by processor time.
    fn rates(self) -> [f64; 2] {
        [self.packets as f64 / self.seconds / 1e6, self.packets as f64 / self.busy / 1e6]
    }
}

/// Sends packets into the switch on two ports until `stop` is set.
fn forward(
    worker: &mut Worker,
    load: &Workload,
    ports: [Port; 2],
    from: usize,
    stop: &AtomicBool,
) -> Forwarded {
    let mut buffers: Vec<Buffer> = (0..BATCH).map(|_| Buffer::new(load.longest_packet())).collect();
    let (mut out, mut left) = (Vec::new(), Vec::new());
    let (mut packets, mut gone, mut at) = (0, 0, from % load.len());
    let start = Instant::now();
    let busy = common::processor_seconds(|| {
        // The thread that sets `stop` bounds this loop.
        while !stop.load(Ordering::Relaxed) {
            for _ in 0..16 {
                for (index, buffer) in buffers.iter_mut().enumerate() {
                    buffer.receive(ports[index % 2], packets, load.packet(at).1);
                    packets += 1;
                    at = if at + 1 == load.len() { 0 } else { at + 1 };
                }
                let now = start.elapsed().as_nanos() as u64;
                worker.forward(now, &mut buffers, &mut out, &mut left);
                gone += buffers.iter().filter(|buffer| buffer.metadata.egress_port.is_some()).count() as u64;
            }
        }
    });
    assert_eq!((gone, out.len(), left.len()), (packets, 0, 0), "every packet takes the fast path");
    Forwarded { packets, seconds: start.elapsed().as_secs_f64(), busy }
}

/// Lets the workers forward packets while this thread calls `meanwhile`, until that returns.
fn forward_together(workers: &mut [Worker], load: &Workload, meanwhile: impl FnOnce()) -> Vec<Forwarded> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let threads: Vec<_> = workers
            .iter_mut()
            .enumerate()
            .map(|(number, worker)| {
                let (stop, first) = (&stop, 2 * number as Port);
                scope.spawn(move || forward(worker, load, [first, first + 1], number * load.len() / 2, stop))
            })
            .collect();
        meanwhile();
        stop.store(true, Ordering::Relaxed);
        threads.into_iter().map(|thread| thread.join().expect("a worker that carries packets")).collect()
    })
}

/// Gives routes other next hops, [`RATE`] per second in batches of [`UPDATES`], for a while.
/// Returns the number of updates and the seconds of processor time that they took.
fn update(switch: &mut Switch, batches: &[Vec<Update>], span: Duration) -> (u64, f64) {
    let (start, mut done) = (Instant::now(), 0u64);
    let busy = common::processor_seconds(|| {
        while start.elapsed() < span {
            while (done as f64) < start.elapsed().as_secs_f64() * RATE && start.elapsed() < span {
                let batch = &batches[done as usize / UPDATES % batches.len()];
                switch.control().write(batch).expect("routes that are there");
                done += UPDATES as u64;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    });
    (done, busy)
}

/// Batches of updates, each of another route.
fn batches(switch: &Switch, routes: usize) -> Vec<Vec<Update>> {
    let names = Names::new(switch.schema());
    let table = names.table("routes").expect("the router has the table");
    let change = |number: usize| {
        // Handles count up from 0. The stride and the number of routes have no common factor, so
        // the handles visit all routes.
        let handle = (number * 7_919 % routes) as u64;
        let call = NamedCall::new("via", &[("next_hop", 16, number as u64 % 251)]);
        let action = call.resolve(names, table).expect("names of the router").into();
        Update::Modify { table, entry: EntryRef::Handle(handle), action }
    };
    (0..100).map(|batch| (0..UPDATES).map(|index| change(batch * UPDATES + index)).collect()).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Returns the medians of several measurements, by wall-clock time and by processor time.
fn medians(measured: &[[f64; 2]]) -> [f64; 2] {
    [0, 1].map(|index| median(measured.iter().map(|rates| rates[index]).collect()))
}

/// Returns the rates of all workers of a measurement.
fn total_rates(carried: &[Forwarded]) -> [f64; 2] {
    carried.iter().fold([0.0; 2], |sum, carried| {
        let rates = carried.rates();
        [sum[0] + rates[0], sum[1] + rates[1]]
    })
}

fn measure(name: &str, switch: &mut Switch, load: &Workload, span: Duration, routes: Option<usize>) {
    println!("{name}");
    let mut workers = [switch.worker(), switch.worker()];
    let changes = routes.map(|routes| batches(switch, routes)).unwrap_or_default();
    let (mut one, mut two, mut changing) = (Vec::new(), Vec::new(), Vec::new());
    let (mut done, mut busy) = (0, 0.0);
    for _ in 0..ROUNDS {
        let rest = || std::thread::sleep(span);
        one.push(total_rates(&forward_together(&mut workers[..1], load, rest)));
        two.push(total_rates(&forward_together(&mut workers, load, rest)));
        if !changes.is_empty() {
            let mut done_and_busy = (0, 0.0);
            changing.push(total_rates(&forward_together(&mut workers[..1], load, || {
                done_and_busy = update(switch, &changes, span);
            })));
            done += done_and_busy.0;
            busy += done_and_busy.1;
        }
    }
    let (one, two) = (medians(&one), medians(&two));
    let line = |what: &str, rates: [f64; 2], reference: [f64; 2]| {
        let parts = [rates[0] / reference[0], rates[1] / reference[1]];
        println!(
            "  {what:<44} {:6.2} M packets/s ({:4.2}); by processor time {:6.2} ({:4.2})",
            rates[0], parts[0], rates[1], parts[1]
        );
    };
    line("one worker", one, one);
    line("two workers", two, one);
    if !changing.is_empty() {
        let seconds = span.as_secs_f64() * ROUNDS as f64;
        line("one worker while routes change", medians(&changing), one);
        let each = busy * 1e6 / done as f64;
        println!(
            "  {:.0} updates a second in batches of {UPDATES}, {each:.1} us of the processor each",
            done as f64 / seconds
        );
    }
}

fn main() {
    let args: Vec<f64> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let sizes = args.first().map_or_else(|| vec![1_000, 1_000_000], |routes| vec![*routes as usize]);
    let span = Duration::from_secs_f64(args.get(1).copied().unwrap_or(2.0) / ROUNDS as f64);
    for size in sizes {
        let name = if size > 1_000 { "router-1m" } else { "router-1k" };
        let full = if size > 1_000 { 1_000_000 } else { 1_000 };
        let bench = programs::reduced_benchmark(name, full / size.max(1)).expect("it is there");
        let program = common::program(bench.file, bench.source, &[]);
        let [native, _] = common::executors(&program);
        let mut switch = common::switch(&native);
        bench.insert_entries(&mut switch.control()).expect("the entries fit");
        let routes = bench.tables[0].contents.entries.len();
        let load = bench.packets(FLOWS);
        measure(
            &format!("an IPv4 router with {routes} routes, 64 bytes, native code"),
            &mut switch,
            &load,
            span,
            Some(routes),
        );
    }
    for (what, define) in [
        ("each packet counted by a counter", "COUNTER"),
        ("each packet counted in a register, read and written", "REGISTER"),
    ] {
        let source = include_str!("../../../../benches/programs/count.p4");
        let program = common::program("count.p4", source, &[define]);
        let [native, _] = common::executors(&program);
        let mut switch = common::switch(&native);
        let load = programs::reduced_benchmark("router-1k", 1).expect("it is there").packets(FLOWS);
        measure(&format!("{what}, 4096 flows, native code"), &mut switch, &load, span, None);
    }
}
