/*
 * Values that the chip has before a program writes them, and values that are written before a header
 * is valid.
 */

#include <core.p4>
#include <tna.p4>

header order_h {
    bit<8> what;
    bit<8> value;
}

header tail_h {
    bit<8> x;
    bit<8> y;
}

header again_h {
    bit<8> mark;
    bit<56> unused;
}

struct headers_t {
    order_h order;
    tail_h tail;
}

struct ingress_t {
    again_h again;
}

struct empty_t { }

parser Arrival(packet_in packet, out headers_t hdr, out ingress_t md, out ingress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        transition select(intrinsic.resubmit_flag) {
            1: again;
            default: first;
        }
    }
    state first {
        packet.advance(PORT_METADATA_SIZE);
        transition order;
    }
    state again {
        packet.extract(md.again);
        transition order;
    }
    state order {
        packet.extract(hdr.order);
        transition select(hdr.order.what) {
            3: tail;
            default: accept;
        }
    }
    state tail {
        packet.extract(hdr.tail);
        transition accept;
    }
}

control Decide(inout headers_t hdr, inout ingress_t md, in ingress_intrinsic_metadata_t intrinsic,
               in ingress_intrinsic_metadata_from_parser_t parsed,
               inout ingress_intrinsic_metadata_for_deparser_t deparser,
               inout ingress_intrinsic_metadata_for_tm_t tm) {
    action set_x() { hdr.tail.x = hdr.order.value; }
    action show() { hdr.tail.setValid(); }
    table prepare {
        actions = { set_x; }
        default_action = set_x;
    }

    apply {
        tm.ucast_egress_port = 3;
        tm.bypass_egress = 1;
        if (hdr.order.what != 4) {
            prepare.apply();
        }
        show();
        if (intrinsic.resubmit_flag == 1) {
            hdr.tail.y = md.again.mark;
        } else if (hdr.order.what == 2) {
            deparser.resubmit_type = 0;
        }
    }
}

control Leave(packet_out packet, inout headers_t hdr, in ingress_t md,
              in ingress_intrinsic_metadata_for_deparser_t deparser) {
    Resubmit() resubmit;
    apply {
        if (deparser.resubmit_type == 0) {
            resubmit.emit<again_h>({0x77, 0});
        }
        packet.emit(hdr.order);
        packet.emit(hdr.tail);
    }
}

parser Departure(packet_in packet, out empty_t hdr, out empty_t md, out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        transition accept;
    }
}

control Nothing(inout empty_t hdr, inout empty_t md, in egress_intrinsic_metadata_t intrinsic,
                in egress_intrinsic_metadata_from_parser_t parsed,
                inout egress_intrinsic_metadata_for_deparser_t deparser,
                inout egress_intrinsic_metadata_for_output_port_t port) {
    apply { }
}

control Depart(packet_out packet, inout empty_t hdr, in empty_t md,
               in egress_intrinsic_metadata_for_deparser_t deparser) {
    apply { }
}

Pipeline(Arrival(), Decide(), Leave(), Departure(), Nothing(), Depart()) pipe;

Switch(pipe) main;
