// Ranges of signed keys follow the order of signed numbers, also over 0.
#include <v1model.p4>

header key_t {
    int<16> height;
    int<8>  level;
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
        key = { hdr.k.height: range; hdr.k.level: range; }
        actions = { found; }
        default_action = found(0);
        const entries = {
            (-5 .. 5, -1 .. 1): found(1);
            (-5 .. 5, _): found(2);
            (-32768 .. -100, -128 .. 127): found(3);
            (100 .. 32767, -3 .. 127): found(4);
        }
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
    }
}

#include "../rest.p4"
