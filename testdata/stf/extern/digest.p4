// A digest goes to the control plane; the packet goes on.
#include <v1model.p4>

header one_t {
    bit<8>  one;
    bit<16> two;
}

struct learned_t {
    bit<9>  port;
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
        digest<learned_t>(1, { standard.ingress_port, hdr.one.two });
        digest(2, { hdr.one.one, hdr.one.two });
        standard.egress_spec = 1;
        if (hdr.one.one == 0) {
            mark_to_drop(standard);
        }
    }
}

#include "../rest.p4"
