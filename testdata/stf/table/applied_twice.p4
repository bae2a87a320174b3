// A table applied twice in one pass looks its key up anew each time.
#include <v1model.p4>

header key_t {
    bit<8> key;
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
    action replace(bit<8> with) {
        hdr.k.key = with;
    }
    table t {
        key = { hdr.k.key: exact; }
        actions = { replace; }
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
        t.apply();
    }
}

#include "../rest.p4"
