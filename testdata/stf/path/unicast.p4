// A packet leaves by the port in egress_spec, its own included; what the parser did not read follows behind the headers.
#include <v1model.p4>

header one_t {
    bit<8> port;
}

struct headers_t {
    one_t one;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = (bit<9>) hdr.one.port;
    }
}

#include "../rest.p4"
