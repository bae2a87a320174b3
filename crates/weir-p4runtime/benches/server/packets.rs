//! Measures the cost of packets for the forwarding thread while a controller writes.

use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use weir_bench::measure::BATCH;
use weir_bench::{Workload, programs};
use weir_device::Buffer;
use weir_native::Native;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::entity::Entity;
use weir_p4runtime::proto::v1::table_action::Type as Does;
use weir_p4runtime::proto::v1::update::Type;
use weir_switch::{Switch, SwitchConfig, Worker, arch};
use weir_syntax::preprocess::MemoryLoader;

use crate::load::{id, processor_time};
use crate::owner::serve;
use crate::peer::{self, Peer};
use crate::writes::{connect, election, runtime};

/// The number of different packets.
const FLOWS: usize = 1 << 18;
/// The number of times that each variant is measured. The variants take turns, so that other
/// programs disturb them equally.
const ROUNDS: u32 = 40;
/// The number of updates in one batch of the controller.
const UPDATES: usize = 100;
const RATE: f64 = 100_000.0;
/// The number of routes that the controller changes, one after the other.
const CHANGED: usize = 100_000;

/// Returns a router with `routes` routes, and its packets.
fn router(routes: usize) -> (Switch, Workload) {
    let bench = programs::reduced_benchmark("router-1m", 1_000_000 / routes.clamp(1, 1_000_000))
        .expect("it is there");
    let loader = MemoryLoader::new()
        .with(bench.file, bench.source)
        .with("core.p4", include_str!("../../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../../p4include/v1model.p4"));
    let program = weir_compiler::compile(bench.file, &loader, &[]).program.expect("it compiles");
    let native = Native::new(arch::bind(program).expect("it is a v1model program"));
    let config = SwitchConfig { pass_latency: 0, ..SwitchConfig::default().with_ports(0..programs::PORTS) };
    let mut switch = Switch::new(Arc::new(native.expect("machine code")), config).expect("it loads");
    bench.insert_entries(&mut switch.control()).expect("the entries fit");
    (switch, bench.packets(FLOWS))
}

/// The number of packets that a worker forwarded, its processor time, and the elapsed time.
#[derive(Clone, Copy, Default)]
struct Forwarded {
    packets: u64,
    busy: f64,
    seconds: f64,
}

/// Forwards packets until `stop` is set.
fn forward(worker: &mut Worker, load: &Workload, stop: &AtomicBool) -> Forwarded {
    let mut buffers: Vec<Buffer> = (0..BATCH).map(|_| Buffer::new(load.longest_packet())).collect();
    let (mut out, mut left, mut at, mut packets) = (Vec::new(), Vec::new(), 0, 0);
    let start = Instant::now();
    let before = processor_time(start);
    while !stop.load(Ordering::Relaxed) {
        for _ in 0..16 {
            for buffer in &mut buffers {
                let (port, bytes) = load.packet(at);
                buffer.receive(port, packets, bytes);
                packets += 1;
                at = if at + 1 == load.len() { 0 } else { at + 1 };
            }
            worker.forward(start.elapsed().as_nanos() as u64, &mut buffers, &mut out, &mut left);
        }
    }
    let busy = (processor_time(start) - before).as_secs_f64();
    assert_eq!((out.len(), left.len()), (0, 0), "every packet takes the fast path");
    Forwarded { packets, busy, seconds: start.elapsed().as_secs_f64() }
}

/// Forwards packets on a separate thread while this thread calls `act`.
fn meanwhile<T>(worker: &mut Worker, load: &Workload, act: impl FnOnce() -> T) -> (Forwarded, T) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| forward(worker, load, &stop));
        let done = act();
        stop.store(true, Ordering::Relaxed);
        (thread.join().expect("it forwards"), done)
    })
}

/// Changes the next hops of routes. For each number of seconds that it reads from standard input,
/// it sends [`RATE`] updates per second for that time. Then it prints the number of updates and the
/// seconds that they took.
pub fn controller(address: &str) {
    runtime().block_on(async {
        let (mut client, _primary) = connect(address, 1).await;
        let request = v1::GetForwardingPipelineConfigRequest { device_id: 1, response_type: 0 };
        let answer = client.get_forwarding_pipeline_config(request).await.expect("a program").into_inner();
        let info = answer.config.and_then(|config| config.p4info).expect("its P4Info");
        let filter = v1::TableEntry { table_id: id(&info, "routes"), ..Default::default() };
        let entities = vec![v1::Entity { entity: Some(Entity::TableEntry(filter)) }];
        let request = v1::ReadRequest { device_id: 1, entities, ..Default::default() };
        let mut parts = client.read(request).await.expect("an answer").into_inner();
        let mut routes = Vec::new();
        while let Some(part) = parts.message().await.expect("an answer")
            && routes.len() < CHANGED
        {
            routes.extend(part.entities.into_iter().filter_map(|entity| match entity.entity {
                Some(Entity::TableEntry(route)) if !route.is_default_action => Some(route),
                _ => None,
            }));
        }
        drop(parts);
        peer::print([routes.len() as f64]);
        let (mut done, mut next) = (0usize, 0);
        for line in std::io::stdin().lock().lines() {
            let span: f64 = peer::number(&line.expect("a line"));
            let (start, first) = (Instant::now(), done);
            while start.elapsed().as_secs_f64() < span {
                if (done - first) as f64 > start.elapsed().as_secs_f64() * RATE {
                    tokio::time::sleep(Duration::from_micros(200)).await;
                    continue;
                }
                let mut updates = Vec::with_capacity(UPDATES);
                for _ in 0..UPDATES {
                    next = (next + 7919) % routes.len();
                    updates.push(other_hop(&routes[next], done));
                    done += 1;
                }
                let request = v1::WriteRequest {
                    device_id: 1,
                    election_id: election(1),
                    updates,
                    ..Default::default()
                };
                client.write(request).await.expect("the routes are there");
            }
            peer::print([(done - first) as f64, start.elapsed().as_secs_f64()]);
        }
    });
}

fn other_hop(route: &v1::TableEntry, number: usize) -> v1::Update {
    let mut route = route.clone();
    if let Some(Does::Action(action)) = route.action.as_mut().and_then(|action| action.r#type.as_mut()) {
        for param in &mut action.params {
            param.value = vec![(number % 251) as u8];
        }
    }
    let entity = Some(v1::Entity { entity: Some(Entity::TableEntry(route)) });
    v1::Update { r#type: Type::Modify.into(), entity }
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Returns two rates in millions of packets per second: per elapsed time, and per processor time.
fn rates(forwarded: &Forwarded) -> [f64; 2] {
    [forwarded.seconds, forwarded.busy].map(|time| forwarded.packets as f64 / time / 1e6)
}

fn measure(routes: usize, span: Duration) {
    let (mut switch, load) = router(routes);
    let mut worker = switch.worker();
    let (owner, _server, address) = serve(switch);
    let mut controller = Peer::start(&["update", &address.to_string()]);
    let changed = controller.numbers()[0];
    let (mut alone, mut kept) = (Vec::new(), [Vec::new(), Vec::new()]);
    let (mut updates, mut seconds) = (0.0, 0.0);
    owner.lent.store(0, Ordering::Relaxed);
    for _ in 0..ROUNDS {
        let without = rates(&meanwhile(&mut worker, &load, || std::thread::sleep(span)).0);
        let (with, done) = meanwhile(&mut worker, &load, || {
            controller.send(span.as_secs_f64());
            controller.numbers()
        });
        let with = rates(&with);
        alone.push(without[1]);
        kept.iter_mut().enumerate().for_each(|(way, kept)| kept.push(with[way] / without[way]));
        updates += done[0];
        seconds += done[1];
    }
    let [by_clock, by_processor] = kept.map(middle);
    println!(
        "  {routes} routes: {:.2} M packets/s alone; {:.0} changes/s of {changed} routes leave {by_processor:.3} of it by processor time, {by_clock:.3} by the clock",
        middle(alone),
        updates / seconds,
    );
    let lent = owner.lent.load(Ordering::Relaxed) as f64;
    println!(
        "    the switch was lent to the server for {:.0} ns a change, {:.3} of the time: in a virtual network packets wait meanwhile",
        lent / updates,
        lent / 1e9 / seconds
    );
}

/// Measures and prints how much of its rate a worker keeps while a controller writes.
pub fn report(routes: usize, seconds: usize) {
    println!(
        "an IPv4 router on a thread of its own, and a controller in another process; medians of {ROUNDS} pairs"
    );
    let span = Duration::from_secs(seconds as u64) / ROUNDS / 2;
    for routes in [1000, routes] {
        measure(routes, span);
    }
}
