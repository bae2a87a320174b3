// priority chooses the port's queue. With one queue a port, as here, it has no effect.
#include <v1model.p4>

header one_t {
    bit<8> priority;
    bit<8> back;
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
        standard.priority = (bit<3>) hdr.one.priority;
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.back = (bit<8>) standard.priority;
    }
}

#include "../rest.p4"
