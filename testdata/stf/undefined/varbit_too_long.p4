// A varbit field longer than it may be is HeaderTooShort, one of a length that is no whole byte is ParserInvalidArgument; the header stays invalid.
#include <v1model.p4>

header length_t {
    bit<8> bits;
    bit<8> result;
}

header options_t {
    varbit<32> options;
}

struct headers_t {
    length_t length;
    options_t options;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.length);
        packet.extract(hdr.options, (bit<32>) hdr.length.bits);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.length.result = hdr.options.isValid() ? 8w0x10 : 0;
        if (standard.parser_error == error.HeaderTooShort) {
            hdr.length.result = hdr.length.result + 1;
        } else if (standard.parser_error == error.ParserInvalidArgument) {
            hdr.length.result = hdr.length.result + 2;
        } else if (standard.parser_error == error.PacketTooShort) {
            hdr.length.result = hdr.length.result + 3;
        }
    }
}

#include "../rest.p4"
