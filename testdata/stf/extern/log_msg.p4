// log_msg writes into the switch's log and changes nothing.
#include <v1model.p4>

header one_t {
    bit<8>  one;
    bit<16> two;
}

struct headers_t {
    one_t one;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        log_msg("a packet came in");
        log_msg("one {} two {} valid {}", { hdr.one.one, hdr.one.two, hdr.one.isValid() });
        log_msg("fewer {} than {} are named", { hdr.one.one });
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
