// A prefix beside exact keys: the longest prefix among the entries whose exact keys match.
#include <v1model.p4>

header key_t {
    bit<8>   net;
    bit<128> address;
    bit<8>   found;
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
            hdr.k.net: exact;
            hdr.k.address: lpm;
        }
        actions = { found; }
        default_action = found(0);
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
    }
}

#include "../rest.p4"
