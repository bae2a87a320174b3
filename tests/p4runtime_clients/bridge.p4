// Forwards frames from port to port, counts them, keeps the type of the last one of each port, and
// exchanges chosen frames with a controller.
#include <core.p4>
#include <v1model.p4>

const bit<9> CPU_PORT = 510;

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

@controller_header("packet_in")
header packet_in_t {
    bit<9> ingress_port;
    bit<7> reason;
}

@controller_header("packet_out")
header packet_out_t {
    bit<9> egress_port;
    bit<7> unused;
}

struct headers_t {
    packet_in_t packet_in;
    packet_out_t packet_out;
    ethernet_t ethernet;
}

struct metadata_t { }

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        transition select(std.ingress_port) {
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

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    counter(8, CounterType.packets_and_bytes) received;  // of each port
    register<bit<1>>(8) closed;  // 1: frames from that port are dropped
    register<bit<16>>(8) last_type;
    direct_counter(CounterType.packets) forwarded;

    action drop() {
        mark_to_drop(std);
    }
    action to_port(bit<9> port) {
        std.egress_spec = port;
    }
    action to_controller(bit<7> reason) {
        hdr.packet_in.setValid();
        hdr.packet_in.ingress_port = std.ingress_port;
        hdr.packet_in.reason = reason;
        std.egress_spec = CPU_PORT;
    }

    table types {
        key = {
            hdr.ethernet.type: ternary;
            std.ingress_port: optional;
        }
        actions = { to_controller; drop; NoAction; }
        default_action = NoAction();
    }
    table ways {
        key = { std.ingress_port: exact; }
        actions = { to_port; drop; }
        default_action = drop();
        counters = forwarded;
    }

    apply {
        bit<1> shut;
        if (hdr.packet_out.isValid()) {
            std.egress_spec = hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
        } else {
            received.count((bit<32>) std.ingress_port);
            last_type.write((bit<32>) std.ingress_port, hdr.ethernet.type);
            closed.read(shut, (bit<32>) std.ingress_port);
            if (shut == 1) {
                drop();
            } else if (!types.apply().hit) {
                ways.apply();
            }
        }
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.ethernet);
    }
}

V1Switch(Parse(), Verify(), MyIngress(), MyEgress(), Compute(), Deparse()) main;
