// Forwards by a frame's destination. Tests put other code in front.
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

@controller_header("packet_out")
header packet_out_t {
    bit<9> egress_port;
    bit<7> pad;
}

@controller_header("packet_in")
header packet_in_t {
    bit<9> ingress_port;
    bit<7> pad;
}

struct headers_t {
    packet_out_t packet_out;
    packet_in_t packet_in;
    ethernet_t ethernet;
}

struct learnt_t {
    bit<48> src;
    bit<9> port;
}

struct meta_t {
    learnt_t learnt;
}

parser TestParser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        transition select(sm.ingress_port) {
            255: from_controller;
            default: ethernet;
        }
    }
    state from_controller {
        packet.extract(hdr.packet_out);
        transition ethernet;
    }
    state ethernet {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control NoChecks(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control TestIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action forward(bit<9> port) {
        sm.egress_spec = port;
    }
    action to_controller() {
        sm.egress_spec = 255;
        hdr.packet_in.setValid();
        hdr.packet_in.ingress_port = sm.ingress_port;
    }
    action drop() {
        mark_to_drop(sm);
    }
    table destinations {
        key = { hdr.ethernet.dst: exact; }
        actions = { forward; to_controller; drop; }
        default_action = drop();
        support_timeout = true;
        size = 1024;
    }
    counter(4, CounterType.packets) seen;
    apply {
        /*INGRESS*/
        if (hdr.packet_out.isValid()) {
            sm.egress_spec = hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
        } else {
            if (hdr.ethernet.type == 0x88b5) {
                meta.learnt = { hdr.ethernet.src, sm.ingress_port };
                digest<learnt_t>(1, meta.learnt);
            }
            destinations.apply();
        }
    }
}

control TestEgress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply { }
}

control TestDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.ethernet);
    }
}

V1Switch(TestParser(), NoChecks(), TestIngress(), TestEgress(), NoChecks(), TestDeparser()) main;
