// What the control that verifies checksums takes.
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
control Verify(inout headers_t hdr, inout meta_t meta) {
    bit<16> sum;
    apply {
        sum = hdr.probe.count;
        meta.note = 5; //! verify-statement
        if (hdr.probe.isValid()) { //! verify-statement
            verify_checksum(true, { hdr.probe.kind, sum }, hdr.probe.count, HashAlgorithm.csum16);
        }
        hdr.probe.setInvalid(); //! verify-statement
    }
}
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 2;
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
