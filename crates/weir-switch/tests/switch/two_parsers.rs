//! The fast path of programs with two parsers: several workers, ports of any number, packets that
//! leave it between the parsers and after them.

#![allow(clippy::disallowed_methods, reason = "a test starts threads")]

use weir_device::{Buffer, Device, ForwardingMetadata, Nanos, Port, ReceiveOutcome, Transmission};
use weir_ir::Bits;
use weir_switch::{Switch, SwitchConfig};

use crate::bench::{compile, start};
use crate::by_name::{ByName, CloneSession, CounterValue, Replica};

const CPU: Port = 0xffff_fffd;
const BATCH: usize = 32;

/// Ingress and egress number the packets that come by, each with a register of its own. The first
/// byte says where the packet goes.
const PROGRAM: &str = "#include <core.p4>
#include <psa.p4>
header probe_t { bit<8> what; bit<32> port; bit<32> in_number; bit<32> out_number; bit<8> carried; }
header note_t { bit<16> length; }
struct headers_t { note_t note; probe_t probe; }
struct empty_t { }
struct carried_t { bit<8> what; }
parser IP(packet_in packet, out headers_t hdr, inout empty_t meta, in psa_ingress_parser_input_metadata_t input,
          in empty_t resubmitted, in empty_t recirculated) {
    state start { packet.extract(hdr.probe); transition accept; }
}
control I(inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t input,
          inout psa_ingress_output_metadata_t output) {
    Register<bit<32>, bit<32>>(1, 0) seen;
    Counter<bit<64>, bit<32>>(1, PSA_CounterType_t.PACKETS_AND_BYTES) counted;
    apply {
        hdr.probe.in_number = seen.read(0) + 1;
        seen.write(0, hdr.probe.in_number);
        counted.count(0);
        // The packet is longer in egress.
        hdr.note.setValid();
        if (hdr.probe.what == 1) {
            multicast(output, (MulticastGroup_t) 1);
        } else {
            send_to_port(output, (PortId_t) (PortIdUint_t) hdr.probe.port);
        }
    }
}
control ID(packet_out packet, out empty_t clone_meta, out empty_t resubmit_meta, out carried_t normal_meta,
           inout headers_t hdr, in empty_t meta, in psa_ingress_output_metadata_t output) {
    apply {
        normal_meta.what = hdr.probe.what;
        packet.emit(hdr);
    }
}
parser EP(packet_in packet, out headers_t hdr, inout carried_t meta, in psa_egress_parser_input_metadata_t input,
          in carried_t normal, in empty_t i2e, in empty_t e2e) {
    state start {
        meta.what = normal.what;
        packet.extract(hdr.note);
        packet.extract(hdr.probe); transition accept;
    }
}
control E(inout headers_t hdr, inout carried_t meta, in psa_egress_input_metadata_t input,
          inout psa_egress_output_metadata_t output) {
    Register<bit<32>, bit<32>>(1, 0) seen;
    Counter<bit<64>, bit<32>>(1, PSA_CounterType_t.PACKETS_AND_BYTES) counted;
    apply {
        hdr.probe.out_number = seen.read(0) + 1;
        seen.write(0, hdr.probe.out_number);
        counted.count(0);
        hdr.probe.carried = meta.what + 100;
        if (meta.what == 2 && input.packet_path == PSA_PacketPath_t.NORMAL_UNICAST) {
            output.clone = true;
            output.clone_session_id = (CloneSessionId_t) 5;
        }
        output.drop = meta.what == 3;
        hdr.note.setInvalid();
    }
}
control ED(packet_out packet, out empty_t clone_meta, out empty_t recirculate_meta, inout headers_t hdr,
           in carried_t meta, in psa_egress_output_metadata_t output, in psa_egress_deparser_input_metadata_t input) {
    apply { packet.emit(hdr); }
}
IngressPipeline(IP(), I(), ID()) ip;
EgressPipeline(EP(), E(), ED()) ep;
PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;
";

fn switch() -> Switch {
    switch_of(PROGRAM, 0)
}

fn switch_of(program: &str, pass_latency: Nanos) -> Switch {
    let config = SwitchConfig { pass_latency, ..SwitchConfig::default().with_ports([1, 2, 7, CPU]) };
    let mut switch = start(&compile(program, &[]), config);
    let mut control = switch.by_name();
    let replicas = [1, 7].map(|port| Replica::new(port, port as u16));
    control.set_multicast_group(1, Some(replicas.to_vec())).unwrap();
    let session = CloneSession { replicas: vec![Replica::new(7, 1)], ..CloneSession::default() };
    control.set_clone_session(5, Some(session)).unwrap();
    switch
}

fn probe(what: u8, port: Port) -> Vec<u8> {
    let mut bytes = vec![what];
    bytes.extend(port.to_be_bytes());
    bytes.extend([0; 9]);
    bytes.extend(b"payload");
    bytes
}

/// Returns the numbers that ingress and egress gave a packet.
fn numbers(bytes: &[u8]) -> (u32, u32) {
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    (number(5), number(9))
}

/// Forwards one packet. Returns the output port of a packet that leaves in its own buffer, and the
/// packets that leave in other ways.
fn forward(switch: &mut Switch, from: Port, packet: &[u8]) -> (Option<Port>, Vec<Transmission>) {
    let mut buffers = [Buffer::new(64)];
    buffers[0].receive(from, 9, packet);
    let mut transmissions = Vec::new();
    switch.forward(0, &mut buffers, &mut transmissions);
    switch.advance(0, &mut transmissions);
    (buffers[0].metadata.egress_port, transmissions)
}

#[test]
fn two_workers_number_every_packet_once() {
    const ROUNDS: u64 = 400;
    let mut switch = switch();
    let mut workers = [switch.worker(), switch.worker()];
    let ends: Vec<Vec<(u32, u32)>> = std::thread::scope(|scope| {
        let threads: Vec<_> = workers
            .iter_mut()
            .zip([1, 2])
            .map(|(worker, port)| {
                scope.spawn(move || {
                    let mut buffers: Vec<_> = (0..BATCH).map(|_| Buffer::new(64)).collect();
                    let (mut found, mut out, mut left) = (Vec::new(), Vec::new(), Vec::new());
                    for round in 0..ROUNDS {
                        buffers
                            .iter_mut()
                            .for_each(|buffer| buffer.receive(port, round, &probe(0, 3 - port)));
                        worker.forward(round, &mut buffers, &mut out, &mut left);
                        assert!(out.is_empty() && left.is_empty(), "a packet has left the fast path");
                        for buffer in &buffers {
                            assert_eq!(buffer.metadata.egress_port, Some(3 - port));
                            assert_eq!((buffer.bytes()[13], &buffer.bytes()[14..]), (100, &b"payload"[..]));
                            found.push(numbers(buffer.bytes()));
                        }
                    }
                    found
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let all = 2 * ROUNDS * BATCH as u64;
    for found in &ends {
        assert!(found.is_sorted(), "each worker's packets come one after the other");
    }
    for number in [|numbers: &(u32, u32)| numbers.0, |numbers: &(u32, u32)| numbers.1] {
        let mut numbers: Vec<u32> = ends.iter().flatten().map(number).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(1..=all as u32), "each packet has a number of its own");
    }
    let length = probe(0, 0).len() as u64;
    let schema = switch.schema().clone();
    let control = switch.by_name();
    for (counter, bytes) in schema.counters.iter().zip([length, length + 2]) {
        let counted = CounterValue { packets: all, bytes: all * bytes };
        assert_eq!(control.counter(&counter.name, 0).unwrap(), counted, "{}", counter.name);
    }
    for register in &schema.registers {
        assert_eq!(control.register(&register.name, 0).unwrap(), Bits::new(32, u128::from(all)));
    }
    drop(workers);
    assert!(switch.stats().is_balanced());
}

#[test]
fn workers_leave_copies_to_the_switch() {
    let mut switch = switch();
    let mut worker = switch.worker();
    let (mut out, mut left) = (Vec::new(), Vec::new());
    // A packet for a port, a multicast packet, a packet that egress clones, one that egress drops.
    let mut buffers: Vec<_> = (0..4).map(|_| Buffer::new(64)).collect();
    for (what, buffer) in (0..).zip(&mut buffers) {
        buffer.receive(1, u64::from(what), &probe(what, 2));
    }
    worker.forward(0, &mut buffers, &mut out, &mut left);
    let ports: Vec<_> = buffers.iter().map(|buffer| buffer.metadata.egress_port).collect();
    assert_eq!(ports, [Some(2), None, None, None]);
    switch.take_over(0, &mut left, &mut out);
    switch.advance(0, &mut out);
    let mut sent: Vec<_> =
        out.iter().map(|sent| (sent.packet.id, sent.port, sent.packet.bytes[13])).collect();
    sent.sort_unstable();
    assert_eq!(sent, [(1, 1, 101), (1, 7, 101), (2, 2, 102), (2, 7, 100)]);
    assert_eq!(switch.stats().dropped(), 1);
    drop(worker);
    switch.collect_reports();
    assert!(switch.stats().is_balanced());
}

#[test]
fn a_deparser_changes_a_packet_without_headroom_once() {
    let emits = "packet.emit(hdr);";
    let changes = format!("hdr.probe.in_number = hdr.probe.in_number + 10; {emits}");
    for deparsers in [1, 2] {
        let mut switch = switch_of(&PROGRAM.replacen(emits, &changes, deparsers), 0);
        for (number, headroom) in [(1, 64), (2, 0)] {
            let packet = probe(0, 2);
            let mut memory = vec![0; headroom];
            memory.extend(&packet);
            let end = memory.len();
            let metadata = ForwardingMetadata { ingress_port: 1, ..ForwardingMetadata::default() };
            let mut buffers = [Buffer::borrowing(&mut memory, headroom, end, metadata)];
            let mut out = Vec::new();
            switch.forward(0, &mut buffers, &mut out);
            switch.advance(0, &mut out);
            let bytes = out.first().map_or(buffers[0].bytes(), |sent| &sent.packet.bytes);
            assert_eq!(
                numbers(bytes),
                (number + 10 * deparsers as u32, number),
                "{headroom} bytes of headroom"
            );
        }
    }
}

#[test]
fn a_clone_session_must_fit_the_programs_field() {
    let mut switch = switch();
    let mut set = |session| switch.by_name().set_clone_session(session, Some(CloneSession::default()));
    set(0xffff).unwrap();
    let error = set(0x1_0000).unwrap_err().to_string();
    assert_eq!(error, "there is no clone session 65536: the program's sessions have 16 bits, 0 to 65535");
}

#[test]
fn ports_of_any_number_take_the_fast_path() {
    let mut switch = switch();
    let (port, out) = forward(&mut switch, CPU, &probe(0, 2));
    assert_eq!((port, out.len()), (Some(2), 0), "a packet from the control plane stays in its buffer");
    let (port, out) = forward(&mut switch, 1, &probe(0, CPU));
    assert_eq!(port, None);
    let sent: Vec<_> = out.iter().map(|sent| (sent.port, numbers(&sent.packet.bytes))).collect();
    assert_eq!(sent, [(CPU, (2, 2))]);
    // Port 3 lies between other ports.
    for missing in [0, 3, 8, 0xffff_fffe] {
        let (port, out) = forward(&mut switch, 1, &probe(0, missing));
        assert_eq!((port, out.len()), (None, 0), "port {missing}");
    }
    assert_eq!(switch.stats().dropped(), 4);
    let ports = &switch.stats().ports;
    let counts = [1, 2, CPU].map(|port| (ports[&port].packets_in, ports[&port].packets_out));
    assert_eq!(counts, [(5, 0), (0, 1), (1, 1)]);
}

/// With a latency, only ingress takes the fast path, because egress writes registers. Only the
/// ingress parser rejects packets, or only the egress parser, or both.
#[test]
fn rejected_packets_are_dropped_on_each_path() {
    let accepts = "packet.extract(hdr.probe); transition accept;";
    let rejects = accepts.replace("accept;", "select(hdr.probe.what) { 0xee: reject; _: accept; }");
    let ingress = PROGRAM.replacen(accepts, &rejects, 1);
    let both = PROGRAM.replace(accepts, &rejects);
    let egress = both.replacen(&rejects, accepts, 1);
    for (program, latency) in [&ingress, &egress, &both].into_iter().flat_map(|p| [(p, 0), (p, 1000)]) {
        let mut switch = switch_of(program, latency);
        let (mut sent, mut buffer) = (Vec::new(), Buffer::new(64));
        let mut forwarded = 0;
        for (now, what) in [(0, 0xee), (100_000, 0)] {
            buffer.receive(1, now, &probe(what, 2));
            let outcome = switch.receive_in_place(now, 1, &mut buffer);
            forwarded += usize::from(matches!(outcome, ReceiveOutcome::Forwarded { .. }));
            switch.advance(now + 10_000, &mut sent);
        }
        assert_eq!(forwarded + sent.len(), 1, "{latency} ns: {program}");
        assert_eq!(switch.stats().dropped(), 1, "{latency} ns: {program}");
        assert!(switch.stats().is_balanced());
    }
}
