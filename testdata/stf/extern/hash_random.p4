// random takes a number from the switch's generator and not from the data; base and max hold for it too.
#include <v1model.p4>

header data_t {
    bit<8>  data;
    bit<8>  fixed;
    bit<8>  four;
}

struct headers_t {
    data_t d;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.d);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hash(hdr.d.fixed, HashAlgorithm.random, 8w7, { hdr.d.data }, 8w1);
        hash(hdr.d.four, HashAlgorithm.random, 8w0x10, { hdr.d.data }, 8w4);
        if (hdr.d.four >= 0x10 && hdr.d.four < 0x14) {
            hdr.d.four = 0xff;
        }
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
