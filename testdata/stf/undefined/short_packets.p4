// A packet that ends in the middle of a header: PacketTooShort, the header stays invalid, its bytes are payload. A packet of no bytes too.
#include <v1model.p4>

header long_t {
    bit<32> value;
}

header result_t {
    bit<8> result;
}

struct headers_t {
    result_t result;
    long_t long;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.long);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.result.setValid();
        hdr.result.result = standard.parser_error == error.PacketTooShort ? 8w1 : 0;
        hdr.long.value = 0x77777777;
    }
}

#include "../rest.p4"
