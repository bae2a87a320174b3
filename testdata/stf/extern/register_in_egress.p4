// A register belongs to one control: two of the same name in ingress and egress are two, and copies of one packet write one after the other.
#include <v1model.p4>

header one_t {
    bit<8> ingress;
    bit<8> egress;
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
    register<bit<8>>(1) count;

    apply {
        bit<8> n;
        count.read(n, 0);
        count.write(0, n + 1);
        hdr.one.ingress = n + 1;
        standard.mcast_grp = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<bit<8>>(1) count;

    apply {
        bit<8> n;
        count.read(n, 0);
        count.write(0, n + 1);
        hdr.one.egress = n + 1;
    }
}

#include "../rest.p4"
