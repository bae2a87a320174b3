// The length is of the packet as it leaves, with the headers that were added.
#include <v1model.p4>

header one_t {
    bit<8> one;
}

header added_t {
    bit<32> added;
}

struct headers_t {
    added_t added;
    one_t one;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        truncate(6);
        hdr.added.setValid();
        hdr.added.added = 0xaaaaaaaa;
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
