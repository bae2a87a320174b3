//! Disciplines behind a link of some rate: what leaves when.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::{Filter, Impairments, Jitter, Loss};

const SECOND: Nanos = 1_000_000_000;

/// A discipline and the transmitter behind it.
struct Bench {
    qdisc: Qdisc,
    frames: Frames,
    /// Of the link, in bits per second.
    rate: u64,
    now: Nanos,
    dropped: Dropped,
    /// How many of these were given back.
    returned: usize,
    /// Frames of each flow that came in and neither left nor were dropped.
    waiting: BTreeMap<u64, usize>,
    /// Time at which a frame's sending begins, flow, bytes.
    sent: Vec<(Nanos, u64, u32)>,
}

impl Bench {
    fn new(config: &QdiscConfig, rate: u64) -> Self {
        config.check().unwrap();
        let qdisc = Qdisc::new(config, 1, "qdisc h1-eth0");
        Bench {
            qdisc,
            frames: Frames::default(),
            rate,
            now: 0,
            dropped: Vec::new(),
            returned: 0,
            waiting: BTreeMap::new(),
            sent: Vec::new(),
        }
    }

    /// A UDP frame to the port `flow` comes in now.
    fn put(&mut self, flow: u64, bytes: u32, earliest: Nanos) {
        let frame = self.frames.copy(&udp(flow as u16, bytes as usize));
        let waiting = Waiting { frame, bytes, flow: 0, earliest };
        *self.waiting.entry(flow).or_default() += 1;
        let dropped = &mut self.dropped;
        self.qdisc.enqueue(waiting, &mut Moment { now: self.now, frames: &mut self.frames, dropped });
        self.return_dropped();
    }

    fn return_dropped(&mut self) {
        for (frame, _) in &self.dropped[self.returned..] {
            let flow = destination_port(self.frames.bytes(*frame));
            let count = self.waiting.entry(flow).or_default();
            *count = count.saturating_sub(1);
            self.frames.give_back(*frame);
        }
        self.returned = self.dropped.len();
    }

    /// Sends until a time; `refill` is called before each frame, to keep queues full.
    fn run(&mut self, until: Nanos, mut refill: impl FnMut(&mut Bench)) {
        loop {
            refill(self);
            let dropped = &mut self.dropped;
            let next = self.qdisc.dequeue(&mut Moment { now: self.now, frames: &mut self.frames, dropped });
            self.return_dropped();
            match next {
                Next::Frame(waiting) => {
                    let flow = destination_port(self.frames.bytes(waiting.frame));
                    let count = self.waiting.entry(flow).or_default();
                    *count = count.saturating_sub(1);
                    self.sent.push((self.now, flow, waiting.bytes));
                    self.frames.give_back(waiting.frame);
                    self.now += u64::from(waiting.bytes) * 8 * SECOND / self.rate;
                }
                Next::At(time) => {
                    assert!(time > self.now, "{time} is not after {}", self.now);
                    self.now = time;
                }
                Next::Empty => {
                    assert_eq!(self.qdisc.packets(), 0);
                    return;
                }
            }
            if self.now > until {
                return;
            }
        }
    }

    /// Keeps 20 frames waiting of each of these flows, which have frames of so many bytes, until a time.
    fn saturate(&mut self, flows: &[(u64, u32)], until: Nanos) {
        self.run(until, |bench| {
            for (flow, bytes) in flows {
                for _ in bench.waiting.get(flow).copied().unwrap_or(0)..20 {
                    bench.put(*flow, *bytes, 0);
                }
            }
        });
    }

    /// Bits per second of a flow between two times.
    fn rate_of(&self, flow: u64, from: Nanos, to: Nanos) -> f64 {
        let within = self.sent.iter().filter(|(time, sent, _)| *sent == flow && (from..to).contains(time));
        within.map(|(_, _, bytes)| f64::from(*bytes) * 8.0).sum::<f64>() * 1e9 / (to - from) as f64
    }
}

/// An IPv4 UDP frame from 10.0.0.1:1000 to 10.0.0.2 and this port.
fn udp(port: u16, bytes: usize) -> Vec<u8> {
    let mut frame = vec![0; bytes.max(42)];
    frame[12..24].copy_from_slice(&[8, 0, 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17]);
    frame[26..34].copy_from_slice(&[10, 0, 0, 1, 10, 0, 0, 2]);
    frame[34..36].copy_from_slice(&1000u16.to_be_bytes());
    frame[36..38].copy_from_slice(&port.to_be_bytes());
    frame
}

fn destination_port(frame: &[u8]) -> u64 {
    u16::from_be_bytes([frame[36], frame[37]]).into()
}

fn near(found: f64, expected: f64, share: f64) -> bool {
    (found - expected).abs() <= expected * share
}

fn tbf(rate: u64, burst: u64) -> QdiscConfig {
    QdiscConfig::Tbf(TbfConfig { rate, burst, limit: 100_000, queue: None })
}

fn class(id: u32, rate: u64, ceil: u64) -> HtbClass {
    HtbClass { parent: Some(1), ceil, ..HtbClass::new(id, rate) }
}

/// A root class 1 of this rate, others below it, and a filter for each by its number as the UDP port.
fn htb(root: u64, classes: Vec<HtbClass>) -> QdiscConfig {
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
fn tbf_holds_its_rate_and_its_burst() {
    let mut bench = Bench::new(&tbf(10_000_000, 15_140), 1_000_000_000);
    bench.saturate(&[(7, 1514)], 10 * SECOND);
    assert!(near(bench.rate_of(7, SECOND, 10 * SECOND), 1e7, 0.001));
    // Ten frames of the full bucket leave back to back, and what came meanwhile.
    let burst = bench.sent.iter().take_while(|(time, ..)| *time < 130_000).count();
    assert!((10..=11).contains(&burst), "{burst}");
    bench.put(7, 20_000, 0);
    assert_eq!(bench.dropped.last().map(|(_, reason)| *reason), Some("larger than the token bucket"));
}

#[test]
fn tbf_drops_what_its_limit_does_not_take() {
    let mut bench = Bench::new(&tbf(1_000_000, 2000), 1_000_000_000);
    for _ in 0..200 {
        bench.put(7, 1000, 0);
    }
    assert_eq!((bench.qdisc.packets(), bench.qdisc.bytes(), bench.dropped.len()), (100, 100_000, 100));
}

#[test]
fn one_htb_class_holds_its_rate() {
    for rate in [64_000, 1_000_000, 20_000_000, 400_000_000] {
        let mut bench = Bench::new(&htb(rate, vec![class(10, rate, rate)]), 1_000_000_000);
        // A thousand frames at the least.
        let span = (1000 * 1514 * 8 * SECOND / rate).max(10 * SECOND);
        bench.saturate(&[(10, 1514)], SECOND + span);
        let found = bench.rate_of(10, SECOND, SECOND + span);
        assert!(near(found, rate as f64, 0.002), "{found} of {rate}");
    }
}

#[test]
fn htb_classes_borrow_what_others_leave() {
    // 10 Mbit/s in all; three are promised 2, 3 and 5, and may have all.
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
        bench.saturate(&flows, 10 * SECOND);
        [10, 20, 30].map(|flow| bench.rate_of(flow, SECOND, 10 * SECOND))
    };
    let [a, b, c] = rates(&[10, 20, 30]);
    assert!(near(a, 2e6, 0.01) && near(b, 3e6, 0.01) && near(c, 5e6, 0.01), "{a} {b} {c}");
    // Without the third, the other two share its 5 by their quanta: 25 000 and 37 500.
    let [a, b, c] = rates(&[10, 20]);
    assert!(near(a, 4e6, 0.01) && near(b, 6e6, 0.01) && c == 0.0, "{a} {b} {c}");
    let [a, ..] = rates(&[10]);
    assert!(near(a, 1e7, 0.01), "{a}");
}

#[test]
fn htb_serves_borrowers_by_priority_and_stops_at_the_ceil() {
    let classes = vec![
        HtbClass { priority: 0, ..class(10, 1_000_000, 6_000_000) },
        HtbClass { priority: 1, ..class(20, 1_000_000, 10_000_000) },
    ];
    let mut bench = Bench::new(&htb(10_000_000, classes), 100_000_000);
    bench.saturate(&[(10, 1000), (20, 1000)], 10 * SECOND);
    let [a, b] = [10, 20].map(|flow| bench.rate_of(flow, SECOND, 10 * SECOND));
    assert!(near(a, 6e6, 0.01) && near(b, 4e6, 0.01), "{a} {b}");
}

#[test]
fn htb_trees_lend_from_the_nearest_ancestor() {
    // 1: 12 Mbit/s holds 2: 8 Mbit/s (which holds 10 and 20) and 30.
    let inner = class(2, 8_000_000, 12_000_000);
    let below = |id, rate| HtbClass { parent: Some(2), ..class(id, rate, 12_000_000) };
    let classes = vec![inner, below(10, 1_000_000), below(20, 3_000_000), class(30, 4_000_000, 12_000_000)];
    let rates = |flows: &[u64]| {
        let mut bench = Bench::new(&htb(12_000_000, classes.clone()), 100_000_000);
        let flows: Vec<_> = flows.iter().map(|flow| (*flow, 1000)).collect();
        bench.saturate(&flows, 10 * SECOND);
        [10, 20, 30].map(|flow| bench.rate_of(flow, SECOND, 10 * SECOND))
    };
    // 10 has its 1 and borrows what 20 leaves of 2's 8, before 30 gets any of it.
    let [a, b, c] = rates(&[10, 30]);
    assert!(near(a, 8e6, 0.01) && b == 0.0 && near(c, 4e6, 0.01), "{a} {b} {c}");
    let [a, b, c] = rates(&[10, 20, 30]);
    assert!(near(a + b, 8e6, 0.01) && near(c, 4e6, 0.01), "{a} {b} {c}");
    assert!(near(a, 2e6, 0.02) && near(b, 6e6, 0.02), "1 + 4 · 1/4 and 3 + 4 · 3/4: {a} {b}");
    let [a, _, _] = rates(&[10]);
    assert!(near(a, 1.2e7, 0.01), "{a}");
}

#[test]
fn htb_sends_what_no_class_takes_at_once() {
    let mut bench = Bench::new(&htb(1_000_000, vec![class(10, 1_000_000, 1_000_000)]), 1_000_000_000);
    for _ in 0..10 {
        bench.put(10, 1500, 0);
        bench.put(99, 1500, 0);
    }
    bench.run(SECOND, |_| ());
    let unshaped = bench.sent.iter().position(|(_, flow, _)| *flow == 10);
    assert_eq!(unshaped, Some(10), "{:?}", bench.sent);
}

#[test]
fn a_changed_htb_class_keeps_its_frames_and_takes_its_new_rate() {
    let config = |rate| htb(100_000_000, vec![class(10, rate, rate)]);
    let mut bench = Bench::new(&config(1_000_000), 1_000_000_000);
    bench.saturate(&[(10, 1500)], SECOND);
    bench.qdisc.replace(&config(5_000_000), 1, "qdisc h1-eth0", &mut bench.dropped);
    assert!(bench.dropped.is_empty() && bench.qdisc.packets() > 10);
    let start = bench.now;
    bench.saturate(&[(10, 1500)], start + 10 * SECOND);
    let found = bench.rate_of(10, start + SECOND, start + 10 * SECOND);
    assert!(near(found, 5e6, 0.01), "{found}");
    // A class that is gone loses what waits in it.
    let waiting = bench.qdisc.packets();
    bench.qdisc.replace(&htb(1_000_000, vec![class(20, 1000, 1000)]), 1, "qdisc h1-eth0", &mut bench.dropped);
    assert_eq!((bench.dropped.len(), bench.dropped[0].1), (waiting, REPLACED));
}

#[test]
fn fq_shares_by_bytes_and_not_by_frames() {
    let mut bench = Bench::new(&QdiscConfig::Fq(FqConfig::default()), 10_000_000);
    bench.saturate(&[(1, 1500), (2, 500), (3, 100)], 10 * SECOND);
    let rates = [1, 2, 3].map(|flow| bench.rate_of(flow, SECOND, 10 * SECOND));
    assert!(rates.iter().all(|rate| near(*rate, 1e7 / 3.0, 0.01)), "{rates:?}");
}

#[test]
fn fq_holds_each_flow_to_its_maxrate() {
    for (maxrate, flows) in [(20_000_000, 1), (20_000_000, 4), (1_000_000, 8)] {
        let config = QdiscConfig::Fq(FqConfig { maxrate: Some(maxrate), ..FqConfig::default() });
        let flows: Vec<_> = (1..=flows).map(|flow| (flow, 1514)).collect();
        let mut bench = Bench::new(&config, 100_000_000);
        bench.saturate(&flows, 10 * SECOND);
        for (flow, _) in flows {
            let found = bench.rate_of(flow, SECOND, 10 * SECOND);
            assert!(near(found, maxrate as f64, 0.01), "{found} of {maxrate}");
        }
    }
}

#[test]
fn fq_keeps_the_times_that_senders_give() {
    let mut bench = Bench::new(&QdiscConfig::Fq(FqConfig::default()), 1_000_000_000);
    bench.put(1, 1000, 5_000_000);
    bench.put(2, 1000, 0);
    bench.put(1, 1000, 0);
    bench.put(3, 1000, 2_000_000);
    bench.put(3, 1000, 30 * SECOND);
    bench.run(SECOND, |_| ());
    let sent: Vec<_> = bench.sent.iter().map(|(time, flow, _)| (*time, *flow)).collect();
    assert_eq!(sent, [(0, 2), (2_000_000, 3), (5_000_000, 1), (5_008_000, 1)]);
    assert_eq!(bench.dropped[0].1, "to leave beyond the pacing horizon");
}

#[test]
fn fq_limits_flows_and_forgets_silent_ones() {
    let config = FqConfig { limit: 150, ..FqConfig::default() };
    let mut bench = Bench::new(&QdiscConfig::Fq(config), 1_000_000_000);
    for flow in [1, 2] {
        (0..120).for_each(|_| bench.put(flow, 100, 0));
    }
    let reasons: Vec<_> = bench.dropped.iter().map(|(_, reason)| *reason).collect();
    assert_eq!((reasons.len(), reasons[0], reasons[20]), (90, "flow's queue full", QUEUE_FULL));
    bench.run(SECOND, |_| ());
    for flow in 0..10_000 {
        bench.now = 10 * SECOND + flow * SECOND / 100;
        bench.put(flow, 100, 0);
        bench.run(Nanos::MAX, |_| ());
    }
    let Kind::Fq(fq) = &bench.qdisc.kind else { panic!() };
    // 100 a second, each known for 3 s after its only frame.
    assert!(format!("{fq:?}").len() < 200_000);
}

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
        bench.put(1, 100, 0);
    }
    let (lost, made) = (bench.dropped.len() as u64, bench.qdisc.made());
    assert!((900..1100).contains(&lost) && (400..500).contains(&made), "{lost} {made}");
    bench.run(SECOND, |_| ());
    assert_eq!(bench.sent.len() as u64, 10_000 - lost + made);
    let (first, last) = (bench.sent[0].0, bench.sent[bench.sent.len() - 1].0);
    assert!((19_000_000..19_010_000).contains(&first) && (20_990_000..21_050_000).contains(&last));
    assert_eq!(bench.frames.live(), 0);
}

#[test]
fn netem_has_a_bottleneck_a_limit_and_frames_in_a_hurry() {
    let config = NetemConfig { delay: 5_000_000, rate: Some(8_000_000), limit: 10, ..NetemConfig::default() };
    let mut bench = Bench::new(&QdiscConfig::Netem(config), 1_000_000_000);
    (0..15).for_each(|_| bench.put(1, 1000, 0));
    assert_eq!(bench.dropped.len(), 5);
    bench.run(SECOND, |_| ());
    let times: Vec<_> = bench.sent.iter().map(|(time, ..)| *time).collect();
    assert_eq!(times, (1..=10).map(|n| 5_000_000 + n * 1_000_000).collect::<Vec<_>>());

    let config = NetemConfig { delay: 5_000_000, hurry: Some((1.0, 5)), ..NetemConfig::default() };
    let mut bench = Bench::new(&QdiscConfig::Netem(config), 1_000_000_000);
    (1..=15).for_each(|flow| bench.put(flow, 1000, 0));
    bench.run(SECOND, |_| ());
    let first: Vec<_> = bench.sent.iter().take(3).map(|(_, flow, _)| *flow).collect();
    assert_eq!(first, [5, 10, 15]);
}

#[test]
fn disciplines_nest() {
    // Behind a delay of 10 ms, 1 Mbit/s with room for two frames.
    let queue = Some(Box::new(QdiscConfig::Tbf(TbfConfig {
        rate: 1_000_000,
        burst: 1000,
        limit: 2000,
        queue: None,
    })));
    let config = NetemConfig { delay: 10_000_000, queue, ..NetemConfig::default() };
    let mut bench = Bench::new(&QdiscConfig::Netem(config), 1_000_000_000);
    (0..5).for_each(|_| bench.put(1, 1000, 0));
    bench.run(SECOND, |_| ());
    bench.return_dropped();
    let times: Vec<_> = bench.sent.iter().map(|(time, ..)| *time).collect();
    assert_eq!(times, [10_000_000, 18_000_000]);
    assert_eq!(bench.dropped.len(), 3);
}

fn any_config() -> impl Strategy<Value = QdiscConfig> {
    let simple = prop_oneof![
        (0usize..20, prop::option::of(0u64..20_000))
            .prop_map(|(packets, bytes)| QdiscConfig::Fifo { packets: Some(packets), bytes }),
        (1000u64..100_000_000, 200u64..5000, 200u64..20_000)
            .prop_map(|(rate, burst, limit)| QdiscConfig::Tbf(TbfConfig { rate, burst, limit, queue: None })),
        (prop::option::of(1000u64..100_000_000), 0usize..20, any::<bool>()).prop_map(
            |(maxrate, flow_limit, pacing)| QdiscConfig::Fq(FqConfig {
                maxrate,
                flow_limit,
                pacing,
                limit: 30,
                ..FqConfig::default()
            })
        ),
        (0u64..SECOND, 0.0..1.0f64, 0.0..1.0f64, prop::option::of(1000u64..1_000_000), 0usize..30).prop_map(
            |(delay, loss, duplicate, rate, limit)| {
                let jitter = Jitter::Normal { sigma: delay / 2 };
                let impairments =
                    Impairments { loss: Loss::Random(loss), duplicate, jitter, ..Impairments::default() };
                QdiscConfig::Netem(NetemConfig {
                    delay,
                    impairments,
                    rate,
                    limit,
                    hurry: Some((0.2, 3)),
                    ..NetemConfig::default()
                })
            }
        ),
    ];
    let inner = simple.clone();
    prop_oneof![
        3 => simple,
        1 => (1000u64..1_000_000, inner.clone(), inner.clone()).prop_map(|(rate, a, b)| {
            let with = |id, queue| HtbClass { queue, ..class(id, rate, 2 * rate) };
            htb(2 * rate, vec![with(1001, a), with(1002, b)])
        }),
        1 => (0u64..SECOND, inner).prop_map(|(delay, queue)| {
            QdiscConfig::Netem(NetemConfig { delay, queue: Some(Box::new(queue)), ..NetemConfig::default() })
        }),
    ]
}

/// Each flow's part of a capacity where none takes more than its bound and the rest is shared alike.
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

/// What classes below one root of this rate have if all want all: their own rates; then what is left goes to those of the lowest priority
/// number in proportion to their quanta, to none more than its ceil; then to those of the next.
fn borrowed_shares(root: f64, classes: &[HtbClass]) -> Vec<f64> {
    let mut shares: Vec<f64> = classes.iter().map(|class| class.rate as f64).collect();
    for priority in 0..8 {
        loop {
            let left = root - shares.iter().sum::<f64>();
            let hungry: Vec<_> = (0..classes.len())
                .filter(|i| classes[*i].priority == priority && shares[*i] < classes[*i].ceil as f64 - 1.0)
                .collect();
            let quanta = hungry.iter().map(|i| f64::from(classes[*i].quantum)).sum::<f64>();
            if left < 1.0 || hungry.is_empty() {
                break;
            }
            // As much for all as the first to reach its ceil takes.
            let part = |i: &usize| (classes[*i].ceil as f64 - shares[*i]) / f64::from(classes[*i].quantum);
            let step = hungry.iter().map(part).fold(left / quanta, f64::min);
            hungry.iter().for_each(|i| shares[*i] += step * f64::from(classes[*i].quantum));
        }
    }
    shares
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Saturated, classes have what they are promised, what they borrow goes by priority and quantum up to their ceils, and together they
    /// have all there is: from 100 kbit/s to 10 Gbit/s, frames of 64 to 1500 bytes.
    #[test]
    fn htb_holds_all_rates(
        root in 5.0..10.0f64,
        classes in prop::collection::vec((0.05..1.0f64, 0.0..1.0f64, 0u8..3, 64u32..1514), 1..5),
    ) {
        let root = crate::math::power(10.0, root) as u64;
        let promised: f64 = classes.iter().map(|(share, ..)| share).sum::<f64>().max(1.0);
        let classes: Vec<_> = classes.iter().enumerate().map(|(index, (share, more, priority, bytes))| {
            let rate = (root as f64 * share / promised) as u64;
            let ceil = rate + ((root - rate) as f64 * more) as u64;
            // Turns as long as the least of `tc`: with longer ones many more of them would have to be counted.
            (HtbClass { priority: *priority, quantum: 1514, ..class(10 + index as u32, rate, ceil) }, *bytes)
        }).collect();
        let config = htb(root, classes.iter().map(|(class, _)| class.clone()).collect());
        let mut bench = Bench::new(&config, 20 * root);
        let flows: Vec<_> = classes.iter().map(|(class, bytes)| (u64::from(class.id), *bytes)).collect();
        // Some 20 000 frames of 1000 bytes behind the first thousand, in which bursts and debts go.
        let frame = 8000 * SECOND / root;
        let (start, span) = (1000 * frame, 20_000 * frame);
        bench.saturate(&flows, start + span);
        // A turn of one class, and a frame, which may fall on either side of the measurement's ends, are no deviation of its rate.
        let edge = 2.0 * 1514.0 * 8.0 * 1e9 / span as f64;
        let mut all = 0.0;
        let own: Vec<_> = classes.iter().map(|(class, _)| class.clone()).collect();
        for (class, expected) in own.iter().zip(borrowed_shares(root as f64, &own)) {
            let found = bench.rate_of(class.id.into(), start, start + span);
            all += found;
            prop_assert!((found - expected).abs() <= 0.01 * expected + edge, "{found}, not {expected}, of {class:?}");
        }
        let ceils = classes.iter().map(|(class, _)| class.ceil).sum::<u64>();
        let expected = root.min(ceils) as f64;
        prop_assert!(near(all, expected, 0.01), "{all} of {expected}");
    }

    /// Each of many flows has its maxrate, from 100 kbit/s to 1 Gbit/s.
    #[test]
    fn fq_paces_many_flows(maxrate in 5.0..9.0f64, count in 1u64..150, bytes in 64u32..1514) {
        let maxrate = crate::math::power(10.0, maxrate) as u64;
        let config = QdiscConfig::Fq(FqConfig { maxrate: Some(maxrate), ..FqConfig::default() });
        let mut bench = Bench::new(&config, 2 * count * maxrate);
        let flows: Vec<_> = (1..=count).map(|flow| (flow, bytes)).collect();
        let frame = u64::from(bytes) * 8 * SECOND / maxrate;
        bench.saturate(&flows, 110 * frame);
        for flow in 1..=count {
            let found = bench.rate_of(flow, 5 * frame, 105 * frame);
            prop_assert!(near(found, maxrate as f64, 0.011), "{found} of {maxrate}");
        }
    }

    /// Flows share by bytes, whatever their frames' lengths; one that is held to less leaves the rest to the others.
    #[test]
    fn fq_shares_fairly(
        lengths in prop::collection::vec(64u32..1514, 1..6),
        maxrate in prop::option::of(500_000u64..20_000_000),
    ) {
        let config = QdiscConfig::Fq(FqConfig { maxrate, ..FqConfig::default() });
        let mut bench = Bench::new(&config, 20_000_000);
        let flows: Vec<_> = lengths.iter().enumerate().map(|(index, bytes)| (index as u64 + 1, *bytes)).collect();
        bench.saturate(&flows, 9 * SECOND);
        let bounds = vec![maxrate.unwrap_or(u64::MAX) as f64; flows.len()];
        for ((flow, _), expected) in flows.iter().zip(fair_shares(2e7, &bounds)) {
            let found = bench.rate_of(*flow, SECOND, 9 * SECOND);
            prop_assert!(near(found, expected, 0.01), "{found} of {expected}");
        }
    }

    /// Behind any pattern of arrivals a bucket lets no more through than its rate and its burst, in any stretch of time.
    #[test]
    fn tbf_never_exceeds_its_rate_and_burst(
        rate in 100_000u64..10_000_000,
        burst in 1514u64..20_000,
        arrivals in prop::collection::vec((64u32..1514, 0u64..20_000_000), 1..200),
    ) {
        let mut bench = Bench::new(&tbf(rate, burst), 10_000_000_000);
        for (bytes, pause) in arrivals {
            bench.put(7, bytes, 0);
            let until = bench.now + pause;
            bench.run(until, |_| ());
            bench.now = bench.now.max(until);
        }
        bench.run(Nanos::MAX / 2, |_| ());
        for (first, (start, ..)) in bench.sent.iter().enumerate() {
            let mut bytes = 0;
            for (time, _, length) in &bench.sent[first..] {
                bytes += u64::from(*length);
                let most = burst as f64 + (time - start) as f64 * rate as f64 / 8e9 + 1.0;
                prop_assert!(bytes as f64 <= most, "{bytes} in {} ns, {most} at the most", time - start);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What goes in, or is made, comes out once or is dropped once, across changes of discipline.
    #[test]
    fn nothing_is_lost_or_doubled(
        configs in prop::collection::vec(any_config(), 1..4),
        arrivals in prop::collection::vec((1000u64..1004, 42u32..3000, 0u64..200_000_000, any::<bool>()), 1..100),
    ) {
        let mut bench = Bench::new(&configs[0], 1_000_000);
        let mut configs = configs.iter().cycle();
        for (index, (flow, bytes, pause, paced)) in arrivals.iter().enumerate() {
            let until = bench.now + pause;
            bench.put(*flow, *bytes, if *paced { bench.now + pause } else { 0 });
            bench.run(until, |_| ());
            bench.now = bench.now.max(until);
            if index % 25 == 24 {
                let config = configs.next().unwrap();
                bench.qdisc.replace(config, 1, "qdisc h1-eth0", &mut bench.dropped);
            }
            let accounted = bench.sent.len() + bench.dropped.len() + bench.qdisc.packets();
            prop_assert_eq!(accounted as u64, index as u64 + 1 + bench.qdisc.made());
        }
        bench.run(Nanos::MAX / 2, |_| ());
        prop_assert_eq!((bench.qdisc.packets(), bench.qdisc.bytes()), (0, 0));
        let accounted = (bench.sent.len() + bench.dropped.len()) as u64;
        prop_assert_eq!(accounted, arrivals.len() as u64 + bench.qdisc.made());
    }
}
