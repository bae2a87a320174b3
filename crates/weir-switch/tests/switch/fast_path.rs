//! Tests that the fast path and the slow path have the same results: with single packets and with
//! batches, with and without pass latency. Also tests that calls of tables and externs by words
//! have the same results as calls by values.

use std::sync::Arc;

use crate::bench::executor;
use crate::bench::words::{CALLS, Worded};
use crate::by_name::ByName;
use crate::random_calls::random_calls;
use crate::random_traffic::configured::{configured_switch, settings};
use crate::random_traffic::programs::programs;
use crate::random_traffic::{GAP, below, bytes, port};
use rand_pcg::Pcg64Mcg;
use weir_device::{Buffer, CarriedGso, CarriedOffload, Device, Nanos, ReceiveOutcome, Transmission};
use weir_exec::Executor;
use weir_ir::TableId;
use weir_switch::config::Rate;
use weir_switch::control::EntryRef;
use weir_switch::{Switch, SwitchConfig};

/// Compares the packets that leave a switch whose passes take no time, and its counts, on the fast
/// path in buffers and on the slow path.
#[test]
fn fast_and_slow_path_agree() {
    let mut sent_none = Vec::new();
    for program in programs() {
        let (name, executor) = (&program.name, program.executor());
        let taken = compare_batches(name, executor, executor, 1);
        if taken == 0 && !name.starts_with("testdata/stf") {
            sent_none.push(name.as_str());
        }
    }
    // The first program recirculates every packet. The second sends packets to ports that these
    // switches do not have. The others drop packets that are not for their hosts, which most random
    // packets are not.
    let expected = [
        "testdata/switch/delay.p4",
        "testdata/pna/learning.p4",
        "labs/weir_labs/shared_computer/forward.p4",
        "labs/weir_labs/switch_comparison/forward.p4",
    ];
    sent_none.retain(|name| !expected.contains(name));
    // With other seeds, some programs may have no entry that lets a packet through.
    assert!(first_seed() > 0 || sent_none.is_empty(), "no packet took the fast path: {sent_none:?}");
}

/// Compares calls of tables and externs by words with calls by value.
#[test]
fn calls_by_words_and_by_value_agree() {
    for program in programs() {
        let words: Arc<dyn Executor> = Arc::new(Worded::new(program.program().clone()));
        compare_batches(&program.name, &words, program.executor(), 1);
    }
    let (by_words, others) = CALLS.get();
    assert!(by_words > 10 * others && others > 0, "{by_words} calls by words, {others} others");
}

/// Compares packets in a batch with the same packets in single batches.
#[test]
fn batches_and_single_packets_agree() {
    for program in programs() {
        let text = &program.text;
        // A packet that recirculates takes its turn among the other packets. The size of the batch
        // determines its position among them. In the program with two pipes, it does so by its
        // port.
        let recirculates = text.contains("recirculate") || program.name == "testdata/tna/pipes.p4";
        if !recirculates && !text.contains("resubmit") {
            let words: Arc<dyn Executor> = Arc::new(Worded::new(program.program().clone()));
            compare_batches(&program.name, &words, &words, 8);
        }
    }
}

/// Compares the packets that leave a switch whose passes take time, and their times, on the fast
/// path where possible and on the slow path.
#[test]
fn paths_agree_with_pass_latency() {
    let mut all = 0;
    for program in programs() {
        let words: Arc<dyn Executor> = Arc::new(Worded::new(program.program().clone()));
        let executor = program.executor();
        let taken: u32 = [(0, executor), (1_000, &words), (340_000, executor)]
            .map(|(l, e)| compare_with_latency(&program.name, e, l))
            .iter()
            .sum();
        // In some programs, egress uses tables or externs, or no packet passes ingress in one pass.
        all += u32::from(taken > 0);
    }
    assert!(all > 80, "packets took the fast path in {all} programs");
}

/// Sends packets to one switch in buffers and to another switch as separate packets, with a few
/// packets in flight at once. Returns the number of packets that took the fast path.
fn compare_with_latency(name: &str, executor: &Arc<dyn Executor>, latency: Nanos) -> u32 {
    let mut taken = 0;
    let packets = if name == "testdata/stf/undefined/parser_loop.p4" { 3 } else { 24 };
    let slow = Some(Rate::PacketsPerSecond(700_000));
    let all = [(0, 1_000_000, None), (1, 1_000_000_000, None), (2, 1_000_000_000, slow)];
    // Each of the many short programs is tested with only one of these settings.
    let (skipped, count) = if name.starts_with("testdata/stf") { (name.len() % 3, 1) } else { (0, 3) };
    for (seed, capacity, queue_rate) in all.into_iter().skip(skipped).take(count) {
        let settings = SwitchConfig { pass_latency: latency, capacity, queue_rate, ..settings() };
        let [mut one, mut other] =
            [0; 2].map(|_| configured_switch(Arc::clone(executor), settings.clone(), seed));
        let random = &mut Pcg64Mcg::new(u128::from(seed) << 8 | 1);
        let (mut now, mut fast, mut slow) = (0, Vec::new(), Vec::new());
        let mut buffer = Buffer::new(128);
        for id in 0..packets {
            now += match below(random, 4) {
                0 => 0,
                1 => 1 + below(random, 1_500),
                // The packet arrives exactly when another event is due.
                2 => latency,
                _ => 1 + below(random, latency + 1_000),
            };
            let (port, bytes) = (port(random), bytes(random));
            buffer.receive(port, id, &bytes);
            buffer.metadata.offload = offload_of(id);
            let packet = buffer.to_packet();
            advance_until(&mut one, now, &mut fast);
            advance_until(&mut other, now, &mut slow);
            match one.receive_in_place(now, port, &mut buffer) {
                ReceiveOutcome::Forwarded { time, port } => {
                    taken += 1;
                    let packet = buffer.to_packet();
                    fast.push(Transmission { time, port, packet });
                }
                ReceiveOutcome::Dropped | ReceiveOutcome::Held => {}
            }
            other.receive(now, port, packet);
        }
        // Packets that recirculate forever are ignored.
        let end = now + 10 * latency + 2 * GAP;
        advance_until(&mut one, end, &mut fast);
        advance_until(&mut other, end, &mut slow);
        let order = |sent: &Transmission| (sent.time, sent.packet.id, sent.port, sent.packet.bytes.clone());
        fast.sort_by_key(order);
        slow.sort_by_key(order);
        assert_eq!(fast, slow, "{name}, entries {seed}, {latency} ns a pass");
        assert_offloads(name, &fast);
        assert_eq!(one.stats(), other.stats(), "{name}, entries {seed}, {latency} ns a pass");
        assert!(one.stats().is_balanced());
        assert_eq!(memory(&mut one), memory(&mut other), "{name}, entries {seed}, {latency} ns a pass");
    }
    taken
}

/// Advances a switch at each of its deadlines before `end`.
fn advance_until(switch: &mut Switch, end: Nanos, out: &mut Vec<Transmission>) {
    while let Some(time) = switch.next_deadline().filter(|time| *time < end) {
        switch.advance(time, out);
    }
}

/// Sends packets to one switch in batches, and one by one to another, which takes the slow path if
/// batches have one packet; returns how many took the fast path.
pub fn compare_batches(name: &str, one: &Arc<dyn Executor>, other: &Arc<dyn Executor>, batch: usize) -> u32 {
    // The number of seeds and rounds depends on the length of the program.
    let (seeds, rounds) = match name {
        "testdata/stf/undefined/parser_loop.p4" => (1, 2),
        name if name.starts_with("testdata/stf") => (1, 12),
        name if name.starts_with("random program") => (2, 40),
        // In these programs, few entries let random packets pass.
        "labs/weir_labs/shorternet/gateway.p4" | "testdata/programs/recirculate.p4" => {
            (30, 40 / batch as u64)
        }
        "testdata/programs/l2_switch.p4" => (15, 80 / batch as u64),
        // Making a switch takes longer than thousands of packets.
        _ => (5, 80 / batch as u64),
    };
    compare_rounds(name, (one, other), batch, (seeds, rounds))
}

/// Like [`compare_batches`], with switches of this many seeds and this many batches for each.
pub fn compare_rounds(
    name: &str,
    (one, other): (&Arc<dyn Executor>, &Arc<dyn Executor>),
    batch: usize,
    (seeds, rounds): (usize, u64),
) -> u32 {
    let (mut taken, mut buffers) = (0, vec![Buffer::new(128); batch]);
    for seed in (first_seed()..).take(seeds) {
        let settings = SwitchConfig { pass_latency: 0, ..settings() };
        let mut one = configured_switch(Arc::clone(one), settings.clone(), seed);
        let mut other = configured_switch(Arc::clone(other), settings, seed);
        let random = &mut Pcg64Mcg::new(u128::from(seed) << 8 | 1);
        for round in 0..rounds {
            let now = round * GAP;
            let (mut fast, mut slow) = (Vec::new(), Vec::new());
            for (id, buffer) in buffers.iter_mut().enumerate() {
                let (port, bytes, id) = (port(random), bytes(random), id as u64);
                buffer.receive(port, id, &bytes);
                buffer.metadata.offload = offload_of(id);
                if batch > 1 {
                    let mut alone = [buffer.clone()];
                    other.forward(now, &mut alone, &mut slow);
                    add_departed(&alone, now, &mut slow);
                } else {
                    other.receive(now, port, buffer.to_packet());
                    other.advance(now, &mut slow);
                }
            }
            one.forward(now, &mut buffers, &mut fast);
            taken += add_departed(&buffers, now, &mut fast);
            one.advance(now + GAP - 1, &mut fast);
            other.advance(now + GAP - 1, &mut slow);
            // The copies of one packet are in order, whatever comes between them.
            fast.sort_by_key(|sent| sent.packet.id);
            slow.sort_by_key(|sent| sent.packet.id);
            assert_eq!(fast, slow, "{name}, entries {seed}, round {round}");
            assert_offloads(name, &fast);
            assert_eq!(one.stats(), other.stats(), "{name}, entries {seed}, round {round}");
            if one.in_flight() > 0 {
                break;
            }
        }
        assert_eq!(memory(&mut one), memory(&mut other), "{name}, entries {seed}");
    }
    taken
}

/// Returns the offload of the packet with this id; some packets have none.
fn offload_of(id: u64) -> Option<CarriedOffload> {
    let gso = id.is_multiple_of(2).then_some(CarriedGso { size: id as u16, ecn: true });
    (!id.is_multiple_of(3)).then_some(CarriedOffload {
        transport_bytes: id as u16,
        v6: true,
        udp: false,
        gso,
    })
}

/// Checks that packets and all their copies keep their offloads, whatever path they take.
fn assert_offloads(name: &str, sent: &[Transmission]) {
    for Transmission { packet, .. } in sent {
        assert_eq!(packet.offload, offload_of(packet.id), "{name}, packet {}", packet.id);
    }
}

/// Returns the first seed of entries and packets: 0, and others for `make properties`.
#[expect(clippy::disallowed_methods, reason = "tests read which cases to draw")]
fn first_seed() -> u64 {
    let drawn = std::env::var("PROPTEST_RNG_SEED").map_or(1, |seed| seed.parse().expect("a number"));
    100 * u64::saturating_sub(drawn, 1)
}

/// Adds to `sent` the packets that left in their buffers. Returns how many there were.
fn add_departed(buffers: &[Buffer<'_>], now: Nanos, sent: &mut Vec<Transmission>) -> u32 {
    let before = sent.len();
    sent.extend(buffers.iter().filter_map(|buffer| {
        let packet = buffer.to_packet();
        Some(Transmission { time: now, port: buffer.metadata.egress_port?, packet })
    }));
    (sent.len() - before) as u32
}

/// Returns the state of the switch after packets: registers, counters, digests, log lines, and how
/// often entries and defaults were hit.
fn memory(switch: &mut Switch) -> Vec<String> {
    let schema = switch.schema().clone();
    let mut control = switch.by_name();
    let mut all = Vec::new();
    for register in &schema.registers {
        let cells = (0..register.size.min(16)).map(|index| control.register(&register.name, index));
        all.push(format!("{} {:?}", register.name, cells.collect::<Vec<_>>()));
    }
    for counter in &schema.counters {
        let cells = (0..counter.size.min(16)).map(|index| control.counter(&counter.name, index));
        all.push(format!("{} {:?}", counter.name, cells.collect::<Vec<_>>()));
    }
    for table in &schema.tables {
        all.push(format!("{} {:?}", table.name, control.entries(&table.name)));
    }
    all.push(format!("{:?} {:?}", control.take_digests(), control.take_log()));
    let control = switch.control();
    for table in (0..schema.tables.len()).map(TableId::new) {
        let misses = control.direct_counter(table, &EntryRef::Default);
        all.push(format!("{misses:?} {:?}", control.direct_meter_counts(table, &EntryRef::Default)));
    }
    all
}

/// Compares random calls of any widths by words and by value.
#[test]
fn random_calls_by_words_and_by_value_agree() {
    CALLS.set((0, 0));
    for seed in 0..60 {
        let program = random_calls(&mut Pcg64Mcg::new(seed << 1 | 1));
        let words: Arc<dyn Executor> = Arc::new(Worded::new(program.clone()));
        compare_batches("testdata/stf, but random", &words, &executor(program), 1);
    }
    let (by_words, others) = CALLS.get();
    assert!(by_words > 5_000 && others > 0, "{by_words} calls by words, {others} others");
}
