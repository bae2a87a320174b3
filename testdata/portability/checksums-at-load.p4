// Checksums that p4c translates and `simple_switch` does not take.
#include <core.p4>
#include <v1model.p4>

struct pair_t { bit<8> a; bit<8> b; }
struct nest_t { pair_t pair; bit<8> c; }
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
    bit<1> place;
    bool flag;
    pair_t pair;
    nest_t nest;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum(true, { hdr.probe.kind }, meta.flag, HashAlgorithm.csum16); //! checksum-target
        verify_checksum(true, hdr.probe.kind, hdr.probe.count, HashAlgorithm.csum16); //! checksum-data
        verify_checksum(true, hdr.probe, meta.note, HashAlgorithm.csum16);
    }
}
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 2;
        hash(meta.note, HashAlgorithm.random, 16w0, { hdr.probe.kind }, 16w8); //! random-algorithm
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Update(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum(true, { hdr.probe.kind }, hdr.more[1].count, HashAlgorithm.csum16);
        update_checksum(true, { hdr.probe.kind },
                        hdr.more[meta.place].count, HashAlgorithm.csum16); //! checksum-target
        update_checksum(true, meta.pair, hdr.probe.count, HashAlgorithm.csum16);
        update_checksum(true, meta.nest, hdr.probe.count, HashAlgorithm.csum16); //! checksum-data
    }
}
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
