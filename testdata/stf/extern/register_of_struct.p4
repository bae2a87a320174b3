// A cell can be a struct; its fields are read and written together.
#include <v1model.p4>

struct flow_t {
    bit<5>  packets;
    bool    marked;
    bit<48> last;
}

header ask_t {
    bit<8>  index;
    bit<48> value;
    bit<8>  packets;
    bit<8>  marked;
    bit<48> last;
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
    register<flow_t>(4) flows;

    apply {
        flow_t flow;
        flows.read(flow, (bit<32>) hdr.ask.index);
        hdr.ask.packets = (bit<8>) flow.packets;
        hdr.ask.marked = flow.marked ? 8w1 : 0;
        hdr.ask.last = flow.last;
        flow.packets = flow.packets + 1;
        flow.marked = !flow.marked;
        flow.last = hdr.ask.value;
        flows.write((bit<32>) hdr.ask.index, flow);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
