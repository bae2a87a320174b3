// What the control plane does with a counter: read, set, clear. A counter goes on from what it was set to.
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
    counter(4, CounterType.packets_and_bytes) seen;

    apply {
        seen.count((bit<32>) hdr.one.index);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
