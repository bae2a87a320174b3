// A packet cut to no bytes leaves all the same.
#include <v1model.p4>

header one_t {
    bit<8> one;
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

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        truncate(0);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
