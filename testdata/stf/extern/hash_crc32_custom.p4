// crc32_custom begins as crc32; the control plane gives it another polynomial.
#include <v1model.p4>

header text_t {
    bit<72> text;
    bit<32> sum;
}

struct headers_t {
    text_t t;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.t);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hash(hdr.t.sum, HashAlgorithm.crc32_custom, 32w0, { hdr.t.text }, 33w0x1_0000_0000);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
