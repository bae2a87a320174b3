//! An IPv4 router at 64 bytes on one core, from memory to memory: compiled P4 against a hand-written loop and the interpreter, in one run.
//!
//! `cargo bench -p weir-bench --bench router [-- ROUTES SECONDS]`, 1000 and 1 000 000 routes for 2 s each if nothing is said.

#![expect(clippy::print_stdout, reason = "whoever runs it wants to see the figures")]

mod hand;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use weir_bench::{Shape, Workload, measure, workload};
use weir_interp::Interpreter;
use weir_ir::exec::Executor;
use weir_ir::{Bits, Program};
use weir_native::Native;
use weir_switch::control::{Call, Entry, Match};
use weir_switch::{Switch, SwitchConfig, arch};
use weir_syntax::preprocess::MemoryLoader;

const NEXT_HOPS: u16 = 256;
const FLOWS: usize = 1 << 20;

fn program() -> Program {
    let loader = MemoryLoader::new()
        .with("router.p4", include_str!("../../../../benches/programs/router.p4"))
        .with("core.p4", include_str!("../../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../../p4include/v1model.p4"));
    let result = weir_compiler::compile("router.p4", &loader, &[]);
    let Some(program) = result.program else {
        panic!("{}", result.diagnostics.render(&result.source_map, false))
    };
    arch::after(program, "sweep").expect("the router is a v1model program")
}

/// Random prefixes, most of them /24 as on the Internet, each once.
fn routes(count: usize) -> Vec<(u32, u32, u16)> {
    let random = &mut Pcg64Mcg::new(7);
    let mut routes = std::collections::BTreeMap::new();
    while routes.len() < count {
        let length = match random.next_u64() % 100 {
            0..=59 => 24,
            60..=97 => 16 + (random.next_u64() % 8) as u32,
            98 => 8 + (random.next_u64() % 8) as u32,
            _ => 25 + (random.next_u64() % 8) as u32,
        };
        let address = random.next_u64() as u32 & (u32::MAX << (32 - length));
        // The hand-written table has 2^15 blocks for long prefixes.
        routes.insert((address, length), (random.next_u64() % u64::from(NEXT_HOPS)) as u16);
    }
    routes.into_iter().map(|((address, length), hop)| (address, length, hop)).collect()
}

fn hops() -> Vec<hand::NextHop> {
    (0..NEXT_HOPS)
        .map(|hop| hand::NextHop {
            dst: [2, 0, 0, 1, (hop >> 8) as u8, hop as u8],
            src: [2, 0, 0, 2, 0, (hop % 8) as u8],
            port: hop % 8,
        })
        .collect()
}

fn number(width: u32, bytes: &[u8]) -> Bits {
    Bits::from_be_bytes(width, bytes)
}

fn switch(executor: Arc<dyn Executor>, routes: &[(u32, u32, u16)]) -> Switch {
    let config = SwitchConfig { pass_latency: 0, ..SwitchConfig::default().with_ports(0..8) };
    let mut switch = Switch::new(executor, config).expect("the router loads");
    let mut control = switch.control();
    let call = |action: &str, args: Vec<(&str, Bits)>| Call {
        action: action.to_owned(),
        args: args.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    };
    let entry = |key: &str, accepts: Match, call: Call| Entry {
        matches: vec![(key.to_owned(), accepts)],
        priority: None,
        action: call.into(),
        idle_timeout: None,
    };
    for (id, hop) in hops().iter().enumerate() {
        let args = vec![
            ("dst", number(48, &hop.dst)),
            ("src", number(48, &hop.src)),
            ("port", Bits::new(9, u128::from(hop.port))),
        ];
        let exact = Match::Exact(Bits::new(16, id as u128));
        control
            .insert("next_hops", entry("meta.next_hop", exact, call("forward", args)))
            .expect("a next hop");
    }
    for (address, length, hop) in routes {
        let args = vec![("next_hop", Bits::new(16, u128::from(*hop)))];
        let prefix = Match::Lpm(Bits::new(32, u128::from(*address)), *length);
        control.insert("routes", entry("hdr.ipv4.dst", prefix, call("via", args))).expect("a route");
    }
    switch
}

/// Nanoseconds a packet of the hand-written loop, and the packets that it routed of one round.
fn by_hand(load: &Workload, routes: &[(u32, u32, u16)], span: Duration) -> (f64, u64) {
    let (table, hops) = (hand::Routes::new(routes), hops());
    let mut frames: Vec<_> = (0..weir_bench::measure::BATCH)
        .map(|_| hand::Frame { bytes: [0; 128], length: 0, out: None })
        .collect();
    let (mut packets, mut routed, mut at) = (0u64, 0u64, 0);
    let mut round = None;
    let start = Instant::now();
    while start.elapsed() < span || round.is_none() {
        for _ in 0..16 {
            for frame in &mut frames {
                let (_, bytes) = load.packet(at);
                frame.bytes[..bytes.len()].copy_from_slice(bytes);
                frame.length = bytes.len();
                at = if at + 1 == load.len() { 0 } else { at + 1 };
            }
            hand::route(&mut frames, &table, &hops);
            packets += frames.len() as u64;
            routed += frames.iter().filter(|frame| frame.out.is_some()).count() as u64;
            if packets == load.len() as u64 {
                round = Some(routed);
            }
        }
    }
    (start.elapsed().as_secs_f64() * 1e9 / packets as f64, round.unwrap_or_default())
}

fn main() {
    let args: Vec<f64> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let sizes = args.first().map_or_else(|| vec![1_000, 1_000_000], |routes| vec![*routes as usize]);
    let span = Duration::from_secs_f64(args.get(1).copied().unwrap_or(2.0));
    let program = Arc::new(program());
    for size in sizes {
        let routes = routes(size);
        let interpreter = Arc::new(Interpreter::new(Arc::clone(&program)));
        // The load is drawn from what a traced packet tells, which is the interpreter's part.
        let native = Native::new(Arc::clone(&program)).expect("machine code for this processor");
        let native = native.with_tracer(interpreter.clone());
        let executors: [Arc<dyn Executor>; 2] = [Arc::new(native), interpreter];
        println!("{size} routes, {FLOWS} destinations, 64 bytes");
        for executor in executors {
            let start = Instant::now();
            let mut switch = switch(Arc::clone(&executor), &routes);
            let loaded = start.elapsed();
            let shape = Shape { ports: (0..8).collect(), ..Shape::udp(64, FLOWS) };
            let load = workload(&*executor, &switch.control(), &shape);
            let (hand, routed) = by_hand(&load, &routes, span);
            let measured = measure(&mut switch, &load, span);
            assert_eq!(routed, load.len() as u64, "the hand-written loop routes every packet");
            assert_eq!(measured.out, measured.packets, "the program routes every packet");
            println!("  by hand   {hand:8.1} ns a packet");
            println!(
                "  {:<9} {:8.1} ns a packet: {:.3} of the rate by hand (entries loaded in {:.2} s)",
                executor.name(),
                measured.ns_per_packet(),
                hand / measured.ns_per_packet(),
                loaded.as_secs_f64()
            );
        }
    }
}
