// Three paths in a row: multicast, the copies recirculate, and each is cloned at ingress of its second pass: the clone is what recirculated.
#include <v1model.p4>

header one_t {
    bit<8>  round;
    bit<16> rid;
    bit<8>  mark;
    bit<8>  type;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    @field_list(1)
    bit<8> mark;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.one.round == 0) {
            standard.mcast_grp = 1;
        } else {
            meta.mark = meta.mark + 1;
            clone_preserving_field_list(CloneType.I2E, 1, 1);
            hdr.one.mark = 0xee;
            standard.egress_spec = 1;
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.type = (bit<8>) standard.instance_type;
        if (hdr.one.round == 0) {
            hdr.one.round = 1;
            hdr.one.rid = standard.egress_rid;
            meta.mark = 0x40 + (bit<8>) standard.egress_rid;
            recirculate_preserving_field_list(1);
        } else if (standard.instance_type == 1) {
            hdr.one.mark = meta.mark;
        }
    }
}

#include "../rest.p4"
