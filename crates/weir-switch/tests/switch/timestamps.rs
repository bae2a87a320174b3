//! The timestamps of v1model: when a packet was received, queued, and sent on.

use crate::bench;

use crate::bench::{Bench, arrivals_with_field, config, packet, run, send};
use crate::by_name::{ByName, CloneSession};
use weir_device::{Buffer, Device, ReceiveOutcome};
use weir_switch::{Rate, Switch, SwitchConfig};

/// Writes the time from the receipt of a packet to egress into the packet.
const AGE: &str = "hdr.tag.seen = bit<16>(sm.egress_global_timestamp - sm.ingress_global_timestamp);";

fn ages(switch: &mut Switch) -> Vec<u16> {
    arrivals_with_field(&run(switch)).into_iter().map(|(_, _, age)| age).collect()
}

#[test]
fn timestamps_are_microseconds() {
    let clock = |field: &str| match field {
        "ingress" => "hdr.tag.seen = bit<16>(sm.ingress_global_timestamp);",
        "egress" => "hdr.tag.seen = bit<16>(sm.egress_global_timestamp);",
        "enq" => "hdr.tag.seen = bit<16>(sm.enq_timestamp);",
        "delta" => "hdr.tag.seen = bit<16>(sm.deq_timedelta);",
        _ => "hdr.tag.seen = (bit<16>(sm.enq_qdepth) << 8w8) | (bit<16>(sm.deq_qdepth));",
    };
    let observe = |field| {
        let settings = SwitchConfig {
            pass_latency: 340_000,
            queue_rate: Some(Rate::PacketsPerSecond(1_000)),
            ..config()
        };
        let mut switch = Bench { egress: clock(field), ..Bench::default() }.load(settings).unwrap();
        for id in 0..4 {
            switch.receive(10_000_999, 1, packet(id, 2, b""));
        }
        arrivals_with_field(&run(&mut switch)).into_iter().map(|(_, _, seen)| seen).collect::<Vec<_>>()
    };
    assert_eq!(observe("ingress"), [10_000, 10_000, 10_000, 10_000]);
    assert_eq!(observe("enq"), [10_340, 10_341, 10_341, 10_341]);
    assert_eq!(observe("egress"), [10_340, 11_340, 12_340, 13_340]);
    assert_eq!(observe("delta"), [0, 999, 1_999, 2_999]);
    assert_eq!(observe("depth"), [0x0000, 0x0002, 0x0101, 0x0200]);
}

#[test]
fn the_wait_for_a_pass_comes_after_the_receipt() {
    let settings = SwitchConfig::profile("bmv2-vm").unwrap().with_ports(1..=8);
    assert_eq!((settings.pass_latency, settings.capacity), (312_500, 3_200));
    // One pass every 312.5 us, whichever packet takes it.
    let mut switch = Bench { egress: AGE, ..Bench::default() }.load(settings).unwrap();
    for id in 0..4 {
        switch.receive(10_000_000, 1, packet(id, 2, b""));
    }
    assert_eq!(ages(&mut switch), [312, 625, 937, 1_250]);
    // In place, the first packet runs at once, and the others wait as before.
    let mut buffer = Buffer::new(64);
    let in_place = [(); 3].map(|()| {
        buffer.receive(1, 0, &packet(0, 2, b"").bytes);
        switch.receive_in_place(20_000_000, 1, &mut buffer)
    });
    let forwarded = ReceiveOutcome::Forwarded { time: 20_312_500, port: 2 };
    assert_eq!(in_place, [forwarded, ReceiveOutcome::Held, ReceiveOutcome::Held]);
    assert_eq!(ages(&mut switch), [625, 937]);
}

#[test]
fn a_pass_that_runs_early_has_the_time_of_receipt() {
    // Egress is pure, so packets leave in their buffers. The pass of the second packet starts 50 ns
    // after its arrival, in the next microsecond.
    let bench = Bench { egress: "hdr.tag.seen = bit<16>(sm.ingress_global_timestamp);", ..Bench::default() };
    let settings = SwitchConfig { capacity: 20_000_000, ..config() };
    let mut switch = bench.load(settings).unwrap();
    let mut buffer = Buffer::new(64);
    for (id, leaves) in [(0, 6_990), (1, 7_040)] {
        buffer.receive(1, id, &packet(id, 2, b"").bytes);
        let outcome = switch.receive_in_place(5_990, 1, &mut buffer);
        assert_eq!(outcome, ReceiveOutcome::Forwarded { time: leaves, port: 2 });
        assert_eq!(buffer.bytes()[6..8], [0, 5]);
    }
}

#[test]
fn packets_that_waited_for_a_worker_have_the_time_of_their_arrival() {
    let settings = SwitchConfig { pass_latency: 0, capacity: u64::MAX, ..config() };
    for rate in [None, Some(Rate::PacketsPerSecond(1_000))] {
        let settings = SwitchConfig { queue_rate: rate, ..settings.clone() };
        let mut switch = Bench { egress: AGE, ..Bench::default() }.load(settings).unwrap();
        let mut worker = switch.worker();
        let mut buffers = [(); 2].map(|()| Buffer::new(64));
        for buffer in &mut buffers {
            buffer.receive(1, 7, &packet(7, 2, b"").bytes);
        }
        let (mut out, mut left) = (Vec::new(), Vec::new());
        assert_eq!(worker.forward_in_order(1_000, 26_000, &mut buffers, &mut out, &mut left), 2);
        if rate.is_none() {
            for buffer in &buffers {
                assert_eq!((buffer.metadata.egress_port, &buffer.bytes()[6..8]), (Some(2), &[0, 25][..]));
            }
            continue;
        }
        switch.take_over(31_000, &mut left, &mut out);
        switch.advance(9_000_000, &mut out);
        let ages: Vec<_> = arrivals_with_field(&out).into_iter().map(|(_, _, age)| age).collect();
        assert_eq!(ages, [30, 1_030], "a queue delays the second");
    }
}

#[test]
fn only_received_packets_have_a_time_of_receipt() {
    let observe = |ingress, egress| {
        let mut switch = Bench { ingress, egress, ..Bench::default() }.switch();
        let session = CloneSession { port: Some(7), ..Default::default() };
        switch.by_name().set_clone_session(5, Some(session)).unwrap();
        let mut output = arrivals_with_field(&send(&mut switch, 9_000, 1, packet(0, 2, b"")));
        output.sort_by_key(|(_, port, _)| *port);
        output.into_iter().map(|(_, port, time)| (port, time)).collect::<Vec<_>>()
    };
    let show = "hdr.tag.seen = bit<16>(sm.ingress_global_timestamp);";
    let once = "if meta.count == 8w0 { meta.count = 8w1; ";
    let line = |parts: [&str; 3]| -> &'static str { parts.concat().leak() };
    let recirculate = line([show, once, "extern recirculate_preserving_field_list(in index = 8w1); }"]);
    assert_eq!(observe(bench::TO_TAG, recirculate), [(2, 0)]);
    let resubmit = line([bench::TO_TAG, once, "extern resubmit_preserving_field_list(in index = 8w1); }"]);
    assert_eq!(observe(resubmit, show), [(2, 0)]);
    let of_ingress = line([bench::TO_TAG, "", "extern clone(in type = CloneType::I2E, in session = 32w5);"]);
    assert_eq!(observe(of_ingress, show), [(2, 9), (7, 0)]);
    let of_egress = line([
        show,
        "if sm.instance_type == 32w0 { ",
        "extern clone(in type = CloneType::E2E, in session = 32w5); }",
    ]);
    assert_eq!(observe(bench::TO_TAG, of_egress), [(2, 9), (7, 0)]);
}
