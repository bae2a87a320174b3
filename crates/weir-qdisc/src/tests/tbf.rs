//! Tests of the token bucket filter.

use proptest::prelude::*;

use super::*;

fn tbf(rate: u64, burst: u64) -> QdiscConfig {
    QdiscConfig::Tbf(TbfConfig { rate, burst, peak: None, limit: 100_000, queue: None })
}

#[test]
fn tbf_keeps_its_rate_and_its_burst() {
    let mut bench = Bench::new(&tbf(10_000_000, 15_140), 1_000_000_000);
    bench.keep_saturated(&[(7, 1514)], 10 * SECOND);
    assert!(is_close(bench.rate_of(7, SECOND, 10 * SECOND), 1e7, 0.001));
    // The frames of the full bucket (ten) and of the tokens that are added meanwhile leave back to
    // back.
    let burst = bench.sent.iter().take_while(|(time, ..)| *time < 130_000).count();
    assert!((10..=11).contains(&burst), "{burst}");
    bench.enqueue_udp(7, 20_000, 0);
    assert_eq!(bench.dropped.last().map(|(_, reason)| *reason), Some("larger than the token bucket"));
}

#[test]
fn tbf_drops_frames_beyond_its_limit() {
    let mut bench = Bench::new(&tbf(1_000_000, 2000), 1_000_000_000);
    for _ in 0..200 {
        bench.enqueue_udp(7, 1000, 0);
    }
    assert_eq!((bench.qdisc.packets(), bench.qdisc.bytes(), bench.dropped.len()), (100, 100_000, 100));
}

#[test]
fn tbf_spreads_a_burst_by_its_peak_rate() {
    let peak = Some(PeakRate { rate: 10_000_000, burst: 1500 });
    let config = TbfConfig {
        rate: 1_000_000,
        burst: 15_000,
        peak,
        limit: TbfConfig::limit_of(SECOND, 1_000_000, 15_000, peak),
        queue: None,
    };
    assert_eq!(config.limit, 140_000);
    let mut bench = Bench::new(&QdiscConfig::Tbf(config), 1_000_000_000);
    (0..30).for_each(|_| bench.enqueue_udp(7, 1500, 0));
    bench.enqueue_udp(7, 1501, 0);
    assert_eq!(bench.drops, [(0, 7, "larger than the token bucket")]);
    bench.send_until(Nanos::MAX, |_| ());
    // The burst of ten frames, and the frames of the tokens that are added meanwhile, take 1.2 ms
    // each at the peak rate; the other frames take 12 ms each.
    let gaps: Vec<_> = bench.sent.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(gaps[..10].iter().all(|gap| *gap == 1_200_000), "{gaps:?}");
    assert!(gaps[11..].iter().all(|gap| *gap == 12_000_000), "{gaps:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// For any arrivals and in any interval, the bucket passes at most its rate times the interval
    /// plus its burst.
    #[test]
    fn tbf_never_exceeds_its_rate_and_burst(
        rate in 100_000u64..10_000_000,
        burst in 1514u64..20_000,
        peak in prop::option::of((1u64..10_000_000, 1514u64..5000)),
        arrivals in prop::collection::vec((64u32..1514, 0u64..20_000_000), 1..200),
    ) {
        let peak = peak.map(|(more, burst)| PeakRate { rate: rate + more, burst });
        let config = TbfConfig { rate, burst, peak, limit: 100_000, queue: None };
        let mut bench = Bench::new(&QdiscConfig::Tbf(config), 10_000_000_000);
        for (bytes, pause) in arrivals {
            bench.enqueue_udp(7, bytes, 0);
            let until = bench.now + pause;
            bench.send_until(until, |_| ());
            bench.now = bench.now.max(until);
        }
        bench.send_until(Nanos::MAX / 2, |_| ());
        for (first, (start, ..)) in bench.sent.iter().enumerate() {
            let mut bytes = 0;
            for (time, _, length) in &bench.sent[first..] {
                bytes += u64::from(*length);
                for PeakRate { rate, burst } in [Some(PeakRate { rate, burst }), peak].into_iter().flatten() {
                    let most = burst as f64 + (time - start) as f64 * rate as f64 / 8e9 + 1.0;
                    prop_assert!(bytes as f64 <= most, "{bytes} in {} ns, {most} at the most", time - start);
                }
            }
        }
    }
}
