// Every way in which a packet's journey can fork, one for each bit of `what`.
#include <core.p4>
#include <v1model.p4>

header order_t {
    bit<8>  what;
    bit<8>  passes;
    bit<16> mark;
}

struct headers_t {
    order_t order;
}

struct seen_t {
    bit<9>  port;
    bit<16> mark;
}

struct metadata_t {
    @field_list(1)
    bit<8> again;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.order);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action to(bit<9> port) {
        standard.egress_spec = port;
    }
    action_selector(HashAlgorithm.crc16, 16, 16) ways;
    table routes {
        key = {
            hdr.order.what: exact;
            hdr.order.mark: selector;
        }
        actions = { to; NoAction; }
        default_action = NoAction();
        implementation = ways;
    }
    apply {
        standard.egress_spec = 1;
        if (hdr.order.what[0:0] == 1) {
            standard.mcast_grp = 1;
        }
        if (hdr.order.what[1:1] == 1) {
            clone(CloneType.I2E, 5);
        }
        if (hdr.order.what[3:3] == 1 && meta.again == 0) {
            meta.again = 1;
            resubmit_preserving_field_list(1);
        }
        if (hdr.order.what[5:5] == 1) {
            digest<seen_t>(1, { standard.ingress_port, hdr.order.mark });
        }
        if (hdr.order.what[6:6] == 1) {
            log_msg("mark {} on port {}", { hdr.order.mark, standard.ingress_port });
            random(hdr.order.mark, 16w3, 16w5);
        }
        if (hdr.order.what[7:7] == 1) {
            routes.apply();
        }
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.order.what[2:2] == 1 && standard.instance_type == 0) {
            clone(CloneType.E2E, 6);
        }
        if (hdr.order.what[4:4] == 1 && hdr.order.passes == 0) {
            hdr.order.passes = 1;
            recirculate_preserving_field_list(1);
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
