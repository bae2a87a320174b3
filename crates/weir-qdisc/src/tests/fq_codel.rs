//! Tests of FQ-CoDel.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn fq_codel() -> FqCodelConfig {
    FqCodelConfig::default()
}

#[test]
fn fq_codel_shares_by_bytes_and_not_by_frames() {
    let mut bench = Bench::new(&QdiscConfig::FqCodel(fq_codel()), 10_000_000);
    bench.keep_saturated(&[(1, 1500), (2, 500), (3, 100)], 10 * SECOND);
    let rates = [1, 2, 3].map(|flow| bench.rate_of(flow, SECOND, 10 * SECOND));
    assert!(rates.iter().all(|rate| is_close(*rate, 1e7 / 3.0, 0.01)), "{rates:?}");
}

#[test]
fn fq_codel_serves_sparse_flows_first() {
    let config = FqCodelConfig { codel: CodelConfig { ecn: false, ..fq_codel().codel }, ..fq_codel() };
    let mut bench = Bench::new(&QdiscConfig::FqCodel(config), 10_000_000);
    // A flow with frames of 100 bytes and 40 kbit/s next to three bulk flows; after one quantum its
    // turn would be over.
    let mut put = Vec::new();
    bench.send_until(5 * SECOND, |bench| {
        for flow in 1..=3 {
            for _ in bench.waiting.get(&flow).copied().unwrap_or(0)..20 {
                bench.enqueue_udp(flow, 1500, 0);
            }
        }
        if bench.now >= put.len() as u64 * 20_000_000 {
            put.push(bench.now);
            bench.enqueue_udp(9, 100, 0);
        }
    });
    let sent: Vec<_> = bench.sent.iter().filter(|(_, flow, _)| *flow == 9).map(|(time, ..)| *time).collect();
    assert!(sent.len() >= 250 && bench.drops.iter().all(|(_, flow, _)| *flow != 9));
    // The sparse flow is next, regardless of how much the others have queued; only at first are all
    // queues new.
    let worst = sent.iter().zip(&put).skip(1).map(|(sent, put)| sent - put).max();
    assert!(worst <= Some(1_200_000), "{worst:?}");
}

#[test]
fn each_queue_has_its_own_control() {
    let mut bench = Bench::new(&QdiscConfig::FqCodel(fq_codel()), 10_000_000);
    // 20 frames of the first flow wait and 2 of the second: 12 ms for 20 frames, because each flow
    // has half of the rate.
    bench.ecn = 0b10;
    bench.send_until(5 * SECOND, |bench| {
        for (flow, most) in [(1, 20), (2, 2)] {
            for _ in bench.waiting.get(&flow).copied().unwrap_or(0)..most {
                bench.enqueue_udp(flow, 750, 0);
            }
        }
    });
    assert!(bench.mark_times(1).len() > 100 && bench.mark_times(2).is_empty() && bench.drops.is_empty());
}

#[test]
fn flow_hashes_collide_at_random() {
    for (flows, queues) in [(500, 1024), (1000, 1024), (1000, 100), (3, 1)] {
        let config = FqCodelConfig { flows: queues, ..fq_codel() };
        let mut bench = Bench::new(&QdiscConfig::FqCodel(config), 1_000_000_000);
        (1..=flows).for_each(|flow| bench.enqueue_udp(flow, 100, 0));
        let KindStats::FqCodel { new, .. } = bench.qdisc.stats().kind_stats else { panic!() };
        let queues = f64::from(queues);
        let expected = queues * (1.0 - weir_impair::math::power(1.0 - 1.0 / queues, flows as f64));
        // The standard deviation is below 9.
        assert!((new as f64 - expected).abs() < 27.0, "{new} queues in use, not {expected:.0}");
    }
}

#[test]
fn longest_queue_drops_first() {
    let limits = [(200, 32 << 20), (10_240, 200_000)];
    for (limit, memory_limit) in limits {
        let codel = CodelConfig { limit, ..fq_codel().codel };
        let config = FqCodelConfig { codel, memory_limit, ..fq_codel() };
        let mut bench = Bench::new(&QdiscConfig::FqCodel(config), 10_000_000);
        for n in 0..230 {
            bench.enqueue_udp(1, 1000, 0);
            if n % 10 == 0 {
                bench.enqueue_udp(2, 100, 0);
            }
        }
        // The queue has a little more than 180 frames and loses half of them, but at most
        // 64.
        assert_eq!(bench.drops.len(), 64);
        assert!(bench.drops.iter().all(|(_, flow, reason)| *flow == 1 && *reason == QUEUE_FULL));
        let KindStats::FqCodel { overlimit, overmemory, .. } = bench.qdisc.stats().kind_stats else {
            panic!()
        };
        assert_eq!((overlimit, overmemory), (64, if limit == 200 { 0 } else { 64 }));
    }
}

#[test]
fn frames_spread_over_more_queues() {
    let config = |flows| QdiscConfig::FqCodel(FqCodelConfig { flows, ..fq_codel() });
    let mut bench = Bench::new(&config(1), 1_000_000_000);
    (1..=30).for_each(|flow| (0..3).for_each(|_| bench.enqueue_udp(flow, 1514, 0)));
    bench.qdisc.replace(&config(1024), 1, "qdisc h1-eth0", &mut bench.dropped);
    assert_eq!((bench.qdisc.packets(), bench.qdisc.bytes(), bench.dropped.len()), (90, 136_260, 0));
    bench.send_until(SECOND, |_| ());
    // One frame of each flow leaves, then the next frame of each.
    let first: BTreeSet<_> = bench.sent[..30].iter().map(|(_, flow, _)| *flow).collect();
    assert!(first.len() >= 28, "{first:?}");
    assert_eq!(bench.sent.len(), 90);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Flows share the rate equally in bytes, regardless of their frame lengths and the quantum.
    #[test]
    fn fq_codel_shares_fairly(lengths in prop::collection::vec(64u32..1514, 1..6), quantum in 300u32..5000) {
        let config = FqCodelConfig { quantum, ..fq_codel() };
        let mut bench = Bench::new(&QdiscConfig::FqCodel(config), 20_000_000);
        bench.ecn = 0b10;
        let flows: Vec<_> = lengths.iter().enumerate().map(|(index, bytes)| (index as u64 + 1, *bytes)).collect();
        bench.keep_saturated(&flows, 9 * SECOND);
        for (flow, _) in &flows {
            let (found, expected) = (bench.rate_of(*flow, SECOND, 9 * SECOND), 2e7 / flows.len() as f64);
            prop_assert!(is_close(found, expected, 0.01), "{found} of {expected}");
        }
    }
}
