// lookahead and advance past the packet's end are PacketTooShort.
#include <v1model.p4>

header result_t {
    bit<8> result;
    bit<8> ahead;
}

struct headers_t {
    result_t result;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.result);
        transition select(hdr.result.result) {
            0: look;
            default: jump;
        }
    }
    state look {
        hdr.result.ahead = packet.lookahead<bit<16>>()[7:0];
        transition accept;
    }
    state jump {
        packet.advance(16);
        hdr.result.ahead = packet.lookahead<bit<8>>();
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.result.result = standard.parser_error == error.PacketTooShort ? 8w1 : 0;
    }
}

#include "../rest.p4"
