// One header more than the stack holds is a parser error; what was parsed before stays, the rest is payload.
#include <v1model.p4>

header label_t {
    bit<8> more;
}

header result_t {
    bit<8> result;
}

struct headers_t {
    result_t   result;
    label_t[2] labels;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.result);
        transition labels;
    }
    state labels {
        packet.extract(hdr.labels.next);
        transition select(hdr.labels.last.more) {
            1: labels;
            default: accept;
        }
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.result.result = standard.parser_error == error.StackOutOfBounds ? 8w1 : 0;
        hdr.labels[0].more = hdr.labels[0].more | 0xa0;
    }
}

#include "../rest.p4"
