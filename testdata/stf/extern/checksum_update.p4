// update_checksum comes after egress: it covers what egress has changed. Without its condition the field stays.
#include <v1model.p4>

header words_t {
    bit<8>  wanted;
    bit<8>  ttl;
    bit<16> a;
    bit<16> sum;
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

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.w.ttl = hdr.w.ttl - 1;
    }
}

#define OWN_UPDATE
control U(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.w.wanted == 1, { hdr.w.wanted, hdr.w.ttl, hdr.w.a }, hdr.w.sum, HashAlgorithm.csum16);
    }
}

#include "../rest.p4"
