// A clone that egress makes leaves, although the packet itself recirculates: what ingress or egress asked for the packet is not asked for
// its clone. Nor is the clone cut because the packet is.
#include <v1model.p4>

header one_t {
    bit<8> wish;
    bit<8> passes;
    bit<8> type;
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

#define WANTED(BIT) (hdr.one.wish & BIT == BIT)

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.passes = hdr.one.passes + 1;
        standard.egress_spec = 1;
        if (hdr.one.passes == 1 && WANTED(1)) {
            recirculate_preserving_field_list(0);
        }
        if (hdr.one.passes == 1 && WANTED(4)) {
            truncate(4);
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.type = (bit<8>) standard.instance_type;
        if (standard.instance_type == 0 && hdr.one.passes == 1) {
            clone(CloneType.E2E, 1);
            if (WANTED(2)) {
                recirculate_preserving_field_list(0);
            }
            if (WANTED(8)) {
                truncate(4);
            }
        }
    }
}

#include "../rest.p4"
