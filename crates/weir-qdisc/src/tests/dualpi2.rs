//! Tests of DualPI2.

use super::*;

const ECT_0: u8 = 0b10;
const ECT_1: u8 = 0b01;

fn dual() -> QdiscConfig {
    QdiscConfig::DualPi2(DualPi2Config::default())
}

/// Keeps the given number of 1000-byte frames waiting for each flow, with the flow's ECN field, at
/// 10 Mbit/s.
fn keep_queued(bench: &mut Bench, flows: &[(u64, u8, usize)], until: Nanos) {
    bench.send_until(until, |bench| {
        for (flow, ecn, count) in flows {
            for _ in bench.waiting.get(flow).copied().unwrap_or(0)..*count {
                bench.ecn = *ecn;
                bench.enqueue_udp(*flow, 1000, 0);
            }
        }
    });
}

/// Returns the share of the frames of a flow that were marked, and that were dropped, since a time.
fn mark_and_drop_shares(bench: &Bench, flow: u64, since: Nanos) -> (f64, f64) {
    let sent = bench.sent.iter().filter(|(time, of, _)| *of == flow && *time >= since).count() as f64;
    let marked = bench.mark_times(flow).iter().filter(|time| **time >= since).count() as f64;
    let dropped = bench.drops.iter().filter(|(time, of, _)| *of == flow && *time >= since).count() as f64;
    (marked / sent.max(1.0), dropped / (sent + dropped).max(1.0))
}

fn probability(bench: &Bench) -> f64 {
    match bench.qdisc.stats().kind_stats {
        KindStats::DualPi2 { probability, .. } => probability,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_controller_is_that_of_the_specification() {
    // 100 frames of 0.8 ms each wait 80 ms at the head. RFC 9332, figure 6: p grows by alpha
    // times the excess over the target, and by beta times the growth of the delay.
    let mut bench = Bench::new(&dual(), 10_000_000);
    (0..101).for_each(|_| bench.enqueue_udp(7, 1000, 0));
    bench.now = 16_000_000;
    bench.enqueue_udp(7, 1000, 0);
    let first = 0.16 * (0.016 - 0.015) + 3.2 * 0.016;
    assert!((probability(&bench) - first).abs() < 1e-12, "{}", probability(&bench));
    bench.now = 48_000_000;
    bench.enqueue_udp(7, 1000, 0);
    let third = first + 0.16 * (0.032 + 0.048 - 0.030) + 3.2 * 0.032;
    assert!((probability(&bench) - third).abs() < 1e-12, "{}", probability(&bench));
}

#[test]
fn an_idle_queue_forgets_its_probability() {
    let mut bench = Bench::new(&dual(), 10_000_000);
    keep_queued(&mut bench, &[(7, 0, 100)], SECOND);
    assert!(probability(&bench) > 0.1);
    bench.send_until(2 * SECOND, |_| ());
    bench.now = 100_000 * SECOND;
    bench.enqueue_udp(7, 1000, 0);
    assert_eq!(probability(&bench), 0.0);
}

#[test]
fn classic_packets_are_dropped_with_the_square_and_l4s_packets_marked_with_twice_the_probability() {
    // Without a controller and without a threshold, the probability does not change.
    let mut bench = Bench::new(&dual(), 10_000_000);
    (0..60).for_each(|_| bench.enqueue_udp(7, 1000, 0));
    bench.now = 48_000_000;
    bench.enqueue_udp(7, 1000, 0);
    let p = probability(&bench);
    assert!((0.1..0.3).contains(&p), "{p}");
    let still = DualPi2Config { alpha: 0.0, beta: 0.0, step_thresh: SECOND, ..DualPi2Config::default() };
    bench.qdisc.replace(&QdiscConfig::DualPi2(still), 1, "q", &mut bench.dropped);
    let from = bench.now;
    keep_queued(&mut bench, &[(7, 0, 50), (8, ECT_0, 50), (9, ECT_1, 5), (10, 0b11, 5)], from + 200 * SECOND);
    assert_eq!(probability(&bench), p);
    let (classic, capable, scalable) = (
        mark_and_drop_shares(&bench, 7, from),
        mark_and_drop_shares(&bench, 8, from),
        mark_and_drop_shares(&bench, 9, from),
    );
    assert!(classic.0 == 0.0 && is_close(classic.1, p * p, 0.2), "{classic:?}, {p}");
    assert!(capable.1 == 0.0 && is_close(capable.0, p * p, 0.2), "{capable:?}, {p}");
    assert!(scalable.1 == 0.0 && is_close(scalable.0, 2.0 * p, 0.05), "{scalable:?}, {p}");
}

#[test]
fn l4s_packets_come_first_and_classic_ones_keep_their_share() {
    let still = DualPi2Config { alpha: 0.0, beta: 0.0, ..DualPi2Config::default() };
    let mut bench = Bench::new(&QdiscConfig::DualPi2(still), 10_000_000);
    keep_queued(&mut bench, &[(7, ECT_0, 3), (9, ECT_1, 3)], 20 * SECOND);
    let share = bench.rate_of(7, SECOND, 20 * SECOND) / 1e7;
    assert!(is_close(share, 0.1, 0.05), "{share}");
    // A single L4S packet passes a waiting classic queue.
    let mut bench = Bench::new(&dual(), 10_000_000);
    (0..20).for_each(|_| bench.enqueue_udp(7, 1000, 0));
    bench.ecn = ECT_1;
    bench.enqueue_udp(9, 1000, 0);
    bench.send_until(SECOND, |_| ());
    assert_eq!(bench.sent[0].1, 9);
}

#[test]
fn l4s_packets_that_waited_are_marked() {
    let mut bench = Bench::new(&dual(), 10_000_000);
    bench.ecn = ECT_1;
    // The frames leave after 0, 0.8, 1.6 and 2.4 ms.
    (0..4).for_each(|_| bench.enqueue_udp(9, 1000, 0));
    bench.send_until(SECOND, |_| ());
    assert_eq!(bench.sent_marked, [false, false, true, true]);
}

#[test]
fn overload_drops_l4s_packets_only_if_they_may_be() {
    for drop_on_overload in [true, false] {
        let config = DualPi2Config { drop_on_overload, limit: 300, ..DualPi2Config::default() };
        let mut bench = Bench::new(&QdiscConfig::DualPi2(config), 10_000_000);
        // No sender reacts to congestion, and frames arrive at twice the rate of the link.
        let mut next = 0;
        while bench.now < 20 * SECOND {
            bench.send_until(20 * SECOND, |bench| {
                while next <= bench.now {
                    bench.ecn = ECT_1;
                    bench.enqueue_udp(9, 1000, 0);
                    next += 400_000;
                }
            });
            // All waiting packets were dropped.
            bench.now += 400_000;
        }
        let reasons: std::collections::BTreeSet<_> =
            bench.drops.iter().filter(|(time, ..)| *time > 10 * SECOND).map(|(.., reason)| *reason).collect();
        let expected = if drop_on_overload { "dropped by DualPI2" } else { QUEUE_FULL };
        assert!(reasons.contains(expected), "{reasons:?}");
        assert_eq!(reasons.contains("dropped by DualPI2"), drop_on_overload);
        assert!(drop_on_overload || probability(&bench) == 0.5);
        assert!(mark_and_drop_shares(&bench, 9, 10 * SECOND).0 > 0.95);
    }
}
