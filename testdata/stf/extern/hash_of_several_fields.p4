// The fields are laid one behind the other, bit by bit, as in a header; what is left of the last byte is zeroes.
#include <v1model.p4>

header parts_t {
    bit<3>  a;
    bit<9>  b;
    bit<4>  c;
    bit<16> three;
    bit<16> two;
}

struct headers_t {
    parts_t p;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.p);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hash(hdr.p.three, HashAlgorithm.identity, 16w0, { hdr.p.a, hdr.p.b, hdr.p.c }, 17w0x10000);
        hash(hdr.p.two, HashAlgorithm.identity, 16w0, { hdr.p.a, hdr.p.b }, 17w0x10000);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
