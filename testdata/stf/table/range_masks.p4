// A mask of a range key stands for the range of the values that it lets through.
#include <v1model.p4>

header key_t {
    bit<16> port;
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
        key = { hdr.k.port: range; hdr.k.level: range; }
        actions = { found; }
        default_action = found(0);
        const entries = {
            (0x0800 &&& 0xff00, _): found(1);
            (0x1234 &&& 0xfff0, -0x80 &&& -0x80): found(2);
            (0x1234 &&& 0xffff, _): found(3);
            (0x5555 &&& 0, 5 &&& -1): found(4);
        }
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
    }
}

#include "../rest.p4"
