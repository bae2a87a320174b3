// egress_port is known in egress, and 0 before. Writing it there changes nothing about the way out.
#include <v1model.p4>

header one_t {
    bit<8> in_ingress;
    bit<8> in_egress;
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

@noWarn("read-too-early") control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.in_ingress = (bit<8>) standard.egress_port;
        standard.egress_spec = 5;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.in_egress = (bit<8>) standard.egress_port;
        standard.egress_port = 2;
    }
}

#include "../rest.p4"
