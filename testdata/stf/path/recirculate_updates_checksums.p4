// The checksums are updated at each pass's end: the next pass verifies what the last one has written.
#include <v1model.p4>

header one_t {
    bit<8>  passes;
    bit<8>  errors;
    bit<16> sum;
}

struct headers_t {
    one_t one;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

#define OWN_VERIFY
control V(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(true, { hdr.one.passes, hdr.one.errors }, hdr.one.sum, HashAlgorithm.crc16);
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.one.errors = hdr.one.errors + (bit<8>) standard.checksum_error;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.one.passes < 5) {
            hdr.one.passes = hdr.one.passes + 1;
            recirculate_preserving_field_list(0);
        }
    }
}

#define OWN_UPDATE
control U(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(true, { hdr.one.passes, hdr.one.errors }, hdr.one.sum, HashAlgorithm.crc16);
    }
}

#include "../rest.p4"
