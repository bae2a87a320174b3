// A table without keys always misses: its default action is what the control plane sets.
#include <v1model.p4>

header one_t {
    bit<8> value;
    bit<8> hit;
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
    action value(bit<8> v) {
        hdr.one.value = v;
    }
    table setting {
        actions = { value; }
        default_action = value(1);
    }

    apply {
        standard.egress_spec = 1;
        hdr.one.hit = setting.apply().hit ? 8w1 : 0;
    }
}

#include "../rest.p4"
