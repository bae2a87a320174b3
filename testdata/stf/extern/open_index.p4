// Objects that leave the type of their index open, with indices of several widths; a later version of v1model.p4.
#define V1MODEL_VERSION 20220415
#include <v1model.p4>

header key_t {
    bit<8>  wide;
    bit<4>  narrow;
    bit<4>  other;
    bit<16> value;
}

struct headers_t {
    key_t k;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.k);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<bit<16>, _>(16) cells;
    counter<_>(16, CounterType.packets) packets;

    apply {
        standard.egress_spec = 1;
        cells.write(hdr.k.wide, hdr.k.value);
        cells.read(hdr.k.value, hdr.k.narrow);
        packets.count(hdr.k.wide);
        packets.count(hdr.k.narrow);
    }
}

#include "../rest.p4"
