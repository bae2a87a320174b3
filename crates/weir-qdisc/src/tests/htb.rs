//! Tests of HTB.

use proptest::prelude::*;

use super::*;
use weir_filter::Filter;

pub(super) fn class(id: u32, rate: u64, ceil: u64) -> HtbClass {
    HtbClass { parent: Some(1), ceil, ..HtbClass::new(id, rate) }
}

/// Makes an HTB with a root class 1 with this rate, other classes below it, and for each a filter
/// with its number as the UDP port.
pub(super) fn htb(root: u64, classes: Vec<HtbClass>) -> QdiscConfig {
    let filter = |class: &HtbClass| {
        HtbFilter::new(Filter::parse(&format!("udp dst port {}", class.id)).unwrap(), class.id)
    };
    let filters =
        classes.iter().filter(|class| !classes.iter().any(|c| c.parent == Some(class.id))).map(filter);
    QdiscConfig::Htb(HtbConfig {
        default: None,
        filters: filters.collect(),
        classes: [vec![HtbClass::new(1, root)], classes].concat(),
    })
}

#[test]
fn one_htb_class_keeps_its_rate() {
    for rate in [64_000, 1_000_000, 20_000_000, 400_000_000] {
        let mut bench = Bench::new(&htb(rate, vec![class(10, rate, rate)]), 1_000_000_000);
        // The measurement has at least a thousand frames.
        let span = (1000 * 1514 * 8 * SECOND / rate).max(10 * SECOND);
        bench.keep_saturated(&[(10, 1514)], SECOND + span);
        let measured = bench.rate_of(10, SECOND, SECOND + span);
        assert!(is_close(measured, rate as f64, 0.002), "{measured} of {rate}");
    }
}

#[test]
fn htb_classes_borrow_unused_bandwidth() {
    // The root has 10 Mbit/s. Three classes have rates of 2, 3 and 5 Mbit/s, and may borrow all of
    // it.
    let classes = || {
        vec![
            class(10, 2_000_000, 10_000_000),
            class(20, 3_000_000, 10_000_000),
            class(30, 5_000_000, 10_000_000),
        ]
    };
    let rates = |flows: &[u64]| {
        let mut bench = Bench::new(&htb(10_000_000, classes()), 100_000_000);
        let flows: Vec<_> = flows.iter().map(|flow| (*flow, 1000)).collect();
        bench.keep_saturated(&flows, 10 * SECOND);
        [10, 20, 30].map(|flow| bench.rate_of(flow, SECOND, 10 * SECOND))
    };
    let [a, b, c] = rates(&[10, 20, 30]);
    assert!(is_close(a, 2e6, 0.01) && is_close(b, 3e6, 0.01) && is_close(c, 5e6, 0.01), "{a} {b} {c}");
    // Without the third class, the other two share its 5 Mbit/s in proportion to their quanta:
    // 25 000 and 37 500.
    let [a, b, c] = rates(&[10, 20]);
    assert!(is_close(a, 4e6, 0.01) && is_close(b, 6e6, 0.01) && c == 0.0, "{a} {b} {c}");
    let [a, ..] = rates(&[10]);
    assert!(is_close(a, 1e7, 0.01), "{a}");
}

#[test]
fn htb_borrowing_follows_priority_and_ceil() {
    let classes = vec![
        HtbClass { priority: 0, ..class(10, 1_000_000, 6_000_000) },
        HtbClass { priority: 1, ..class(20, 1_000_000, 10_000_000) },
    ];
    let mut bench = Bench::new(&htb(10_000_000, classes), 100_000_000);
    bench.keep_saturated(&[(10, 1000), (20, 1000)], 10 * SECOND);
    let [a, b] = [10, 20].map(|flow| bench.rate_of(flow, SECOND, 10 * SECOND));
    assert!(is_close(a, 6e6, 0.01) && is_close(b, 4e6, 0.01), "{a} {b}");
}

#[test]
fn htb_trees_lend_from_the_nearest_ancestor() {
    // Class 1 with 12 Mbit/s contains class 2 with 8 Mbit/s (which contains 10 and 20) and class
    // 30.
    let inner = class(2, 8_000_000, 12_000_000);
    let below = |id, rate| HtbClass { parent: Some(2), ..class(id, rate, 12_000_000) };
    let classes = vec![inner, below(10, 1_000_000), below(20, 3_000_000), class(30, 4_000_000, 12_000_000)];
    let rates = |flows: &[u64]| {
        let mut bench = Bench::new(&htb(12_000_000, classes.clone()), 100_000_000);
        let flows: Vec<_> = flows.iter().map(|flow| (*flow, 1000)).collect();
        bench.keep_saturated(&flows, 10 * SECOND);
        [10, 20, 30].map(|flow| bench.rate_of(flow, SECOND, 10 * SECOND))
    };
    // Class 10 has its 1 Mbit/s. It also borrows, before class 30 does, the rest of class 2's 8
    // Mbit/s that class 20 does not use.
    let [a, b, c] = rates(&[10, 30]);
    assert!(is_close(a, 8e6, 0.01) && b == 0.0 && is_close(c, 4e6, 0.01), "{a} {b} {c}");
    let [a, b, c] = rates(&[10, 20, 30]);
    assert!(is_close(a + b, 8e6, 0.01) && is_close(c, 4e6, 0.01), "{a} {b} {c}");
    assert!(is_close(a, 2e6, 0.02) && is_close(b, 6e6, 0.02), "1 + 4 · 1/4 and 3 + 4 · 3/4: {a} {b}");
    let [a, _, _] = rates(&[10]);
    assert!(is_close(a, 1.2e7, 0.01), "{a}");
}

#[test]
fn htb_sends_unclassified_frames_at_once() {
    let mut bench = Bench::new(&htb(1_000_000, vec![class(10, 1_000_000, 1_000_000)]), 1_000_000_000);
    for _ in 0..10 {
        bench.enqueue_udp(10, 1500, 0);
        bench.enqueue_udp(99, 1500, 0);
    }
    bench.send_until(SECOND, |_| ());
    let unshaped = bench.sent.iter().position(|(_, flow, _)| *flow == 10);
    assert_eq!(unshaped, Some(10), "{:?}", bench.sent);
}

#[test]
fn changed_htb_classes_keep_their_frames() {
    let config = |rate| htb(100_000_000, vec![class(10, rate, rate)]);
    let mut bench = Bench::new(&config(1_000_000), 1_000_000_000);
    bench.keep_saturated(&[(10, 1500)], SECOND);
    bench.qdisc.replace(&config(5_000_000), 1, "qdisc h1-eth0", &mut bench.dropped);
    assert!(bench.dropped.is_empty() && bench.qdisc.packets() > 10);
    let start = bench.now;
    bench.keep_saturated(&[(10, 1500)], start + 10 * SECOND);
    let measured = bench.rate_of(10, start + SECOND, start + 10 * SECOND);
    assert!(is_close(measured, 5e6, 0.01), "{measured}");
    // A deleted class loses the frames in its queue.
    let waiting = bench.qdisc.packets();
    bench.qdisc.replace(&htb(1_000_000, vec![class(20, 1000, 1000)]), 1, "qdisc h1-eth0", &mut bench.dropped);
    assert_eq!((bench.dropped.len(), bench.dropped[0].1), (waiting, REPLACED));
}

/// Returns the rates of backlogged classes below a root with this rate. Each class gets its own
/// rate. The rest goes to the classes with the lowest priority number, in proportion to their
/// quanta and up to their ceils, and then to the next priority number.
fn borrowed_shares(root: f64, classes: &[HtbClass]) -> Vec<f64> {
    let mut shares: Vec<f64> = classes.iter().map(|class| class.rate as f64).collect();
    for priority in 0..8 {
        loop {
            let left = root - shares.iter().sum::<f64>();
            let backlogged: Vec<_> = (0..classes.len())
                .filter(|i| classes[*i].priority == priority && shares[*i] < classes[*i].ceil as f64 - 1.0)
                .collect();
            let quanta = backlogged.iter().map(|i| f64::from(classes[*i].quantum)).sum::<f64>();
            if left < 1.0 || backlogged.is_empty() {
                break;
            }
            // This increases all shares until the first class reaches its ceil.
            let part = |i: &usize| (classes[*i].ceil as f64 - shares[*i]) / f64::from(classes[*i].quantum);
            let step = backlogged.iter().map(part).fold(left / quanta, f64::min);
            backlogged.iter().for_each(|i| shares[*i] += step * f64::from(classes[*i].quantum));
        }
    }
    shares
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Backlogged classes get their rates, borrow by priority and quantum up to their ceils, and
    /// use the whole capacity together: from 100 kbit/s to 10 Gbit/s, frames of 64 to 1500 bytes.
    #[test]
    fn htb_keeps_all_rates(
        root in 5.0..10.0f64,
        classes in prop::collection::vec((0.05..1.0f64, 0.0..1.0f64, 0u8..3, 64u32..1514), 1..5),
    ) {
        let root = weir_impair::math::power(10.0, root) as u64;
        let promised: f64 = classes.iter().map(|(share, ..)| share).sum::<f64>().max(1.0);
        let classes: Vec<_> = classes.iter().enumerate().map(|(index, (share, more, priority, bytes))| {
            let rate = (root as f64 * share / promised) as u64;
            let ceil = rate + ((root - rate) as f64 * more) as u64;
            // The test uses the smallest quantum of `tc`, because larger ones need many more
            // rounds. A full bucket loses tokens, so the buckets are larger than the tokens that a
            // class collects while the root pays for frames that other classes sent within their
            // own rates.
            let bursts = HtbClass { burst: 15_140, cburst: 15_140, ..class(10 + index as u32, rate, ceil) };
            (HtbClass { priority: *priority, quantum: 1514, ..bursts }, *bytes)
        }).collect();
        let config = htb(root, classes.iter().map(|(class, _)| class.clone()).collect());
        let mut bench = Bench::new(&config, 20 * root);
        let flows: Vec<_> = classes.iter().map(|(class, bytes)| (u64::from(class.id), *bytes)).collect();
        // About 20 000 frames of 1000 bytes after the first thousand, in which most bursts are used up.
        let frame = 8000 * SECOND / root;
        let (start, span) = (1000 * frame, 20_000 * frame);
        bench.keep_saturated(&flows, start + span);
        // One turn of a class and one frame may fall on either side of the measurement's ends.
        let edge = 2.0 * 1514.0 * 8.0 * 1e9 / span as f64;
        // The first bursts of the classes leave the root with a debt. Until the bandwidth that no
        // class has as its own rate has paid the debt, the root lends nothing.
        let own_rates = classes.iter().map(|(class, _)| class.rate).sum::<u64>();
        let bursts = classes.iter().map(|(class, _)| 8.0 * class.burst as f64).sum::<f64>();
        let paid = (root - own_rates) as f64 * start as f64 / 1e9;
        let unpaid = (bursts - paid).max(0.0) * 1e9 / span as f64;
        let mut all = 0.0;
        let own: Vec<_> = classes.iter().map(|(class, _)| class.clone()).collect();
        for (class, expected) in own.iter().zip(borrowed_shares(root as f64, &own)) {
            let measured = bench.rate_of(class.id.into(), start, start + span);
            all += measured;
            prop_assert!((measured - expected).abs() <= 0.01 * expected + edge + unpaid, "{measured}, not {expected}, of {class:?}");
        }
        let ceils = classes.iter().map(|(class, _)| class.ceil).sum::<u64>();
        let expected = root.min(ceils) as f64;
        prop_assert!((all - expected).abs() <= 0.01 * expected + unpaid, "{all} of {expected}");
    }
}
