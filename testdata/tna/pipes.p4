/*
 * Two pipes with programs of their own. A packet's port decides which program runs: before the
 * queues, the port on which it arrived, and after them, the port through which it leaves.
 */

#include <core.p4>
#include <tna.p4>

header order_h {
    bit<16> port;
    bit<8> path;
}

/* What the second pipe adds. */
header stamp_h {
    bit<16> port;
    bit<8> count;
}

struct first_headers_t {
    order_h order;
}

struct second_headers_t {
    stamp_h stamp;
    order_h order;
}

struct port_t {
    bit<8> mark;
}

struct first_t {
    port_t port;
}

struct second_t {}

parser FirstArrival(packet_in packet, out first_headers_t hdr, out first_t md,
                    out ingress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        md.port = port_metadata_unpack<port_t>(packet);
        packet.extract(hdr.order);
        transition accept;
    }
}

control First(inout first_headers_t hdr, inout first_t md, in ingress_intrinsic_metadata_t intrinsic,
              in ingress_intrinsic_metadata_from_parser_t parsed,
              inout ingress_intrinsic_metadata_for_deparser_t deparser,
              inout ingress_intrinsic_metadata_for_tm_t tm) {
    Counter<bit<32>, bit<1>>(1, CounterType_t.PACKETS) packets;
    action send() { tm.ucast_egress_port = (PortId_t)hdr.order.port; }
    action drop() { deparser.drop_ctl = 1; }
    table forward {
        key = { hdr.order.path: exact; }
        actions = { send; drop; }
        default_action = send;
        const entries = { 0xff: drop(); }
    }
    apply {
        packets.count(0);
        forward.apply();
        hdr.order.path = hdr.order.path + 1 + md.port.mark;
    }
}

control FirstLeave(packet_out packet, inout first_headers_t hdr, in first_t md,
                   in ingress_intrinsic_metadata_for_deparser_t deparser) {
    apply { packet.emit(hdr); }
}

parser FirstTurn(packet_in packet, out first_headers_t hdr, out first_t md,
                 out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.extract(hdr.order);
        transition accept;
    }
}

control FirstEgress(inout first_headers_t hdr, inout first_t md, in egress_intrinsic_metadata_t intrinsic,
                    in egress_intrinsic_metadata_from_parser_t parsed,
                    inout egress_intrinsic_metadata_for_deparser_t deparser,
                    inout egress_intrinsic_metadata_for_output_port_t port) {
    apply {
        hdr.order.path = hdr.order.path + 0x10;
        if (hdr.order.path == 0x77) {
            exit;
        }
        hdr.order.port = (bit<16>)intrinsic.egress_port;
    }
}

control FirstEnd(packet_out packet, inout first_headers_t hdr, in first_t md,
                 in egress_intrinsic_metadata_for_deparser_t deparser) {
    apply { packet.emit(hdr); }
}

parser SecondArrival(packet_in packet, out second_headers_t hdr, out second_t md,
                     out ingress_intrinsic_metadata_t intrinsic) {
    value_set<bit<8>>(4) stamped;
    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        transition select(packet.lookahead<bit<24>>()[7:0]) {
            0x80 &&& 0xf0: stamp;
            stamped: stamp;
            default: order;
        }
    }
    state stamp {
        packet.extract(hdr.stamp);
        transition order;
    }
    state order {
        packet.extract(hdr.order);
        transition accept;
    }
}

control Second(inout second_headers_t hdr, inout second_t md, in ingress_intrinsic_metadata_t intrinsic,
               in ingress_intrinsic_metadata_from_parser_t parsed,
               inout ingress_intrinsic_metadata_for_deparser_t deparser,
               inout ingress_intrinsic_metadata_for_tm_t tm) {
    Counter<bit<32>, bit<1>>(1, CounterType_t.PACKETS) packets;
    apply {
        packets.count(0);
        tm.ucast_egress_port = (PortId_t)hdr.order.port;
        if (!hdr.stamp.isValid()) {
            hdr.stamp.setValid();
            hdr.stamp.count = 0x80;
        }
        hdr.stamp.port = (bit<16>)intrinsic.ingress_port;
        hdr.order.path = hdr.order.path + 2;
    }
}

control SecondLeave(packet_out packet, inout second_headers_t hdr, in second_t md,
                    in ingress_intrinsic_metadata_for_deparser_t deparser) {
    apply {
        packet.emit(hdr.order);
        packet.emit(hdr.stamp);
    }
}

parser SecondTurn(packet_in packet, out second_headers_t hdr, out second_t md,
                  out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.extract(hdr.order);
        transition accept;
    }
}

control SecondEgress(inout second_headers_t hdr, inout second_t md, in egress_intrinsic_metadata_t intrinsic,
                     in egress_intrinsic_metadata_from_parser_t parsed,
                     inout egress_intrinsic_metadata_for_deparser_t deparser,
                     inout egress_intrinsic_metadata_for_output_port_t port) {
    apply {
        hdr.stamp.setValid();
        hdr.stamp.port = (bit<16>)intrinsic.egress_port;
        hdr.stamp.count = 0x81;
        hdr.order.path = hdr.order.path + 0x20;
    }
}

control SecondEnd(packet_out packet, inout second_headers_t hdr, in second_t md,
                  in egress_intrinsic_metadata_for_deparser_t deparser) {
    apply { packet.emit(hdr); }
}

Pipeline(FirstArrival(), First(), FirstLeave(), FirstTurn(), FirstEgress(), FirstEnd()) first;
Pipeline(SecondArrival(), Second(), SecondLeave(), SecondTurn(), SecondEgress(), SecondEnd()) second;

Switch(first, second) main;
