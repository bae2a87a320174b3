// Objects whose index is a number without a width, which is constant in each call; a later version of v1model.p4.
#define V1MODEL_VERSION 20220415
#include <v1model.p4>

header key_t {
    bit<8>  wide;
    bit<4>  narrow;
    bit<4>  other;
    bit<16> value;
}

const int LAST = 15;

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
    register<bit<16>, int>(16) cells;
    counter<int>(16, CounterType.packets) packets;
    meter<int>(16, MeterType.packets) colours;

    apply {
        standard.egress_spec = 1;
        cells.read(hdr.k.value, 1);
        cells.write(LAST - 14, hdr.k.value + 1);
        cells.write(-1, 99);
        cells.write(LAST - 1, 7);
        packets.count(LAST / 5);
        colours.execute_meter(2, hdr.k.wide);
    }
}

#include "../rest.p4"
