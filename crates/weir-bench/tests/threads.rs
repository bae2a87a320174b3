//! Networks of P4 routers in several parts, and the results of a network in one part.

#[path = "../benches/by_hand/mod.rs"]
mod by_hand;
#[path = "../benches/common/mod.rs"]
mod common;
#[path = "../benches/network/stream.rs"]
mod stream;
#[path = "../benches/network/worlds.rs"]
#[allow(dead_code, reason = "of the benchmark's networks one is taken")]
mod worlds;

use std::sync::Arc;

use weir_bench::programs::reduced_benchmark;
use weir_exec::Executor;
use weir_sim::{Direction, LinkEnd};
use worlds::Traffic;

/// Runs a fat tree of 16 hosts in this number of parts. Returns the counts of the whole network,
/// and the number of frames at one of the cores.
fn run(executor: &Arc<dyn Executor>, traffic: Traffic, parts: usize) -> (String, Vec<u8>) {
    let mut world = worlds::fat_tree(executor, traffic, 4);
    let network = &mut world.network;
    network.set_threads(parts, worlds::run_in_threads);
    network.run_parts_eagerly(1);
    network.stop_at_loops(true);
    let capture = network.capture_to_memory(&[LinkEnd::new("s16", 0), LinkEnd::new("s16", 1)]).unwrap();
    network.run_for(15_000_000);
    let work = network.parallel_work();
    assert_eq!(work.events.iter().filter(|events| **events > 0).count(), if parts > 1 { parts } else { 0 });
    let sides = network.links().into_iter().flat_map(|link| Direction::BOTH.map(|side| (link.id, side)));
    let links: Vec<_> = sides.map(|(id, side)| network.link_counters(id, side).unwrap()).collect();
    let counts = (network.now(), network.events_handled(), network.hops(), network.audit());
    assert_eq!(counts.3.violations, Vec::<String>::new());
    (format!("{counts:?} {links:?}"), network.finish_capture(capture).unwrap())
}

#[test]
fn routers_forward_the_same_frames_in_any_number_of_parts() {
    let router = reduced_benchmark("router-1k", 1).expect("it is listed");
    let [native, _] = common::executors(&common::program(router.file, router.source, &[]));
    for traffic in [Traffic::Tcp, Traffic::Udp] {
        let alone = run(&native, traffic, 1);
        assert!(!alone.1.is_empty());
        for parts in [2, 4] {
            assert!(run(&native, traffic, parts) == alone, "{traffic:?} in {parts} parts");
        }
    }
}
