// Numbers wrap around at their width, saturating operators stop at their bounds, a shift by the width or more gives 0 (or the sign).
#include <v1model.p4>

header sums_t {
    bit<8> a;
    bit<8> b;
    bit<8> sum;
    bit<8> difference;
    bit<8> bounded_sum;
    bit<8> bounded_difference;
    bit<8> left;
    bit<8> right;
    int<8> signed_right;
}

struct headers_t {
    sums_t s;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.s);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.s.sum = hdr.s.a + hdr.s.b;
        hdr.s.difference = hdr.s.a - hdr.s.b;
        hdr.s.bounded_sum = hdr.s.a |+| hdr.s.b;
        hdr.s.bounded_difference = hdr.s.a |-| hdr.s.b;
        hdr.s.left = hdr.s.a << hdr.s.b;
        hdr.s.right = hdr.s.a >> hdr.s.b;
        hdr.s.signed_right = (int<8>) hdr.s.a >> hdr.s.b;
    }
}

#include "../rest.p4"
