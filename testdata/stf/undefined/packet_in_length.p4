// packet_in's length is the whole packet's in bytes, wherever the parser stands.
#include <v1model.p4>

header one_t {
    bit<8> before;
    bit<8> after;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    bit<8> before;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        meta.before = (bit<8>) packet.length();
        packet.extract(hdr.one);
        hdr.one.before = meta.before;
        hdr.one.after = (bit<8>) packet.length();
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
