// The checksum of a packet that truncate shortens covers its whole payload.
#include <v1model.p4>

header sum_t {
    bit<16> sum;
}

struct headers_t {
    sum_t sum;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.sum);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        truncate(4);
    }
}

#define OWN_UPDATE
control U(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum_with_payload(true, { 16w0 }, hdr.sum.sum, HashAlgorithm.csum16);
    }
}

#include "../rest.p4"
