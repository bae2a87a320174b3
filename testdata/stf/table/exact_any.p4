// `_` for an exact key among the program's own entries, which have an order since another key is ternary.
#include <v1model.p4>

header key_t {
    bit<8> exact_key;
    bit<8> masked_key;
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
    table both {
        key = {
            hdr.k.exact_key: exact;
            hdr.k.masked_key: ternary;
        }
        actions = { found; }
        entries = {
            (1, 0x10 &&& 0xf0): found(1);
            (2, _): found(2);
            (_, 0x20): found(3);
            const _: found(4);
        }
    }

    apply {
        standard.egress_spec = 1;
        both.apply();
    }
}

#include "../rest.p4"
