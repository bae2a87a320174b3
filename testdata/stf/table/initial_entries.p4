// Entries that are not constant: there from the start, with priorities, and the control plane adds to them. The larger number wins.
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
    table t {
        key = { hdr.k.key: ternary; }
        actions = { found; }
        entries = {
            priority = 10: 0x10 &&& 0xf0: found(1);
            const priority = 20: 0x02 &&& 0x0f: found(2);
        }
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
    }
}

#include "../rest.p4"
