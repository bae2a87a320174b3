// Past a counter's end nothing is counted, past a meter's end a packet is green.
#include <v1model.p4>

header ask_t {
    bit<32> index;
    bit<8>  colour;
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
    counter(2, CounterType.packets) seen;
    meter(2, MeterType.packets) limiter;

    apply {
        seen.count(hdr.ask.index);
        limiter.execute_meter(hdr.ask.index, hdr.ask.colour);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
