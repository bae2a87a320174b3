// Sends packets on by the table `ports`, and a digest of those of type 0x88b5; those for
// 08:00:00:00:00:ff go to multicast group 1, those without an entry to the controller, whose packets
// leave by the port that their header names.
#include <core.p4>
#include <v1model.p4>

const bit<9> CPU_PORT = 64;

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

@controller_header("packet_in")
header packet_in_t {
    bit<9> ingress_port;
    bit<7> pad;
}

@controller_header("packet_out")
header packet_out_t {
    bit<9> egress_port;
    bit<7> pad;
}

struct headers_t {
    packet_in_t packet_in;
    packet_out_t packet_out;
    ethernet_t ethernet;
}

struct metadata_t { }

struct learned_t {
    bit<48> src;
    bit<9> port;
}

parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        transition select(sm.ingress_port) {
            CPU_PORT: from_controller;
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

control MyVerify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    direct_counter(CounterType.packets_and_bytes) seen;

    action to(bit<9> port) {
        sm.egress_spec = port;
    }
    action to_controller() {
        hdr.packet_in.setValid();
        hdr.packet_in.ingress_port = sm.ingress_port;
        sm.egress_spec = CPU_PORT;
    }
    table ports {
        key = { hdr.ethernet.dst: exact; }
        actions = { to; to_controller; }
        default_action = to_controller();
        counters = seen;
    }
    apply {
        if (hdr.ethernet.type == 0x88b5) {
            digest<learned_t>(1, { hdr.ethernet.src, sm.ingress_port });
        }
        if (hdr.packet_out.isValid()) {
            sm.egress_spec = hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
        } else if (hdr.ethernet.dst == 0x0800000000ff) {
            sm.mcast_grp = 1;
        } else {
            ports.apply();
        }
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.egress_rid != 0 && sm.egress_port == sm.ingress_port) {
            mark_to_drop(sm);
        }
    }
}

control MyCompute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.ethernet);
    }
}

V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
