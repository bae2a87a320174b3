// verify_checksum sets checksum_error and nothing else: what happens to the packet is the program's decision.
#include <v1model.p4>

header words_t {
    bit<16> a;
    bit<16> b;
    bit<16> c;
    bit<16> sum;
    bit<8>  wrong;
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
        verify_checksum(true, { hdr.w.a, hdr.w.b, hdr.w.c }, hdr.w.sum, HashAlgorithm.csum16);
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.w.wrong = (bit<8>) standard.checksum_error;
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
