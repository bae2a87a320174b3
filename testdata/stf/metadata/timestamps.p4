// Timestamps are microseconds since the switch started. A pass of the default profile takes one:
// egress comes one later than ingress. A recirculated packet has no time at which it was received.
#include <v1model.p4>

header times_t {
    bit<8>  passes;
    bit<48> ingress;
    bit<48> egress;
    bit<48> ingress_in_egress;
}

struct headers_t {
    times_t t;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.t);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.t.ingress = standard.ingress_global_timestamp;
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.t.egress = standard.egress_global_timestamp;
        hdr.t.ingress_in_egress = standard.ingress_global_timestamp;
        if (hdr.t.passes > 0) {
            hdr.t.passes = hdr.t.passes - 1;
            recirculate_preserving_field_list(0);
        }
    }
}

#include "../rest.p4"
