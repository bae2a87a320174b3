/*
 * The paths of packets in TNA. The first bytes of a packet say what happens to it. Each packet that
 * leaves egress begins with a note of what egress saw.
 */

#include <core.p4>
#include <tna.p4>

const bit<8> BRIDGE = 0xb0;
const bit<8> INGRESS_MIRROR = 0xa1;
const bit<8> EGRESS_MIRROR = 0xa2;

header order_h {
    bit<8> what;
    bit<8> port;
    bit<8> detail;
    bit<8> egress;
}

/* What ingress tells egress. */
header bridge_h {
    bit<8> kind;
    @flexible bit<9> port;
    @flexible bit<5> mark;
}

/* The header of mirrored packets. */
header mirror_h {
    bit<8> kind;
    bit<8> mark;
}

header again_h {
    bit<8> mark;
    bit<56> unused;
}

header note_h {
    bit<8> kind;
    bit<16> port;
    bit<16> rid;
    bit<16> length;
    bit<8> mark;
}

struct headers_t {
    note_h note;
    bridge_h bridge;
    mirror_h mirrored;
    order_h order;
}

struct ingress_t {
    again_h again;
    bit<8> mark;
    MirrorId_t session;
}

struct egress_t {
    bit<8> kind;
    bit<8> mark;
    MirrorId_t session;
}

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
        transition accept;
    }
}

control Decide(inout headers_t hdr, inout ingress_t md, in ingress_intrinsic_metadata_t intrinsic,
               in ingress_intrinsic_metadata_from_parser_t parsed,
               inout ingress_intrinsic_metadata_for_deparser_t deparser,
               inout ingress_intrinsic_metadata_for_tm_t tm) {
    action forward() { tm.ucast_egress_port = (PortId_t)(bit<16>)hdr.order.port; }
    action resubmit() {
        md.mark = hdr.order.detail;
        deparser.resubmit_type = 1;
    }
    action mirror() {
        md.session = (MirrorId_t)(bit<16>)hdr.order.detail;
        md.mark = 0x33;
        deparser.mirror_type = 1;
        hdr.order.detail = 0x55;    // mirrored packets are as they were
    }

    apply {
        hdr.bridge.setValid();
        hdr.bridge.kind = BRIDGE;
        hdr.bridge.port = intrinsic.ingress_port;
        hdr.bridge.mark = 0;
        if (hdr.order.what == 1) {
            forward();
        } else if (hdr.order.what == 2) {
            tm.mcast_grp_a = (bit<16>)hdr.order.detail;
            tm.rid = 0xffff;
        } else if (hdr.order.what == 3) {
            tm.mcast_grp_a = 1;
            tm.mcast_grp_b = 2;
            forward();
        } else if (hdr.order.what == 4) {
            if (intrinsic.resubmit_flag == 0) {
                resubmit();
            } else {
                hdr.bridge.mark = (bit<5>)md.again.mark;
            }
            forward();
        } else if (hdr.order.what == 5) {
            mirror();
            forward();
        } else if (hdr.order.what == 6) {
            mirror();
            forward();
            deparser.drop_ctl = 1;
        } else if (hdr.order.what == 7) {
            tm.copy_to_cpu = 1;
            forward();
        } else if (hdr.order.what == 8) {
            hdr.bridge.setInvalid();
            tm.bypass_egress = 1;
            forward();
        } else if (hdr.order.what == 9) {
            hdr.bridge.setInvalid();
            hdr.order.what = 1;
            tm.ucast_egress_port = 68;
        } else if (hdr.order.what == 10) {
            tm.mcast_grp_a = 1;
            tm.copy_to_cpu = 1;
            forward();
            deparser.drop_ctl = 1;
        } else if (hdr.order.what == 11) {
            hdr.bridge.setInvalid();
            hdr.order.what = 1;
            tm.ucast_egress_port = 196;
            tm.bypass_egress = 1;
        } else if (hdr.order.what == 13) {
            resubmit();
            forward();
        } else if (hdr.order.what == 14) {
            forward();
            if (is_validated(tm.ucast_egress_port)) {
                invalidate(tm.ucast_egress_port);
            }
        } else if (hdr.order.what == 15) {
            tm.copy_to_cpu = 1;
            deparser.drop_ctl = 2;
            forward();
        }
    }
}

control Leave(packet_out packet, inout headers_t hdr, in ingress_t md,
              in ingress_intrinsic_metadata_for_deparser_t deparser) {
    Mirror() mirror;
    Resubmit() resubmit;
    apply {
        if (deparser.resubmit_type == 1) {
            resubmit.emit<again_h>({md.mark, 0});
        }
        if (deparser.mirror_type == 1) {
            mirror.emit<mirror_h>(md.session, {INGRESS_MIRROR, md.mark});
        }
        packet.emit(hdr.bridge);
        packet.emit(hdr.order);
    }
}

parser Departure(packet_in packet, out headers_t hdr, out egress_t md, out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        transition select(packet.lookahead<bit<8>>()) {
            BRIDGE: bridged;
            INGRESS_MIRROR: mirrored;
            EGRESS_MIRROR: mirrored;
            default: order;
        }
    }
    state bridged {
        packet.extract(hdr.bridge);
        md.kind = hdr.bridge.kind;
        md.mark = (bit<8>)(bit<5>)hdr.bridge.port[4:0];
        transition order;
    }
    state mirrored {
        packet.extract(hdr.mirrored);
        md.kind = hdr.mirrored.kind;
        md.mark = hdr.mirrored.mark;
        transition accept;
    }
    state order {
        packet.extract(hdr.order);
        transition accept;
    }
}

control Note(inout headers_t hdr, inout egress_t md, in egress_intrinsic_metadata_t intrinsic,
             in egress_intrinsic_metadata_from_parser_t parsed,
             inout egress_intrinsic_metadata_for_deparser_t deparser,
             inout egress_intrinsic_metadata_for_output_port_t port) {
    apply {
        if (hdr.bridge.mark != 0) {
            md.mark = (bit<8>)hdr.bridge.mark;
        }
        hdr.note = {md.kind, (bit<16>)intrinsic.egress_port, intrinsic.egress_rid, intrinsic.pkt_length, md.mark};
        if (hdr.order.what == 9 || intrinsic.egress_port == 68) {
            hdr.note.setInvalid();
        }
        if (hdr.order.egress == 1 || hdr.order.egress == 3) {
            deparser.drop_ctl = 1;
        }
        if (hdr.order.egress > 1) {
            deparser.mirror_type = 1;
            md.session = 9;
            md.mark = hdr.order.egress;
            hdr.order.egress = 0;
        }
        if (hdr.order.detail == 0x44) {
            deparser.drop_ctl = 4;
        }
    }
}

control EgressMirror(in egress_t md, in egress_intrinsic_metadata_for_deparser_t deparser) {
    Mirror() mirror;
    apply {
        if (deparser.mirror_type == 1) {
            mirror.emit<mirror_h>(md.session, {EGRESS_MIRROR, md.mark});
        }
    }
}

control Depart(packet_out packet, inout headers_t hdr, in egress_t md,
               in egress_intrinsic_metadata_for_deparser_t deparser) {
    EgressMirror() egress_mirror;
    apply {
        egress_mirror.apply(md, deparser);
        packet.emit(hdr.note);
        packet.emit(hdr.order);
    }
}

Pipeline(Arrival(), Decide(), Leave(), Departure(), Note(), Depart()) pipe;

Switch(pipe) main;
