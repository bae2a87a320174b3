// Checksums over the field that they update, and in a part of a field.
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
    probe_t[2] more;
}
struct meta_t {
    bit<16> note;
    bit<8> mark;
    bit<32> wide;
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
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Update(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum(true, { hdr.probe.kind, hdr.probe.count }, //! checksum-of-itself
                        hdr.probe.count, HashAlgorithm.csum16);
        update_checksum(true, { hdr.probe.kind, { hdr.probe.count } }, //! checksum-of-itself
                        hdr.probe.count, HashAlgorithm.csum16);
        update_checksum_with_payload(true, { hdr.probe.count }, hdr.probe.count, HashAlgorithm.csum16);
        update_checksum(true, { hdr.probe, hdr.more[0].kind }, hdr.probe.count, HashAlgorithm.csum16);
        update_checksum(true, { hdr.more[0].count }, hdr.more[1].count, HashAlgorithm.csum16);
        update_checksum(true, { hdr.more[0].count }, //! checksum-of-itself
                        hdr.more[0].count, HashAlgorithm.csum16);
        update_checksum(hdr.probe.count == 0, hdr.probe, hdr.probe.count, HashAlgorithm.csum16);
        update_checksum(true, { hdr.probe.count },
                        meta.wide[15:0], HashAlgorithm.csum16); //! checksum-slice
    }
}
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
