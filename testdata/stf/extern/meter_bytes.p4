// A meter of bytes takes a token for each byte of the packet. A packet that is too large for what is left takes none.
#include <v1model.p4>

header one_t {
    bit<8> index;
    bit<8> colour;
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
    meter(4, MeterType.bytes) limiter;

    apply {
        limiter.execute_meter((bit<32>) hdr.one.index, hdr.one.colour);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
