//! Tests that both executors and the hand-written loops agree on the measured programs.

#[path = "../benches/by_hand/mod.rs"]
mod by_hand;
#[path = "../benches/common/mod.rs"]
mod common;

use std::sync::Arc;

use weir_bench::programs::{PORTS, reduced_benchmark};
use weir_bench::{BENCHMARKS, Benchmark, Workload};
use weir_device::{Buffer, Device, Packet, ReceiveOutcome, Transmission};
use weir_exec::Executor;
use weir_switch::config::Rate;
use weir_switch::{Switch, SwitchConfig};

/// The tables have one entry for this many entries of the measured tables.
const PART: usize = 100;
const PACKETS: usize = 500;

#[test]
fn executors_and_loops_by_hand_agree() {
    for name in BENCHMARKS {
        let benchmark = reduced_benchmark(name, PART).expect("it is listed");
        let load = benchmark.packets(PACKETS);
        let program = common::program(benchmark.file, benchmark.source, &[]);
        let [native, interpreted] = common::executors(&program).map(|executor| {
            let mut switch = common::switch(&executor);
            benchmark.insert_entries(&mut switch.control()).expect("entries that the program takes");
            common::outcomes(&mut switch, &load, PACKETS)
        });
        assert!(native == interpreted, "{name}: native code and interpreter");
        let passed = native.iter().filter(|(port, _)| port.is_some()).count();
        // Only the access list drops packets, about one in sixteen.
        let least = if name == "acl-10k" { PACKETS * 3 / 4 } else { PACKETS };
        assert!((least..=PACKETS).contains(&passed), "{name}: {passed} of {PACKETS} leave");
        if let Some(by_hand) = by_hand::forwarder(&benchmark) {
            assert!(native == common::outcomes_by_hand(&*by_hand, &load, PACKETS), "{name}: by hand");
        }
    }
}

#[test]
fn telemetry_grows_packets_by_twelve_bytes() {
    for (name, place) in [("telemetry", 14), ("telemetry-stack", 14)] {
        let benchmark = reduced_benchmark(name, 1).expect("it is listed");
        let load = benchmark.packets(10);
        let program = common::program(benchmark.file, benchmark.source, &[]);
        let [native, _] = common::executors(&program);
        let mut switch = common::switch(&native);
        benchmark.insert_entries(&mut switch.control()).expect("entries that the program takes");
        for (at, (port, bytes)) in common::outcomes(&mut switch, &load, 10).into_iter().enumerate() {
            let (came_by, before) = load.packet(at);
            let port = port.expect("every host is known");
            assert_eq!(bytes.len(), before.len() + 12, "{name}");
            assert_eq!(bytes[..12], before[..12], "{name}: addresses stay");
            assert_eq!(bytes[12..14], [0x88, 0xb5], "{name}: telemetry follows");
            let hop = &bytes[place..place + 12];
            // The header has 8 bits for the switch and 9 for each port.
            let ports = u32::from_be_bytes([hop[0], hop[1], hop[2], hop[3]]);
            assert_eq!((ports >> 24, ports >> 15 & 0x1ff, ports >> 6 & 0x1ff), (7, came_by, port), "{name}");
            assert_eq!(hop[10..], before[12..14], "{name}: what followed before follows it");
            assert_eq!(bytes[place + 12..], before[14..], "{name}: the rest is as it was");
        }
    }
}

#[test]
fn predicted_keys_equal_program_keys() {
    let benchmark = reduced_benchmark("acl-10k", PART).expect("it is listed");
    let load = benchmark.packets(200);
    let rules = &benchmark.tables[0];
    for (at, key) in rules.keys(&load, 200).chunks_exact(5).enumerate() {
        let (_, packet) = load.packet(at);
        let word = |at: usize| u64::from(u16::from_be_bytes([packet[at], packet[at + 1]]));
        let ports = if matches!(packet[23], 6 | 17) { (word(34), word(36)) } else { (0, 0) };
        let expected =
            [word(26) << 16 | word(28), word(30) << 16 | word(32), ports.0, ports.1, u64::from(packet[23])];
        assert_eq!(key, expected);
    }
}

/// Returns the ports and times at which packets leave a switch with a pass latency of 1 us. With
/// `pass`, packets may use the fast path; otherwise, the switch queues them.
fn timed_transmissions(
    executor: &Arc<dyn Executor>,
    benchmark: &Benchmark,
    load: &Workload,
    queue_rate: Option<Rate>,
    pass: bool,
) -> (Vec<Transmission>, u32) {
    let config = SwitchConfig { queue_rate, ..SwitchConfig::default().with_ports(0..PORTS) };
    let mut switch = Switch::new(Arc::clone(executor), config).expect("a v1model program");
    benchmark.insert_entries(&mut switch.control()).expect("entries that the program takes");
    let (mut out, mut straight, mut buffer) = (Vec::new(), 0, Buffer::new(load.longest_packet()));
    let until = |switch: &mut Switch, end: u64, out: &mut Vec<Transmission>| {
        while let Some(time) = switch.next_deadline().filter(|time| *time < end) {
            switch.advance(time, out);
        }
    };
    for at in 0..PACKETS {
        // Now and then, two packets arrive at the same time.
        let now = 300 * (at as u64 - at as u64 % 7 / 6);
        let (port, bytes) = load.packet(at % load.len());
        until(&mut switch, now, &mut out);
        buffer.receive(port, at as u64, bytes);
        if !pass {
            switch.receive(now, port, Packet::new(at as u64, bytes.to_vec()));
        } else if let ReceiveOutcome::Forwarded { time, port } =
            switch.receive_in_place(now, port, &mut buffer)
        {
            straight += 1;
            let packet = Packet::new(at as u64, buffer.bytes().to_vec());
            out.push(Transmission { time, port, packet });
        }
    }
    until(&mut switch, u64::MAX, &mut out);
    out.sort_by_key(|sent| (sent.time, sent.packet.id));
    (out, straight)
}

#[test]
fn fast_and_slow_paths_agree() {
    for name in BENCHMARKS {
        let benchmark = reduced_benchmark(name, PART).expect("it is listed");
        let load = benchmark.packets(PACKETS);
        let [native, interpreter] =
            common::executors(&common::program(benchmark.file, benchmark.source, &[]));
        for queue_rate in [None, Some(Rate::PacketsPerSecond(2_000_000))] {
            let (fast, straight) = timed_transmissions(&native, &benchmark, &load, queue_rate, true);
            let (slow, _) = timed_transmissions(&interpreter, &benchmark, &load, queue_rate, false);
            assert!(fast == slow, "{name}, queue rate {queue_rate:?}");
            assert!(fast.len() > PACKETS / 2 && (straight == 0 || queue_rate.is_none()), "{name}");
        }
    }
}
