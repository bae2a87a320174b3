//! The effects of v1model's externs on packets, and the results that the control plane reads.

use crate::bench;

use crate::bench::{Bench, TO_TAG, arrivals_with_field, config, packet, run, send, word};
use crate::by_name::{ByName, CounterValue, EntryRef, MeterConfig, Update};
use weir_device::{Device, Packet};
use weir_ir::Bits;

fn tag(words: [u16; 4], payload: &[u8]) -> Packet {
    let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
    bytes.extend(payload);
    Packet::new(0, bytes)
}

#[test]
fn checksums_are_updated_and_verified() {
    let checked = "in data = { hdr.tag.port, hdr.tag.count, hdr.tag.seen }";
    let update: &str = Box::leak(
        format!(
            "extern update_checksum(in condition = hdr.tag.$valid$, {checked}, inout checksum = &[hdr.tag.check], \
             in algo = HashAlgorithm::csum16);"
        )
        .into_boxed_str(),
    );
    let updating = Bench { update, ..Bench::default() };
    let sent = send(&mut updating.switch(), 0, 1, tag([2, 0xf203, 0, 0xf4f5], b"rest"));
    // RFC 1071: 0002 + f203 + f4f5 = 1e6fa, folded e6fb, complement 1904.
    assert_eq!(word(&sent[0], 2), 0x1904);

    let verify: &str = Box::leak(
        update
            .replace("update_checksum", "verify_checksum")
            .replace("inout checksum = &[hdr.tag.check]", "in checksum = hdr.tag.check")
            .into_boxed_str(),
    );
    let verifying =
        Bench { verify, egress: "hdr.tag.seen = bit<16>(sm.checksum_error);", ..Bench::default() };
    let errors =
        |check| word(&send(&mut verifying.switch(), 0, 1, tag([2, 0xf203, check, 0xf4f5], b""))[0], 3);
    assert_eq!((errors(0x1904), errors(0x1905)), (0, 1));
}

#[test]
fn checksums_may_cover_the_payload() {
    let bench = Bench {
        update: "extern update_checksum_with_payload(in condition = true, in data = { hdr.tag.port },
                   inout checksum = &[hdr.tag.check], in algo = HashAlgorithm::csum16);",
        ..Bench::default()
    };
    let sent = send(&mut bench.switch(), 0, 1, tag([2, 0, 0, 0], &[0x10, 0x00, 0x01]));
    assert_eq!(word(&sent[0], 2), !(0x0002u16 + 0x1000 + 0x0100));
}

#[test]
fn invalid_headers_are_left_out_of_checksums() {
    let bench = Bench {
        items: "header hdr.none: tag_t",
        update: "extern update_checksum(in condition = true, in data = { hdr.tag.port, header hdr.none },
                   inout checksum = &[hdr.tag.check], in algo = HashAlgorithm::csum16);",
        ..Bench::default()
    };
    assert_eq!(word(&send(&mut bench.switch(), 0, 1, tag([2, 0, 0, 0], b""))[0], 2), !2);
}

#[test]
fn hashes_lie_between_base_and_base_plus_max() {
    let bench = |text: &'static str| Bench { ingress: text, ..Bench::default() };
    let crc = bench(
        "sm.egress_spec = 9w1;
         extern hash(out result = &[hdr.tag.seen], in algo = HashAlgorithm::crc16, in base = 16w0,
                     in data = { hdr.tag.port, hdr.tag.count }, in max = 32w0x10000);",
    );
    // The result is CRC-16/ARC of 31 32 33 34.
    assert_eq!(word(&send(&mut crc.switch(), 0, 1, tag([0x3132, 0x3334, 0, 0], b""))[0], 3), 0x14ba);
    let small = bench(
        "sm.egress_spec = 9w1;
         extern hash(out result = &[hdr.tag.seen], in algo = HashAlgorithm::crc32, in base = 16w100,
                     in data = { hdr.tag.count }, in max = 8w10);",
    );
    let mut switch = small.switch();
    let mut counts = [0; 10];
    for count in 0..1000 {
        let value = word(&send(&mut switch, 0, 1, tag([1, count, 0, 0], b""))[0], 3);
        counts[usize::from(value - 100)] += 1;
    }
    assert!(counts.iter().all(|n| (60..140).contains(n)), "{counts:?}");
    let none = bench(
        "sm.egress_spec = 9w1;
         extern hash(out result = &[hdr.tag.seen], in algo = HashAlgorithm::crc32, in base = 16w100,
                     in data = { hdr.tag.count }, in max = 8w0);",
    );
    assert_eq!(word(&send(&mut none.switch(), 0, 1, tag([1, 7, 0, 0], b""))[0], 3), 100);
}

#[test]
fn counters_count_packets_bytes_or_both() {
    let bench = Bench {
        items: "extern ingress.all: counter(32w8, CounterType::packets_and_bytes)
                extern ingress.bytes: counter(32w8, CounterType::bytes)
                extern ingress.packets: counter(32w8, CounterType::packets)",
        ingress: "sm.egress_spec = 9w1;
                  extern counter.count on ingress.all(in index = bit<32>(hdr.tag.port));
                  extern counter.count on ingress.bytes(in index = bit<32>(hdr.tag.port));
                  extern counter.count on ingress.packets(in index = bit<32>(hdr.tag.port));",
        ..Bench::default()
    };
    let mut switch = bench.switch();
    for (id, port) in [(0, 3), (1, 3), (2, 8), (3, 7)] {
        switch.receive(0, 1, packet(id, port, b"12"));
    }
    run(&mut switch);
    let mut control = switch.by_name();
    let value = |packets, bytes| Ok(CounterValue { packets, bytes });
    assert_eq!(control.counter("ingress.all", 3), value(2, 20));
    assert_eq!(control.counter("bytes", 3), value(0, 20));
    assert_eq!(control.counter("packets", 7), value(1, 0));
    assert_eq!(control.counter("packets", 0), value(0, 0));
    assert_eq!(
        control.counter("packets", 8).unwrap_err().to_string(),
        "ingress.packets has 8 cells: index 8 is out of range"
    );
    let refused = control.write_counter("packets", 7, CounterValue { packets: 9, bytes: 9 }).unwrap_err();
    assert_eq!(refused.to_string(), "ingress.packets counts packets, not bytes: it takes 0 bytes only");
    let refused = control.write_counter("bytes", 7, CounterValue { packets: 1, bytes: 0 }).unwrap_err();
    assert_eq!(refused.to_string(), "ingress.bytes counts bytes, not packets: it takes 0 packets only");
    assert_eq!(control.counter("packets", 7), value(1, 0));
    control.write_counter("packets", 7, CounterValue { packets: 9, bytes: 0 }).unwrap();
    assert_eq!(control.counter("packets", 7), value(9, 0));
}

#[test]
fn registers_of_any_width_outlive_packets() {
    let bench = Bench {
        items: "extern ingress.last: register<bit<48>>(32w4)",
        ingress: "sm.egress_spec = 9w1;
                  extern register.read on ingress.last(out result = &[tmp48], in index = bit<32>(hdr.tag.port));
                  hdr.tag.seen = bit<16>(tmp48);
                  extern register.write on ingress.last(in index = bit<32>(hdr.tag.port), in value = bit<48>(hdr.tag.count));",
        ..Bench::default()
    };
    let mut switch = bench.switch();
    let read = |switch: &mut _, port, count| word(&send(switch, 0, 1, tag([port, count, 0, 0], b""))[0], 3);
    assert_eq!(read(&mut switch, 2, 7), 0);
    assert_eq!(read(&mut switch, 2, 8), 7);
    assert_eq!(read(&mut switch, 4, 8), 0, "past the end reads 0");
    assert_eq!(read(&mut switch, 4, 8), 0, "and writes nothing");
    let mut control = switch.by_name();
    assert_eq!(control.register("last", 2), Ok(Bits::new(48, 8)));
    control.write_register("last", 3, Bits::new(64, 0xffff_ffff_ffff)).unwrap();
    assert_eq!(
        control.write_register("last", 3, Bits::new(64, 1 << 48)).unwrap_err().to_string(),
        "cell 3 of register `ingress.last`: value 0x1000000000000 needs 49 bits, field has 48"
    );
    assert_eq!(read(&mut switch, 3, 0), 0xffff);
}

#[test]
fn meters_colour_by_rate() {
    let bench = Bench {
        items: "extern ingress.limit: meter(32w2, MeterType::packets)",
        ingress: "sm.egress_spec = 9w1;
                  extern meter.execute_meter on ingress.limit(in index = bit<32>(hdr.tag.port), out result = &[hdr.tag.seen]);",
        ..Bench::default()
    };
    let mut switch = bench.switch();
    let rates = MeterConfig::per_second(10, 1, 20, 2);
    switch.by_name().write_meter("limit", 1, Some(rates)).unwrap();
    assert_eq!(switch.by_name().meter("limit", 1), Ok(Some(rates)));
    let mut colours = |now, port| {
        (0..3).for_each(|id| switch.receive(now, 1, packet(id, port, b"")));
        arrivals_with_field(&run(&mut switch)).into_iter().map(|(_, _, colour)| colour).collect::<Vec<_>>()
    };
    assert_eq!(colours(0, 0), [0, 0, 0], "no rates, all green");
    assert_eq!(colours(0, 1), [0, 1, 2]);
    assert_eq!(
        colours(100_000_010, 1),
        [0, 1, 2],
        "after 0.1 s there is one token in the one and two in the other"
    );
}

#[test]
fn direct_meters_have_a_cell_for_each_entry() {
    let bench = Bench {
        items: "extern ingress.limit: direct_meter<bit<16>>(MeterType::bytes)
                action ingress.measure() { extern direct_meter.read on ingress.limit(out result = &[hdr.tag.seen]); }
                table ingress.t {
                  key hdr.tag.port: exact hdr.tag.port
                  action ingress.measure
                  default ingress.measure()
                  attached meters = ingress.limit
                }",
        ingress: "sm.egress_spec = 9w1; apply ingress.t;",
        ..Bench::default()
    };
    let mut switch = bench.switch();
    let rates = MeterConfig::per_second(1, 8, 1, 20);
    let mut control = switch.by_name();
    for port in [1, 2] {
        control
            .insert("t", bench::entry(&[("port", bench::exact(port))], bench::call("measure", &[])))
            .unwrap();
    }
    let first = EntryRef::Handle(0);
    let write = Update::WriteDirectMeter { table: "t".into(), entry: first.clone(), config: Some(rates) };
    control.write(&[write]).unwrap();
    assert_eq!(control.direct_meter("t", &first), Ok(Some(rates)));
    assert_eq!(control.schema().tables[0].direct_meter.as_deref(), Some("ingress.limit"));
    let mut colours = |port| {
        (0..3).for_each(|id| switch.receive(0, 1, packet(id, port, b"")));
        arrivals_with_field(&run(&mut switch)).into_iter().map(|(_, _, colour)| colour).collect::<Vec<_>>()
    };
    assert_eq!(colours(1), [0, 1, 2], "8 bytes each");
    assert_eq!((colours(2), colours(3)), (vec![0; 3], vec![0; 3]), "no rates, and no entry");
}

#[test]
fn digests_and_log_lines_are_kept() {
    let bench = Bench {
        ingress: "sm.egress_spec = 9w1;
                  extern digest(in receiver = 32w7, in data = { hdr.tag.port, sm.ingress_port });
                  extern log_msg(in msg = \"port {} of {}, {}\", in data = { hdr.tag.port, hdr.tag.count });",
        ..Bench::default()
    };
    let mut switch = bench.switch();
    send(&mut switch, 4_000, 3, Packet { id: 11, ..tag([5, 6, 0, 0], b"") });
    let mut control = switch.by_name();
    let digests = control.take_digests();
    assert_eq!((digests[0].time, digests[0].packet, digests[0].receiver), (4_000, 11, 7));
    assert_eq!(digests[0].values, [Bits::new(16, 5), Bits::new(9, 3)]);
    assert_eq!(control.take_log()[0].text, "port 5 of 6, {}");
    assert!(control.take_digests().is_empty() && control.take_log().is_empty());
}

#[test]
fn value_sets_are_filled_by_the_control_plane() {
    let bench = Bench { items: "value_set p.ports { port: 16 exact size 2 }", ..Bench::default() };
    let mut switch = bench.load(config()).unwrap();
    let member = |port| vec![bench::exact(port)];
    let set = |members| crate::by_name::Update::SetValueSet { set: "ports".into(), members };
    switch.by_name().write(&[set(vec![member(1), member(2)])]).unwrap();
    let error = |members| switch.by_name().write(&[set(members)]).unwrap_err().to_string();
    let mut error = error;
    assert_eq!(
        error(vec![member(1), member(2), member(3)]),
        "update 0: value set `p.ports` takes 2 members, not 3"
    );
    assert_eq!(
        error(vec![vec![]]),
        "update 0: a member of p.ports takes 1 values: port (exact, 16 bits); found 0"
    );
    assert_eq!(
        error(vec![member(0x1ffff)]),
        "update 0: field `port` of value set `p.ports`: value 0x1ffff needs 17 bits, field has 16"
    );
}

#[test]
fn mark_to_drop_also_cancels_multicast() {
    let bench = Bench { ingress: "sm.mcast_grp = 16w1; call action ingress.drop;", ..Bench::default() };
    let mut switch = bench.switch();
    assert!(send(&mut switch, 0, 1, packet(0, 1, b"")).is_empty());
    let old_form =
        Bench { ingress: "sm.mcast_grp = 16w1; extern mark_to_drop();", egress: TO_TAG, ..Bench::default() };
    assert!(send(&mut old_form.switch(), 0, 1, packet(0, 1, b"")).is_empty());
}
