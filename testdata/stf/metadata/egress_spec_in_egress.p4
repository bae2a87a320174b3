// In egress, egress_spec no longer chooses the port: it is something other than the drop port, and only the drop port has an effect.
#include <v1model.p4>

header one_t {
    bit<8>  spec;
    bit<8>  is_drop_port;
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
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
@noWarn("written-too-late") control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.is_drop_port = standard.egress_spec == 511 ? 8w1 : 0;
        if (hdr.one.spec == 0xff) {
            standard.egress_spec = 511;
        } else {
            standard.egress_spec = (bit<9>) hdr.one.spec;
        }
    }
}

#include "../rest.p4"
