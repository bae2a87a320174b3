// truncate cuts what leaves, headers too; a packet that is short enough stays as it is. Of several lengths the least counts.
#include <v1model.p4>

header cut_t {
    bit<8> ingress;
    bit<8> egress;
    bit<8> marker;
}

struct headers_t {
    cut_t cut;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.cut);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.cut.ingress != 0) {
            truncate((bit<32>) hdr.cut.ingress);
        }
        hdr.cut.marker = 0x11;
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.cut.egress != 0) {
            truncate((bit<32>) hdr.cut.egress);
        }
    }
}

#include "../rest.p4"
