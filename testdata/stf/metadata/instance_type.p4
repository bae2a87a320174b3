// instance_type tells ingress how the packet came there (0, 4 recirculated, 6 resubmitted) and egress what kind of copy it is
// (0, 1 and 2 clones of ingress and egress, 5 multicast). After ingress, a packet that was recirculated or resubmitted is normal again.
#include <v1model.p4>

header one_t {
    bit<8> wish;
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
    apply {
        standard.egress_spec = 1;
        hdr.one.ingress = (bit<8>) standard.instance_type;
        if (standard.instance_type == 0) {
            if (hdr.one.wish == 1) {
                clone(CloneType.I2E, 1);
            } else if (hdr.one.wish == 5) {
                standard.mcast_grp = 1;
            } else if (hdr.one.wish == 6) {
                resubmit_preserving_field_list(0);
            }
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (standard.instance_type == 0 && hdr.one.ingress == 0) {
            if (hdr.one.wish == 2) {
                clone(CloneType.E2E, 1);
            } else if (hdr.one.wish == 4) {
                recirculate_preserving_field_list(0);
            }
        }
        hdr.one.egress = (bit<8>) standard.instance_type;
    }
}

#include "../rest.p4"
