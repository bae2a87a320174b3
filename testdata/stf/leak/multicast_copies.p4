// What one copy's egress does to headers and metadata, the next copy does not see.
#include <v1model.p4>

header one_t {
    bit<8> value;
}

header added_t {
    bit<8> value;
}

struct headers_t {
    one_t one;
    added_t added;
}

struct metadata_t {
    bit<8> seen;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.mcast_grp = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.value = hdr.one.value + 1 + meta.seen + hdr.added.value;
        meta.seen = 0x10;
        if (standard.egress_port == 1) {
            hdr.added.setValid();
            hdr.added.value = 0x40;
        } else if (standard.egress_port == 2) {
            truncate(1);
            mark_to_drop(standard);
        }
    }
}

#include "../rest.p4"
