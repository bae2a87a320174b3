// What is written to a header that is not valid can be read, but is not emitted; it is 0 when the header becomes valid.
#include <v1model.p4>

header one_t {
    bit<8> seen;
}

header two_t {
    bit<8> a;
    bit<8> b;
}

struct headers_t {
    one_t one;
    two_t two;
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
        hdr.two.a = 0x77;
        hdr.two.b = 0x77;
        hdr.one.seen = hdr.two.a;
        if (standard.ingress_port == 0) {
            hdr.two.setValid();
            hdr.two.b = 0x11;
        }
    }
}

#include "../rest.p4"
