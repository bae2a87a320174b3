// ingress_port is the port that the packet came in by, there already for the parser, and in egress still.
#include <v1model.p4>

header one_t {
    bit<8> in_parser;
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
        hdr.one.in_parser = (bit<8>) standard.ingress_port;
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.in_ingress = (bit<8>) standard.ingress_port;
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.in_egress = (bit<8>) standard.ingress_port;
    }
}

#include "../rest.p4"
