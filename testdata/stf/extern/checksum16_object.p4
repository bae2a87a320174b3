// Checksum16 is the Internet checksum as a value, the form of v1model's first days.
#include <v1model.p4>

header words_t {
    bit<16> a;
    bit<16> b;
    bit<16> sum;
}

struct headers_t {
    words_t w;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.w);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    Checksum16() checksum;

    apply {
        hdr.w.sum = checksum.get({ hdr.w.a, hdr.w.b });
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
