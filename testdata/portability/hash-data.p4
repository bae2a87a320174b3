// The data of hashes.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
}
header flag_t {
    bool set;
    bit<7> rest;
}
header_union one_t {
    probe_t probe;
}
struct headers_t {
    probe_t probe;
    flag_t flag;
    one_t one;
    probe_t[2] more;
}
struct meta_t {
    bit<16> note;
    bit<8> mark;
    tuple<bit<8>, bool> pair;
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
        hash(meta.note, HashAlgorithm.crc16, 16w0, hdr.probe.count, 16w8); //! hash-data
        hash(meta.note, HashAlgorithm.crc16, 16w0, hdr.probe, 16w8);
        hash(meta.note, HashAlgorithm.crc16, 16w0, meta.pair, 16w8); //! hash-member
        hash(meta.note, HashAlgorithm.crc16, 16w0, { true, hdr.probe.count }, 16w8); //! hash-member
        hash(meta.note, HashAlgorithm.crc16, 16w0, { hdr.probe, hdr.more }, 16w8); //! hash-member
        hash(meta.note, HashAlgorithm.crc16, 16w0, { hdr.one, hdr.probe.count }, 16w8); //! hash-member
        hash(meta.note, HashAlgorithm.crc16, 16w0, { hdr.flag, sm.parser_error }, 16w8);
        hash(meta.note, HashAlgorithm.crc16, 16w0, hdr.probe.isValid(), 16w8); //! hash-data
        hash(meta.note, HashAlgorithm.crc16, 16w0, hdr.more, 16w8); //! hash-data
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
