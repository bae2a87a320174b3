// @priority on constant entries, older than the language's own priorities: the smallest number wins. An entry without it has its position
// in the list, from 1 on.
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
    @noWarn("covered-entry") table t {
        key = { hdr.k.key: ternary; }
        actions = { found; }
        const entries = {
            0x10 &&& 0xf0: found(1) @priority(5);
            0x12: found(2) @priority(7);
            0x02 &&& 0x0f: found(3);
            0x00 &&& 0x00: found(4) @priority(9);
        }
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
    }
}

#include "../rest.p4"
