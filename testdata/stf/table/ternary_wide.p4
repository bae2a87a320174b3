// A ternary key of 2048 bits with a mask in the middle.
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
        key = { hdr.w.key[2047:0]: ternary; }
        actions = { found; }
        const entries = {
            (2048w0xabc << 1000) &&& (2048w0xfff << 1000): found(1);
            (2048w0xab0 << 1000) &&& (2048w0xff0 << 1000): found(2);
        }
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
    }
}

#include "../rest.p4"
