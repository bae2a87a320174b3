// An assert or assume that fails drops the packet (simple_switch would end); the switch goes on. Where the check holds nothing happens.
#include <v1model.p4>

header one_t {
    bit<8> asserted;
    bit<8> assumed;
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
        assert(hdr.one.asserted != 0);
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        assume(hdr.one.assumed != 0);
    }
}

#include "../rest.p4"
