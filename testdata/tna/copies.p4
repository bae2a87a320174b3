/*
 * What packets decide about their copies in multicast groups, deflection from full queues, and
 * packets of the packet generator. A packet says what it wants. Each packet that leaves egress has
 * what egress saw in front; a packet on a port that recirculates packets leaves as it came.
 */

#include <core.p4>
#include <tna.p4>

header wish_h {
    bit<8> group;
    bit<8> port;
    bit<8> level1_exclusion_id;
    bit<8> level2_exclusion_id;
    bit<8> rid;
    bit<8> level1_hash;
    bit<8> level2_hash;
    bit<8> deflect;
}

header note_h {
    bit<16> port;
    bit<16> rid;
    bit<8> deflected;
}

struct headers_t {
    note_h note;
    wish_h wish;
}

struct md_t {}

parser Arrival(packet_in packet, out headers_t hdr, out md_t md, out ingress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        /* Ports 68 to 71 and 196 to 199. */
        transition select(intrinsic.ingress_port) {
            0x44 &&& 0x17c: accept;
            default: wish;
        }
    }
    state wish {
        packet.extract(hdr.wish);
        transition accept;
    }
}

control Decide(inout headers_t hdr, inout md_t md, in ingress_intrinsic_metadata_t intrinsic,
               in ingress_intrinsic_metadata_from_parser_t parsed,
               inout ingress_intrinsic_metadata_for_deparser_t deparser,
               inout ingress_intrinsic_metadata_for_tm_t tm) {
    apply {
        if (!hdr.wish.isValid()) {
            tm.ucast_egress_port = 3;
            tm.bypass_egress = 1;
            exit;
        }
        tm.mcast_grp_a = (bit<16>)hdr.wish.group;
        tm.level1_exclusion_id = (bit<16>)hdr.wish.level1_exclusion_id;
        tm.level2_exclusion_id = (bit<9>)hdr.wish.level2_exclusion_id;
        tm.rid = (bit<16>)hdr.wish.rid;
        tm.level1_mcast_hash = (bit<13>)hdr.wish.level1_hash;
        tm.level2_mcast_hash = (bit<13>)hdr.wish.level2_hash;
        tm.deflect_on_drop = (bit<1>)hdr.wish.deflect;
        if (hdr.wish.port != 0) {
            tm.ucast_egress_port = (PortId_t)hdr.wish.port;
        }
        hdr.wish.setInvalid();
    }
}

control Leave(packet_out packet, inout headers_t hdr, in md_t md,
              in ingress_intrinsic_metadata_for_deparser_t deparser) {
    apply { packet.emit(hdr); }
}

parser Departure(packet_in packet, out headers_t hdr, out md_t md, out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        transition accept;
    }
}

control Note(inout headers_t hdr, inout md_t md, in egress_intrinsic_metadata_t intrinsic,
             in egress_intrinsic_metadata_from_parser_t parsed,
             inout egress_intrinsic_metadata_for_deparser_t deparser,
             inout egress_intrinsic_metadata_for_output_port_t port) {
    apply {
        if (intrinsic.egress_port[6:2] != 17) {
            hdr.note = {(bit<16>)intrinsic.egress_port, intrinsic.egress_rid, (bit<8>)intrinsic.deflection_flag};
        }
    }
}

control Depart(packet_out packet, inout headers_t hdr, in md_t md,
               in egress_intrinsic_metadata_for_deparser_t deparser) {
    apply { packet.emit(hdr); }
}

Pipeline(Arrival(), Decide(), Leave(), Departure(), Note(), Depart()) pipe;

Switch(pipe) main;
