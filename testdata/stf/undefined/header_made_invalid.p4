// A header that becomes invalid keeps its fields; they are 0 when it becomes valid again. setValid on a valid header changes nothing.
#include <v1model.p4>

header one_t {
    bit<8> before;
    bit<8> after;
}

header two_t {
    bit<8> a;
}

struct headers_t {
    one_t one;
    two_t two;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        packet.extract(hdr.two);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.two.setValid();
        hdr.one.before = hdr.two.a;
        hdr.two.setInvalid();
        hdr.one.after = hdr.two.a;
        if (standard.ingress_port == 0) {
            hdr.two.setValid();
        }
    }
}

#include "../rest.p4"
