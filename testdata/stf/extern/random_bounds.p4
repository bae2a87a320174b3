// random gives numbers from low to high, both included; in 48 draws each of four comes.
#include <v1model.p4>

header draw_t {
    bit<8> low;
    bit<8> high;
    bit<8> outside;
    bit<8> seen;        // a bit a number, from low on
}

struct headers_t {
    draw_t d;
}

struct metadata_t {
    @field_list(1)
    bit<8> round;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.d);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        bit<8> number;
        random(number, hdr.d.low, hdr.d.high);
        if (number < hdr.d.low || number > hdr.d.high) {
            hdr.d.outside = hdr.d.outside + 1;
        } else {
            hdr.d.seen = hdr.d.seen | 8w1 << (number - hdr.d.low);
        }
        standard.egress_spec = 1;
        meta.round = meta.round + 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (meta.round < 48) {
            recirculate_preserving_field_list(1);
        }
    }
}

#include "../rest.p4"
