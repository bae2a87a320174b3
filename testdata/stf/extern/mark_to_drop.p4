// mark_to_drop sets egress_spec to the drop port and mcast_grp to 0, nothing more: the block goes on, and both can be set anew.
#include <v1model.p4>

header ask_t {
    bit<8> again;
    bit<8> group;
    bit<16> spec;
}

struct headers_t {
    ask_t ask;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ask);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        standard.mcast_grp = 1;
        mark_to_drop(standard);
        hdr.ask.spec = (bit<16>) standard.egress_spec;
        hdr.ask.group = (bit<8>) standard.mcast_grp;
        if (hdr.ask.again == 1) {
            standard.egress_spec = 2;
        }
    }
}

#include "../rest.p4"
