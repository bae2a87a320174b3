//! Tests of network emulation.

use super::*;
use weir_impair::{Impairments, Jitter, Loss};

#[test]
fn netem_delays_loses_and_copies() {
    let impairments = Impairments {
        jitter: Jitter::UniformAround(1_000_000),
        loss: Loss::Random(0.1),
        duplicate: 0.05,
        ..Impairments::default()
    };
    let config = NetemConfig { delay: 20_000_000, impairments, limit: 100_000, ..NetemConfig::default() };
    let mut bench = Bench::new(&QdiscConfig::Netem(config), 1_000_000_000_000);
    for _ in 0..10_000 {
        bench.enqueue_udp(1, 100, 0);
    }
    let (lost, made) = (bench.dropped.len() as u64, bench.qdisc.duplicates());
    assert!((900..1100).contains(&lost) && (400..500).contains(&made), "{lost} {made}");
    bench.send_until(SECOND, |_| ());
    assert_eq!(bench.sent.len() as u64, 10_000 - lost + made);
    let (first, last) = (bench.sent[0].0, bench.sent[bench.sent.len() - 1].0);
    assert!((19_000_000..19_010_000).contains(&first) && (20_990_000..21_050_000).contains(&last));
    assert_eq!(bench.frames.in_use(), 0);
}

#[test]
fn netem_limits_rate_and_queue() {
    let config = NetemConfig { delay: 5_000_000, rate: Some(8_000_000), limit: 10, ..NetemConfig::default() };
    let mut bench = Bench::new(&QdiscConfig::Netem(config), 1_000_000_000);
    (0..15).for_each(|_| bench.enqueue_udp(1, 1000, 0));
    assert_eq!(bench.dropped.len(), 5);
    bench.send_until(SECOND, |_| ());
    let times: Vec<_> = bench.sent.iter().map(|(time, ..)| *time).collect();
    assert_eq!(times, (1..=10).map(|n| 5_000_000 + n * 1_000_000).collect::<Vec<_>>());

    let config = NetemConfig { delay: 5_000_000, reorder: Some((1.0, 5)), ..NetemConfig::default() };
    let mut bench = Bench::new(&QdiscConfig::Netem(config), 1_000_000_000);
    (1..=15).for_each(|flow| bench.enqueue_udp(flow, 1000, 0));
    bench.send_until(SECOND, |_| ());
    let first: Vec<_> = bench.sent.iter().take(3).map(|(_, flow, _)| *flow).collect();
    assert_eq!(first, [5, 10, 15]);
}

#[test]
fn netem_marks_instead_of_losing() {
    let impairments = Impairments { loss: Loss::Random(0.2), duplicate: 0.5, ..Impairments::default() };
    let config = NetemConfig { impairments, ecn: true, limit: 100_000, ..NetemConfig::default() };
    let mut bench = Bench::new(&QdiscConfig::Netem(config), 1_000_000_000_000);
    for flow in [1, 2] {
        bench.ecn = if flow == 1 { 0b01 } else { 0 };
        (0..10_000).for_each(|_| bench.enqueue_udp(flow, 100, 0));
    }
    bench.send_until(SECOND, |_| ());
    let sent = |flow| bench.sent.iter().filter(|(_, of, _)| *of == flow).count();
    // All frames of the first flow arrive, including marked ones, and half of them twice; of the
    // second flow, all frames except the lost ones.
    assert!(bench.drops.iter().all(|(_, flow, _)| *flow == 2));
    assert!((14_800..15_200).contains(&sent(1)) && (11_800..12_200).contains(&sent(2)));
    assert!((2850..3150).contains(&bench.mark_times(1).len()) && bench.mark_times(2).is_empty());
}

/// Returns the numbers of the frames that arrive at an interface with this name, of 200 frames of
/// which half are lost.
fn arrivals(seed: Option<u64>, place: &str, changes: bool) -> Vec<usize> {
    let impairments = Impairments { loss: Loss::Random(0.5), ..Impairments::default() };
    let config = |limit| {
        let netem = NetemConfig { impairments: impairments.clone(), seed, limit, ..NetemConfig::default() };
        QdiscConfig::Netem(netem)
    };
    let mut bench = Bench::new(&config(1000), 1_000_000_000);
    bench.qdisc = Qdisc::new(&config(1000), 1, place);
    (0..100).for_each(|flow| bench.enqueue_udp(flow, 100, 0));
    if changes {
        bench.qdisc.replace(&config(1001), 1, place, &mut bench.dropped);
    }
    (0..100).for_each(|flow| bench.enqueue_udp(flow, 100, 0));
    bench.send_until(SECOND, |_| ());
    let dropped = bench.drops.iter().map(|(_, flow, _)| *flow as usize);
    dropped.collect()
}

#[test]
fn netem_seed_is_portable() {
    let all = arrivals(Some(5), "h1", false);
    assert_eq!(all, arrivals(Some(5), "h2", false));
    assert_ne!(all, arrivals(Some(6), "h1", false));
    assert_ne!(arrivals(None, "h1", false), arrivals(None, "h2", false));
    // A change restarts the seeded stream, but a change of the parent does not; without a seed the
    // stream continues.
    let changed = arrivals(Some(5), "h1", true);
    let (first, second) = changed.split_at(changed.len() / 2);
    assert_eq!(first, second);
    assert_eq!(arrivals(None, "h1", true), arrivals(None, "h1", false));
    let within = arrivals_within_a_class();
    assert_ne!(within[..50], within[50..]);
}

/// Returns the numbers of the frames, of 100, that netem with a seed loses in a class whose rate
/// changes halfway.
fn arrivals_within_a_class() -> Vec<bool> {
    let impairments = Impairments { loss: Loss::Random(0.5), ..Impairments::default() };
    let netem = QdiscConfig::Netem(NetemConfig { impairments, seed: Some(5), ..NetemConfig::default() });
    let class = |rate| HtbClass { queue: netem.clone(), ..super::htb::class(10, rate, rate) };
    let config = |rate| super::htb::htb(rate, vec![class(rate)]);
    let mut bench = Bench::new(&config(5_000_000), 1_000_000_000);
    let put = |n| {
        if n == 50 {
            bench.qdisc.replace(&config(6_000_000), 1, "qdisc h1-eth0", &mut bench.dropped);
        }
        let before = bench.drops.len();
        bench.enqueue_udp(10, 100, 0);
        bench.drops.len() > before
    };
    (0..100).map(put).collect()
}

#[test]
fn netem_sends_frames_in_slots() {
    let slot = |packets, bytes| Slot { min: 20_000_000, max: 20_000_000, packets, bytes };
    let run = |slot: Slot| {
        let config = NetemConfig { delay: 3_000_000, slot: Some(Box::new(slot)), ..NetemConfig::default() };
        let mut bench = Bench::new(&QdiscConfig::Netem(config), 1_000_000_000_000);
        // A frame every 2 ms from 0 to 98 ms.
        for flow in 0..50 {
            bench.now = flow * 2_000_000;
            bench.enqueue_udp(flow, 1000, 0);
            let until = bench.now + 1_999_999;
            bench.send_until(until, |_| ());
        }
        bench.send_until(Nanos::MAX, |_| ());
        assert_eq!(bench.sent.len(), 50);
        let mut slots: Vec<(Nanos, usize)> = Vec::new();
        for (time, ..) in &bench.sent {
            let time = time / 100_000;
            match slots.last_mut().filter(|(last, _)| *last == time) {
                Some((_, count)) => *count += 1,
                None => slots.push((time, 1)),
            }
        }
        slots
    };
    // The first frame is ready at 3 ms, and leaves at 23 ms with all that are ready by then; the
    // next is ready at 25 ms.
    assert_eq!(run(slot(None, None)), [(230, 11), (450, 11), (670, 11), (890, 11), (1110, 6)]);
    // Of eleven frames that are ready at 23 ms four leave, four at 43 ms, and so on.
    let four = run(slot(Some(4), None));
    assert!(four.starts_with(&[(230, 4), (430, 4), (630, 4)]), "{four:?}");
    // The third frame exceeds 2500 bytes.
    assert!(run(slot(None, Some(2500))).starts_with(&[(230, 3), (430, 3)]));
    // The time between slots is uniform from 5 to 20 ms, without idle slots: 12.5 ms on average.
    let times = run(Slot { min: 5_000_000, ..slot(Some(1), None) });
    let gaps: Vec<_> = times.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(gaps.iter().all(|gap| (49..=201).contains(gap)));
    let mean = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64;
    assert!(is_close(mean, 125.0, 0.15), "{mean}");
}
