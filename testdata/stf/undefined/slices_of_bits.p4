// Slices are read and written without a trace on their neighbours, across bytes and words.
#include <v1model.p4>

header one_t {
    bit<72> wide;
    bit<8>  read;
}

struct headers_t {
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
        standard.egress_spec = 1;
        hdr.one.read = hdr.one.wide[67:60];
        hdr.one.wide[67:60] = 0xa5;
        hdr.one.wide[0:0] = 1;
        hdr.one.wide[71:71] = 0;
    }
}

#include "../rest.p4"
