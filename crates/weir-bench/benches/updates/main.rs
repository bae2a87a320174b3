//! The control interface: the time and memory that a million routes take to load, and the packet
//! rate that remains with 100 000 changes per second, on one core that does both in turn.
//!
//! `cargo bench -p weir-bench --bench updates [-- ROUTES SECONDS]`, 1 000 000 routes and 2 s each
//! by default.

#![expect(clippy::print_stdout, reason = "the person who runs it wants to see the figures")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use weir_bench::measure::BATCH;
use weir_bench::{Shape, Workload, workload};
use weir_control::Names;
use weir_device::{Buffer, Nanos};
use weir_interp::Interpreter;
use weir_ir::Bits;
use weir_ir::{ActionId, TableId, ValidProgram};
use weir_native::Native;
use weir_switch::control::{Call, Entry, EntryRef, Match, Target, Update};
use weir_switch::{Switch, SwitchConfig, arch};
use weir_syntax::preprocess::MemoryLoader;

const NEXT_HOPS: u64 = 256;
const FLOWS: usize = 1 << 20;
/// Changes per second.
const CHANGES: f64 = 100_000.0;

fn program() -> ValidProgram {
    let loader = MemoryLoader::new()
        .with("router.p4", include_str!("../../../../benches/programs/router.p4"))
        .with("core.p4", include_str!("../../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../../p4include/v1model.p4"));
    let result = weir_compiler::compile("router.p4", &loader, &[]);
    let Some(program) = result.program else {
        panic!("{}", result.diagnostics.render(&result.source_map, false))
    };
    arch::bind(program).expect("the router is a v1model program")
}

/// Returns the processor time of this thread in seconds, or the wall-clock time on systems that do
/// not provide it.
fn processor_time(since: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = text.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanos.map_or_else(|| since.elapsed().as_secs_f64(), |nanos| nanos / 1e9)
}

/// The table and the actions that requests name.
#[derive(Clone, Copy)]
struct Ids {
    routes: TableId,
    via: ActionId,
    next_hops: TableId,
    forward: ActionId,
}

impl Ids {
    fn new(switch: &Switch) -> Self {
        let names = Names::new(switch.schema());
        let table = |name| names.table(name).expect("the router has the table");
        let action = |table, name| names.action(table, name).expect("the table has the action");
        let (routes, next_hops) = (table("routes"), table("next_hops"));
        Self { routes, via: action(routes, "via"), next_hops, forward: action(next_hops, "forward") }
    }
}

/// A route.
#[derive(Clone, Copy)]
struct Route {
    address: u32,
    length: u32,
    hop: u64,
}

impl Route {
    fn matches(self) -> Vec<Match> {
        vec![Match::Lpm(Bits::new(32, u128::from(self.address)), self.length)]
    }

    fn forward_target(self, ids: Ids) -> Target {
        Call { action: ids.via, args: vec![Bits::new(16, u128::from(self.hop))] }.into()
    }

    fn insert(self, ids: Ids) -> Update {
        let (matches, action) = (self.matches(), self.forward_target(ids));
        let entry = Entry { matches, priority: None, action, idle_timeout: None };
        Update::Insert { table: ids.routes, entry }
    }

    fn entry(self) -> EntryRef {
        EntryRef::Key { matches: self.matches(), priority: None }
    }
}

/// Makes random prefixes, most of them /24 as on the Internet, each once and in random order.
fn routes(count: usize) -> Vec<Route> {
    let random = &mut Pcg64Mcg::new(7);
    let mut seen = std::collections::BTreeSet::new();
    let mut routes = Vec::with_capacity(count);
    while routes.len() < count {
        let length = match random.next_u64() % 100 {
            0..=59 => 24,
            60..=97 => 16 + (random.next_u64() % 8) as u32,
            98 => 8 + (random.next_u64() % 8) as u32,
            _ => 25 + (random.next_u64() % 8) as u32,
        };
        let address = random.next_u64() as u32 & (u32::MAX << (32 - length));
        if seen.insert((address, length)) {
            routes.push(Route { address, length, hop: random.next_u64() % NEXT_HOPS });
        }
    }
    routes
}

fn start(program: &ValidProgram) -> Switch {
    let config = SwitchConfig { pass_latency: 0, ..SwitchConfig::default().with_ports(0..8) };
    let native = Native::new(program.clone()).expect("machine code for this processor");
    // The workload is generated from the trace of a packet, which needs the interpreter.
    let native = native.with_tracer(Arc::new(Interpreter::new(program.clone())));
    let mut switch = Switch::new(Arc::new(native), config).expect("the router loads");
    let ids = Ids::new(&switch);
    let hops: Vec<Update> = (0..NEXT_HOPS)
        .map(|hop| {
            let args = vec![
                Bits::new(48, 0x0200_0000_0000 | u128::from(hop)),
                Bits::new(48, 0x0200_0001_0000 | u128::from(hop % 8)),
                Bits::new(9, u128::from(hop % 8)),
            ];
            let matches = vec![Match::Exact(Bits::new(16, u128::from(hop)))];
            let action = Call { action: ids.forward, args }.into();
            let entry = Entry { matches, priority: None, action, idle_timeout: None };
            Update::Insert { table: ids.next_hops, entry }
        })
        .collect();
    switch.control().write(&hops).expect("the next hops fit");
    switch
}

/// Loads the routes in one batch and prints the cost.
fn load_routes(program: &ValidProgram, routes: &[Route], order: &str) -> Switch {
    let mut switch = start(program);
    let ids = Ids::new(&switch);
    let mut updates: Vec<Update> = routes.iter().map(|route| route.insert(ids)).collect();
    let wall = Instant::now();
    let before = processor_time(wall);
    switch.control().write(&updates).expect("the routes differ");
    let seconds = processor_time(wall) - before;
    let state = switch.control().table_state(ids.routes).expect("the table is there");
    println!(
        "{} routes in {order} in one batch: {seconds:.2} s of the processor ({:.2} s on the wall), {:.1} bytes an entry",
        state.entries,
        wall.elapsed().as_secs_f64(),
        state.memory as f64 / state.entries as f64
    );
    // The same routes again, with a last one that the table already has.
    let mut other = start(program);
    updates.push(updates[0].clone());
    let before = processor_time(wall);
    other.control().write(&updates).expect_err("the last route is already in the table");
    println!(
        "  undone because the last update is wrong: {:.2} s of the processor",
        processor_time(wall) - before
    );
    assert_eq!(other.control().table_state(ids.routes).map(|state| state.entries), Ok(0));
    switch
}

/// Changes between packets.
struct Changes<'a> {
    name: &'static str,
    /// The number of changes in one write.
    at_once: usize,
    /// The updates of one route. Together, they leave the table unchanged.
    of: &'a dyn Fn(&Route) -> Vec<Update>,
}

/// Requests, created right before they are written; that is the requester's work.
struct Requests<'a> {
    changes: &'a Changes<'a>,
    routes: std::iter::Cycle<std::slice::Iter<'a, Route>>,
    ready: std::collections::VecDeque<Vec<Update>>,
}

impl<'a> Requests<'a> {
    fn new(changes: &'a Changes<'a>, routes: &'a [Route]) -> Self {
        Self { changes, routes: routes.iter().cycle(), ready: std::collections::VecDeque::new() }
    }

    fn make_request(&mut self) {
        let routes = self.routes.by_ref().take(200);
        let updates: Vec<Update> = routes.flat_map(|route| (self.changes.of)(route)).collect();
        self.ready.extend(updates.chunks(self.changes.at_once).map(<[Update]>::to_vec));
    }
}

/// Returns the packets and changes per second of processor time, measured over `span`. Other work
/// on the machine does not affect processor time.
fn measure_flow(
    switch: &mut Switch,
    load: &Workload,
    mut requests: Option<Requests<'_>>,
    span: Duration,
) -> (f64, f64) {
    let mut buffers: Vec<Buffer> = (0..BATCH).map(|_| Buffer::new(load.longest_packet())).collect();
    let mut transmissions = Vec::new();
    let base: Nanos = switch.now();
    let (mut packets, mut at, mut done, mut elsewhere) = (0u64, 0, 0usize, 0.0);
    let start = Instant::now();
    let before = processor_time(start);
    let seconds = loop {
        let elapsed = processor_time(start) - before - elsewhere;
        if elapsed >= span.as_secs_f64() {
            break elapsed;
        }
        if let Some(requests) = &mut requests {
            let owed = (elapsed * CHANGES) as usize;
            while done < owed {
                let Some(write) = requests.ready.pop_front() else {
                    let begun = processor_time(start);
                    requests.make_request();
                    elsewhere += processor_time(start) - begun;
                    continue;
                };
                switch.control().write(&write).expect("all changes are possible");
                done += write.len();
            }
        }
        // Reading the time costs as much as several packets.
        for _ in 0..16 {
            for buffer in &mut buffers {
                let (port, bytes) = load.packet(at);
                buffer.receive(port, packets, bytes);
                packets += 1;
                at = if at + 1 == load.len() { 0 } else { at + 1 };
            }
            let now = base + start.elapsed().as_nanos() as Nanos;
            switch.forward(now, &mut buffers, &mut transmissions);
            transmissions.clear();
        }
    };
    for write in requests.into_iter().flat_map(|requests| requests.ready) {
        switch.control().write(&write).expect("all changes are possible");
    }
    (packets as f64 / seconds, done as f64 / seconds)
}

fn main() {
    let args: Vec<f64> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let count = args.first().map_or(1_000_000, |routes| *routes as usize);
    let span = Duration::from_secs_f64(args.get(1).copied().unwrap_or(2.0));
    let program = program();
    let random = routes(count);
    let mut sorted = random.clone();
    sorted.sort_by_key(|route| (route.address, route.length));
    drop(load_routes(&program, &sorted, "order"));
    let mut switch = load_routes(&program, &random, "no order");

    let shape = Shape { ports: (0..8).collect(), ..Shape::udp(64, FLOWS) };
    let executor = Arc::clone(switch.executor());
    let packets = workload(&*executor, &switch.control(), &shape);
    let ids = Ids::new(&switch);
    let modify = |route: &Route| {
        let route = Route { hop: (route.hop + 1) % NEXT_HOPS, ..*route };
        vec![Update::Modify { table: ids.routes, entry: route.entry(), action: route.forward_target(ids) }]
    };
    let flap =
        |route: &Route| vec![Update::Delete { table: ids.routes, entry: route.entry() }, route.insert(ids)];
    let all = [
        Changes { name: "another next hop, one by one", at_once: 1, of: &modify },
        Changes { name: "another next hop, 100 at a time", at_once: 100, of: &modify },
        Changes { name: "taken out and put in, one by one", at_once: 1, of: &flap },
        Changes { name: "taken out and put in, 100 at a time", at_once: 100, of: &flap },
    ];
    for changes in &all {
        // Rates without changes before and after, since the load of the machine varies.
        let (before, _) = measure_flow(&mut switch, &packets, None, span / 2);
        let (during, rate) = measure_flow(&mut switch, &packets, Some(Requests::new(changes, &random)), span);
        let (after, _) = measure_flow(&mut switch, &packets, None, span / 2);
        let without = before.midpoint(after);
        println!(
            "{:<36} {rate:9.0} changes a second, {during:10.0} packets a second: {:.3} of the {without:.0} without",
            changes.name,
            during / without
        );
    }
}
