/* Each packet says what shall happen to it and to its copies, and brings back where it has been. */
#include <core.p4>
#include <v1model.p4>

/* What to do in a block, by the packet's instance type there. */
const bit<8> CLONE = 1;
const bit<8> AGAIN = 2;         // resubmit in ingress, recirculate in egress
const bit<8> MULTICAST = 4;
const bit<8> DROP = 8;          // last of all
const bit<8> TRUNCATE = 16;
const bit<8> CLONE_TO_GROUP = 32;
const bit<8> DROP_FIRST = 64;   // before all others

header script_t {
    bit<8> ingress_normal;
    bit<8> ingress_recirculated;
    bit<8> ingress_resubmitted;
    bit<8> egress_normal;
    bit<8> egress_ingress_clone;
    bit<8> egress_egress_clone;
    bit<8> egress_replicated;
    bit<8> port;
    bit<128> trail;             // a byte a block: ingress?, instance type, the kept metadata
    bit<16> rid;
    bit<16> length;
    bit<8> lost;
    bit<8> ingress_port;
}

struct headers_t {
    script_t script;
}

struct metadata_t {
    @field_list(1)
    bit<4> kept;
    bit<8> lost;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.script);
        transition select(standard.instance_type) {
            1: cloned;
            default: accept;
        }
    }
    state cloned {
        hdr.script.ingress_port = 0xff;
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

@noWarn("drop-overwritten") control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        bit<8> todo = 0;
        hdr.script.trail = hdr.script.trail << 8 | (bit<128>) (1w1 ++ standard.instance_type[2:0] ++ meta.kept);
        if (standard.instance_type == 0) {
            todo = hdr.script.ingress_normal;
        } else if (standard.instance_type == 4) {
            todo = hdr.script.ingress_recirculated;
            hdr.script.ingress_recirculated = 0;
        } else if (standard.instance_type == 6) {
            todo = hdr.script.ingress_resubmitted;
        }
        meta.kept = meta.kept + 1;
        meta.lost = meta.lost + 1;
        hdr.script.ingress_port = (bit<8>) standard.ingress_port;
        standard.egress_spec = (bit<9>) hdr.script.port;
        if (todo & DROP_FIRST != 0) {
            mark_to_drop(standard);
        }
        if (todo & CLONE != 0) {
            clone_preserving_field_list(CloneType.I2E, 1, 1);
        }
        if (todo & CLONE_TO_GROUP != 0) {
            clone(CloneType.I2E, 2);
        }
        if (todo & AGAIN != 0) {
            resubmit_preserving_field_list(1);
        }
        if (todo & MULTICAST != 0) {
            standard.mcast_grp = 1;
        }
        if (todo & TRUNCATE != 0) {
            truncate(31);
        }
        if (todo & DROP != 0) {
            mark_to_drop(standard);
        }
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        bit<8> todo = 0;
        hdr.script.trail = hdr.script.trail << 8 | (bit<128>) (1w0 ++ standard.instance_type[2:0] ++ meta.kept);
        hdr.script.rid = standard.egress_rid;
        hdr.script.length = (bit<16>) standard.packet_length;
        hdr.script.lost = meta.lost;
        if (standard.instance_type == 0) {
            todo = hdr.script.egress_normal;
            hdr.script.egress_normal = 0;
        } else if (standard.instance_type == 1) {
            todo = hdr.script.egress_ingress_clone;
            hdr.script.egress_ingress_clone = 0;
        } else if (standard.instance_type == 2) {
            todo = hdr.script.egress_egress_clone;
            hdr.script.egress_egress_clone = 0;
        } else if (standard.instance_type == 5) {
            todo = hdr.script.egress_replicated;
            hdr.script.egress_replicated = 0;
        }
        meta.kept = meta.kept + 1;
        meta.lost = meta.lost + 1;
        if (todo & DROP_FIRST != 0) {
            mark_to_drop(standard);
            standard.egress_spec = 0;
        }
        if (todo & CLONE != 0) {
            clone_preserving_field_list(CloneType.E2E, 3, 1);
        }
        if (todo & CLONE_TO_GROUP != 0) {
            clone(CloneType.E2E, 4);
        }
        if (todo & AGAIN != 0) {
            recirculate_preserving_field_list(1);
        }
        if (todo & TRUNCATE != 0) {
            truncate(30);
        }
        if (todo & DROP != 0) {
            mark_to_drop(standard);
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
