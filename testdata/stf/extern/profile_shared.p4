// Two tables share one action profile: a member's new action is new for both.
#include <v1model.p4>

header one_t {
    bit<8> a;
    bit<8> b;
    bit<8> first;
    bit<8> second;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    bit<8> found;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_profile(8) results;

    action result(bit<8> value) {
        meta.found = value;
    }
    table first {
        key = { hdr.one.a: exact; }
        actions = { result; }
        implementation = results;
    }
    table second {
        key = { hdr.one.b: exact; }
        actions = { result; }
        implementation = results;
    }

    apply {
        standard.egress_spec = 1;
        first.apply();
        hdr.one.first = meta.found;
        meta.found = 0;
        second.apply();
        hdr.one.second = meta.found;
    }
}

#include "../rest.p4"
