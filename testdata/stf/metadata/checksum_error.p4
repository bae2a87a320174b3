// checksum_error is one bit, 0 unless a checksum was wrong in this packet's pass; a recirculated packet is looked at anew.
#include <v1model.p4>

header words_t {
    bit<8>  passes;
    bit<16> data;
    bit<16> sum;
    bit<8>  errors;     // a bit a pass
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
        verify_checksum(true, { hdr.w.data }, hdr.w.sum, HashAlgorithm.csum16);
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.w.errors = hdr.w.errors << 1 | (bit<8>) standard.checksum_error;
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.w.passes > 0) {
            hdr.w.passes = hdr.w.passes - 1;
            recirculate_preserving_field_list(0);
        }
    }
}

#define OWN_UPDATE
control U(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(true, { hdr.w.data }, hdr.w.sum, HashAlgorithm.csum16);
    }
}

#include "../rest.p4"
