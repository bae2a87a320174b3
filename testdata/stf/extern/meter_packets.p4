// A meter of packets: two buckets, filled to their bursts, a token a packet. All packets come at time 0, so nothing is refilled.
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
    meter(4, MeterType.packets) limiter;

    apply {
        limiter.execute_meter((bit<32>) hdr.one.index, hdr.one.colour);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
