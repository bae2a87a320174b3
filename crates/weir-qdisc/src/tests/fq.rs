//! Tests of fair queueing with pacing.

use proptest::prelude::*;

use super::*;

#[test]
fn fq_shares_by_bytes_and_not_by_frames() {
    let mut bench = Bench::new(&QdiscConfig::Fq(FqConfig::default()), 10_000_000);
    bench.keep_saturated(&[(1, 1500), (2, 500), (3, 100)], 10 * SECOND);
    let rates = [1, 2, 3].map(|flow| bench.rate_of(flow, SECOND, 10 * SECOND));
    assert!(rates.iter().all(|rate| is_close(*rate, 1e7 / 3.0, 0.01)), "{rates:?}");
}

#[test]
fn fq_holds_each_flow_to_its_maxrate() {
    for (maxrate, flows) in [(20_000_000, 1), (20_000_000, 4), (1_000_000, 8)] {
        let config = QdiscConfig::Fq(FqConfig { maxrate: Some(maxrate), ..FqConfig::default() });
        let flows: Vec<_> = (1..=flows).map(|flow| (flow, 1514)).collect();
        let mut bench = Bench::new(&config, 100_000_000);
        bench.keep_saturated(&flows, 10 * SECOND);
        for (flow, _) in flows {
            let measured = bench.rate_of(flow, SECOND, 10 * SECOND);
            assert!(is_close(measured, maxrate as f64, 0.01), "{measured} of {maxrate}");
        }
    }
}

#[test]
fn fq_keeps_departure_times_of_senders() {
    let mut bench = Bench::new(&QdiscConfig::Fq(FqConfig::default()), 1_000_000_000);
    bench.enqueue_udp(1, 1000, 5_000_000);
    bench.enqueue_udp(2, 1000, 0);
    bench.enqueue_udp(1, 1000, 0);
    bench.enqueue_udp(3, 1000, 2_000_000);
    bench.enqueue_udp(3, 1000, 30 * SECOND);
    bench.send_until(SECOND, |_| ());
    let sent: Vec<_> = bench.sent.iter().map(|(time, flow, _)| (*time, *flow)).collect();
    assert_eq!(sent, [(0, 2), (2_000_000, 3), (5_000_000, 1), (5_008_000, 1)]);
    assert_eq!(bench.dropped[0].1, "departure time beyond the pacing horizon");
}

#[test]
fn fq_limits_flows_and_forgets_silent_ones() {
    let config = FqConfig { limit: 150, ..FqConfig::default() };
    let mut bench = Bench::new(&QdiscConfig::Fq(config), 1_000_000_000);
    for flow in [1, 2] {
        (0..120).for_each(|_| bench.enqueue_udp(flow, 100, 0));
    }
    let reasons: Vec<_> = bench.dropped.iter().map(|(_, reason)| *reason).collect();
    assert_eq!((reasons.len(), reasons[0], reasons[20]), (90, "flow's queue full", QUEUE_FULL));
    bench.send_until(SECOND, |_| ());
    for flow in 0..10_000 {
        bench.now = 10 * SECOND + flow * SECOND / 100;
        bench.enqueue_udp(flow, 100, 0);
        bench.send_until(Nanos::MAX, |_| ());
    }
    let Kind::Fq(fq) = &bench.qdisc.kind else { panic!() };
    // 100 flows per second, each known for 3 s after its only frame.
    assert!(format!("{fq:?}").len() < 200_000);
}

#[test]
fn fq_marks_frames_that_leave_late() {
    let config = |maxrate| FqConfig { ce_threshold: Some(1_000_000), maxrate, ..FqConfig::default() };
    // Frames of 0.8 ms: the third waits 1.6 ms for the others, the fourth 2.4 ms; the fifth is not
    // ECN-capable.
    let mut bench = Bench::new(&QdiscConfig::Fq(config(None)), 10_000_000);
    for flow in 1..=5 {
        bench.ecn = if flow == 5 { 0 } else { 0b10 };
        bench.enqueue_udp(flow, 1000, 0);
    }
    bench.send_until(SECOND, |_| ());
    let marks: Vec<_> = (1..=5).flat_map(|flow| bench.mark_times(flow)).collect();
    assert_eq!((marks, bench.sent.len()), (vec![1_600_000, 2_400_000], 5));
    let KindStats::Fq { ce_marked, .. } = bench.qdisc.stats().kind_stats else { panic!() };
    assert_eq!((ce_marked, bench.qdisc.stats().counts.marked), (2, 2));

    // Frames that wait for their flow's rate or for their departure time are not late.
    let mut bench = Bench::new(&QdiscConfig::Fq(config(Some(4_000_000))), 10_000_000);
    bench.ecn = 0b10;
    (0..5).for_each(|_| bench.enqueue_udp(1, 1000, 0));
    bench.enqueue_udp(2, 1000, 30_000_000);
    bench.send_until(SECOND, |_| ());
    assert_eq!((bench.sent.len(), bench.mark_times(1).len() + bench.mark_times(2).len()), (6, 0));
}

/// Returns the share of each flow in a capacity if no flow exceeds its limit and the rest is shared
/// equally.
fn fair_shares(capacity: f64, bounds: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..bounds.len()).collect();
    order.sort_by(|a, b| bounds[*a].total_cmp(&bounds[*b]));
    let (mut left, mut shares) = (capacity, vec![0.0; bounds.len()]);
    for (done, index) in order.iter().enumerate() {
        shares[*index] = bounds[*index].min(left / (bounds.len() - done) as f64);
        left -= shares[*index];
    }
    shares
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Each of many flows gets its maxrate, from 100 kbit/s to 1 Gbit/s.
    #[test]
    fn fq_paces_many_flows(maxrate in 5.0..9.0f64, count in 1u64..150, bytes in 64u32..1514) {
        let maxrate = weir_impair::math::power(10.0, maxrate) as u64;
        let config = QdiscConfig::Fq(FqConfig { maxrate: Some(maxrate), ..FqConfig::default() });
        let mut bench = Bench::new(&config, 2 * count * maxrate);
        let flows: Vec<_> = (1..=count).map(|flow| (flow, bytes)).collect();
        let frame = u64::from(bytes) * 8 * SECOND / maxrate;
        bench.keep_saturated(&flows, 110 * frame);
        for flow in 1..=count {
            let measured = bench.rate_of(flow, 5 * frame, 105 * frame);
            prop_assert!(is_close(measured, maxrate as f64, 0.011), "{measured} of {maxrate}");
        }
    }

    /// Flows share the rate equally in bytes, regardless of their frame lengths; the other flows
    /// get the rate that a limited flow does not use.
    #[test]
    fn fq_shares_fairly(
        lengths in prop::collection::vec(64u32..1514, 1..6),
        maxrate in prop::option::of(500_000u64..20_000_000),
    ) {
        let config = QdiscConfig::Fq(FqConfig { maxrate, ..FqConfig::default() });
        let mut bench = Bench::new(&config, 20_000_000);
        let flows: Vec<_> = lengths.iter().enumerate().map(|(index, bytes)| (index as u64 + 1, *bytes)).collect();
        bench.keep_saturated(&flows, 9 * SECOND);
        let bounds = vec![maxrate.unwrap_or(u64::MAX) as f64; flows.len()];
        for ((flow, _), expected) in flows.iter().zip(fair_shares(2e7, &bounds)) {
            let measured = bench.rate_of(*flow, SECOND, 9 * SECOND);
            prop_assert!(is_close(measured, expected, 0.01), "{measured} of {expected}");
        }
    }
}
