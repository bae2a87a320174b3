//! The path of packets through v1model: timing, drops, recirculation, values of metadata.

use crate::bench::{Bench, TO_TAG, arrivals_with_field, config, packet, run, send, word};
use crate::by_name::{ByName, Update};
use weir_device::{Buffer, Device, ReceiveOutcome};
use weir_switch::stats::{DropPlace, DropReason};
use weir_switch::{Rate, Switch, SwitchConfig};

fn drop_counts(switch: &Switch) -> Vec<(String, u64)> {
    let name = |place: &DropPlace, reason: &DropReason| format!("{place}: {reason}");
    switch.stats().drops.iter().map(|((place, reason), count)| (name(place, reason), *count)).collect()
}

#[test]
fn a_packet_leaves_one_pass_latency_later() {
    let mut switch = Bench::default().switch();
    switch.receive(5_000, 1, packet(7, 3, b"hello"));
    assert_eq!(switch.next_deadline(), Some(5_000));
    let output = run(&mut switch);
    assert_eq!(output.len(), 1);
    assert_eq!((output[0].time, output[0].port, output[0].packet.id), (6_000, 3, 7));
    assert_eq!(output[0].packet.bytes, packet(7, 3, b"hello").bytes);
    let ports = &switch.stats().ports;
    assert_eq!((ports[&1].packets_in, ports[&1].bytes_in), (1, 13));
    assert_eq!((ports[&3].packets_out, ports[&3].bytes_out), (1, 13));
}

#[test]
fn a_packet_at_a_port_that_does_not_exist_takes_no_pass() {
    let mut switch = Bench::default().load(SwitchConfig { capacity: 1_000, ..config() }).unwrap();
    let mut buffer = Buffer::new(128);
    let outcomes = [9, 1].map(|port| {
        buffer.receive(port, 0, &packet(0, 3, b"").bytes);
        switch.receive_in_place(0, port, &mut buffer)
    });
    assert_eq!(outcomes, [ReceiveOutcome::Held, ReceiveOutcome::Forwarded { time: 1_000, port: 3 }]);
    assert_eq!(switch.stats().dropped(), 1);
}

#[test]
fn pass_starts_do_not_drift() {
    let mut switch = Bench::default().load(SwitchConfig { capacity: 3_000_000, ..config() }).unwrap();
    for id in 0..7 {
        switch.receive(0, 1, packet(id, 2, b""));
    }
    let times: Vec<_> = run(&mut switch).iter().map(|t| t.time).collect();
    assert_eq!(times, [1_000, 1_334, 1_667, 2_000, 2_334, 2_667, 3_000]);
}

#[test]
fn recirculation_costs_a_pass() {
    let bench = Bench {
        ingress: "sm.egress_spec = bit<9>(hdr.tag.port);
                  hdr.tag.seen = (bit<16>(sm.instance_type) << 8w8) | (bit<16>(sm.ingress_port));
                  hdr.tag.count = (bit<16>(meta.count) << 8w8) | (bit<16>(meta.lost));",
        egress: "if meta.count < 8w3 {
                   meta.count = meta.count + 8w1;
                   meta.lost = 8w9;
                   extern recirculate_preserving_field_list(in index = 8w1);
                 }",
        ..Bench::default()
    };
    let mut switch = bench.switch();
    let output = send(&mut switch, 0, 5, packet(0, 2, b"x"));
    // The packet was recirculated three times, has instance type 4 and no ingress port, and keeps
    // the counter but not the other field.
    assert_eq!(arrivals_with_field(&output), [(4_000, 2, 0x0400)]);
    assert_eq!(word(&output[0], 1), 0x0300);
    assert_eq!((switch.stats().passes, switch.stats().recirculated), (4, 3));
}

#[test]
fn recirculated_packets_compete_with_new_ones() {
    let bench = Bench {
        egress: "if meta.count < 8w1 {
                   meta.count = meta.count + 8w1;
                   extern recirculate_preserving_field_list(in index = 8w1);
                 }",
        ..Bench::default()
    };
    // One pass starts per microsecond, which is also how long a pass lasts. The second round of
    // packet 0 waits behind packet 1.
    let mut switch = bench.load(SwitchConfig { capacity: 1_000_000, ..config() }).unwrap();
    switch.receive(0, 1, packet(0, 2, b""));
    switch.receive(0, 1, packet(1, 2, b""));
    switch.receive(0, 1, packet(2, 2, b""));
    let order: Vec<_> = run(&mut switch).iter().map(|t| (t.time, t.packet.id)).collect();
    assert_eq!(order, [(4_000, 0), (5_000, 1), (6_000, 2)]);
}

#[test]
fn every_drop_has_place_and_reason() {
    let mark = Bench {
        ingress: "if hdr.tag.port == 16w0 { call action ingress.drop; } else { sm.egress_spec = bit<9>(hdr.tag.port); }",
        egress: "if hdr.tag.seen == 16w1 { call action ingress.drop; }",
        ..Bench::default()
    };
    let mut switch = mark.load(SwitchConfig { input_queue: 4, ..config() }).unwrap();
    switch.record_drops(true);
    switch.receive(0, 99, packet(0, 1, b""));
    switch.receive(0, 1, packet(1, 0, b""));
    switch.receive(0, 1, packet(2, 77, b""));
    let mut in_egress = packet(3, 1, b"");
    in_egress.bytes[7] = 1;
    switch.receive(0, 1, in_egress);
    switch.receive(0, 1, packet(4, 511, b""));
    switch.receive(0, 1, packet(5, 1, b""));
    assert!(run(&mut switch).is_empty());
    let counted: Vec<_> = drop_counts(&switch);
    let expected = [
        ("input: input queue full", 1),
        ("ingress: drop port", 2),
        ("egress: drop port", 1),
        ("port 77: no such port", 1),
        ("port 99: no such port", 1),
    ];
    assert_eq!(counted, expected.map(|(name, count)| (name.to_owned(), count)));
    let noted: Vec<_> =
        switch.take_drops().into_iter().map(|d| (d.packet, d.time, d.place, d.reason)).collect();
    let expected = [
        (0, 0, "port 99", "no such port"),
        (5, 0, "input", "input queue full"),
        (1, 0, "ingress", "drop port"),
        (4, 3, "ingress", "drop port"),
        (2, 1_001, "port 77", "no such port"),
        (3, 1_002, "egress", "drop port"),
    ];
    assert_eq!(
        noted,
        expected.map(|(id, time, place, reason)| (id, time, place.to_owned(), reason.to_owned()))
    );
    assert!(switch.take_drops().is_empty());
}

#[test]
fn packets_with_a_parser_error_continue_to_ingress() {
    let bench = Bench {
        ingress: "if sm.parser_error != error::PacketTooShort { call action ingress.drop; } else {
                    set_valid hdr.tag;
                    hdr.tag.seen = 16w0xabcd;
                    sm.egress_spec = 9w4;
                  }",
        ..Bench::default()
    };
    let mut switch = bench.switch();
    let short = weir_device::Packet::new(0, vec![1, 2, 3]);
    let output = send(&mut switch, 0, 1, short);
    assert_eq!(output[0].packet.bytes, [0, 0, 0, 0, 0, 0, 0xab, 0xcd, 1, 2, 3]);
}

#[test]
fn full_queues_drop() {
    let settings =
        SwitchConfig { queue_rate: Some(Rate::BitsPerSecond(8_000_000)), queue_depth: 3, ..config() };
    let mut switch = Bench::default().load(settings).unwrap();
    for id in 0..10 {
        switch.receive(0, 1, packet(id, 2, &[0; 92]));
    }
    let output: Vec<_> = run(&mut switch).iter().map(|t| (t.time, t.packet.id)).collect();
    // 100 bytes take 100 us at 8 Mbit/s. One packet leaves at once, three wait.
    assert_eq!(output, [(1_000, 0), (101_000, 1), (201_000, 2), (301_000, 3)]);
    assert_eq!(drop_counts(&switch), [("queue 2: queue full".to_owned(), 6)]);
}

#[test]
fn larger_priorities_go_first() {
    let bench =
        Bench { ingress: "sm.egress_spec = 9w2; sm.priority = bit<3>(hdr.tag.port);", ..Bench::default() };
    let settings =
        SwitchConfig { queue_rate: Some(Rate::PacketsPerSecond(1_000_000)), priorities: 3, ..config() };
    let mut switch = bench.load(settings).unwrap();
    for (id, priority) in [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 5)] {
        switch.receive(0, 1, packet(id, priority, b""));
    }
    let order: Vec<_> = run(&mut switch).iter().map(|t| t.packet.id).collect();
    assert_eq!(order, [0, 3, 4, 2, 1]);
    assert_eq!(drop_counts(&switch), [("queue 2: no such queue".to_owned(), 1)]);
}

#[test]
fn queues_are_set_at_run_time() {
    let bench =
        Bench { ingress: "sm.egress_spec = 9w2; sm.priority = bit<3>(hdr.tag.port);", ..Bench::default() };
    let mut switch = bench.load(SwitchConfig { priorities: 2, ..config() }).unwrap();
    let depth = |port, priority, depth| Update::SetQueueDepth { port, priority, depth };
    let rate = |port, priority, rate| Update::SetQueueRate { port, priority, rate };
    let set = [
        depth(None, None, 10),
        depth(Some(2), Some(1), 1),
        rate(Some(2), None, Some(Rate::PacketsPerSecond(1_000_000))),
        rate(Some(2), Some(1), Some(Rate::PacketsPerSecond(250_000))),
    ];
    switch.by_name().write(&set).unwrap();
    let wrong = [depth(None, None, 3), rate(None, Some(2), None)];
    let error = switch.by_name().write(&wrong).unwrap_err();
    assert_eq!(error.to_string(), "update 1: ports have 2 queues, there is no priority 2");
    assert_eq!(switch.by_name().queues(3).unwrap()[0].depth, 10, "the batch was taken back");
    for (id, priority) in [(0, 1), (1, 1), (2, 1), (3, 0), (4, 0), (5, 0), (6, 0)] {
        switch.receive(0, 1, packet(id, priority, b""));
    }
    // One packet leaves per microsecond; every fourth of them is from the upper queue.
    let order: Vec<_> = run(&mut switch).iter().map(|t| (t.time / 1_000, t.packet.id)).collect();
    assert_eq!(order, [(1, 0), (2, 3), (3, 4), (4, 5), (5, 1), (6, 6)]);
    assert_eq!(drop_counts(&switch), [("queue 2: queue full".to_owned(), 1)]);
    switch.by_name().write(&[rate(Some(2), None, None), rate(None, Some(1), None)]).unwrap();
    (7..9).for_each(|id| switch.receive(20_000, 1, packet(id, 1, b"")));
    let times: Vec<_> = run(&mut switch).iter().map(|t| t.time).collect();
    assert_eq!(times, [21_000, 21_001]);
}

#[test]
fn waiting_times_match_m_d_1_theory() {
    // Poisson arrivals at 80 % of the rate: the mean wait is ρ/(2μ(1-ρ)) = 2 service times.
    let mut uniform = 0x9e37_79b9_7f4a_7c15u64;
    let settings =
        SwitchConfig { queue_rate: Some(Rate::PacketsPerSecond(1_000_000)), queue_depth: 10_000, ..config() };
    let bench = Bench { egress: "hdr.tag.seen = bit<16>(sm.deq_timedelta);", ..Bench::default() };
    let mut switch = bench.load(settings).unwrap();
    let (mut now, mut out, mut arrivals) = (0u64, Vec::new(), Vec::new());
    for id in 0..100_000 {
        uniform = uniform.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let unit = ((uniform >> 11) as f64 + 1.0) / (1u64 << 53) as f64;
        now += (-unit.ln() * 1250.0).round() as u64;
        arrivals.push(now);
        switch.advance(now, &mut out);
        switch.receive(now, 1, packet(id, 2, b""));
    }
    out.extend(run(&mut switch));
    let wait: u64 = out.iter().map(|t| t.time - 1_000 - arrivals[t.packet.id as usize]).sum();
    let mean = wait as f64 / out.len() as f64;
    assert_eq!(out.len(), 100_000);
    assert!((mean / 2_000.0 - 1.0).abs() < 0.05, "mean wait {mean} ns");
}

#[test]
fn copies_of_a_group_have_their_replication_ids() {
    let bench = Bench {
        ingress: "sm.mcast_grp = hdr.tag.port;",
        egress: "hdr.tag.seen = (bit<16>(sm.instance_type) << 8w12) | sm.egress_rid;",
        ..Bench::default()
    };
    let mut switch = bench.switch();
    let replica = |port, rid| crate::by_name::Replica::new(port, rid);
    switch
        .by_name()
        .set_multicast_group(9, Some(vec![replica(2, 0x11), replica(3, 0x12), replica(2, 0x13)]))
        .unwrap();
    let output = send(&mut switch, 0, 1, packet(5, 9, b""));
    assert_eq!(arrivals_with_field(&output), [(1_000, 2, 0x5011), (1_000, 3, 0x5012), (1_000, 2, 0x5013)]);
    assert_eq!((switch.stats().copied, switch.stats().transmitted), (2, 3));
    assert!(send(&mut switch, 2_000, 1, packet(6, 10, b"")).is_empty());
    assert_eq!(drop_counts(&switch), [("ingress: empty multicast group".to_owned(), 1)]);
}

#[test]
fn clones_copy_the_received_or_sent_packet() {
    let session =
        crate::by_name::CloneSession { port: Some(7), group: None, truncate: Some(9), ..Default::default() };
    let count = "hdr.tag.seen = (bit<16>(sm.instance_type) << 8w8) | (bit<16>(meta.count));";
    let from_ingress = Bench {
        ingress: "sm.egress_spec = 9w2;
                  meta.count = 8w42;
                  hdr.tag.count = 16w1;
                  extern clone_preserving_field_list(in type = CloneType::I2E, in session = 32w5, in index = 8w1);",
        egress: count,
        ..Bench::default()
    };
    let mut switch = from_ingress.switch();
    switch.by_name().set_clone_session(5, Some(session.clone())).unwrap();
    let output = send(&mut switch, 0, 1, packet(0, 2, b"payload"));
    assert_eq!(arrivals_with_field(&output), [(1_000, 7, 0x012a), (1_000, 2, 0x002a)]);
    assert_eq!((word(&output[0], 1), word(&output[1], 1)), (0, 1));
    assert_eq!((output[0].packet.bytes.len(), output[1].packet.bytes.len()), (9, 15));

    let from_egress = Bench {
        ingress: "sm.egress_spec = 9w2; meta.count = 8w42; meta.lost = 8w1;",
        egress: "hdr.tag.seen = (bit<16>(sm.instance_type) << 8w8) | (bit<16>(meta.count));
                 hdr.tag.count = (hdr.tag.count + 16w1) + bit<16>(meta.lost);
                 if sm.instance_type == 32w0 {
                   extern clone_preserving_field_list(in type = CloneType::E2E, in session = 32w5, in index = 8w1);
                 }",
        ..Bench::default()
    };
    let mut switch = from_egress.switch();
    switch.by_name().set_clone_session(5, Some(session)).unwrap();
    let mut output = send(&mut switch, 0, 1, packet(0, 2, b""));
    output.sort_by_key(|t| t.port);
    assert_eq!(arrivals_with_field(&output), [(1_000, 2, 0x002a), (1_000, 7, 0x022a)]);
    assert_eq!(
        (word(&output[0], 1), word(&output[1], 1)),
        (2, 3),
        "the clone starts with the header its original left"
    );
}

#[test]
fn copies_for_unknown_ports_are_dropped() {
    let bench = Bench {
        ingress: "sm.mcast_grp = hdr.tag.port;
                  extern clone(in type = CloneType::I2E, in session = 32w5);",
        ..Bench::default()
    };
    let mut switch = bench.switch();
    let session = crate::by_name::CloneSession { port: Some(77), ..Default::default() };
    switch.by_name().set_clone_session(5, Some(session)).unwrap();
    let replicas = [2, 88].map(|port| crate::by_name::Replica::new(port, 0));
    switch.by_name().set_multicast_group(9, Some(replicas.to_vec())).unwrap();
    let output = send(&mut switch, 0, 1, packet(5, 9, b""));
    assert_eq!(output.iter().map(|t| t.port).collect::<Vec<_>>(), [2]);
    let counted = ["port 77: no such port", "port 88: no such port"];
    assert_eq!(drop_counts(&switch), counted.map(|name| (name.to_owned(), 1)));
}

#[test]
fn an_endless_chain_of_clones_ends() {
    let bench =
        Bench { egress: "extern clone(in type = CloneType::E2E, in session = 32w1);", ..Bench::default() };
    let mut switch = bench.switch();
    let session = crate::by_name::CloneSession { port: Some(7), ..Default::default() };
    switch.by_name().set_clone_session(1, Some(session)).unwrap();
    assert_eq!(send(&mut switch, 0, 1, packet(0, 2, b"")).len(), 65);
    assert_eq!(drop_counts(&switch), [("egress: clone limit".to_owned(), 1)]);
}

#[test]
fn clones_of_sessions_with_several_copies_end_before_they_are_too_many() {
    let bench =
        Bench { egress: "extern clone(in type = CloneType::E2E, in session = 32w1);", ..Bench::default() };
    for copies in [2, 3, 5000] {
        let mut switch = bench.switch();
        let replicas: Vec<_> = (0..copies).map(|rid| crate::by_name::Replica::new(7, rid)).collect();
        switch.by_name().set_multicast_group(3, Some(replicas)).unwrap();
        let session = crate::by_name::CloneSession { group: Some(3), ..Default::default() };
        switch.by_name().set_clone_session(1, Some(session)).unwrap();
        let sent = send(&mut switch, 0, 1, packet(0, 2, b"")).len();
        // The original, and the clones of each generation.
        let allowed = |generation: u32| 4096 / usize::from(copies).pow(generation);
        let generations = (0..).take_while(|generation| allowed(*generation) > 0);
        let clones = generations.map(|generation| usize::from(copies).pow(generation + 1)).sum::<usize>();
        assert_eq!(sent, 1 + clones, "{copies} copies");
        assert!(drop_counts(&switch).iter().all(|(why, _)| why == "egress: clone limit"));
    }
}

#[test]
fn resubmission_restores_bytes_and_port() {
    let bench = Bench {
        ingress: "hdr.tag.count = hdr.tag.count + 16w1;
                  sm.egress_spec = 9w2;
                  hdr.tag.seen = (bit<16>(sm.instance_type) << 8w8) | (bit<16>(sm.ingress_port));
                  if meta.count == 8w0 {
                    meta.count = 8w1;
                    extern resubmit_preserving_field_list(in index = 8w1);
                  }",
        ..Bench::default()
    };
    let output = send(&mut bench.switch(), 0, 4, packet(0, 2, b""));
    assert_eq!(arrivals_with_field(&output), [(2_000, 2, 0x0604)]);
    assert_eq!(word(&output[0], 1), 1);
}

#[test]
fn truncate_cuts_the_packet_that_leaves() {
    let bench = Bench { egress: "extern truncate(in length = 32w10);", ..Bench::default() };
    let output = send(&mut bench.switch(), 0, 4, packet(0, 2, b"payload"));
    assert_eq!(output[0].packet.bytes, packet(0, 2, b"pa").bytes);
}

#[test]
fn a_fault_drops_only_its_packet() {
    let bench = Bench {
        ingress: "extern assert(in check = hdr.tag.port < 16w8);
                  loop hdr.tag.port == 16w7 { } step { }
                  sm.egress_spec = 9w1;",
        ..Bench::default()
    };
    let mut switch = bench.switch();
    for (id, port) in [(0, 9), (1, 7), (2, 1)] {
        switch.receive(0, 1, packet(id, port, b""));
    }
    assert_eq!(run(&mut switch).len(), 1);
    let expected = [("ingress: loop limit".to_owned(), 1), ("ingress: assertion failed".to_owned(), 1)];
    assert_eq!(drop_counts(&switch), expected);
}

#[test]
fn iterations_with_many_steps_count_several_times() {
    // 101 assignments of four steps are 404 steps, which count as 7 iterations: 9362 of them are
    // below 65 536.
    let body = "meta.count = meta.count + 8w1; ".repeat(100);
    let text = format!(
        "tmp16 = 16w0;
         loop tmp16 < hdr.tag.port {{ {body} }} step {{ tmp16 = tmp16 + 16w1; }}
         sm.egress_spec = 9w1;"
    );
    let mut switch = Bench { ingress: text.leak(), ..Bench::default() }.switch();
    for (id, port) in [(0, 9_362), (1, 9_363)] {
        switch.receive(0, 1, packet(id, port, b""));
    }
    assert_eq!(run(&mut switch).len(), 1);
    assert_eq!(drop_counts(&switch), [("ingress: loop limit".to_owned(), 1)]);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let bench = Bench {
        ingress: "extern random(out result = &[tmp16], in lo = 16w1, in hi = 16w8);
                  sm.egress_spec = bit<9>(tmp16);",
        egress: "extern random(out result = &[tmp16], in lo = 16w0, in hi = 16w65535);
                 hdr.tag.seen = tmp16;",
        ..Bench::default()
    };
    let observe = |seed| {
        let mut switch = bench.load(config().with_seed(seed)).unwrap();
        (0..50).for_each(|id| switch.receive(id, 1, packet(id, 0, b"")));
        run(&mut switch)
    };
    assert_eq!(observe(1), observe(1));
    assert_ne!(observe(1), observe(2));
}

#[test]
fn the_profiles_are_fitted_to_all_round_trips_of_the_thesis() {
    // RTT = a + b·X: each recirculation adds a pass to the request and one to the reply. The slopes
    // are those of least-squares lines through the thesis's four minimum round trips.
    for (name, b) in [("bmv2-vm", 624_348_i64), ("bmv2-server", 1_990_087)] {
        let profile = SwitchConfig::profile(name).unwrap().with_ports(1..=2);
        let one_way = |text: &'static str| {
            let bench = Bench { egress: text, ingress: TO_TAG, ..Bench::default() };
            send(&mut bench.load(profile.clone()).unwrap(), 0, 1, packet(0, 2, b""))[0].time
        };
        let again = "if meta.count < 8w1 { meta.count = 8w1; extern recirculate_preserving_field_list(in index = 8w1); }";
        let slope = 2 * (one_way(again) - one_way("")).cast_signed();
        assert!((slope - b).abs() < b / 500, "{name}: {slope}");
    }
    assert_eq!(SwitchConfig::profile("fast"), None);
}
