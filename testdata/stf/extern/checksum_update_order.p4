// Several update_checksum act in order: the second covers what the first has written.
#include <v1model.p4>

header words_t {
    bit<16> a;
    bit<16> first;
    bit<16> second;
}

struct headers_t {
    words_t w;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.w);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
    }
}

#define OWN_UPDATE
control U(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(true, { hdr.w.a }, hdr.w.first, HashAlgorithm.csum16);
        update_checksum(true, { hdr.w.a, hdr.w.first }, hdr.w.second, HashAlgorithm.xor16);
    }
}

#include "../rest.p4"
