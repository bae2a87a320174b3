// packet_length is there for the parser, and 0 nowhere: a payload's length can be told.
#include <v1model.p4>

header one_t {
    bit<8> payload;
}

struct headers_t {
    one_t one;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        hdr.one.payload = (bit<8>) (standard.packet_length - 1);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
