// The result is base + hash mod max, in as many bits as the result has; a max of 0 gives base. Both may be chosen at run time.
#include <v1model.p4>

header ask_t {
    bit<16> data;
    bit<16> base;
    bit<16> max;
    bit<16> result;
    bit<4>  narrow;
    bit<4>  zero;
}

struct headers_t {
    ask_t ask;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ask);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hash(hdr.ask.result, HashAlgorithm.identity, hdr.ask.base, { hdr.ask.data }, hdr.ask.max);
        hash(hdr.ask.narrow, HashAlgorithm.identity, hdr.ask.base, { hdr.ask.data }, hdr.ask.max);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
