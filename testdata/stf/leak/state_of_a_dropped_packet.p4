// A packet that is dropped in the middle, by a failed assertion or a parser that never ends, leaves nothing behind for the next one.
#include <v1model.p4>

header one_t {
    bit<8> wish;
    bit<8> seen;
}

header two_t {
    bit<8> value;
}

struct headers_t {
    one_t one;
    two_t two;
}

struct metadata_t {
    bit<8> value;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.seen = meta.value + hdr.two.value + (hdr.two.isValid() ? 8w1 : 0);
        meta.value = 0x40;
        hdr.two.setValid();
        hdr.two.value = 0x20;
        standard.egress_spec = 1;
        clone(CloneType.I2E, 1);
        assert(hdr.one.wish != 1);
        hdr.two.setInvalid();
    }
}

#include "../rest.p4"
