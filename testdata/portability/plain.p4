// Nothing here differs.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
}
header tag_t { bit<8> tag; }
struct headers_t {
    probe_t probe;
    tag_t[4] tags;
}
struct meta_t {
    bit<16> note;
    bit<8> mark;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        transition select(hdr.probe.count, hdr.probe.kind) {
            (1, 2): one;
            (1, _): two;
            (_, _): accept;
        }
    }
    state one { meta.note = 1; transition accept; }
    state two { meta.note = 2; transition accept; }
}
control Verify(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum(hdr.probe.kind == 3, { hdr.probe.long, 8w4 }, hdr.probe.count, HashAlgorithm.csum16);
    }
}
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action keep(bit<16> value) { meta.note = value; }
    table route {
        key = { hdr.probe.count: lpm; hdr.probe.kind: exact; }
        actions = { keep; NoAction; }
        default_action = NoAction();
    }
    table other {
        key = { hdr.probe.kind: exact; }
        actions = { keep; NoAction; }
        default_action = NoAction();
    }
    apply {
        sm.egress_spec = 2;
        if (hdr.probe.kind == 1) { route.apply(); } else { other.apply(); }
        hdr.probe.count = hdr.probe.count / 4 + (hdr.probe.count << 3) + (hdr.probe.count >> hdr.probe.kind);
        hdr.probe.count = hdr.tags[1].tag ++ hdr.tags[2].tag;
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Update(inout headers_t hdr, inout meta_t meta) {
    apply {
        { update_checksum(hdr.probe.isValid(), { hdr.probe.long }, hdr.probe.count, HashAlgorithm.csum16); }
    }
}
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
