//! Tests of RED.

use super::*;

/// Creates RED for frames of 1000 bytes at 10 Mbit/s, with bounds of 10 and 30 frames.
fn red() -> RedConfig {
    let red = RedConfig::new(200_000, 1000, Some(10_000), Some(30_000), None);
    RedConfig { ecn: true, probability: 0.1, ..red }
}

/// Keeps `waiting` frames in the queue while `frames` frames leave. Returns for each frame whether
/// it was marked.
fn marks_at(config: &RedConfig, waiting: usize, frames: usize) -> Vec<bool> {
    let mut bench = Bench::new(&QdiscConfig::Red(config.clone()), 10_000_000);
    bench.ecn = 0b10;
    (0..waiting).for_each(|_| bench.enqueue_udp(7, 1000, 0));
    let mut left = frames;
    bench.send_until(Nanos::MAX, |bench| {
        if left > 0 && bench.qdisc.packets() == waiting {
            left -= 1;
            bench.enqueue_udp(7, 1000, 0);
        }
    });
    assert!(bench.drops.is_empty());
    bench.sent_marked.clone()
}

#[test]
fn red_marks_by_the_mean_length() {
    for (waiting, probability) in [(5, 0.0), (9, 0.0), (12, 0.01), (20, 0.05), (28, 0.09)] {
        let marks = marks_at(&red(), waiting, 20_000);
        // The first frames are skipped, until the average is stable.
        let marks = &marks[1000..20_000];
        let share = marks.iter().filter(|marked| **marked).count() as f64 / marks.len() as f64;
        // Gaps are uniform from 1 to 1 / probability, so their mean is (1 / probability + 1) / 2.
        let expected = 2.0 * probability / (1.0 + probability);
        assert!(is_close(share, expected, 0.04), "{waiting}: {share} of {expected}");
        let longest = marks.split(|marked| *marked).map(<[bool]>::len).max().unwrap_or(0) + 1;
        assert!(probability == 0.0 || longest as f64 <= 1.0 / probability + 1.0, "{waiting}: {longest}");
    }
    let marks = marks_at(&red(), 31, 5000);
    assert!(marks[1000..5000].iter().all(|marked| *marked));
}

#[test]
fn gaps_between_marks_are_uniform() {
    let marks = marks_at(&red(), 20, 100_000);
    // The gaps are from 1 to 20, each equally likely.
    let mut gaps = [0; 21];
    marks[1000..100_000].split(|marked| *marked).for_each(|gap| gaps[(gap.len() + 1).min(20)] += 1);
    let all: i32 = gaps.iter().sum();
    let each = f64::from(all) / 20.0;
    assert!(gaps[1..].iter().all(|count| is_close(f64::from(*count), each, 0.2)), "{gaps:?}");
}

#[test]
fn red_drops_packets_without_ecn() {
    let flags = |ecn, harddrop, nodrop| RedConfig { ecn, harddrop, nodrop, ..red() };
    // The numbers of frames of flows 7 (ECN-capable) and 8 that were dropped and marked while the
    // average was between or above the bounds.
    let run = |config: &RedConfig, waiting: usize| {
        let mut bench = Bench::new(&QdiscConfig::Red(config.clone()), 10_000_000);
        bench.send_until(4 * SECOND, |bench| {
            for _ in bench.qdisc.packets()..waiting {
                let flow = 7 + bench.sent.len() as u64 % 2;
                bench.ecn = if flow == 7 { 0b01 } else { 0 };
                bench.enqueue_udp(flow, 1000, 0);
            }
        });
        let dropped = |flow| bench.drops.iter().filter(|(_, of, _)| *of == flow).count() > 0;
        let reasons =
            bench.drops.iter().map(|(.., reason)| *reason).collect::<std::collections::BTreeSet<_>>();
        let reasons: Vec<_> = reasons.into_iter().collect();
        assert!(bench.mark_times(8).is_empty());
        ([dropped(7), dropped(8)], bench.mark_times(7).len() > 10, reasons)
    };
    let (early, above) = ("dropped early by RED", "average queue above RED's max");
    assert_eq!(run(&flags(false, false, false), 20), ([true, true], false, vec![early]));
    assert_eq!(run(&flags(true, false, false), 20), ([false, true], true, vec![early]));
    assert_eq!(run(&flags(true, false, true), 20), ([false, false], true, vec![]));
    // With more than the upper bound queued, dropped frames are replaced at once, so the average
    // stays above.
    assert_eq!(run(&flags(true, false, true), 40), ([false, false], true, vec![]));
    let (dropped, marked, reasons) = run(&flags(true, true, true), 40);
    assert_eq!((dropped, marked, reasons), ([true, true], true, vec![above]));
}

#[test]
fn red_has_a_limit_and_a_queue_of_its_own() {
    let mut bench = Bench::new(&QdiscConfig::Red(RedConfig { limit: 5000, ..red() }), 10_000_000);
    (0..8).for_each(|_| bench.enqueue_udp(7, 1000, 0));
    assert_eq!((bench.qdisc.packets(), bench.drops.len(), bench.drops[0].2), (5, 3, QUEUE_FULL));

    let queue =
        Some(Box::new(QdiscConfig::Netem(NetemConfig { delay: 5_000_000, ..NetemConfig::default() })));
    let mut bench = Bench::new(&QdiscConfig::Red(RedConfig { queue, ..red() }), 10_000_000);
    bench.enqueue_udp(7, 1000, 0);
    bench.send_until(SECOND, |_| ());
    assert_eq!(bench.sent, [(5_000_000, 7, 1000)]);
}

#[test]
fn adaptive_red_adjusts_its_probability() {
    let probability_after = |waiting: usize, seconds: u64| {
        let mut bench = Bench::new(&QdiscConfig::Red(RedConfig { adaptive: true, ..red() }), 10_000_000);
        bench.ecn = 0b10;
        bench.send_until(seconds * SECOND, |bench| {
            for _ in bench.qdisc.packets()..waiting {
                bench.enqueue_udp(7, 1000, 0);
            }
        });
        let KindStats::Red { max_probability, .. } = bench.qdisc.stats().kind_stats else { panic!() };
        max_probability
    };
    // The probability starts at 10 %, grows by 1 % every half second while the average is above 22
    // frames, and shrinks to 90 % of itself while it is below 18.
    let (up, down, stays) = (probability_after(26, 5), probability_after(14, 5), probability_after(20, 5));
    assert!((0.17..0.201).contains(&up), "{up}");
    assert!(is_close(down, 0.1 * weir_impair::math::power(0.9, 10.0), 0.2), "{down}");
    assert!((0.04..=0.1).contains(&stays), "only while the mean rises to its place: {stays}");
    assert!(
        (0.5..0.511).contains(&probability_after(26, 40))
            && (0.009..=0.01).contains(&probability_after(14, 40))
    );
}
