// last of a stack from which nothing was extracted is a parser error.
#include <v1model.p4>

header label_t {
    bit<8> value;
}

struct headers_t {
    label_t    result;
    label_t[2] labels;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.result);
        transition select(hdr.result.value) {
            1: one;
            default: look;
        }
    }
    state one {
        packet.extract(hdr.labels.next);
        transition look;
    }
    state look {
        hdr.result.value = hdr.labels.last.value;
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (standard.parser_error == error.StackOutOfBounds) {
            hdr.result.value = 0xee;
        }
    }
}

#include "../rest.p4"
