// Values of v1model's own enums that are known at run time only.
#include <core.p4>
#include <v1model.p4>

enum colour_t { red, green }
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
    HashAlgorithm algorithm; //! model-enum
    colour_t colour;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action mix(in HashAlgorithm algorithm) {
        hash(meta.note, algorithm, 16w0, { hdr.probe.kind }, 16w8);
    }
    apply {
        sm.egress_spec = 2;
        HashAlgorithm fixed = HashAlgorithm.crc16;
        hash(meta.note, fixed, 16w0, { hdr.probe.kind }, 16w8);
        HashAlgorithm chosen = HashAlgorithm.crc16;
        if (hdr.probe.kind == 1) { chosen = HashAlgorithm.crc32; } //! model-enum
        hash(meta.note, chosen, 16w0, { hdr.probe.kind }, 16w8);
        meta.algorithm = HashAlgorithm.xor16;
        hash(meta.note, meta.algorithm, 16w0, { hdr.probe.kind }, 16w8);
        hash(meta.note,
             hdr.probe.kind == 2 ? HashAlgorithm.crc16 : HashAlgorithm.crc32, //! model-enum
             16w0, { hdr.probe.kind }, 16w8);
        mix(HashAlgorithm.identity);
        colour_t colour = colour_t.red;
        if (hdr.probe.kind == 3) { colour = colour_t.green; }
        meta.colour = colour;
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
