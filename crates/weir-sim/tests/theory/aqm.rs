//! Flows through active queue management: CoDel, FQ-CoDel, RED.

use weir_sim::tcp::Algorithm::{self, Cubic, Reno};
use weir_sim::tcp::Config;
use weir_sim::{CodelConfig, FqCodelConfig, LinkEnd, QdiscConfig, RedConfig};

use crate::dumbbell::{Dumbbell, FRAME, Path, config};
use crate::world::{MS, SECOND};

fn ecn(algorithm: &Algorithm) -> Config {
    Config { ecn: true, ..config(algorithm) }
}

/// Creates RED with bounds at a third and at the whole of the bandwidth-delay product of 10 Mbit/s
/// and 40 ms.
fn red() -> RedConfig {
    let red = RedConfig::new(1_000_000, FRAME, Some(16_000), Some(50_000), None);
    RedConfig { ecn: true, probability: 0.1, ..red }
}

fn disciplines() -> [(&'static str, QdiscConfig); 3] {
    [
        ("codel", QdiscConfig::Codel(CodelConfig { ecn: true, ..CodelConfig::default() })),
        ("fq_codel", QdiscConfig::FqCodel(FqCodelConfig::default())),
        ("red", QdiscConfig::Red(red())),
    ]
}

/// Runs several flows, which begin 5 ms after one another, over 10 Mbit/s and 20 ms with this
/// discipline.
fn flows(queue: &QdiscConfig, count: u8, tcp: &Config) -> Dumbbell {
    let mut world = Dumbbell::new(1, count, Path::bottleneck(10_000_000, 20 * MS, 2.0), tcp);
    world.network.set_queue(&LinkEnd::new("s1", 0), queue.clone()).unwrap();
    (0..count).for_each(|flow| world.start(u64::from(flow) * 5 * MS));
    world
}

/// If all congestion signals are marks, nothing is lost or retransmitted, the senders slow down,
/// and the link stays busy.
#[test]
fn ecn_flows_lose_nothing() {
    for (name, queue) in disciplines() {
        for algorithm in [Reno, Cubic] {
            let mut world = flows(&queue, 4, &ecn(&algorithm));
            world.network.run_until(5 * SECOND);
            let busy = world.bottleneck_utilization(30 * SECOND);
            let seen = world.bottleneck();
            assert_eq!(seen.dropped_packets(), 0, "{name}: {seen:?}");
            // Reno halves a window that the short queue keeps near the BDP.
            let least = if matches!(algorithm, Reno) { 0.9 } else { 0.95 };
            assert!(
                seen.marked > 50 && busy >= least,
                "{name}, {algorithm:?}: {} marks, {busy:.4}",
                seen.marked
            );
            for flow in 0..4 {
                let sender = world.sender(flow);
                assert_eq!((sender.retransmits, sender.timeouts), (0, 0), "{name}: {sender:?}");
                assert!(sender.ecn_reductions > 5, "{name}: {sender:?}");
            }
            world.end();
        }
    }
}

/// Flows without ECN are signalled by losses at the same places, and recover without a time-out.
#[test]
fn flows_without_ecn_slow_down_after_losses() {
    for (name, queue) in disciplines() {
        let mut world = flows(&queue, 4, &config(&Cubic));
        world.network.run_until(5 * SECOND);
        let busy = world.bottleneck_utilization(30 * SECOND);
        let seen = world.bottleneck();
        assert_eq!((seen.marked, seen.dropped_queue_full), (0, 0), "{name}");
        let repaired: u64 = (0..4).map(|flow| world.sender(flow).retransmits).sum();
        let lost = seen.dropped_packets();
        assert!(lost > 50 && busy >= 0.95, "{name}: {lost} losses, {busy:.4}");
        assert!(
            (lost - 5..lost + lost / 10 + 5).contains(&repaired),
            "{name}: {lost} lost, {repaired} repaired"
        );
        world.end();
    }
}

/// The mean sojourn time is one or two of CoDel's targets, with a queue limit of 40 ms; RED's
/// average is near the lower bound, because marks are rare.
#[test]
fn queues_stay_as_short_as_configured() {
    for (name, queue) in disciplines() {
        let mut world = flows(&queue, 4, &ecn(&Cubic));
        world.network.run_until(10 * SECOND);
        let frames = world.mean_queue(40 * SECOND) * world.path.bdp_frames();
        let wait = frames * FRAME as f64 * 8.0 / 1e4;
        let bytes = frames * FRAME as f64;
        let expected =
            if name == "red" { (12_000.0..25_000.0).contains(&bytes) } else { (2.0..12.0).contains(&wait) };
        assert!(expected, "{name}: {wait:.2} ms, {bytes:.0} bytes");
    }
}

/// Reno with ECN and CUBIC without ECN get equal shares from FQ-CoDel.
#[test]
fn flows_of_all_kinds_get_equal_shares() {
    let mut world = Dumbbell::new(1, 2, Path::bottleneck(10_000_000, 20 * MS, 2.0), &ecn(&Reno));
    world.network.set_queue(&LinkEnd::new("s1", 0), disciplines()[1].1.clone()).unwrap();
    world.start(0);
    let other = world.network.host_mut("h2").unwrap();
    other.set_sysctl("net.ipv4.tcp_congestion_control", "cubic").unwrap();
    other.set_sysctl("net.ipv4.tcp_ecn", "0").unwrap();
    world.start(0);
    world.network.run_until(5 * SECOND);
    let rates = world.rates(35 * SECOND);
    // Reno halves its window while the queue is short, and leaves a part of its share to the other.
    assert!(
        rates[0] + rates[1] > 0.95 * world.max_goodput() && rates[0] > 0.4 * world.max_goodput(),
        "{rates:?}"
    );
    world.end();
}
