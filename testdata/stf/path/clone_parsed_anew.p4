// The parser knows a clone by its instance_type and can read it otherwise; ingress_port is there for it too.
#include <v1model.p4>

header short_t {
    bit<8> a;
}

header long_t {
    bit<16> a;
    bit<8>  port;
}

struct headers_t {
    short_t short;
    long_t long;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        transition select(standard.instance_type) {
            1: cloned;
            default: original;
        }
    }
    state original {
        packet.extract(hdr.short);
        transition accept;
    }
    state cloned {
        packet.extract(hdr.long);
        hdr.long.port = (bit<8>) standard.ingress_port;
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        clone(CloneType.I2E, 1);
        hdr.short.a = 0x11;
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.long.isValid()) {
            hdr.long.a = 0x2222;
        }
    }
}

#include "../rest.p4"
