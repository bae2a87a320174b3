//! Frames are conserved in every combination of disciplines: each frame leaves or is dropped,
//! exactly once.

use proptest::prelude::*;

use super::htb::{class, htb};
use super::*;
use weir_impair::{Impairments, Jitter, Loss};

#[test]
fn disciplines_nest() {
    // After a delay of 10 ms, 1 Mbit/s with a limit of two frames.
    let queue = Some(Box::new(QdiscConfig::Tbf(TbfConfig {
        rate: 1_000_000,
        burst: 1000,
        peak: None,
        limit: 2000,
        queue: None,
    })));
    let config = NetemConfig { delay: 10_000_000, queue, ..NetemConfig::default() };
    let mut bench = Bench::new(&QdiscConfig::Netem(config), 1_000_000_000);
    (0..5).for_each(|_| bench.enqueue_udp(1, 1000, 0));
    bench.send_until(SECOND, |_| ());
    bench.return_dropped();
    let times: Vec<_> = bench.sent.iter().map(|(time, ..)| *time).collect();
    assert_eq!(times, [10_000_000, 18_000_000]);
    assert_eq!(bench.dropped.len(), 3);
}

fn any_config() -> impl Strategy<Value = QdiscConfig> {
    let simple =
        prop_oneof![
            (0usize..20, prop::option::of(0u64..20_000))
                .prop_map(|(packets, bytes)| QdiscConfig::Fifo { packets: Some(packets), bytes }),
            (1000u64..100_000_000, 200u64..5000, 200u64..20_000).prop_map(|(rate, burst, limit)| {
                QdiscConfig::Tbf(TbfConfig { rate, burst, peak: None, limit, queue: None })
            }),
            (0usize..20, 0u64..50_000_000, 1u64..100_000_000, any::<bool>(), prop::option::of(0u64..SECOND))
                .prop_map(|(limit, target, interval, ecn, ce_threshold)| {
                    QdiscConfig::Codel(CodelConfig { limit, target, interval, ecn, ce_threshold })
                }),
            (0usize..20, 1u32..5, 1u64..20_000, 1usize..10, any::<bool>()).prop_map(
                |(limit, flows, memory_limit, drop_batch, ecn)| {
                    let (target, interval) = (1_000_000, 10_000_000);
                    let codel = CodelConfig { limit, target, interval, ecn, ..CodelConfig::default() };
                    QdiscConfig::FqCodel(FqCodelConfig {
                        codel,
                        flows,
                        memory_limit,
                        drop_batch,
                        ..FqCodelConfig::default()
                    })
                }
            ),
            (0usize..20, 1_000_000u64..50_000_000, 0.0..=256.0f64, 1u8..5, 0u8..100, any::<bool>()).prop_map(
                |(limit, target, beta, coupling_factor, classic_protection, drop_on_overload)| {
                    QdiscConfig::DualPi2(DualPi2Config {
                        limit,
                        target,
                        tupdate: 1_000_000,
                        beta,
                        coupling_factor,
                        classic_protection,
                        drop_on_overload,
                        ..DualPi2Config::default()
                    })
                }
            ),
            (1000u64..20_000, 500u64..10_000, 1u64..10_000, any::<bool>(), any::<bool>(), 0.0..=1.0f64)
                .prop_map(|(limit, min, more, ecn, adaptive, probability)| {
                    let red = RedConfig::new(limit, 500, Some(min), Some(min + more), Some(min / 500 + 1));
                    QdiscConfig::Red(RedConfig { ecn, adaptive, probability, ..red })
                }),
            (prop::option::of(1000u64..100_000_000), 0usize..20, any::<bool>()).prop_map(
                |(maxrate, flow_limit, pacing)| QdiscConfig::Fq(FqConfig {
                    maxrate,
                    flow_limit,
                    pacing,
                    limit: 30,
                    ..FqConfig::default()
                })
            ),
            (0u64..SECOND, 0.0..1.0f64, 0.0..1.0f64, prop::option::of(1000u64..1_000_000), 0usize..30)
                .prop_map(|(delay, loss, duplicate, rate, limit)| {
                    let jitter = Jitter::Normal { sigma: delay / 2 };
                    let impairments =
                        Impairments { loss: Loss::Random(loss), duplicate, jitter, ..Impairments::default() };
                    QdiscConfig::Netem(NetemConfig {
                        delay,
                        impairments,
                        rate,
                        limit,
                        reorder: Some((0.2, 3)),
                        ecn: loss > 0.5,
                        slot: (delay % 2 == 0)
                            .then(|| Box::new(Slot { min: 0, max: delay, packets: Some(3), bytes: None })),
                        ..NetemConfig::default()
                    })
                }),
        ];
    let inner = simple.clone();
    prop_oneof![
        3 => simple,
        1 => (1000u64..1_000_000, inner.clone(), inner.clone()).prop_map(|(rate, a, b)| {
            let with = |id, queue| HtbClass { queue, ..class(id, rate, 2 * rate) };
            htb(2 * rate, vec![with(1001, a), with(1002, b)])
        }),
        1 => (0u64..SECOND, inner).prop_map(|(delay, queue)| {
            let queue = Some(Box::new(queue));
            if delay % 2 == 0 {
                let red = RedConfig::new(20_000, 500, None, None, None);
                QdiscConfig::Red(RedConfig { queue, ..red })
            } else {
                QdiscConfig::Netem(NetemConfig { delay, queue, ..NetemConfig::default() })
            }
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Each frame, including duplicates, leaves once or is dropped once, across changes of the
    /// discipline.
    #[test]
    fn no_frame_is_lost_or_doubled(
        configs in prop::collection::vec(any_config(), 1..4),
        arrivals in prop::collection::vec((1000u64..1004, 42u32..3000, 0u64..200_000_000, any::<bool>()), 1..100),
    ) {
        let mut bench = Bench::new(&configs[0], 1_000_000);
        let mut configs = configs.iter().cycle();
        for (index, (flow, bytes, pause, paced)) in arrivals.iter().enumerate() {
            let until = bench.now + pause;
            bench.ecn = (index % 4) as u8;
            bench.enqueue_udp(*flow, *bytes, if *paced { bench.now + pause } else { 0 });
            bench.send_until(until, |_| ());
            bench.now = bench.now.max(until);
            if index % 25 == 24 {
                let config = configs.next().unwrap();
                bench.qdisc.replace(config, 1, "qdisc h1-eth0", &mut bench.dropped);
            }
            // Moves the frames to other places in the store.
            let (mut moved, Bench { qdisc, frames, .. }) = (0, &mut bench);
            qdisc.visit_frames(&mut |frame| {
                let copy = frames.duplicate(*frame);
                frames.release(std::mem::replace(frame, copy));
                moved += 1;
            });
            prop_assert_eq!(moved, bench.qdisc.packets());
            let accounted = bench.sent.len() + bench.dropped.len() + bench.qdisc.packets();
            prop_assert_eq!(accounted as u64, index as u64 + 1 + bench.qdisc.duplicates());
        }
        bench.send_until(Nanos::MAX / 2, |_| ());
        prop_assert_eq!((bench.qdisc.packets(), bench.qdisc.bytes()), (0, 0));
        let accounted = (bench.sent.len() + bench.dropped.len()) as u64;
        prop_assert_eq!(accounted, arrivals.len() as u64 + bench.qdisc.duplicates());
    }
}
