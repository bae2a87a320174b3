// A clone of ingress is the packet as it came into the pass, parsed anew; egress treats it as a packet of its own.
#include <v1model.p4>

header one_t {
    bit<8> changed;
    bit<8> type;
    bit<8> port;
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
        clone(CloneType.I2E, 3);
        hdr.one.changed = 0xee;
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.type = (bit<8>) standard.instance_type;
        hdr.one.port = (bit<8>) standard.egress_port;
    }
}

#include "../rest.p4"
