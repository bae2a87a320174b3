// return ends an action, exit the whole block: what follows in ingress does not happen, egress does.
#include <v1model.p4>

header one_t {
    bit<8> key;
    bit<8> action_end;
    bit<8> block_end;
    bit<8> egress;
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
    action leave() {
        hdr.one.action_end = 1;
        return;
        hdr.one.action_end = 2;
    }
    action end() {
        hdr.one.action_end = 3;
        exit;
    }
    table t {
        key = { hdr.one.key: exact; }
        actions = { leave; end; }
        const entries = {
            1: leave();
            2: end();
        }
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
        hdr.one.block_end = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.egress = 1;
    }
}

#include "../rest.p4"
