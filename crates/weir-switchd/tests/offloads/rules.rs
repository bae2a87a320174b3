//! The rules of offloads, one by one.

use weir_device::HEADROOM;
use weir_ports::offload::{Malformed, for_interface};
use weir_ports::{Checksum, Frame, Gso, Metadata, Offloads};
use weir_switch::Rate;
use weir_switch::control::Update;
use weir_switchd::plane::PortCounts;
use weir_switchd::{Captures, GsoChoice, PcapFormat};

use super::packets::{Shape, packet};
use super::programs::{SUM, fill_template};
use super::{ALL, Rig};

/// A GSO frame of TCP over IPv4, with three segments of 1000 bytes and one of 5 bytes.
const SHAPE: Shape =
    Shape { v6: false, udp: false, tags: 0, flags: 0x18, options: 12, payload: 3005, seed: 7 };

fn gso(shape: Shape) -> (Vec<u8>, Metadata) {
    let (bytes, metadata) = packet(shape);
    let gso = metadata.gso.map(|gso| Gso { size: 1000, ..gso });
    (bytes, Metadata { gso, ..metadata })
}

/// Returns a frame with a partial checksum and no GSO.
fn partial(payload: usize) -> (Vec<u8>, Metadata) {
    let (bytes, metadata) = packet(Shape { payload, ..SHAPE });
    (bytes, Metadata { gso: None, ..metadata })
}

fn segments((bytes, metadata): &(Vec<u8>, Metadata)) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for_interface(&Frame::copy_of(bytes, *metadata), Offloads::default(), |frame| {
        all.push(frame.bytes().to_vec());
        Ok::<(), Malformed>(())
    })
    .unwrap();
    all
}

fn without_metadata(frames: Vec<Vec<u8>>) -> Vec<(Vec<u8>, Metadata)> {
    // Ports mark the checksums of segments that they cut as valid.
    let metadata = Metadata { checksum: Checksum::Valid, ..Metadata::default() };
    frames.into_iter().map(|bytes| (bytes, metadata)).collect()
}

/// Returns the frames that leave through port 2 when these frames arrive at port 1.
fn forward_frames(rig: &mut Rig, frames: &[(Vec<u8>, Metadata)]) -> Vec<(Vec<u8>, Metadata)> {
    let frames: Vec<_> = frames.iter().map(|(bytes, metadata)| (1, bytes.clone(), *metadata)).collect();
    rig.send(&frames);
    rig.departed_frames(2)
}

#[test]
fn frames_pass_whole_with_their_offloads() {
    let mut rig = Rig::new(&fill_template(&[]), Some("interp"), GsoChoice::Auto);
    let udp = gso(Shape { udp: true, v6: true, tags: 2, ..SHAPE });
    for frame in [gso(SHAPE), udp, gso(Shape { v6: true, flags: 0x91, ..SHAPE }), partial(0), partial(900)] {
        assert_eq!(forward_frames(&mut rig, std::slice::from_ref(&frame)), [frame]);
    }
    let mut rig = Rig::new(&fill_template(&[]), Some("interp"), GsoChoice::Off);
    let left = forward_frames(&mut rig, &[gso(SHAPE), partial(7)]);
    let wire = [segments(&gso(SHAPE)), segments(&partial(7))].concat();
    assert!(left.iter().map(|(bytes, _)| bytes).eq(&wire));
}

/// Adds a VLAN tag in front.
const PUSH: &str = "hdr.vlan.setValid(); hdr.vlan.tci = 5; hdr.vlan.type = hdr.ethernet.type;
    hdr.ethernet.type = 0x8100;";

#[test]
fn programs_run_in_the_memory_that_ports_lend() {
    let mut rig = Rig::new(&fill_template(&[("INGRESS", PUSH)]), Some("interp"), GsoChoice::Auto);
    let (bytes, metadata) = gso(SHAPE);
    let mut memory = [vec![0; HEADROOM], bytes].concat();
    let end = memory.len();
    rig.engine.forward(0, 1, &mut [Frame::borrowing(&mut memory, HEADROOM, end, metadata)]);
    let left = rig.departed_frames(2);
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].0, memory[HEADROOM - 4..]);
}

#[test]
fn headers_in_front_move_the_places_in_the_metadata() {
    let pop = "hdr.ethernet.type = hdr.vlan.type; hdr.vlan.setInvalid();";
    for (program, tags, shift) in [(PUSH, 0, 4_i32), (pop, 1, -4)] {
        let mut rig = Rig::new(&fill_template(&[("INGRESS", program)]), Some("interp"), GsoChoice::Auto);
        for v6 in [false, true] {
            let frame = gso(Shape { v6, tags, ..SHAPE });
            let left = forward_frames(&mut rig, std::slice::from_ref(&frame));
            let Checksum::Partial { start, offset } = frame.1.checksum else { unreachable!() };
            let moved = |place: u16| u16::try_from(i32::from(place) + shift).unwrap();
            let gso = frame.1.gso.map(|gso| Gso { network: moved(gso.network), ..gso });
            let checksum = Checksum::Partial { start: moved(start), offset };
            assert_eq!(left.len(), 1);
            assert_eq!(left[0].1, Metadata { checksum, gso, time: None });
            assert_eq!(left[0].0.len() as i32, frame.0.len() as i32 + shift);
        }
    }
}

#[test]
fn programs_never_see_a_partial_checksum() {
    // The program checks TCP's checksum, and writes it into the Ethernet header.
    let pseudo = "hdr.tcp.isValid() && hdr.ipv4.isValid(), { hdr.ipv4.src, hdr.ipv4.dst, 8w0,
        hdr.ipv4.protocol, meta.number, hdr.ports.src, hdr.ports.dst, hdr.tcp.seq, hdr.tcp.ack,
        hdr.tcp.data_offset, hdr.tcp.reserved, hdr.tcp.cwr, hdr.tcp.ece, hdr.tcp.urg, hdr.tcp.ack_flag,
        hdr.tcp.psh, hdr.tcp.rst, hdr.tcp.syn, hdr.tcp.fin, hdr.tcp.window, hdr.tcp.urgent },
        hdr.tcp.checksum, HashAlgorithm.csum16";
    let verify = format!("verify_checksum_with_payload({pseudo});");
    let program = fill_template(&[
        ("IPV4", "meta.number = hdr.ipv4.total_length - 20;"),
        ("VERIFY", &verify),
        (
            "INGRESS",
            "if (sm.checksum_error == 1) { mark_to_drop(sm); }
            hdr.ethernet.src = (bit<48>)hdr.tcp.checksum;",
        ),
    ]);
    let mut rig = Rig::new(&program, Some("interp"), GsoChoice::Auto);
    let left = forward_frames(&mut rig, &[partial(0), partial(901), gso(SHAPE)]);
    assert_eq!(left.len(), 6, "their checksums were valid");
    for (bytes, metadata) in left {
        assert_eq!((metadata.gso, &bytes[10..12]), (None, &bytes[14 + 20 + 16..][..2]));
        assert!(!matches!(metadata.checksum, Checksum::Partial { .. }));
    }
}

#[test]
fn frames_that_the_kernel_cannot_parse_are_completed_and_cut() {
    let push = "hdr.shim.setValid(); hdr.shim.type = hdr.ethernet.type; hdr.ethernet.type = 0x88b5;";
    let mut rig = Rig::new(&fill_template(&[("INGRESS", push)]), Some("interp"), GsoChoice::Auto);
    let left = forward_frames(&mut rig, &[gso(SHAPE), partial(3)]);
    assert_eq!(rig.packets(), 2, "the program ran once for each");
    let expected = [segments(&gso(SHAPE)), segments(&partial(3))].concat().into_iter().map(|mut bytes| {
        bytes.splice(12..14, [0x88, 0xb5, 0, 0, 0x08, 0x00]);
        bytes
    });
    assert_eq!(left, without_metadata(expected.collect()));
    // The test in the other direction: the frame arrives with a shim header.
    let pop = "hdr.ethernet.type = hdr.shim.type; hdr.shim.setInvalid();";
    let mut rig = Rig::new(&fill_template(&[("INGRESS", pop)]), Some("interp"), GsoChoice::Auto);
    let (mut bytes, metadata) = partial(500);
    let completed = segments(&(bytes.clone(), metadata));
    bytes.splice(12..14, [0x88, 0xb5, 0, 9, 0x08, 0x00]);
    let Checksum::Partial { start, offset } = metadata.checksum else { unreachable!() };
    let checksum = Checksum::Partial { start: start + 4, offset };
    let left = forward_frames(&mut rig, &[(bytes, Metadata { checksum, ..metadata })]);
    assert_eq!((&left[0].0, left[0].1), (&completed[0], Metadata::default()));
}

#[test]
fn a_small_mtu_cuts_frames_at_the_output() {
    let mut rig = Rig::new(&fill_template(&[]), Some("interp"), GsoChoice::Auto);
    let headers = 20 + 32;
    rig.engine.set_mtu(2, 1000 + headers);
    assert_eq!(forward_frames(&mut rig, &[gso(SHAPE)]), [gso(SHAPE)]);
    rig.engine.set_mtu(2, 1000 + headers - 1);
    // Ports in memory accept frames of 1500 bytes; a real port would drop them, as without
    // offloads.
    assert_eq!(forward_frames(&mut rig, &[gso(SHAPE)]), without_metadata(segments(&gso(SHAPE))));
    assert_eq!(rig.packets(), 2);
}

#[test]
fn each_output_decides_for_itself() {
    let offloads = [ALL, ALL, Offloads::default()];
    let program = fill_template(&[("INGRESS", "sm.mcast_grp = 1;")]);
    let mut rig =
        Rig::with_settings(&program, Some("interp"), GsoChoice::Auto, Captures::default(), offloads);
    rig.engine.set_mtu(1, 900);
    let (bytes, metadata) = gso(SHAPE);
    rig.send(&[(1, bytes, metadata)]);
    let wire = without_metadata(segments(&gso(SHAPE)));
    assert_eq!(
        [rig.departed_frames(1), rig.departed_frames(2), rig.departed_frames(3)],
        [wire.clone(), vec![gso(SHAPE)], wire]
    );
    assert_eq!(rig.packets(), 1);
}

#[test]
fn captures_have_the_frames_of_a_wire() {
    let folder = std::env::temp_dir().join(format!("weir-offloads-{}", std::process::id()));
    let captures =
        Captures::create(&folder, PcapFormat::Pcapng, &[(1, "one".to_owned()), (2, "two".to_owned())])
            .unwrap();
    let mut rig =
        Rig::with_settings(&fill_template(&[]), Some("interp"), GsoChoice::Auto, captures, [ALL; 3]);
    assert_eq!(forward_frames(&mut rig, &[gso(SHAPE)]), [gso(SHAPE)], "they pass whole");
    drop(rig);
    for name in ["one", "two"] {
        let bytes = std::fs::read(folder.join(format!("{name}.pcapng"))).unwrap();
        for segment in segments(&gso(SHAPE)) {
            let copies = bytes.windows(segment.len()).filter(|window| *window == segment).count();
            assert_eq!(copies, 1, "{name}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn queues_with_rates_get_the_frames_of_a_wire() {
    let mut rig = Rig::new(&fill_template(&[]), Some("interp"), GsoChoice::Auto);
    rig.plane.try_with_switch(|switch, _| {
        let rate = Some(Rate::BitsPerSecond(1_000_000_000));
        switch.control().change(&Update::SetQueueRate { port: Some(2), priority: None, rate }).unwrap();
    });
    let (bytes, metadata) = gso(SHAPE);
    rig.send(&[(1, bytes, metadata)]);
    assert_eq!(rig.packets(), 4);
}

#[test]
fn force_passes_all_and_off_none() {
    let tells = fill_template(&[("INGRESS", "hdr.ethernet.src = (bit<48>)sm.packet_length;")]);
    for (choice, packets) in [(GsoChoice::Off, 4), (GsoChoice::Auto, 4), (GsoChoice::Force, 1)] {
        let mut rig = Rig::new(&tells, Some("interp"), choice);
        let left = forward_frames(&mut rig, &[gso(SHAPE)]);
        assert_eq!((rig.packets(), left.len()), (packets, packets as usize));
    }
    // Frames that can no longer be cut are dropped.
    for harm in ["truncate(90);", "hdr.ipv4.setInvalid();", "hdr.ipv4.total_length = 99;"] {
        let mut rig = Rig::new(&fill_template(&[("INGRESS", harm)]), Some("interp"), GsoChoice::Force);
        assert_eq!(forward_frames(&mut rig, &[gso(SHAPE)]), []);
    }
}

/// The program may see a wrong IPv4 checksum of a whole frame only if the segments also have it.
#[test]
fn frames_that_contradict_themselves_never_pass_whole() {
    let program = fill_template(&[
        ("VERIFY", &format!("verify_checksum({SUM});")),
        ("INGRESS", "hdr.ethernet.src = (bit<48>)sm.checksum_error;"),
    ]);
    for at in [14 + 2, 14 + 3, 14 + 6, 14 + 10] {
        let (mut bytes, metadata) = gso(SHAPE);
        bytes[at] ^= 0x20;
        let run = |choice| {
            let mut rig = Rig::new(&program, Some("interp"), choice);
            rig.send(&[(1, bytes.clone(), metadata)]);
            (rig.frames_on_wire(), rig.packets())
        };
        assert_eq!(run(GsoChoice::Auto), run(GsoChoice::Off), "byte {at}");
    }
}

/// Returns the packets and bytes that arrive at port 1 and that leave through port 2, as `/metrics`
/// counts them.
fn count_frames(choice: GsoChoice, frames: &[(Vec<u8>, Metadata)]) -> ([u64; 4], u64) {
    let mut rig = Rig::new(&fill_template(&[]), Some("interp"), choice);
    forward_frames(&mut rig, frames);
    let mut received = PortCounts::default();
    rig.engine.count(1, &mut received);
    let (more, sent) = (received.more_received, rig.plane.counts.sent()[&2]);
    let packets = rig.packets();
    let ports = rig.plane.try_with_switch(|switch, _| {
        let port = switch.stats().ports[&1];
        [port.packets_in + more.frames, port.bytes_in + more.bytes, sent.frames, sent.bytes]
    });
    (ports.unwrap(), packets)
}

#[test]
fn ports_count_the_frames_of_a_wire() {
    let udp = gso(Shape { udp: true, v6: true, tags: 2, ..SHAPE });
    let frames = [gso(SHAPE), udp, partial(900), gso(Shape { payload: 1000, ..SHAPE })];
    let (off, packets) = count_frames(GsoChoice::Off, &frames);
    assert_eq!((off[0], packets), (4 + 4 + 1 + 1, 10));
    assert_eq!(count_frames(GsoChoice::Auto, &frames), (off, 4));
}
