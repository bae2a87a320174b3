// Exact keys, of several fields of any width: all of them must be equal.
#include <v1model.p4>

header key_t {
    bit<1>  one;
    bit<15> fifteen;
    bit<48> address;
    bit<8>  found;
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
        key = {
            hdr.k.one: exact;
            hdr.k.fifteen: exact;
            hdr.k.address: exact;
        }
        actions = { found; NoAction; }
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
    }
}

#include "../rest.p4"
