//! Random packets: the switch never panics, and every packet is accounted for.

use crate::bench;

use std::sync::OnceLock;

use crate::bench::{Bench, config, run};
use crate::by_name::{ByName, CloneSession, Replica};
use proptest::prelude::*;
use weir_device::{Device, Packet};
use weir_ir::ValidProgram;
use weir_switch::{Rate, SwitchConfig};

/// A program in which the packet decides what happens to it: `count` chooses paths, `seen` groups
/// and sessions.
const WILD: Bench = Bench {
    items: "extern ingress.reg: register<bit<16>>(32w16)
            table ingress.t @1:1 {
              key hdr.tag.check: ternary hdr.tag.check
              action ingress.forward
              action ingress.drop
              action NoAction
              default NoAction()
              entry (16w1 &&& 16w7) -> ingress.drop() priority 1
              entry (16w2 &&& 16w7) -> ingress.forward(9w3) priority 2
            }",
    verify: "extern verify_checksum(in condition = hdr.tag.$valid$, in data = { hdr.tag.port }, in checksum = hdr.tag.check,
               in algo = HashAlgorithm::crc16);",
    ingress: "sm.egress_spec = bit<9>(hdr.tag.port);
              sm.priority = bit<3>(hdr.tag.seen);
              if (hdr.tag.count & 16w1) == 16w1 { sm.mcast_grp = hdr.tag.seen & 16w3; }
              if (hdr.tag.count & 16w2) == 16w2 { extern clone(in type = CloneType::I2E, in session = 32w1); }
              if ((hdr.tag.count & 16w4) == 16w4) && (meta.count < 8w3) {
                meta.count = meta.count + 8w1;
                extern resubmit_preserving_field_list(in index = 8w1);
              }
              if (hdr.tag.count & 16w8) == 16w8 { extern truncate(in length = bit<32>(hdr.tag.seen)); }
              extern register.write on ingress.reg(in index = bit<32>(hdr.tag.seen), in value = hdr.tag.port);
              apply ingress.t;",
    egress: "if ((hdr.tag.count & 16w16) == 16w16) && (meta.count < 8w5) {
               meta.count = meta.count + 8w1;
               extern recirculate_preserving_field_list(in index = 8w1);
             }
             if (hdr.tag.count & 16w32) == 16w32 {
               hdr.tag.count = hdr.tag.count - 16w32;
               extern clone(in type = CloneType::E2E, in session = 32w2);
             }
             if (hdr.tag.count & 16w64) == 16w64 { call action ingress.drop; }",
    update: "extern update_checksum_with_payload(in condition = hdr.tag.$valid$, in data = { hdr.tag.port },
               inout checksum = &[hdr.tag.check], in algo = HashAlgorithm::csum16);",
    package: "V1Switch",
};

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let raw = prop::collection::vec(any::<u8>(), 0..40);
    // Ports and small flags, so that packets get far.
    let tagged = (0u8..12, any::<u8>(), 0u8..6, prop::collection::vec(any::<u8>(), 0..6)).prop_map(
        |(port, flags, seen, payload)| [vec![0, port, 0, flags, flags, seen, 0, seen], payload].concat(),
    );
    prop_oneof![raw, tagged]
}

fn settings() -> impl Strategy<Value = SwitchConfig> {
    let rate = prop_oneof![
        Just(None),
        (1_000u64..1_000_000_000).prop_map(|r| Some(Rate::BitsPerSecond(r))),
        (1_000u64..1_000_000_000).prop_map(|r| Some(Rate::PacketsPerSecond(r))),
    ];
    (0u64..5_000, 1_000u64..4_000_000_000, 0usize..12, 1usize..8, 0usize..6, rate).prop_map(
        |(pass_latency, capacity, input_queue, priorities, queue_depth, queue_rate)| SwitchConfig {
            pass_latency,
            capacity,
            input_queue,
            priorities,
            queue_depth,
            queue_rate,
            ..config()
        },
    )
}

proptest! {
    #[test]
    fn every_packet_is_accounted_for(
        settings in settings(),
        packets in prop::collection::vec((bytes(), 0u64..3_000, 0u32..10), 1..60),
    ) {
        let mut switch = WILD.load(settings).unwrap();
        let mut control = switch.by_name();
        control.set_multicast_group(1, Some(vec![Replica::new(2, 1), Replica::new(3, 2)])).unwrap();
        control.set_multicast_group(2, Some(vec![])).unwrap();
        control.set_clone_session(1, Some(CloneSession { port: Some(4), group: Some(1), truncate: Some(3), ..Default::default() })).unwrap();
        control.set_clone_session(2, Some(CloneSession { port: None, group: Some(3), truncate: None, ..Default::default() })).unwrap();
        switch.record_drops(true);
        let (mut now, mut out) = (0, Vec::new());
        for (id, (bytes, wait, port)) in packets.into_iter().enumerate() {
            now += wait;
            switch.advance(now, &mut out);
            switch.receive(now, port, Packet::new(id as u64, bytes));
            prop_assert!(switch.stats().is_balanced());
        }
        out.extend(run(&mut switch));
        let stats = switch.stats().clone();
        prop_assert_eq!((switch.in_flight(), stats.transmitted), (0, out.len() as u64));
        prop_assert!(out.is_sorted_by_key(|t| t.time));
        prop_assert_eq!(switch.take_drops().len() as u64, stats.dropped());
    }

    #[test]
    fn compiled_programs_accept_any_bytes(
        packets in prop::collection::vec((bytes(), 1u32..5), 1..40),
        delay in any::<bool>(),
    ) {
        static PROGRAMS: OnceLock<[ValidProgram; 2]> = OnceLock::new();
        let programs = PROGRAMS.get_or_init(|| {
            [
                bench::compile(include_str!("../../../../testdata/switch/externs.p4"), &[]),
                bench::compile(include_str!("../../../../testdata/switch/delay.p4"), &[]),
            ]
        });
        let mut switch = bench::start(&programs[usize::from(delay)], SwitchConfig::default().with_ports(1..=4));
        for (id, (bytes, port)) in packets.into_iter().enumerate() {
            switch.receive(id as u64, port, Packet::new(id as u64, bytes));
        }
        let output = run(&mut switch);
        prop_assert_eq!((switch.in_flight(), switch.stats().transmitted), (0, output.len() as u64));
    }
}
