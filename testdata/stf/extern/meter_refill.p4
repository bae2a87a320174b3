// Tokens come back with time. Each round takes one microsecond: here a packet executes the meter in eight rounds.
#include <v1model.p4>

header rounds_t {
    bit<8>  number;
    bit<64> colours;    // a byte a round
}

struct headers_t {
    rounds_t r;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.r);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    meter(1, MeterType.packets) limiter;

    apply {
        bit<8> colour;
        limiter.execute_meter(0, colour);
        hdr.r.colours = hdr.r.colours << 8 | (bit<64>) colour;
        hdr.r.number = hdr.r.number + 1;
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.r.number < 8) {
            recirculate_preserving_field_list(0);
        }
    }
}

#include "../rest.p4"
