// A copy of an invalid header is invalid, with its fields; two invalid headers are equal, whatever they held; an invalid and a valid one are not.
#include <v1model.p4>

header one_t {
    bit<8> equal_before;
    bit<8> equal_after;
}

header two_t {
    bit<8> value;
}

struct headers_t {
    one_t one;
    two_t a;
    two_t b;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        packet.extract(hdr.a);
        transition select(hdr.a.value) {
            1: both;
            default: accept;
        }
    }
    state both {
        packet.extract(hdr.b);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.one.equal_before = hdr.a == hdr.b ? 8w1 : 0;
        hdr.a = hdr.b;
        hdr.one.equal_after = hdr.a == hdr.b ? 8w1 : 0;
    }
}

#include "../rest.p4"
