//! Compares the queues with theory.

use crate::bench::{Bench, config, packet, run, word};
use crate::by_name::{ByName, Update};
use weir_device::{Buffer, Device, Nanos, Transmission};
use weir_switch::{Rate, Switch, SwitchConfig};

/// A program that sends packets to port 2, with the depths and times of the queue in their tags.
const PROBE: Bench = Bench {
    items: "",
    verify: "",
    ingress: "sm.egress_spec = 9w2; sm.priority = bit<3>(hdr.tag.port);",
    egress: "hdr.tag.port = bit<16>(sm.enq_qdepth); hdr.tag.count = bit<16>(sm.deq_qdepth);
             hdr.tag.check = bit<16>(sm.deq_timedelta); hdr.tag.seen = bit<16>(sm.enq_timestamp);",
    update: "",
    package: "V1Switch",
};

const LATENCY: Nanos = 1_000;

fn probe(settings: SwitchConfig) -> Switch {
    PROBE.load(SwitchConfig { pass_latency: LATENCY, input_queue: usize::MAX, ..settings }).unwrap()
}

/// Sends a packet at each of the times and advances the switch.
fn offer(switch: &mut Switch, times: impl IntoIterator<Item = Nanos>, priority: u16) -> Vec<Transmission> {
    let mut transmissions = Vec::new();
    for (id, time) in times.into_iter().enumerate() {
        switch.advance(time, &mut transmissions);
        switch.receive(time, 1, packet(id as u64, priority, b""));
    }
    transmissions.extend(run(switch));
    transmissions
}

#[test]
fn overload_fills_the_queue_to_its_limit() {
    let mut switch = probe(SwitchConfig { queue_rate: Some(Rate::PacketsPerSecond(100_000)), ..config() });
    assert_eq!(switch.config().queue_depth, 64);
    let mut transmissions = Vec::new();
    let mut deepest = 0;
    // Three packets every 20 us, of which two can leave.
    for id in 0..3_000u64 {
        let time = id / 3 * 20_000;
        switch.advance(time, &mut transmissions);
        switch.receive(time, 1, packet(id, 0, b""));
        if id % 3 < 2 {
            continue;
        }
        switch.advance(time + 2 * LATENCY, &mut transmissions);
        deepest = deepest.max(switch.by_name().queues(2).unwrap()[0].waiting);
    }
    transmissions.extend(run(&mut switch));
    assert_eq!(deepest, 64);
    // In each of 1000 rounds two packets leave; at the end, those in the queue leave.
    assert_eq!(transmissions.len(), 2_000 + 63);
    assert_eq!(switch.stats().dropped(), 3_000 - 2_063);
    let depths: Vec<_> = transmissions.iter().map(|t| word(t, 0)).collect();
    assert_eq!(depths.iter().max(), Some(&63), "a packet that comes in finds at most 63 before it");
    // From the first wait on, the port is never idle: departures are exactly 10 us apart. The last
    // packet that arrives waits for the full queue.
    assert!(transmissions.windows(2).all(|pair| pair[1].time - pair[0].time == 10_000));
    // The longest wait is 64 services, less the nanosecond or two between a departure and the
    // arrivals after it.
    let longest = transmissions.iter().map(|t| word(t, 2)).max();
    assert_eq!(longest, Some(639));
}

#[test]
fn departures_keep_their_rate_exactly() {
    // At 7 packets per second, departures are not at whole nanoseconds: the n-th packet leaves at
    // the first whole nanosecond after n/7 s.
    let mut switch = probe(SwitchConfig { queue_rate: Some(Rate::PacketsPerSecond(7)), ..config() });
    let times: Vec<_> = offer(&mut switch, std::iter::repeat_n(0, 60), 0).iter().map(|t| t.time).collect();
    let exact = |n: u64| LATENCY + (n * 1_000_000_000).div_ceil(7);
    assert_eq!(times, (0..60).map(exact).collect::<Vec<_>>());
    // 8 bytes at 3 Mbit/s take 64/3 us.
    let mut switch = probe(SwitchConfig { queue_rate: Some(Rate::BitsPerSecond(3_000_000)), ..config() });
    let times: Vec<_> = offer(&mut switch, std::iter::repeat_n(0, 60), 0).iter().map(|t| t.time).collect();
    let exact = |n: u64| LATENCY + (n * 64_000).div_ceil(3);
    assert_eq!(times, (0..60).map(exact).collect::<Vec<_>>());
}

#[test]
fn metadata_times_are_microseconds() {
    let mut switch = probe(SwitchConfig { queue_rate: Some(Rate::PacketsPerSecond(700_000)), ..config() });
    let arrivals: Vec<Nanos> = (0..200).map(|n| n * n * 31 % 977 + n * 1_300).collect();
    let output = offer(&mut switch, arrivals.iter().copied(), 0);
    let mut left: Vec<Nanos> = Vec::new();
    for (packet, (sent, arrived)) in output.iter().zip(&arrivals).enumerate() {
        let enqueued = arrived + LATENCY;
        let waiting = left.iter().filter(|time| **time > enqueued).count();
        let behind = arrivals[packet + 1..].iter().filter(|time| **time + LATENCY <= sent.time).count();
        let fields = [0, 1, 2, 3].map(|index| usize::from(word(sent, index)));
        let waited = (sent.time - enqueued) / 1_000;
        assert_eq!(fields[..3], [waiting, behind, waited as usize], "packet {packet}");
        assert_eq!(fields[3], (enqueued / 1_000) as usize & 0xffff);
        left.push(sent.time);
    }
    assert!(output.iter().any(|t| word(t, 0) > 3), "the queue was used");
}

#[test]
fn strict_priority_starves_lower_priorities() {
    let settings =
        SwitchConfig { queue_rate: Some(Rate::PacketsPerSecond(100_000)), priorities: 8, ..config() };
    let mut switch = probe(settings);
    for id in 0..20 {
        switch.receive(0, 1, packet(1_000 + id, 0, b""));
    }
    // For 10 ms, as many packets of the highest priority arrive as can leave.
    let mut transmissions = Vec::new();
    for id in 0..1_000u64 {
        switch.advance(id * 10_000, &mut transmissions);
        switch.receive(id * 10_000, 1, packet(id, 7, b""));
    }
    transmissions.extend(run(&mut switch));
    let order: Vec<_> = transmissions.iter().map(|t| t.packet.id).collect();
    // The first packet of the lower priority arrived before any other.
    assert_eq!((order[0], &order[1..1_001]), (1_000, &(0..1_000).collect::<Vec<_>>()[..]));
    assert_eq!(order[1_001..], (1_001..1_020).collect::<Vec<_>>());
    assert!(transmissions.windows(2).all(|pair| pair[1].time - pair[0].time == 10_000));
}

#[test]
fn queue_and_port_rates_both_apply() {
    let mut switch = probe(SwitchConfig { priorities: 2, ..config() });
    let rate = |priority, rate| Update::SetQueueRate {
        port: Some(2),
        priority,
        rate: Some(Rate::PacketsPerSecond(rate)),
    };
    switch.by_name().write(&[rate(Some(1), 1_000), rate(None, 4_000)]).unwrap();
    for id in 0..40 {
        switch.receive(0, 1, packet(id, (id % 2) as u16, b""));
    }
    let output = run(&mut switch);
    let times =
        |parity| output.iter().filter(move |t| t.packet.id % 2 == parity).map(|t| t.time).collect::<Vec<_>>();
    // The upper queue gets its 1000 packets per second, the lower one the remaining ones of the
    // port's 4000.
    assert!(times(1).windows(2).all(|pair| pair[1] - pair[0] == 1_000_000));
    assert_eq!(times(0).windows(2).filter(|pair| pair[1] - pair[0] == 500_000).count(), 7);
    assert!(output.windows(2).take(25).all(|pair| pair[1].time - pair[0].time == 250_000));
}

/// The fast path has no queues, so a rate of any kind disables it.
#[test]
fn packets_of_a_batch_wait_for_every_kind_of_rate() {
    let rate = Some(Rate::PacketsPerSecond(1_000));
    for (port, priority) in [(Some(2), Some(0)), (Some(2), None), (None, None)] {
        let mut switch = PROBE.load(SwitchConfig { pass_latency: 0, ..config() }).unwrap();
        switch.by_name().write(&[Update::SetQueueRate { port, priority, rate }]).unwrap();
        let mut buffers = [0, 1].map(|id| {
            let mut buffer = Buffer::new(128);
            buffer.receive(1, id, &packet(id, 0, b"").bytes);
            buffer
        });
        let mut transmissions = Vec::new();
        switch.forward(0, &mut buffers, &mut transmissions);
        transmissions.extend(run(&mut switch));
        let times: Vec<_> = transmissions.iter().map(|sent| sent.time).collect();
        assert_eq!(times, [0, 1_000_000], "port {port:?}, queue {priority:?}");
    }
}

/// Draws exponential gaps between arrivals, from a seed.
fn poisson(mean: f64, count: usize) -> impl Iterator<Item = Nanos> {
    let mut state = 0x1234_5678_9abc_def0u64;
    let mut now = 0.0;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let uniform = ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        now -= uniform.ln() * mean;
        now as Nanos
    })
    .take(count)
}

#[test]
fn waits_match_lindleys_recursion() {
    for load in [0.3, 0.8, 1.1] {
        let rate = Some(Rate::PacketsPerSecond(100_000));
        let mut switch = probe(SwitchConfig { queue_rate: rate, queue_depth: usize::MAX, ..config() });
        let arrivals: Vec<_> = poisson(10_000.0 / load, 5_000).collect();
        let output = offer(&mut switch, arrivals.iter().copied(), 0);
        assert_eq!(output.len(), arrivals.len());
        let (mut wait, mut before) = (0, arrivals[0]);
        for (sent, arrived) in output.iter().zip(&arrivals) {
            wait = (wait + 10_000 * u64::from(arrived != &arrivals[0])).saturating_sub(arrived - before);
            before = *arrived;
            assert_eq!(sent.time - arrived - LATENCY, wait, "load {load}, packet {}", sent.packet.id);
        }
    }
}

/// Returns the mean waiting time in nanoseconds of packets that arrive at random. `load` is the
/// ratio of the arrival rate to the service rate of 100 000 packets per second.
fn mean_wait(load: f64, count: usize) -> f64 {
    let rate = Some(Rate::PacketsPerSecond(100_000));
    let mut switch = probe(SwitchConfig { queue_rate: rate, queue_depth: usize::MAX, ..config() });
    let (mut out, mut waited, mut left) = (Vec::new(), 0, 0);
    // The arrival time of each packet that has not left; packets leave in order.
    let mut inside = std::collections::VecDeque::new();
    let mut leave = |out: &mut Vec<Transmission>, inside: &mut std::collections::VecDeque<Nanos>| {
        for sent in out.drain(..) {
            waited += sent.time - inside.pop_front().expect("who leaves has come") - LATENCY;
            left += 1;
        }
    };
    for (id, time) in poisson(10_000.0 / load, count).enumerate() {
        switch.advance(time, &mut out);
        leave(&mut out, &mut inside);
        inside.push_back(time);
        switch.receive(time, 1, packet(id as u64, 0, b""));
    }
    out.extend(run(&mut switch));
    leave(&mut out, &mut inside);
    assert_eq!((left, inside.len()), (count, 0));
    waited as f64 / count as f64
}

/// Computes Pollaczek and Khinchine's mean waiting time for a constant service time of 10 us.
fn m_d_1(load: f64) -> f64 {
    load / (2.0 * (1.0 - load)) * 10_000.0
}

#[test]
fn the_mean_wait_is_that_of_an_m_d_1_queue() {
    for load in [0.3, 0.6] {
        let (mean, theory) = (mean_wait(load, 60_000), m_d_1(load));
        assert!((mean / theory - 1.0).abs() < 0.02, "load {load}: {mean} ns, theory {theory} ns");
    }
}

#[test]
#[ignore = "a minute, in a release build"]
#[expect(clippy::print_stdout, reason = "the person who runs it wants to see the figures")]
fn mean_wait_matches_m_d_1() {
    for load in [0.1, 0.3, 0.5, 0.7, 0.8, 0.9] {
        let (mean, theory) = (mean_wait(load, 5_000_000), m_d_1(load));
        println!("load {load}: {mean:.1} ns, theory {theory:.1} ns, {:+.2} %", (mean / theory - 1.0) * 100.0);
        assert!((mean / theory - 1.0).abs() < 0.02, "load {load}");
    }
}
