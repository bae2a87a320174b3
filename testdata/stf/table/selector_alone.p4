// Keys of kind `selector` are ignored in a table without an action selector, in one with an action
// profile, and in one that has no other keys.
#include <v1model.p4>

header key_t {
    bit<16> network;
    bit<16> host;
    bit<8>  found;
    bit<8>  member;
    bit<8>  always;
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
    action member(bit<8> what) {
        hdr.k.member = what;
    }
    action always(bit<8> what) {
        hdr.k.always = what;
    }
    action_profile(16) members;
    table t {
        key = {
            hdr.k.host: selector;
            hdr.k.network: exact;
            standard.ingress_port: selector;
        }
        actions = { found; }
    }
    table with_profile {
        key = {
            hdr.k.network: exact;
            hdr.k.host: selector;
        }
        actions = { member; }
        implementation = members;
    }
    table only_selectors {
        key = { hdr.k.host: selector; }
        actions = { always; }
        default_action = always(7);
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
        with_profile.apply();
        only_selectors.apply();
    }
}

#include "../rest.p4"
