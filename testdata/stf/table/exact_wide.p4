// Keys as wide as 2048 bits: one bit that differs, at either end, is another key.
#include <v1model.p4>

header wide_t {
    bit<2048> key;
    bit<8>    found;
}

struct headers_t {
    wide_t w;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.w);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action found(bit<8> what) {
        hdr.w.found = what;
    }
    table t {
        key = { hdr.w.key: exact; }
        actions = { found; }
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
    }
}

#include "../rest.p4"
