// Every way to more than one packet, or to more than one pass.
#include <core.p4>
#include <v1model.p4>

header trail_t {
    bit<8>  order;
    bit<8>  passes;
    bit<8>  instance;
    bit<16> rid;
}

struct headers_t {
    trail_t trail;
}

struct metadata_t {
    @field_list(1)
    bit<8> again;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.trail);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (standard.instance_type != 0) {
            hdr.trail.instance = (bit<8>) standard.instance_type;
        }
        if (hdr.trail.order == 1) {
            standard.mcast_grp = 1;
        } else if (hdr.trail.order == 2) {
            clone(CloneType.I2E, 5);
        } else if (hdr.trail.order == 4 && meta.again == 0) {
            meta.again = 9;
            resubmit_preserving_field_list(1);
        } else if (hdr.trail.order == 4) {
            hdr.trail.passes = meta.again;
        }
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (standard.instance_type != 0) {
            hdr.trail.instance = (bit<8>) standard.instance_type;
        }
        hdr.trail.rid = standard.egress_rid;
        if (hdr.trail.order == 3 && standard.instance_type == 0) {
            clone(CloneType.E2E, 6);
        } else if (hdr.trail.order == 5 && hdr.trail.passes < 3) {
            hdr.trail.passes = hdr.trail.passes + 1;
            recirculate_preserving_field_list(0);
        }
    }
}

control U(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(P(), V(), I(), E(), U(), D()) main;
