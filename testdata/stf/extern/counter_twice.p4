// Each call counts, in ingress and in egress, and for each copy that comes by.
#include <v1model.p4>

header one_t {
    bit<8> index;
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
    counter(1, CounterType.packets) ingress;

    apply {
        ingress.count(0);
        ingress.count(0);
        standard.mcast_grp = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(2, CounterType.packets) egress;

    apply {
        egress.count((bit<32>) standard.egress_rid);
    }
}

#include "../rest.p4"
