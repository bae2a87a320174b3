//! Tests of CoDel.

use super::*;

const INTERVAL: f64 = 100e6;

fn codel(ecn: bool) -> QdiscConfig {
    QdiscConfig::Codel(CodelConfig { ecn, ..CodelConfig::default() })
}

/// Checks that the drops of a series, which begins at the first of these times, are interval / √n
/// apart. Each may be late by the time until the next frame leaves.
#[track_caller]
fn check_drop_times(times: &[Nanos], frame: Nanos) {
    let mut due = times[0] as f64;
    for (n, time) in times.iter().enumerate() {
        let late = *time as f64 - due;
        assert!((-1e3..=frame as f64 + 1e3).contains(&late), "the drop {n} comes {late} ns after it is due");
        due += INTERVAL / ((n + 1) as f64).sqrt();
    }
}

#[test]
fn codel_drops_by_its_control_law() {
    // 20 frames of 0.8 ms are queued, so sojourn times are always above the target of 5 ms.
    let mut bench = Bench::new(&codel(false), 10_000_000);
    bench.keep_saturated(&[(7, 1000)], 3 * SECOND);
    // The sojourn time of about the seventh frame is the first above the target, and the first drop
    // occurs one interval later.
    let times: Vec<_> = bench.drops.iter().map(|(time, ..)| *time).collect();
    assert!((105_000_000..108_000_000).contains(&times[0]), "{}", times[0]);
    // In a time t, about (t / 2 interval)² frames are dropped.
    assert!((190..240).contains(&times.len()), "{}", times.len());
    check_drop_times(&times, 800_000);
    assert!(bench.drops.iter().all(|(.., reason)| *reason == "dropped by CoDel"));
}

#[test]
fn codel_marks_ecn_packets() {
    let mut bench = Bench::new(&codel(true), 10_000_000);
    bench.ecn = 0b10;
    bench.keep_saturated(&[(7, 1000)], 3 * SECOND);
    assert!(bench.drops.is_empty());
    check_drop_times(&bench.mark_times(7), 800_000);
    assert_eq!(bench.qdisc.stats().counts.marked as usize, bench.mark_times(7).len());

    // A flow without ECN loses frames in the same queue and is never marked.
    let mut bench = Bench::new(&codel(true), 10_000_000);
    bench.send_until(3 * SECOND, |bench| {
        for flow in [7, 8] {
            bench.ecn = if flow == 7 { 0b01 } else { 0 };
            for _ in bench.waiting.get(&flow).copied().unwrap_or(0)..10 {
                bench.enqueue_udp(flow, 1000, 0);
            }
        }
    });
    assert!(bench.drops.iter().all(|(_, flow, _)| *flow == 8) && bench.drops.len() > 20);
    assert!(bench.mark_times(8).is_empty() && bench.mark_times(7).len() > 20);
}

#[test]
fn codel_ignores_short_waits() {
    // Five frames of 0.8 ms.
    let mut bench = Bench::new(&codel(false), 10_000_000);
    bench.send_until(5 * SECOND, |bench| {
        for _ in bench.waiting.get(&7).copied().unwrap_or(0)..5 {
            bench.enqueue_udp(7, 1000, 0);
        }
    });
    assert!(bench.drops.is_empty());
    // At 64 kbit/s each frame takes longer than the target, and a single queued frame is not a
    // standing queue.
    let mut bench = Bench::new(&codel(false), 64_000);
    bench.send_until(5 * SECOND, |bench| {
        for _ in bench.waiting.get(&7).copied().unwrap_or(0)..2 {
            bench.enqueue_udp(7, 1500, 0);
        }
    });
    assert!(bench.drops.is_empty());
}

/// Returns the second gap between the drops of a series that begins `pause` after the end of
/// another series.
fn second_series_gap(pause: Nanos) -> f64 {
    let mut bench = Bench::new(&codel(false), 10_000_000);
    bench.keep_saturated(&[(7, 1000)], 3 * SECOND);
    bench.send_until(Nanos::MAX, |_| ());
    let first = bench.drops.len();
    bench.now += pause;
    let until = bench.now + SECOND / 2;
    bench.keep_saturated(&[(7, 1000)], until);
    (bench.drops[first + 1].0 - bench.drops[first].0) as f64
}

#[test]
fn codel_remembers_its_drop_rate() {
    let soon = second_series_gap(SECOND);
    assert!((5e6..9e6).contains(&soon), "some 220 drops, of which 100 ms / √220 = 6.7 ms is the gap: {soon}");
    let late = second_series_gap(3 * SECOND);
    assert!((INTERVAL..INTERVAL + 8e5).contains(&late), "{late}");
}

#[test]
fn codel_marks_beyond_the_threshold() {
    let config = CodelConfig { ce_threshold: Some(2_000_000), ..CodelConfig::default() };
    let mut bench = Bench::new(&QdiscConfig::Codel(config), 10_000_000);
    bench.ecn = 0b10;
    (0..6).for_each(|_| bench.enqueue_udp(7, 1000, 0));
    bench.ecn = 0;
    bench.enqueue_udp(8, 1000, 0);
    bench.send_until(SECOND, |_| ());
    // The frames' sojourn times are 0, 0.8, 1.6, 2.4, 3.2, 4 and 4.8 ms.
    assert_eq!((bench.mark_times(7), bench.mark_times(8)), (vec![2_400_000, 3_200_000, 4_000_000], vec![]));
    assert!(bench.drops.is_empty());

    // A packet counts once even if it is marked for both reasons.
    let config = CodelConfig { ecn: true, ce_threshold: Some(2_000_000), ..CodelConfig::default() };
    let mut bench = Bench::new(&QdiscConfig::Codel(config), 10_000_000);
    bench.ecn = 0b10;
    bench.keep_saturated(&[(7, 1000)], SECOND);
    let KindStats::Codel { ecn_marked, ce_marked, .. } = bench.qdisc.stats().kind_stats else { panic!() };
    let marked = bench.mark_times(7).len() as u64;
    assert!(ecn_marked > 10 && ce_marked == marked && bench.qdisc.stats().counts.marked == marked);
}

#[test]
fn codel_has_a_limit() {
    let config = CodelConfig { limit: 10, ..CodelConfig::default() };
    let mut bench = Bench::new(&QdiscConfig::Codel(config), 10_000_000);
    (0..15).for_each(|_| bench.enqueue_udp(7, 1000, 0));
    assert_eq!((bench.qdisc.packets(), bench.qdisc.bytes(), bench.dropped.len()), (10, 10_000, 5));
    assert!(bench.dropped.iter().all(|(_, reason)| *reason == QUEUE_FULL));
}
