//! Tests which extern calls prevent egress from running at the start of a pass: all calls with
//! results that depend on more than the packet, or that change anything else.

use crate::bench;

use std::sync::Arc;

use crate::bench::{Bench, executor, packet, run};
use crate::by_name::{ByName, Update};
use weir_device::{Buffer, Device, Nanos, ReceiveOutcome, Transmission};
use weir_exec::Executor;
use weir_switch::control::CrcParameters;
use weir_switch::{Switch, SwitchConfig};

/// The duration of a pass.
const PASS: Nanos = 1_000;

const ITEMS: &str = "var algorithm: HashAlgorithm
    extern egress.cells: register<bit<16>>(32w16)
    extern egress.counts: counter(32w16, CounterType::packets)
    extern egress.pace: meter(32w16, MeterType::packets)
    extern egress.sum: Checksum16()
    extern egress.hits: direct_counter(CounterType::packets)
    extern egress.rate: direct_meter<bit<8>>(MeterType::packets)
    table egress.paced {
      key hdr.tag.port: exact hdr.tag.port
      action NoAction
      default NoAction()
      attached meters = egress.rate
    }";

fn bench(egress: &'static str) -> Bench {
    Bench { items: ITEMS, egress, ..Bench::default() }
}

fn config() -> SwitchConfig {
    SwitchConfig { pass_latency: PASS, capacity: 1_000_000_000, ..bench::config() }
}

fn executor_of(bench: &Bench) -> Arc<dyn Executor> {
    executor(bench.program())
}

/// Returns whether a packet runs egress when its pass starts.
fn runs_at_once(egress: &'static str) -> bool {
    let mut switch = bench(egress).load(config()).unwrap_or_else(|error| panic!("{egress}: {error}"));
    let mut buffer = Buffer::new(64);
    buffer.receive(1, 1, &packet(1, 2, b"payload").bytes);
    let outcome = switch.receive_in_place(0, 1, &mut buffer);
    matches!(outcome, ReceiveOutcome::Forwarded { .. })
}

/// Calls with results that depend on the packet alone.
const PURE: [&str; 12] = [
    "",
    "call action ingress.drop; sm.egress_spec = 9w2;",
    "extern mark_to_drop(); sm.egress_spec = 9w2;",
    "extern hash(out result = &[hdr.tag.seen], in algo = HashAlgorithm::crc16, in base = 16w0,
       in data = { hdr.tag.count }, in max = 16w9);",
    "extern hash(out result = &[hdr.tag.seen], in algo = HashAlgorithm::crc32, in base = 16w0,
       in data = { hdr.tag.count }, in max = 16w9);",
    "extern hash(out result = &[hdr.tag.seen], in algo = HashAlgorithm::identity, in base = 16w0,
       in data = { hdr.tag.count }, in max = 16w9);",
    "extern hash(out result = &[hdr.tag.seen], in algo = HashAlgorithm::xor16, in base = 16w0,
       in data = { hdr.tag.count }, in max = 16w9);",
    "extern hash(out result = &[hdr.tag.seen], in algo = HashAlgorithm::csum16, in base = 16w0,
       in data = { hdr.tag.count }, in max = 16w9);",
    "extern hdr.tag.seen = Checksum16.get on egress.sum(in data = { hdr.tag.count });",
    "extern update_checksum(in condition = true, in data = { hdr.tag.count }, inout checksum = &[hdr.tag.seen],
       in algo = HashAlgorithm::csum16);",
    "extern update_checksum_with_payload(in condition = true, in data = { hdr.tag.count },
       inout checksum = &[hdr.tag.seen], in algo = HashAlgorithm::crc16);",
    "extern verify_checksum(in condition = true, in data = { hdr.tag.count }, in checksum = hdr.tag.seen,
       in algo = HashAlgorithm::xor16);",
];

/// Calls that depend on chance, the control plane, the time or earlier packets, or that others can
/// observe.
const IMPURE: [&str; 20] = [
    "extern hash(out result = &[hdr.tag.seen], in algo = HashAlgorithm::random, in base = 16w0,
       in data = { hdr.tag.count }, in max = 16w9);",
    "extern hash(out result = &[hdr.tag.seen], in algo = HashAlgorithm::crc16_custom, in base = 16w0,
       in data = { hdr.tag.count }, in max = 16w9);",
    "extern hash(out result = &[hdr.tag.seen], in algo = HashAlgorithm::crc32_custom, in base = 16w0,
       in data = { hdr.tag.count }, in max = 16w9);",
    "algorithm = HashAlgorithm::crc16;
     extern hash(out result = &[hdr.tag.seen], in algo = algorithm, in base = 16w0, in data = { hdr.tag.count },
       in max = 16w9);",
    "extern update_checksum(in condition = true, in data = { hdr.tag.count }, inout checksum = &[hdr.tag.seen],
       in algo = HashAlgorithm::random);",
    "extern update_checksum(in condition = true, in data = { hdr.tag.count }, inout checksum = &[hdr.tag.seen],
       in algo = HashAlgorithm::crc16_custom);",
    "extern update_checksum_with_payload(in condition = true, in data = { hdr.tag.count },
       inout checksum = &[hdr.tag.seen], in algo = HashAlgorithm::crc32_custom);",
    "extern verify_checksum(in condition = true, in data = { hdr.tag.count }, in checksum = hdr.tag.seen,
       in algo = HashAlgorithm::random);",
    "extern verify_checksum(in condition = true, in data = { hdr.tag.count }, in checksum = hdr.tag.seen,
       in algo = HashAlgorithm::crc16_custom);",
    "extern random(out result = &[hdr.tag.seen], in lo = 16w0, in hi = 16w9);",
    "extern counter.count on egress.counts(in index = 32w1);",
    "extern register.read on egress.cells(out result = &[hdr.tag.seen], in index = 32w1);",
    "extern register.write on egress.cells(in index = 32w1, in value = 16w3);",
    "extern meter.execute_meter on egress.pace(in index = 32w1, out result = &[hdr.tag.seen]);",
    "extern direct_meter.read on egress.rate(out result = &[meta.count]);",
    "extern digest(in receiver = 32w1, in data = { hdr.tag.count });",
    "extern log_msg(in msg = \"at egress\");",
    "extern clone(in type = CloneType::E2E, in session = 32w1);",
    "extern recirculate_preserving_field_list(in index = 8w1);",
    "extern truncate(in length = 32w9);",
];

#[test]
fn pure_calls_run_at_once() {
    for egress in PURE {
        assert!(runs_at_once(egress), "{egress}");
    }
}

#[test]
fn all_other_calls_wait_for_the_queue() {
    for egress in IMPURE {
        assert!(!runs_at_once(egress), "{egress}");
    }
}

/// A direct counter's `count` does nothing: its table counts the hits, and the table is in ingress
/// here.
#[test]
fn a_direct_counter_counts_by_itself() {
    assert!(runs_at_once("extern direct_counter.count on egress.hits();"));
}

fn receive(switch: &mut Switch, in_place: bool, now: Nanos, id: u64, sent: &mut Vec<Transmission>) {
    let packet = packet(id, 2, b"payload");
    if !in_place {
        return switch.receive(now, 1, packet);
    }
    let mut buffer = Buffer::new(64);
    buffer.receive(1, id, &packet.bytes);
    if let ReceiveOutcome::Forwarded { time, port } = switch.receive_in_place(now, 1, &mut buffer) {
        let packet = weir_device::Packet::new(id, buffer.bytes().to_vec());
        sent.push(Transmission { time, port, packet });
    }
}

/// Egress of a packet uses the CRC parameters that are set when egress runs, not those that were
/// set when its pass started.
#[test]
fn custom_crc_parameters_apply_at_egress() {
    let hash =
        "extern hash(out result = &[hdr.tag.seen], in algo = HashAlgorithm::crc16_custom, in base = 16w0,
                  in data = { hdr.tag.port }, in max = 17w0x10000);";
    let update = "extern update_checksum(in condition = true, in data = { hdr.tag.port },
                    inout checksum = &[hdr.tag.seen], in algo = HashAlgorithm::crc16_custom);";
    for bench in [bench(hash), Bench { update, ..bench("") }] {
        let executor = executor_of(&bench);
        let outputs = [false, true].map(|in_place| {
            let mut switch = Switch::new(Arc::clone(&executor), config()).unwrap();
            let mut sent = Vec::new();
            receive(&mut switch, in_place, 0, 1, &mut sent);
            switch.advance(PASS / 2, &mut sent);
            let parameters = CrcParameters {
                polynomial: 0x1021,
                initial: 0,
                final_xor: 0,
                reflect_in: false,
                reflect_out: false,
            };
            let calculation = "crc16_custom".into();
            switch.by_name().write(&[Update::SetCrc { calculation, parameters }]).unwrap();
            sent.extend(run(&mut switch));
            sent.iter().map(|sent| bench::word(sent, 3)).collect::<Vec<_>>()
        });
        // CRC-16/XMODEM of 00 02.
        assert_eq!(outputs, [[0x2042], [0x2042]], "{bench:?}");
    }
}

/// Egress draws its random numbers after those of all packets whose ingress runs before it.
#[test]
fn random_hashes_of_egress_are_drawn_when_it_runs() {
    let ingress = "sm.egress_spec = 9w2; extern random(out result = &[hdr.tag.count], in lo = 16w0, in hi = 16w0xffff);";
    let random = "extern hash(out result = &[hdr.tag.seen], in algo = HashAlgorithm::random, in base = 16w0,
                    in data = { hdr.tag.port }, in max = 17w0x10000);";
    let bench = Bench { ingress, ..bench(random) };
    let executor = executor_of(&bench);
    let [by_value, in_place] = [false, true].map(|in_place| {
        let mut switch = Switch::new(Arc::clone(&executor), config()).unwrap();
        let mut sent = Vec::new();
        for (id, now) in [(1, 0), (2, PASS / 2), (3, 3 * PASS)] {
            while let Some(due) = switch.next_deadline().filter(|due| *due <= now) {
                switch.advance(due, &mut sent);
            }
            receive(&mut switch, in_place, now, id, &mut sent);
        }
        sent.extend(run(&mut switch));
        sent.sort_by_key(|sent| sent.packet.id);
        sent
    });
    assert_eq!(by_value, in_place);
    assert_eq!(by_value.len(), 3);
}
