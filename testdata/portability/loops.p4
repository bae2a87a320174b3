// Loops.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
}
struct headers_t {
    probe_t probe;
}
struct meta_t {
    bit<16> note;
    bit<8> mark;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action thrice() {
        for (bit<8> i = 0; i < 3; i = i + 1) {
            meta.mark = meta.mark + 1;
        }
        for (bit<8> i in 1 .. 2) { //! for-in
            meta.mark = meta.mark + i;
        }
    }
    apply {
        sm.egress_spec = 2;
        thrice();
        for (bit<8> i = 0; i < 4; i = i + 1) { //! for
            meta.note = meta.note + 1;
        }
        for (bit<8> i in 1 .. 4) { //! for-in
            meta.note = meta.note + (bit<16>)i;
        }
        hdr.probe.count = meta.note;
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Update(inout headers_t hdr, inout meta_t meta) { apply { } }
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
