// What the control that updates checksums takes.
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
    apply {
        sm.egress_spec = 2;
        hdr.probe.count = meta.note;
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Update(inout headers_t hdr, inout meta_t meta) {
    action sum() {
        update_checksum(true, { hdr.probe.kind }, hdr.probe.count, HashAlgorithm.csum16);
    }
    apply {
        meta.note = 5; //! update-statement
        sum(); //! update-statement
        bool small = hdr.probe.kind < 5 && hdr.probe.isValid();
        update_checksum(small, { hdr.probe.kind }, hdr.probe.count, HashAlgorithm.csum16);
        bit<8> next = hdr.probe.kind + 1; //! update-statement
        update_checksum(true, { next }, hdr.probe.count, HashAlgorithm.csum16);
        update_checksum_with_payload(true, { hdr.probe.kind }, hdr.probe.count, HashAlgorithm.csum16);
        return;
    }
}
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
