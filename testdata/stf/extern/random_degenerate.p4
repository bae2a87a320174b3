// Bounds of any width and computed at run time; bounds the wrong way round give the lower one.
#include <v1model.p4>

header draw_t {
    bit<200> low;
    bit<200> high;
    bit<200> drawn;
}

struct headers_t {
    draw_t d;
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
        random(hdr.d.drawn, hdr.d.low, hdr.d.high);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
