// Headers that come and go: what leaves is as long as its headers and the payload together, many times the packet that came.
#include <v1model.p4>

header one_t {
    bit<8> wish;
}

header big_t {
    bit<2048> big;
}

struct headers_t {
    one_t    one;
    big_t[4] bigs;
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
        standard.egress_spec = 1;
        if (hdr.one.wish == 1) {
            hdr.bigs[0].setValid();
            hdr.bigs[1].setValid();
            hdr.bigs[2].setValid();
            hdr.bigs[3].setValid();
            hdr.bigs[3].big = 0xabc;
        } else {
            hdr.one.setInvalid();
        }
        truncate(1030);
    }
}

#include "../rest.p4"
