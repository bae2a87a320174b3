// The carries of a csum16 over fields that are not adjacent, so that each is added by itself.
#include <v1model.p4>

header words_t {
    bit<16> a;
    bit<8>  left_out;
    bit<16> b;
    bit<8>  left_out_too;
    bit<32> c;
    bit<16> two;
    bit<16> three;
    bit<16> hashed;
    bit<8>  right;
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

#define OWN_VERIFY
control V(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(true, { hdr.w.a, hdr.w.b }, hdr.w.two, HashAlgorithm.csum16);
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.w.right = 7w0 ++ (1 - standard.checksum_error);
        hash(hdr.w.hashed, HashAlgorithm.csum16, 16w0, { hdr.w.b, hdr.w.a }, 17w0x10000);
        standard.egress_spec = 1;
    }
}

#define OWN_UPDATE
control U(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(true, { hdr.w.a, hdr.w.b }, hdr.w.two, HashAlgorithm.csum16);
        update_checksum(true, { hdr.w.b, hdr.w.c, hdr.w.a }, hdr.w.three, HashAlgorithm.csum16);
    }
}

#include "../rest.p4"
