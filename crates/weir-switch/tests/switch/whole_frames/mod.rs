//! Tests which programs can distinguish GSO frames and partial checksums from frames on a wire.

use weir_switch::arch;
use weir_switch::whole_frames::{FrameLayout, Offload, WholeFrames};

use crate::bench::compile;

/// Returns the template program with these texts in its gaps.
fn frames(parts: &[(&str, &str)]) -> WholeFrames {
    replaced(&[], parts)
}

/// Returns the template program with some texts replaced, and with texts in its gaps.
fn replaced(places: &[(&str, &str)], parts: &[(&str, &str)]) -> WholeFrames {
    let mut text = include_str!("template.p4").to_owned();
    for (old, new) in places {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    for (gap, part) in parts {
        let gap = format!("/*{gap}*/{}", if *gap == "TCP" { " transition accept;" } else { "" });
        assert!(text.contains(&gap), "{gap}");
        text = text.replace(&gap, part);
    }
    arch::whole_frames(&compile(&text, &[])).expect("it can be loaded")
}

/// Returns the reason against TCP over IPv4, and how many layouts are refused.
fn verdict(frames: &WholeFrames, offload: Offload) -> (String, usize) {
    let reason = frames.reason(FrameLayout::of_index(0), offload);
    (reason.map_or_else(String::new, ToString::to_string), frames.refused(offload).count())
}

const SUM: &str = "hdr.ipv4.isValid(),
    { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.total_length, hdr.ipv4.identification,
      hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src,
      hdr.ipv4.dst }, hdr.ipv4.checksum, HashAlgorithm.csum16";

#[test]
fn programs_that_cannot_distinguish_whole_frames() {
    let verify = format!("verify_checksum({SUM});");
    let update = format!("update_checksum({SUM});");
    let guarded = format!("if (hdr.ipv4.isValid()) {{ update_checksum({SUM}); }}");
    let ttl = "hdr.ipv4.ttl = hdr.ipv4.ttl - 1; hdr.ipv4.tos = 3; hdr.ipv6.hop_limit = 7;";
    for parts in [
        &[][..],
        &[("INGRESS", "hdr.ethernet.dst = hdr.ethernet.src; hdr.vlan.tci = 5;")],
        &[("INGRESS", ttl), ("COMPUTE", &update), ("VERIFY", &verify)],
        &[("EGRESS", ttl), ("COMPUTE", &guarded)],
        // Headers before the IP header are added and removed.
        &[("INGRESS", "hdr.shim.setValid(); hdr.shim.type = hdr.ethernet.type; hdr.ethernet.type = 0x88b5;")],
        &[("INGRESS", "hdr.ethernet.type = hdr.vlan.type; hdr.vlan.setInvalid();")],
        // Flows are distributed by fields that all segments share.
        &[(
            "INGRESS",
            "hash(meta.wide, HashAlgorithm.crc32, 32w0, { hdr.ipv4.src, hdr.ipv4.dst, hdr.ports.src,
              hdr.ports.dst, hdr.ipv4.protocol }, 32w8); sm.egress_spec = (bit<9>)meta.wide;",
        )],
        &[("INGRESS", "if (hdr.tcp.syn == 1 && hdr.tcp.ack_flag == 0) { mark_to_drop(sm); }")],
        &[("INGRESS", "sm.mcast_grp = 1;"), ("EGRESS", "if (sm.egress_rid == 0) { mark_to_drop(sm); }")],
        &[("ITEMS", "register<bit<9>>(4) out_port;"), ("INGRESS", "out_port.read(sm.egress_spec, 0);")],
        // The field is read, but not used for anything.
        &[("IPV4", "meta.number = hdr.ipv4.total_length - 20;")],
    ] {
        let frames = frames(parts);
        for offload in [Offload::Whole, Offload::Checksum] {
            assert_eq!(verdict(&frames, offload), (String::new(), 0), "{parts:?}");
        }
    }
}

#[test]
fn programs_that_can_count_frames() {
    let partial = "update_checksum(hdr.ipv4.isValid(), { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos,
        hdr.ipv4.total_length, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl,
        hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst }, hdr.ipv4.checksum, HashAlgorithm.csum16);";
    let conditional = format!("if (meta.number == 0) {{ update_checksum({SUM}); }}");
    let early = format!("if (meta.number == 0) {{ return; }} update_checksum({SUM});");
    let ttl = ("INGRESS", "hdr.ipv4.ttl = 3;");
    let counter = "direct_counter(CounterType.packets) seen;
        table t { key = { sm.ingress_port: exact; } actions = { NoAction; } counters = seen; }";
    for (parts, expected, refused) in [
        (&[("INGRESS", "meta.wide = sm.packet_length;")][..], "reads `sm.packet_length`, which differs", 16),
        (&[("EGRESS", "meta.number = (bit<16>)sm.enq_qdepth;")], "`sm.enq_qdepth`", 16),
        (&[("EGRESS", "meta.number = (bit<16>)sm.deq_qdepth;")], "`sm.deq_qdepth`", 16),
        (&[("EGRESS", "meta.wide = (bit<32>)sm.enq_timestamp;")], "`sm.enq_timestamp`", 16),
        (&[("EGRESS", "meta.wide = sm.deq_timedelta;")], "`sm.deq_timedelta`", 16),
        (&[("EGRESS", "meta.wide = (bit<32>)sm.egress_global_timestamp;")], "timestamp`", 16),
        (&[("INGRESS", "meta.wide = (bit<32>)sm.ingress_global_timestamp;")], "timestamp`", 16),
        (
            &[("ITEMS", "counter(4, CounterType.packets) seen;"), ("INGRESS", "seen.count(0);")],
            "the counter `seen`",
            16,
        ),
        (&[("LOCALS", counter), ("INGRESS", "t.apply();")], "direct_counter `MyIngress.seen`", 16),
        (
            &[("ITEMS", "meter(4, MeterType.bytes) m;"), ("INGRESS", "m.execute_meter(0, meta.wide);")],
            "the meter `m`",
            16,
        ),
        (&[("ITEMS", "register<bit<16>>(4) r;"), ("INGRESS", "r.write(0, 5);")], "the register `r`", 16),
        (&[("INGRESS", "random(meta.wide, 0, 5);")], "`random` acts once", 16),
        (&[("INGRESS", "digest<bit<48>>(1, hdr.ethernet.src);")], "`digest` acts once", 16),
        (&[("INGRESS", "log_msg(\"a packet\");")], "`log_msg` acts once", 16),
        (&[("INGRESS", "truncate(80);")], "`truncate` copies, repeats or cuts", 16),
        (&[("INGRESS", "clone(CloneType.I2E, 5);")], "`clone` copies", 16),
        (&[("INGRESS", "resubmit_preserving_field_list(1);")], "`resubmit_preserving_field_list` copies", 16),
        (&[("EGRESS", "recirculate_preserving_field_list(1);")], "copies", 16),
        // Fields in which segments differ.
        (
            &[("IPV4", "hdr.shim.setValid(); hdr.shim.label = hdr.ipv4.total_length;")],
            "the deparser emits `hdr.shim.label`",
            4,
        ),
        (&[("INGRESS", "meta.number = hdr.ipv4.total_length;")], "`hdr.ipv4.total_length`", 4),
        (&[("INGRESS", "meta.number = hdr.ipv4.identification;")], "`hdr.ipv4.identification`", 4),
        (&[("INGRESS", "if (hdr.tcp.fin == 1) { mark_to_drop(sm); }")], "`hdr.tcp.fin`", 4),
        (&[("INGRESS", "meta.wide = hdr.tcp.seq;")], "`hdr.tcp.seq`", 4),
        (
            &[
                ("IPV4", "meta.number = hdr.ipv4.total_length - 20;"),
                ("INGRESS", "if (meta.number > 99) { mark_to_drop(sm); }"),
            ],
            "`meta.number`",
            4,
        ),
        (
            &[("TCP", "transition select(hdr.tcp.psh) { 1: accept; default: accept; }")],
            "the parser decides by `hdr.tcp.psh`",
            4,
        ),
        (
            &[("TCP", "transition select(packet.lookahead<bit<8>>()) { 1: accept; default: accept; }")],
            "what follows the TCP header",
            4,
        ),
        (
            &[
                ("STATES", "state extra { packet.extract(hdr.trailer); transition accept; }"),
                ("TCP", "transition select(hdr.ports.dst) { 5000: extra; default: accept; }"),
            ],
            "what follows the TCP header",
            4,
        ),
        // IPv4's checksum.
        (&[ttl], "no `update_checksum` over all of its header follows", 4),
        (&[ttl, ("COMPUTE", partial)], "`hdr.ipv4.total_length`", 4),
        (&[ttl, ("COMPUTE", &conditional)], "no `update_checksum`", 4),
        (&[ttl, ("COMPUTE", &early)], "no `update_checksum`", 4),
        (&[("INGRESS", "hdr.ipv4.identification = 0;")], "writes `hdr.ipv4.identification`", 4),
        // Addresses, ports, new headers behind IP.
        (&[("INGRESS", "hdr.ipv4.dst = 0x0a000001;")], "writes `hdr.ipv4.dst`", 4),
        (&[("INGRESS", "hdr.ports.dst = 80;")], "writes `hdr.ports.dst`", 8),
        (&[("INGRESS", "hdr.trailer.setValid();")], "`hdr.trailer` may come behind the IP header", 8),
        (&[("INGRESS", "hdr.tcp.setInvalid();")], "adds, removes or copies `hdr.tcp`", 4),
        (&[("INGRESS", "hdr.udp.setValid();")], "`hdr.udp` may come behind", 8),
    ] {
        let (reason, count) = verdict(&frames(parts), Offload::Whole);
        assert!(reason.contains(expected), "{parts:?}: {reason}");
        assert!(reason.starts_with("program.p4:"), "{reason}");
        assert_eq!(count, refused, "{parts:?}");
    }
}

#[test]
fn a_checksum_must_cover_all_frames() {
    // TCP is extracted by the type of service, which all segments share.
    let by_tos = [("(5, 0, 6): tcp;", "(5, 0, 6): choose;")];
    let choose = "state choose { transition select(hdr.ipv4.tos) { 0: tcp; default: accept; } }";
    // Frames have one of two IPv4 headers.
    let two = [
        ("ipv4_t     ipv4;", "ipv4_t ipv4; ipv4_t other;"),
        ("0x0800: ipv4;", "0x0800: which;"),
        ("packet.emit(hdr.ipv4);", "packet.emit(hdr.ipv4); packet.emit(hdr.other);"),
    ];
    let which = "state which {
            transition select(packet.lookahead<bit<16>>()[7:0]) { 0: ipv4; default: other; }
        }
        state other {
            packet.extract(hdr.other);
            transition select(hdr.other.ihl, hdr.other.fragment_offset, hdr.other.protocol) {
                (5, 0, 6): tcp; (5, 0, 17): udp; default: accept;
            }
        }";
    let update = format!("update_checksum({SUM});");
    let by_tcp = update.replace("hdr.ipv4.isValid()", "hdr.tcp.isValid()");
    let if_tcp = format!("if (hdr.tcp.isValid()) {{ {update} }}");
    let mixed = update.replace("hdr.ipv4.ttl", "hdr.other.ttl");
    let ttl = ("INGRESS", "hdr.ipv4.ttl = 3;");
    let other_ttl = ("INGRESS", "hdr.other.ttl = 3;");
    for (places, states, change, compute, expected) in [
        (&by_tos[..], choose, ttl, &update, ""),
        (&by_tos, choose, ttl, &by_tcp, "no `update_checksum` over all of its header follows"),
        (&by_tos, choose, ttl, &if_tcp, "no `update_checksum` over all of its header follows"),
        (&two, which, other_ttl, &update, "no `update_checksum` over all of its header follows"),
        (&two, which, ttl, &mixed, "`hdr.ipv4.total_length`"),
    ] {
        let parts = [("STATES", states), change, ("COMPUTE", compute)];
        let (reason, _) = verdict(&replaced(places, &parts), Offload::Whole);
        assert!(reason.contains(expected) && reason.is_empty() == expected.is_empty(), "{parts:?}: {reason}");
    }
}

#[test]
fn programs_that_can_distinguish_partial_checksums() {
    let payload = "update_checksum_with_payload(hdr.tcp.isValid(), { hdr.ipv4.src }, hdr.tcp.checksum,
        HashAlgorithm.csum16);";
    for (parts, expected) in [
        (&[("INGRESS", "meta.wide = sm.packet_length; meta.number = hdr.ipv4.identification;")][..], ""),
        (&[("ITEMS", "counter(4, CounterType.packets) seen;"), ("INGRESS", "seen.count(0);")], ""),
        (&[("INGRESS", "hdr.ipv4.ttl = 3; hdr.ipv4.identification = 5;")], ""),
        (&[("INGRESS", "if (hdr.tcp.fin == 1) { mark_to_drop(sm); }")], ""),
        (&[("INGRESS", "meta.number = hdr.tcp.checksum;")], "`hdr.tcp.checksum`, which is not complete"),
        (&[("INGRESS", "hdr.tcp.checksum = 0;")], "writes `hdr.tcp.checksum`"),
        (&[("COMPUTE", payload)], "`update_checksum_with_payload` covers the payload"),
        (&[("INGRESS", "hdr.ipv4.src = 1;")], "writes `hdr.ipv4.src`"),
        (&[("INGRESS", "hdr.ports.src = 1;")], "writes `hdr.ports.src`"),
        (&[("INGRESS", "hdr.tcp.window = 1;")], "writes `hdr.tcp.window`"),
        (&[("INGRESS", "hdr.ipv4.protocol = 1;")], "writes `hdr.ipv4.protocol`"),
        (&[("INGRESS", "truncate(80);")], "`truncate`"),
        (&[("INGRESS", "clone(CloneType.I2E, 5);")], "`clone`"),
    ] {
        let (reason, _) = verdict(&frames(parts), Offload::Checksum);
        assert!(reason.contains(expected) && reason.is_empty() == expected.is_empty(), "{parts:?}: {reason}");
    }
}

#[test]
fn frames_are_cut_before_programs_with_two_parsers() {
    let psa = include_str!("../../../../../testdata/psa/paths.p4");
    let frames = arch::whole_frames(&compile(psa, &[])).expect("it can be loaded");
    let refused = ("egress parses packets again".to_owned(), FrameLayout::COUNT);
    for offload in [Offload::Whole, Offload::Checksum] {
        assert_eq!(verdict(&frames, offload), refused);
    }
}

#[test]
fn whole_frames_pass_pna_and_bpf() {
    let ethernet = "header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
        struct headers_t { ethernet_t ethernet; } struct meta_t { }";
    let pna = "#include <bmv2/pna.p4>
        parser P(packet_in packet, out headers_t hdr, inout meta_t meta, in pna_main_parser_input_metadata_t input) {
            state start { packet.extract(hdr.ethernet); transition accept; }
        }
        control C(inout headers_t hdr, inout meta_t meta, in pna_main_input_metadata_t input,
                  inout pna_main_output_metadata_t output) {
            apply {
                hdr.ethernet.dst = 1;
                send_to_port((PortId_t) 32w2);
            }
        }
        control D(packet_out packet, inout headers_t hdr, in meta_t meta, in pna_main_output_metadata_t output) {
            apply { packet.emit(hdr.ethernet); }
        }
        PNA_NIC(P(), C(), D()) main;";
    let filter = "#include <ebpf_model.p4>
        parser P(packet_in packet, out headers_t hdr) {
            state start { packet.extract(hdr.ethernet); transition accept; }
        }
        control F(inout headers_t hdr, out bool accept) { apply { accept = hdr.ethernet.type == 0x0800; } }
        ebpfFilter(P(), F()) main;";
    // Packets read this register, and only the control plane writes it.
    let reading = pna.replace(
        "apply {\n                hdr.ethernet.dst = 1;",
        "Register<bit<48>, bit<32>>(1) r; apply { hdr.ethernet.dst = r.read(0);",
    );
    assert_ne!(reading, pna);
    for text in [pna, &reading, filter] {
        let (include, rest) = text.split_once('\n').expect("it has lines");
        let program = |rest: &str| compile(&format!("{include}\n{ethernet}\n{rest}"), &[]);
        let frames = arch::whole_frames(&program(rest)).expect("it can be loaded");
        assert_eq!(verdict(&frames, Offload::Whole), (String::new(), 0), "{text}");
    }
    // Code that acts once for each packet sees packets.
    let counted = pna.replace(
        "apply {\n                hdr",
        "Counter<bit<32>, bit<32>>(1, PNA_CounterType_t.PACKETS) c; apply { c.count(0); hdr",
    );
    let (include, rest) = counted.split_once('\n').expect("it has lines");
    let frames = arch::whole_frames(&compile(&format!("{include}\n{ethernet}\n{rest}"), &[]));
    let frames = frames.expect("it can be loaded");
    let reason = verdict(&frames, Offload::Whole).0;
    assert!(reason.ends_with(": the Counter `C.c` works packet by packet"), "{reason}");
}
