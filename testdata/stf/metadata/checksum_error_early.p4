// The switch sets checksum_error itself after verification: what the parser writes is lost.
#include <v1model.p4>

header words_t {
    bit<16> data;
    bit<16> sum;
    bit<8>  error_seen;
}

struct headers_t {
    words_t w;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.w);
        standard.checksum_error = 1;
        transition accept;
    }
}

#define OWN_VERIFY
control V(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(true, { hdr.w.data }, hdr.w.sum, HashAlgorithm.csum16);
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.w.error_seen = (bit<8>) standard.checksum_error;
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
