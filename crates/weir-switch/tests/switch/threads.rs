//! Packets on several threads: `testdata/switch/threads.p4`.

#![allow(clippy::disallowed_methods, reason = "a test starts threads")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::bench::{call, compile, entry, exact, start};
use crate::by_name::{
    ByName, CloneSession, CounterValue, EntryRef, Match, MeterConfig, Replica, Target, Update,
};
use weir_device::{Buffer, Device, Nanos, Port};
use weir_ir::Bits;
use weir_switch::trace::StepKind;
use weir_switch::{Switch, SwitchConfig, Worker};

const KEYS: u64 = 8;
pub const BATCH: usize = 32;
/// The number of batches after which a worker ends even without being stopped.
const MAX_ROUNDS: u32 = 50_000;

/// Ports 1 and 2 lead to each other, 3 and 4 too. Key `k` has the value 0 in both tables.
pub fn switch() -> Switch {
    let program = compile(include_str!("../../../../testdata/switch/threads.p4"), &[]);
    let config = SwitchConfig { pass_latency: 0, ..SwitchConfig::default().with_ports(1..=4) };
    let mut switch = start(&program, config);
    let mut control = switch.by_name();
    for (from, to) in [(1, 2), (2, 1), (3, 4), (4, 3)] {
        control
            .insert("ports", entry(&[("ingress_port", exact(from))], call("to", &[("port", to)])))
            .unwrap();
    }
    for key in 0..KEYS {
        let value = call("first", &[("value", 0)]);
        control.insert("firsts", entry(&[("key", exact(u128::from(key)))], value)).unwrap();
        let prefix = Match::Lpm(Bits::new(32, u128::from(key)), 32);
        control.insert("seconds", entry(&[("key", prefix)], call("second", &[("value", 0)]))).unwrap();
    }
    let rates = MeterConfig::per_second(0, 1000, 0, 1500);
    control.write_meter("limit", 0, Some(rates)).unwrap();
    control
        .set_multicast_group(1, Some([1, 2].map(|port| Replica::new(port, port as u16)).to_vec()))
        .unwrap();
    let session = CloneSession { port: Some(3), ..CloneSession::default() };
    control.set_clone_session(1, Some(session)).unwrap();
    switch
}

pub fn probe(what: u8, key: u32) -> Vec<u8> {
    let mut bytes = vec![what];
    bytes.extend(key.to_be_bytes());
    bytes.extend([0; 18]);
    bytes.extend(b"payload");
    bytes
}

/// Returns the field of a probe at this offset.
fn field(bytes: &[u8], at: usize, len: usize) -> u64 {
    bytes[at..at + len].iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

const FIRST: (usize, usize) = (5, 4);
const SECOND: (usize, usize) = (9, 4);
const NUMBER: (usize, usize) = (13, 6);
const COLOUR: (usize, usize) = (19, 4);

pub fn buffers() -> Vec<Buffer<'static>> {
    (0..BATCH).map(|_| Buffer::new(64)).collect()
}

/// Sends `rounds` batches through a worker, alternating between two ports, and calls `look` for
/// each packet that leaves.
fn send(worker: &mut Worker, ports: [Port; 2], rounds: u64, mut look: impl FnMut(&Buffer<'_>)) {
    let (mut buffers, mut out, mut left) = (buffers(), Vec::new(), Vec::new());
    for round in 0..rounds {
        for (index, buffer) in buffers.iter_mut().enumerate() {
            buffer.receive(ports[index % 2], round, &probe(0, index as u32 % KEYS as u32));
        }
        worker.forward(round, &mut buffers, &mut out, &mut left);
        assert!(out.is_empty() && left.is_empty());
        buffers.iter().for_each(&mut look);
    }
}

#[test]
fn concurrent_updates_are_not_lost() {
    const ROUNDS: u64 = 400;
    let mut switch = switch();
    let mut workers = [switch.worker(), switch.worker()];
    let ends: Vec<(Vec<u64>, [u64; 3])> = std::thread::scope(|scope| {
        let threads: Vec<_> = workers
            .iter_mut()
            .zip([[1, 2], [3, 4]])
            .map(|(worker, ports)| {
                scope.spawn(move || {
                    let (mut numbers, mut colours) = (Vec::new(), [0; 3]);
                    send(worker, ports, ROUNDS, |buffer| {
                        let other = ports[usize::from(buffer.metadata.ingress_port == ports[0])];
                        assert_eq!(buffer.metadata.egress_port, Some(other));
                        numbers.push(field(buffer.bytes(), NUMBER.0, NUMBER.1));
                        colours[field(buffer.bytes(), COLOUR.0, COLOUR.1) as usize] += 1;
                    });
                    (numbers, colours)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let each = ROUNDS * BATCH as u64;
    let all = 2 * each;
    for (numbers, _) in &ends {
        assert!(numbers.is_sorted(), "each thread's packets come one after the other");
    }
    let mut numbers: Vec<u64> = ends.iter().flat_map(|(numbers, _)| numbers.clone()).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(1..=all), "each packet has a number of its own");
    let colours = [0, 1, 2].map(|colour| ends.iter().map(|(_, colours)| colours[colour]).sum::<u64>());
    assert_eq!(colours, [1000, 500, all - 1500]);

    let bytes = probe(0, 0).len() as u64;
    let control = switch.by_name();
    assert_eq!(control.register("totals", 1).unwrap(), Bits::new(48, u128::from(all)));
    let sum = u128::from(all * bytes) + (u128::from(all % 2) << 99);
    assert_eq!(
        control.register("pairs", 1).unwrap(),
        Bits::new(148, u128::from(all)).shl(100).add(&Bits::new(148, sum))
    );
    for port in 1..=4 {
        let counted = CounterValue { packets: each / 2, bytes: each / 2 * bytes };
        assert_eq!(control.counter("by_port", port).unwrap(), counted);
    }
    for key in 0..KEYS {
        let counted = CounterValue { packets: all / KEYS, bytes: all / KEYS * bytes };
        assert_eq!(control.direct_counter("firsts", &EntryRef::Handle(key)).unwrap(), counted);
    }
    for table in ["firsts", "seconds", "ports"] {
        let state = control.table_state(table).unwrap();
        assert_eq!((state.hits, state.misses), (all, 0), "{table}");
    }
    let stats = switch.stats();
    assert!(stats.is_balanced());
    assert_eq!((stats.received, stats.transmitted, stats.passes, stats.in_flight), (all, all, all, 0));
    for port in 1..=4 {
        let counts = stats.ports[&port];
        let expected = [each / 2, each / 2 * bytes];
        assert_eq!([counts.packets_in, counts.bytes_in], expected);
        assert_eq!([counts.packets_out, counts.bytes_out], expected);
    }
}

#[test]
fn batches_are_atomic_across_two_tables() {
    const BATCHES: u32 = 400;
    let mut switch = switch();
    let mut workers = [switch.worker(), switch.worker()];
    let done = AtomicBool::new(false);
    let seen = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for (worker, ports) in workers.iter_mut().zip([[1, 2], [3, 4]]) {
            let (done, seen) = (&done, &seen);
            scope.spawn(move || {
                let (mut last, mut different) = (0, 0);
                for _ in 0..MAX_ROUNDS {
                    if done.load(Ordering::Acquire) {
                        break;
                    }
                    send(worker, ports, 4, |buffer| {
                        let [first, second] = [FIRST, SECOND].map(|(at, len)| field(buffer.bytes(), at, len));
                        assert_eq!(first, second, "both tables change at once");
                        assert!(first >= last, "and never back");
                        different += u64::from(first > last);
                        last = first;
                    });
                }
                // Packets of a batch see everything that was written before the batch began.
                send(worker, ports, 1, |buffer| {
                    assert_eq!(field(buffer.bytes(), FIRST.0, FIRST.1), u64::from(BATCHES));
                });
                seen.fetch_add(different, Ordering::Relaxed);
            });
        }
        for batch in 1..=BATCHES {
            let value = u128::from(batch);
            let mut updates = Vec::new();
            for key in 0..KEYS {
                let (entry, table) = (EntryRef::Handle(key), "firsts".to_owned());
                let action = Target::Action(call("first", &[("value", value)]));
                updates.push(Update::Modify { table, entry, action });
            }
            // Changes the other table in another way.
            let table = || "seconds".to_owned();
            updates.push(Update::Clear { table: table() });
            for key in 0..KEYS {
                let prefix = Match::Lpm(Bits::new(32, u128::from(key)), 32);
                let entry = entry(&[("key", prefix)], call("second", &[("value", value)]));
                updates.push(Update::Insert { table: table(), entry });
            }
            // The first batch fails at its end, and so is undone.
            updates.push(Update::Delete { table: table(), entry: EntryRef::Handle(1_000_000) });
            let mut control = switch.by_name();
            assert!(control.write(&updates).is_err());
            updates.pop();
            control.write(&updates).unwrap();
        }
        done.store(true, Ordering::Release);
    });
    assert!(seen.load(Ordering::Relaxed) > 0, "somebody saw a change");
    drop(workers);
    switch.collect_reports();
    assert!(switch.stats().is_balanced());
}

#[test]
fn controller_writes_are_not_lost() {
    const MILLION: u64 = 1_000_000;
    const WRITES: u64 = 3_000;
    let mut switch = switch();
    let mut worker = switch.worker();
    let done = AtomicBool::new(false);
    let sent = std::thread::scope(|scope| {
        let counter = scope.spawn(|| {
            let mut sent = 0;
            for _ in 0..MAX_ROUNDS {
                if done.load(Ordering::Acquire) {
                    break;
                }
                send(&mut worker, [1, 2], 1, |_| sent += 1);
            }
            sent
        });
        let mut control = switch.by_name();
        let millions = |value: &Bits| value.low_u64() / MILLION;
        for write in 1..=WRITES {
            control.write_register("totals", 1, Bits::new(48, u128::from(write * MILLION))).unwrap();
            (0..200).for_each(|_| std::hint::spin_loop());
            assert_eq!(millions(&control.register("totals", 1).unwrap()), write);
        }
        done.store(true, Ordering::Release);
        counter.join().unwrap()
    });
    assert!(sent > 0);
}

#[test]
fn packets_after_one_for_the_switch_are_not_handled_yet() {
    let mut switch = switch();
    let mut worker = switch.worker();
    let (mut buffers, mut out, mut left) = (buffers(), Vec::new(), Vec::new());
    for (index, buffer) in buffers.iter_mut().enumerate() {
        buffer.receive(1, 0, &probe(u8::from(index == 3), 0));
    }
    assert_eq!(worker.forward_in_order(0, 0, &mut buffers, &mut out, &mut left), 4);
    switch.take_over(0, &mut left, &mut out);
    assert_eq!((switch.stats().received, switch.stats().is_balanced()), (4, true));
    // The next packets may differ from those that were not run.
    assert_eq!(worker.forward_in_order(1, 1, &mut buffers[..2], &mut out, &mut left), 2);
    switch.collect_reports();
    let port = switch.stats().ports.iter().find(|(port, _)| *port == 1).unwrap().1.packets_in;
    assert_eq!((switch.stats().received, port), (6, 6));
}

#[test]
fn observed_packets_are_left_to_the_switch() {
    let mut switch = switch();
    let mut worker = switch.worker();
    let (mut buffers, mut out, mut left) = (buffers(), Vec::new(), Vec::new());
    let mut go = |switch: &mut Switch, now: Nanos| {
        for buffer in &mut buffers {
            buffer.receive(1, 0, &probe(0, 0));
        }
        worker.forward(now, &mut buffers, &mut out, &mut left);
        let count = left.len();
        switch.take_over(now, &mut left, &mut out);
        count
    };
    assert_eq!(go(&mut switch, 0), 0);
    switch.trace_next(3);
    assert_eq!(go(&mut switch, 1), BATCH);
    assert_eq!(
        switch.take_trace().0.iter().filter(|step| matches!(step.what, StepKind::Received { .. })).count(),
        3
    );
    assert_eq!(go(&mut switch, 2), 0, "all that were to be traced have come");
    switch.record_drops(true);
    assert_eq!(go(&mut switch, 3), BATCH);
    switch.record_drops(false);
    let rate = weir_switch::Rate::PacketsPerSecond(1);
    switch
        .by_name()
        .write(&[Update::SetQueueRate { port: Some(2), priority: None, rate: Some(rate) }])
        .unwrap();
    assert_eq!(go(&mut switch, 4), BATCH);
    assert!(switch.in_flight() > 0, "they wait in the queue");
    assert!(switch.stats().is_balanced());
}

#[test]
fn workers_can_be_dropped_and_created() {
    let mut switch = switch();
    let mut worker = switch.worker();
    send(&mut worker, [1, 2], 1, |_| {});
    drop(worker);
    let modify = |value| Update::Modify {
        table: "firsts".to_owned(),
        entry: EntryRef::Handle(0),
        action: Target::Action(call("first", &[("value", value)])),
    };
    switch.by_name().write(&[modify(5)]).unwrap();
    let mut buffers = buffers();
    buffers.iter_mut().for_each(|buffer| buffer.receive(1, 0, &probe(0, 0)));
    switch.forward(9, &mut buffers, &mut Vec::new());
    assert!(buffers.iter().all(|buffer| field(buffer.bytes(), FIRST.0, FIRST.1) == 5));
    let all = 2 * BATCH as u64;
    assert_eq!(field(buffers[BATCH - 1].bytes(), NUMBER.0, NUMBER.1), all, "counts go on");
    assert_eq!(switch.stats().received, all);
    // And there may be new workers.
    let mut worker = switch.worker();
    send(&mut worker, [1, 2], 1, |buffer| assert!(buffer.metadata.egress_port.is_some()));
    assert_eq!(switch.by_name().register("totals", 1).unwrap(), Bits::new(48, u128::from(3 * all / 2)));
}

#[test]
fn workers_follow_a_reset_of_the_switch() {
    let mut switch = switch();
    let mut worker = switch.worker();
    send(&mut worker, [1, 2], 1, |buffer| assert!(buffer.metadata.egress_port.is_some()));
    switch.by_name().write(&[Update::Reset]).unwrap();
    send(&mut worker, [1, 2], 1, |buffer| {
        assert_eq!(buffer.metadata.egress_port, None, "there are no ports any more");
    });
    let control = switch.by_name();
    assert_eq!(control.register("totals", 1).unwrap(), Bits::new(48, BATCH as u128), "counted from 0 again");
    assert_eq!(control.table_state("ports").unwrap().misses, BATCH as u64);
}
