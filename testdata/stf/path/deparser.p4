// The deparser decides what leaves and in which order; a header can leave twice, or not at all. The payload comes last.
#include <v1model.p4>

header one_t {
    bit<8> one;
}

header two_t {
    bit<8> two;
}

header three_t {
    bit<8> three;
}

struct headers_t {
    one_t one;
    @noWarn("never-emitted") two_t two;
    three_t three;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        packet.extract(hdr.two);
        packet.extract(hdr.three);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
    }
}

#define OWN_DEPARSER
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.three);
        packet.emit(hdr.one);
        packet.emit(hdr.one);
    }
}

#include "../rest.p4"
