// Division and remainder by 0, which only run time can show, give 0.
#include <v1model.p4>

header one_t {
    bit<8> a;
    bit<8> b;
    bit<8> quotient;
    bit<8> remainder;
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
        standard.egress_spec = 1;
        hdr.one.quotient = hdr.one.a / hdr.one.b;
        hdr.one.remainder = hdr.one.a % hdr.one.b;
    }
}

#include "../rest.p4"
