// @defaultonly actions are for the default, @tableonly ones for entries; a const default action stays what it is.
#include <v1model.p4>

header key_t {
    bit<8> key;
    bit<8> found;
}

struct headers_t {
    key_t k;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.k);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action found(bit<8> what) {
        hdr.k.found = what;
    }
    action none() {
        hdr.k.found = 0xee;
    }
    table t {
        key = { hdr.k.key: exact; }
        actions = {
            @tableonly found;
            @defaultonly none;
        }
        const default_action = none();
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
    }
}

#include "../rest.p4"
