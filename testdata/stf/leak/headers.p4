// Nothing of a packet's headers is there for the next one: neither values nor validity.
#include <v1model.p4>

header one_t {
    bit<8> kind;
    bit<8> two_valid;
    bit<8> two_value;
}

header two_t {
    bit<8> value;
}

struct headers_t {
    one_t one;
    two_t two;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition select(hdr.one.kind) {
            1: two;
            default: accept;
        }
    }
    state two {
        packet.extract(hdr.two);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.one.two_valid = hdr.two.isValid() ? 8w1 : 0;
        hdr.one.two_value = hdr.two.value;
        if (hdr.one.kind == 2) {
            hdr.two.setValid();
        }
    }
}

#include "../rest.p4"
