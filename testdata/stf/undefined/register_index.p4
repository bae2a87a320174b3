// Past a register's end: read gives 0, write does nothing, and no neighbour is touched.
#include <v1model.p4>

header ask_t {
    bit<32> index;
    bit<16> value;
    bit<16> read;
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
    register<bit<16>>(2) first;
    register<bit<16>>(2) second;

    apply {
        hdr.ask.read = 0xffff;
        first.read(hdr.ask.read, hdr.ask.index);
        first.write(hdr.ask.index, hdr.ask.value);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
