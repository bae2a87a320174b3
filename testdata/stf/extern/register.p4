// A register remembers from one packet to the next; a packet reads what it has just written.
#include <v1model.p4>

header ask_t {
    bit<8>  index;
    bit<16> value;
    bit<16> before;
    bit<16> after;
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
    register<bit<16>>(8) memory;

    apply {
        memory.read(hdr.ask.before, (bit<32>) hdr.ask.index);
        memory.write((bit<32>) hdr.ask.index, hdr.ask.value);
        memory.read(hdr.ask.after, (bit<32>) hdr.ask.index);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
