// If egress clones each of its own clones, the switch stops after 64 generations. The clones take no time, so without this limit the switch would process nothing else.
#include <v1model.p4>

header one_t {
    bit<8> generation;
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
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(2, CounterType.packets) passes;

    apply {
        passes.count(standard.instance_type == 2 ? 32w1 : 0);
        hdr.one.generation = hdr.one.generation + 1;
        clone(CloneType.E2E, 1);
        if (standard.instance_type == 2) {
            mark_to_drop(standard);
        }
    }
}

#include "../rest.p4"
