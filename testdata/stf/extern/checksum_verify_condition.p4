// A checksum whose condition does not hold is not looked at. One of several that is wrong is enough for checksum_error.
#include <v1model.p4>

header words_t {
    bit<8>  first_counts;
    bit<8>  second_counts;
    bit<16> data;
    bit<16> first;
    bit<16> second;
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
        verify_checksum(hdr.w.first_counts == 1, { hdr.w.data }, hdr.w.first, HashAlgorithm.csum16);
        verify_checksum(hdr.w.second_counts == 1, { hdr.w.data }, hdr.w.second, HashAlgorithm.xor16);
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.w.wrong = (bit<8>) standard.checksum_error;
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
