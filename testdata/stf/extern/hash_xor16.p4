// xor16 is the exclusive or of 16-bit words; an odd byte at the end is the upper half of a word.
#include <v1model.p4>

header words_t {
    bit<16> a;
    bit<16> b;
    bit<8>  c;
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
    apply {
        hash(hdr.w.sum, HashAlgorithm.xor16, 16w0, { hdr.w.a, hdr.w.b, hdr.w.c }, 17w0x10000);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
