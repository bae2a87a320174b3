//! Programs for these tests. They fill the gaps of the template that also the tests of the analysis
//! use.

const TEMPLATE: &str = include_str!("../../../weir-switch/tests/switch/whole_frames/template.p4");

/// The checksum of the IPv4 header, as arguments of a call.
pub const SUM: &str = "hdr.ipv4.isValid(),
    { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.total_length, hdr.ipv4.identification,
      hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src,
      hdr.ipv4.dst }, hdr.ipv4.checksum, HashAlgorithm.csum16";

/// Returns the template with these parts in its gaps.
pub fn fill_template(parts: &[(&str, &str)]) -> String {
    let mut text = TEMPLATE.to_owned();
    for (gap, part) in parts {
        let gap = format!("/*{gap}*/");
        // Several parts may go into one gap.
        text = text.replacen(&gap, &format!("{part} {gap}"), 1);
    }
    text
}

/// Parts of random programs. Some parts can notice that frames are whole; no part depends on time
/// or chance.
pub const PARTS: &[(&str, &str)] = &[
    ("INGRESS", "hdr.ethernet.dst = hdr.ethernet.src;"),
    ("INGRESS", "hdr.ethernet.src = hdr.ipv4.src ++ hdr.ports.src;"),
    ("INGRESS", "hdr.ipv4.ttl = hdr.ipv4.ttl - 1;"),
    ("EGRESS", "hdr.ipv4.ttl = hdr.ipv4.ttl - 1;"),
    ("INGRESS", "hdr.ipv4.tos = hdr.ipv4.tos | 3;"),
    ("EGRESS", "hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;"),
    ("EGRESS", "hdr.ipv6.flow_label = 7; hdr.ipv6.traffic_class = hdr.ipv6.traffic_class | 3;"),
    (
        "INGRESS",
        "if (!hdr.shim.isValid() && !hdr.vlan.isValid()) { hdr.shim.setValid(); hdr.shim.label = 9;
        hdr.shim.type = hdr.ethernet.type; hdr.ethernet.type = 0x88b5; }",
    ),
    (
        "EGRESS",
        "if (!hdr.vlan.isValid()) { hdr.vlan.setValid(); hdr.vlan.tci = 5;
        hdr.vlan.type = hdr.ethernet.type; hdr.ethernet.type = 0x8100; }",
    ),
    ("INGRESS", "if (hdr.vlan.isValid()) { hdr.ethernet.type = hdr.vlan.type; hdr.vlan.setInvalid(); }"),
    (
        "INGRESS",
        "hash(meta.wide, HashAlgorithm.crc32, 32w0, { hdr.ipv4.dst, hdr.ports.src, hdr.ipv6.src },
        32w3); sm.egress_spec = (bit<9>)meta.wide + 1;",
    ),
    ("INGRESS", "if (hdr.tcp.syn == 1) { mark_to_drop(sm); }"),
    ("INGRESS", "if ((hdr.ports.src & 3) == 1) { sm.mcast_grp = 1; }"),
    ("EGRESS", "if (sm.egress_rid == 2) { hdr.ethernet.dst = 2; }"),
    ("EGRESS", "if (sm.checksum_error == 1) { mark_to_drop(sm); }"),
    // These parts notice whole frames.
    ("INGRESS", "hdr.ethernet.src = (bit<48>)sm.packet_length;"),
    ("INGRESS", "hdr.ethernet.src = (bit<48>)hdr.ipv4.identification;"),
    ("INGRESS", "hdr.ethernet.src = (bit<48>)hdr.tcp.seq;"),
    ("INGRESS", "hdr.ethernet.src = (bit<48>)hdr.tcp.checksum;"),
    ("INGRESS", "hdr.ethernet.src = (bit<48>)hdr.udp.checksum;"),
    ("INGRESS", "if (hdr.tcp.fin == 1) { mark_to_drop(sm); }"),
    ("INGRESS", "hdr.ipv4.dst = 0x0a000001;"),
    ("INGRESS", "hdr.ports.dst = hdr.ports.dst + 1;"),
    ("INGRESS", "hdr.tcp.window = 7;"),
    ("INGRESS", "hdr.ipv4.identification = 7;"),
    ("INGRESS", "hdr.tcp.checksum = hdr.tcp.checksum + 1;"),
    ("INGRESS", "hdr.trailer.setValid(); hdr.trailer.label = 5;"),
    ("INGRESS", "hdr.udp.setInvalid();"),
    ("INGRESS", "truncate(90);"),
    (
        "INGRESS",
        "seen.read(meta.number, 0); seen.write(0, meta.number + 1);
        hdr.ethernet.src = (bit<48>)meta.number;",
    ),
    (
        "EGRESS",
        "if (hdr.ethernet.dst != 77) { hdr.ethernet.dst = 77; recirculate_preserving_field_list(1); }",
    ),
    ("IPV4", "meta.number = hdr.ipv4.total_length - 20;"),
    ("EGRESS", "hdr.ethernet.dst = (bit<48>)meta.number;"),
    (
        "COMPUTE",
        "update_checksum_with_payload(hdr.tcp.isValid() && hdr.ipv4.isValid(), { hdr.ipv4.src,
        hdr.ipv4.dst, 8w0, hdr.ipv4.protocol }, hdr.tcp.checksum, HashAlgorithm.csum16);",
    ),
];
