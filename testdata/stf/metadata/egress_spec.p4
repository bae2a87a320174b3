// egress_spec begins as 0: a program that does not set it sends to port 0. 511 means drop, by whatever way it gets there.
#include <v1model.p4>

header one_t {
    bit<8>  set;
    bit<16> spec;
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
        if (hdr.one.set == 1) {
            standard.egress_spec = (bit<9>) hdr.one.spec;
        }
        hdr.one.spec = (bit<16>) standard.egress_spec;
    }
}

#include "../rest.p4"
