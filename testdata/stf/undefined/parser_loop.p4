// A parser that loops without reading would never end: it is stopped with ParserTimeout, and the packet continues.
#include <v1model.p4>

header one_t {
    bit<8> kind;
}

struct headers_t {
    one_t one;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition around;
    }
    state around {
        transition select(hdr.one.kind) {
            0: accept;
            default: around;
        }
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (standard.parser_error == error.ParserTimeout) {
            hdr.one.kind = 0xee;
        }
    }
}

#include "../rest.p4"
