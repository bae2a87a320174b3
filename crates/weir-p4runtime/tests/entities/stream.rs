//! Packets from and to the controller, digests and notices of idle entries.

use weir_device::{Device, Packet};
use weir_p4runtime::p4info::p4info;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::p4_data::Data;
use weir_p4runtime::{Code, entities};

use crate::bench::{Bench, CPU_PORT, compiled_from, message};

fn metadata(id: u32, value: &[u8]) -> v1::PacketMetadata {
    v1::PacketMetadata { metadata_id: id, value: value.to_vec() }
}

/// Specification, "Packet I/O" and "Translation of Packet-IO Header Fields".
#[test]
fn packet_in_has_the_header_as_metadata() {
    let bench = Bench::new();
    // The header has 9 bits for the port, 7 for the reason, and 32 for the queue.
    let frame = [0x01, 0x85, 0, 0, 0, 7, 0xaa, 0xbb];
    let packet = entities::packet_in(&bench.pipeline, &frame).unwrap();
    assert_eq!(packet.metadata, [metadata(1, &[3]), metadata(2, &[5]), metadata(3, &[7])]);
    assert_eq!(packet.payload, [0xaa, 0xbb]);
    // The port of the controller has a special number.
    let head = u16::to_be_bytes((CPU_PORT as u16) << 7);
    let packet = entities::packet_in(&bench.pipeline, &[head[0], head[1], 0, 0, 0, 0]).unwrap();
    assert_eq!(packet.metadata[0], metadata(1, &[0xff, 0xff, 0xff, 0xfd]));
    assert!(packet.payload.is_empty());
    let short = entities::packet_in(&bench.pipeline, &[1, 2, 3, 4, 5]).unwrap_err();
    assert_eq!(short.code, Code::OutOfRange, "{short}");
}

#[test]
fn packet_out_needs_exactly_the_metadata_of_the_program() {
    let bench = Bench::new();
    let send = |metadata: Vec<v1::PacketMetadata>| {
        entities::packet_out(&bench.pipeline, &v1::PacketOut { payload: vec![0xaa, 0xbb], metadata })
    };
    // The header has 9 bits for the port; the P4Info does not show the 7 bits that fill the byte.
    assert_eq!(send(vec![metadata(1, &[1, 0x03])]).unwrap(), [0x81, 0x80, 0xaa, 0xbb]);
    assert_eq!(send(vec![metadata(1, &[0, 0, 0, 2])]).unwrap(), [0x01, 0x00, 0xaa, 0xbb]);
    for (wrong, code, part) in [
        (vec![], Code::InvalidArgument, "needs the metadata `egress_port` (id 1)"),
        (vec![metadata(1, &[1]), metadata(2, &[1])], Code::InvalidArgument, "no metadata with the id 2"),
        (vec![metadata(1, &[1]), metadata(1, &[1])], Code::InvalidArgument, "twice"),
        (vec![metadata(1, &[2, 0])], Code::OutOfRange, "needs 10 bits"),
        (vec![metadata(1, &[])], Code::OutOfRange, "empty"),
    ] {
        let problem = send(wrong).unwrap_err();
        assert!(problem.code == code && problem.message.contains(part), "{problem:?}");
    }
}

/// Specification, "`DigestEntry`": a program's messages have the shape that P4Info describes.
#[test]
fn digests_have_their_data_as_p4info_describes_them() {
    let mut bench = Bench::new();
    let mut packet = vec![0; 24];
    packet[2..6].copy_from_slice(&[10, 0, 0, 1]);
    bench.switch.receive(0, 3, Packet::new(0, packet));
    bench.switch.advance(1_000_000_000, &mut Vec::new());
    let digests = bench.switch.control().take_digests();
    let [sent] = &digests[..] else { panic!("{digests:?}") };
    let (id, data) = entities::digest(&bench.pipeline, sent).unwrap();
    assert_eq!(id, 0x1700_0001);
    let member = |value: &[u8]| v1::P4Data { data: Some(Data::Bitstring(value.to_vec())) };
    let members = vec![member(&[10, 0, 0, 1]), member(&[3])];
    assert_eq!(data.data, Some(Data::Struct(v1::P4StructLike { members })));
}

/// If several digests have the same types of members, the digest with the name of the sent type is
/// chosen.
#[test]
fn digests_of_one_shape_differ_by_their_names() {
    let program = include_str!("program.p4")
        .replace("struct learned_t {", "struct other_t { bit<32> dst; bit<9> port; }\nstruct learned_t {")
        .replace(
            "digest(1, learned);",
            "digest<other_t>(1, { hdr.flow.dst, standard.ingress_port }); digest(1, learned);",
        );
    let executor = compiled_from(&program);
    let info = p4info(weir_exec::Executor::program(&*executor)).unwrap();
    let names: Vec<_> = info.digests.iter().filter_map(|digest| digest.preamble.clone()).collect();
    let mut bench = Bench::with_program(executor, info);
    bench.switch.receive(0, 3, Packet::new(0, vec![0; 24]));
    bench.switch.advance(1_000_000_000, &mut Vec::new());
    let digests = bench.switch.control().take_digests();
    let ids = digests.iter().map(|sent| entities::digest(&bench.pipeline, sent).unwrap().0);
    let aliases: Vec<_> =
        ids.map(|id| names.iter().find(|one| one.id == id).unwrap().alias.as_str()).collect();
    assert_eq!(aliases, ["other_t", "learned_t"]);
}

/// Specification, "Table Idle Timeout Notification": a notice contains the keys, the metadata and
/// the time-out.
#[test]
fn notices_have_the_keys_and_the_controller_s_metadata() {
    let mut bench = Bench::new();
    let entry = r#"table_id: 0x02000006 match { field_id: 1 exact { value: "\x05" } }
        metadata: "mine" controller_metadata: 8 idle_timeout_ns: 1000000"#;
    let action = "action { action { action_id: 0x01000001 } }";
    let request = format!("updates {{ type: INSERT entity {{ table_entry {{ {entry} {action} }} }} }}");
    bench.write(&message("p4.v1.WriteRequest", &request)).unwrap();
    bench.switch.advance(1_000_000, &mut Vec::new());
    let notices = bench.switch.control().take_idle_notices();
    let [notice] = &notices[..] else { panic!("{notices:?}") };
    let expected: v1::TableEntry = message("p4.v1.TableEntry", entry);
    assert_eq!(entities::idle_entry(&bench.pipeline, notice), Some(expected));
}
