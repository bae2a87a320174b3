// Hashes in egress: random ones are drawn in the order in which packets leave their queues, and ingress draws from the same generator.
#include <v1model.p4>

header data_t {
    bit<8>  data;
    bit<8>  drawn;
    bit<8>  random;
    bit<16> custom16;
    bit<32> custom32;
    bit<16> known;
}

struct headers_t {
    data_t d;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.d);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        random(hdr.d.drawn, 0x40, 0x7f);
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hash(hdr.d.random, HashAlgorithm.random, 8w0x80, { hdr.d.data }, 8w64);
        hash(hdr.d.custom16, HashAlgorithm.crc16_custom, 16w0, { hdr.d.data }, 32w0x10000);
        hash(hdr.d.custom32, HashAlgorithm.crc32_custom, 32w0, { hdr.d.data }, 64w0x100000000);
        hash(hdr.d.known, HashAlgorithm.crc16, 16w0, { hdr.d.data }, 32w0x10000);
    }
}

#define OWN_UPDATE
control U(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.d.data == 0x0a, { hdr.d.data, hdr.d.data }, hdr.d.known, HashAlgorithm.crc16_custom);
    }
}

#include "../rest.p4"
